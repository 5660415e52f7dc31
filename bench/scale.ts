/**
 * Ten times as many devices: `bun bench/scale.ts [--devices 1000000]`. Two servers on SQLite, one with a tenth of the other's devices, do the
 * same work in turn; and the whole list of the larger one is read while its memory is looked at.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, plain, type Result } from './bench.ts'
import { inTurn } from './load.ts'
import { megabytes, milliseconds } from './numbers.ts'
import {
  commonSearches,
  compareOne,
  deviceSearches,
  FIRST,
  nextIp,
  readOne,
  type Side,
  searchesAfterWrites,
  searchesBesideWrites,
} from './pair.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '1000000' } } })
const devices = Number(values.devices)
const GOAL = 2
const GOAL_BYTES = 400e6

/** The most that was resident since the process began (proc(5), VmHWM). */
const peakOf = ({ pid }: Server): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-scale-'))
const servers: Server[] = []
try {
  const imports: Result[] = []
  const sideOf = async (count: number): Promise<{ side: Side; server: Server }> => {
    process.stderr.write(`importing ${count.toLocaleString('en-US')} devices ...\n`)
    const folder = join(workDir, String(count))
    mkdirSync(folder)
    const { dataDir, key, deviceIds, results } = await prepare(folder, count)
    // Its goal is that of 100,000.
    imports.push(...results.map((result) => ({ ...result, goal: '', isMet: undefined })))
    const server = await startPlat(dataDir)
    servers.push(server)
    return { server, side: { port: server.port, request: authorized(key), deviceIds } }
  }
  const { side: baseline } = await sideOf(Math.round(devices / 10))
  const { side: ours, server } = await sideOf(devices)
  const [whole] = await inTurn(server.port, [ours.request({ path: '/api/devices' })])
  const bytes = peakOf(server)
  const list = plain({
    work: `GET all ${devices.toLocaleString('en-US')} devices, ${megabytes(whole?.bytes ?? 0)} in ${milliseconds(whole?.ms ?? 0)}: memory at most`,
    ours: megabytes(bytes),
    goal: `< ${megabytes(GOAL_BYTES)}`,
    isMet: bytes < GOAL_BYTES,
    numbers: { bytes },
  })
  const pairing = { ours, baseline, called: 'a tenth' }
  const results: Result[] = [...imports, list]
  const ids = baseline.deviceIds
  const searched = [...deviceSearches(ids, FIRST), ...commonSearches, ...searchesBesideWrites(ids, FIRST)]
  for (const work of [readOne, ...searched, nextIp]) {
    process.stderr.write(`${work.name} ...\n`)
    results.push(await compareOne(work, pairing, GOAL))
  }
  // These searches query the index, whose lists are ten times as long.
  for (const work of searchesAfterWrites(ids, FIRST)) results.push(await compareOne(work, pairing))
  // Ten times as many devices hold the words, and all of them are sent.
  for (const work of deviceSearches(ids)) results.push(await compareOne(work, pairing))
  publish(results)
} finally {
  for (const server of servers) await server.stop()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
