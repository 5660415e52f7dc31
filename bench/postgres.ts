/**
 * PostgreSQL beside SQLite: `bun bench/postgres.ts [--devices 100000] [--only write]`. The same estate is imported into both, and both servers do the
 * same work in turn. PostgreSQL is set up as it comes, on the same disk.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, type Result } from './bench.ts'
import { milliseconds, times } from './numbers.ts'
import { allWorks, compareOne, type Side } from './pair.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, only: { type: 'string', default: '' } },
})
const devices = Number(values.devices)
const GOAL = 3

/** Does the work of autovacuum, which follows such an import within minutes. */
const analyze = async (url: string): Promise<void> => {
  const client = new SQL(url, { max: 1 })
  await client.unsafe('VACUUM ANALYZE')
  await client.close()
}

/** Both sides import the same works in the same order. */
const imported = (): Result[] => {
  const [ours = [], baseline = []] = imports
  return ours.flatMap(({ work, numbers: { ms = Number.NaN } }, at) => {
    const { ms: other = Number.NaN } = baseline[at]?.numbers ?? {}
    const slower = ms / other
    return {
      work,
      ours: milliseconds(ms),
      baseline: `SQLite ${milliseconds(other)}`,
      ratio: times(slower),
      goal: `<= ${GOAL} x the time`,
      isMet: slower <= GOAL,
      numbers: { ours_ms: ms, baseline_ms: other, slower },
    }
  })
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-postgres-'))
const postgres = await postgresAsItComes()
const servers: Server[] = []
const imports: (readonly Result[])[] = []
try {
  const sideOf = async (called: string, env: Readonly<Record<string, string>>): Promise<Side> => {
    process.stderr.write(`importing ${devices.toLocaleString('en-US')} devices into ${called} ...\n`)
    const folder = join(workDir, called)
    mkdirSync(folder)
    const { dataDir, key, deviceIds, results } = await prepare(folder, devices, env)
    imports.push(results)
    const server = await startPlat(dataDir, env)
    servers.push(server)
    return { port: server.port, request: authorized(key), deviceIds }
  }
  const pairing = {
    ours: await sideOf('PostgreSQL', { DATABASE_URL: postgres.url }),
    baseline: await sideOf('SQLite', {}),
    called: 'SQLite',
  }
  await analyze(postgres.url)
  const results: Result[] = imported()
  for (const work of allWorks(pairing.baseline.deviceIds)) {
    if (!work.name.includes(values.only)) continue
    process.stderr.write(`${work.name} ...\n`)
    results.push(await compareOne(work, pairing, GOAL))
  }
  publish(results)
} finally {
  for (const server of servers) await server.stop()
  await postgres.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
