/**
 * Ten times as many devices: `bun bench/scale.ts [--devices 1000000]`. Two servers on SQLite, one with a tenth of the other's devices, do the
 * same work in turn; and the whole list of the larger one is read while its memory is looked at.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, plain, type Result } from './bench.ts'
import { commonTexts } from './common-texts.ts'
import { inTurn } from './load.ts'
import { median, megabytes, milliseconds, quantile, times } from './numbers.ts'
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
import { type Prepared, peakOf, prepare } from './setup.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '1000000' } } })
const devices = Number(values.devices)
const GOAL = 2
const GOAL_BYTES = 400e6
/** The goal of the import: how many times a tenth, in processor time, and memory. */
const GOAL_IMPORT = { times: 11, bytes: 600e6 }
const GOAL_HEALTH_MS = 50

type Cost = Prepared['cost']

const importResults = (cost: Cost, tenth: Cost): Result[] => {
  const slower = cost.processorMs / tenth.processorMs
  return [
    {
      work: 'import of the whole estate, processor time',
      ours: milliseconds(cost.processorMs),
      baseline: `a tenth ${milliseconds(tenth.processorMs)}`,
      ratio: times(slower),
      goal: `<= ${GOAL_IMPORT.times} x`,
      isMet: slower <= GOAL_IMPORT.times,
      numbers: { ours_ms: cost.processorMs, baseline_ms: tenth.processorMs, slower },
    },
    plain({
      work: '  memory of the server during it, at most',
      ours: megabytes(cost.peakBytes),
      goal: `< ${megabytes(GOAL_IMPORT.bytes)}`,
      isMet: cost.peakBytes < GOAL_IMPORT.bytes,
      numbers: { bytes: cost.peakBytes },
    }),
  ]
}

/** Another client asks for `/healthz` every few milliseconds while texts that nearly all devices have are searched for the first time. */
const besideFirstSearches = async ({ port, request }: Side): Promise<Result> => {
  const texts = commonTexts().slice(0, 60)
  let isOver = false
  const taken: number[] = []
  const watch = async () => {
    while (!isOver) {
      for (const { ms } of await inTurn(port, [request({ path: '/healthz' })])) taken.push(ms)
      await Bun.sleep(5)
    }
  }
  const watching = watch()
  const searches = texts.map((text) => request({ path: `/api/devices/search?limit=50&q=${encodeURIComponent(text)}` }))
  const searched = await inTurn(port, searches)
  isOver = true
  await watching
  const p99 = quantile(taken, 0.99)
  return plain({
    work: `GET /healthz beside first searches for three texts that nearly all have, each ${milliseconds(median(searched.map(({ ms }) => ms)))}: p99`,
    ours: milliseconds(p99),
    goal: `< ${GOAL_HEALTH_MS} ms`,
    isMet: p99 < GOAL_HEALTH_MS,
    numbers: { p99_ms: p99 },
  })
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-scale-'))
const servers: Server[] = []
try {
  const imports: Result[] = []
  const sideOf = async (count: number): Promise<{ side: Side; server: Server; cost: Prepared['cost'] }> => {
    process.stderr.write(`importing ${count.toLocaleString('en-US')} devices ...\n`)
    const folder = join(workDir, String(count))
    mkdirSync(folder)
    const { dataDir, key, deviceIds, results, cost } = await prepare(folder, count)
    // Its goal is that of 100,000.
    imports.push(...results.map((result) => ({ ...result, goal: '', isMet: undefined })))
    const server = await startPlat(dataDir)
    servers.push(server)
    return { server, cost, side: { port: server.port, request: authorized(key), deviceIds } }
  }
  const { side: baseline, cost: tenth } = await sideOf(Math.round(devices / 10))
  const { side: ours, server, cost } = await sideOf(devices)
  imports.push(...importResults(cost, tenth), await besideFirstSearches(ours))
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
  // These searches query the index. Its lists are ten times as long.
  for (const work of searchesAfterWrites(ids, FIRST)) results.push(await compareOne(work, pairing))
  // Ten times as many devices hold the words, and all of them are sent.
  for (const work of deviceSearches(ids)) results.push(await compareOne(work, pairing))
  publish(results)
} finally {
  for (const server of servers) await server.stop()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
