/**
 * PostgreSQL beside SQLite: `bun bench/postgres.ts [--devices 100000]`. The same estate is imported into both, and both servers do the
 * same work in turn.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresDatabase } from '../src/testing/servers.ts'
import { authorized, type Result } from './bench.ts'
import { allWorks, compareOne, type Side } from './pair.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '100000' } } })
const devices = Number(values.devices)
const GOAL = 3

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-postgres-'))
const database = await postgresDatabase()
const servers: Server[] = []
try {
  const sideOf = async (called: string, env: Readonly<Record<string, string>>): Promise<Side> => {
    process.stderr.write(`importing ${devices.toLocaleString('en-US')} devices into ${called} ...\n`)
    const folder = join(workDir, called)
    mkdirSync(folder)
    const { dataDir, key, deviceIds } = await prepare(folder, devices, env)
    const server = await startPlat(dataDir, env)
    servers.push(server)
    return { port: server.port, request: authorized(key), deviceIds }
  }
  const pairing = {
    ours: await sideOf('PostgreSQL', { DATABASE_URL: database.url }),
    baseline: await sideOf('SQLite', {}),
    called: 'SQLite',
    goal: GOAL,
  }
  const results: Result[] = []
  for (const work of allWorks(pairing.baseline.deviceIds)) {
    process.stderr.write(`${work.name} ...\n`)
    results.push(await compareOne(work, pairing))
  }
  publish(results)
} finally {
  for (const server of servers) await server.stop()
  await database.drop()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
