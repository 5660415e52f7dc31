/**
 * Hours of everything at once: `bun bench/soak.ts [--minutes 120] [--devices 20000]`. Reads, searches, writes, allocations, a webhook
 * for all events, and a scan of loopback each minute. The pace is even and far below the limit, so that growth is visible. Afterwards a
 * new server and the old one do the same in alternate minutes: a delay of both comes from the machine.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LAB_VARIABLE } from '../src/scanner/lab-guard.ts'
import { startReceiver } from '../testing/receiver.ts'
import { authorized, plain } from './bench.ts'
import { alternate, type Pair } from './load.ts'
import { mebibytes, median, milliseconds, percent, quantile } from './numbers.ts'
import type { Side } from './pair.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { type Asked, idOf, mixedWork, openCaller, prepareMixed } from './works/mixed.ts'
import { post } from './works/pools.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '120' }, devices: { type: 'string', default: '20000' } },
})
const minutes = Number(values.minutes)
if (!(minutes >= 6)) throw new Error('--minutes: at least 6, of which a sixth is to get warm')

const GOAL = { mebibytesPerHour: 1, drift: 0.1 }
const MINUTE_MS = 60_000
/** After so much of the time it is warm. */
const WARM = 1 / 6
const LOOK_MS = 5000
/** A new server gets so much of the time to become warm, before it is compared with the old one. */
const NEW_WARM = 1 / 24
/** Minutes of each, in turn. */
const COMPARED = Math.max(1, Math.round(minutes / 15))

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-soak-'))
const receiver = await startReceiver()
const servers: Server[] = []
const failures: string[] = []
let changes = 0
const changed = (count: number): void => {
  changes += count
}
const noteFailure = ({ status, parts, body }: Asked): void => {
  if (status >= 400) failures.push(`${parts.method ?? 'GET'} ${parts.path}: ${status} ${body.slice(0, 200)}`)
}

/** A server on a new estate. */
const start = async (called: string) => {
  process.stderr.write(`${called}: importing ...\n`)
  const folder = join(workDir, called)
  mkdirSync(folder)
  const { dataDir, key, deviceIds } = await prepare(folder, Number(values.devices))
  const server = await startPlat(
    dataDir,
    { DISCOVERY_ALLOW_LOCAL: 'true', [LAB_VARIABLE]: '1' },
    { main: 'testing/servers/reaching-main.ts' },
  )
  servers.push(server)
  const side: Side = { port: server.port, request: authorized(key), deviceIds }
  return { server, side, work: mixedWork(side) }
}
const { server, side, work } = await start('soak')

const beganMs = performance.now()
const endMs = beganMs + minutes * MINUTE_MS
const isOver = (): boolean => performance.now() >= endMs
/** Times of the requests, by the minute in which they were answered. */
const times: number[][] = Array.from({ length: Math.ceil(minutes) + 1 }, () => [])
const answered = (asked: Asked): void => {
  times[Math.floor((performance.now() - beganMs) / MINUTE_MS)]?.push(asked.ms)
  noteFailure(asked)
}

const scans = async (network_id: string): Promise<number> => {
  let count = 0
  while (!isOver()) {
    // One that stays open between them is closed by the server.
    const { ask, close } = await openCaller(side, answered)
    await ask(post(`/api/discovery/networks/${network_id}/scan`, { scan_type: 'quick' }))
    close()
    count++
    await Bun.sleep(Math.min(MINUTE_MS, Math.max(0, endMs - performance.now())))
  }
  return count
}

/** The p99 of the old server and of one that has only just started, a minute of either in turn. */
const besideNew = async (): Promise<Pair> => {
  const { side: sideOfNew, work: workOfNew } = await start('new')
  await prepareMixed(sideOfNew, receiver.url('/soak'), noteFailure)
  const p99Of = async (one: typeof work, lastsMs: number): Promise<number> => {
    const taken: number[] = []
    const untilMs = performance.now() + lastsMs
    const note = (asked: Asked): void => {
      taken.push(asked.ms)
      noteFailure(asked)
    }
    await one({ isOver: () => performance.now() >= untilMs, answered: note, changed })
    return quantile(taken, 0.99)
  }
  await p99Of(workOfNew, minutes * NEW_WARM * MINUTE_MS)
  return alternate(
    COMPARED,
    () => p99Of(work, MINUTE_MS),
    () => p99Of(workOfNew, MINUTE_MS),
  )
}

/** A leak shows here, beside how much the collector lets wait. */
const inUseWhenWarm = async (): Promise<number> => {
  await Bun.sleep(minutes * WARM * MINUTE_MS)
  return server.memoryInUse()
}

/** Prints a line each minute. */
const tell = async (): Promise<void> => {
  const minute = Math.floor((performance.now() - beganMs) / MINUTE_MS) - 1
  const p99 = quantile(times[minute] ?? [], 0.99)
  const resident = mebibytes(memory.at(-1)?.bytes ?? 0)
  const held = mebibytes(await server.memoryHeld())
  process.stderr.write(
    `${minute + 1}: p99 ${milliseconds(p99)}, ${resident} with ${held} for objects, ${failures.length} refused\n`,
  )
}

type Look = { readonly hours: number; readonly bytes: number }
const memory: Look[] = []
const look = (): void => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]
  memory.push({ hours: (performance.now() - beganMs) / 3_600_000, bytes: Number(kilobytes) * 1024 })
}

const meanOf = (looks: readonly Look[], of: (look: Look) => number): number =>
  looks.reduce((sum, look) => sum + of(look), 0) / looks.length

/** Computes the slope by least squares, in bytes an hour, with its standard error: garbage collections make it uncertain. */
const slopeOf = (looks: readonly Look[]): { readonly slope: number; readonly error: number } => {
  const [x, y] = [meanOf(looks, ({ hours }) => hours), meanOf(looks, ({ bytes }) => bytes)]
  const spread = meanOf(looks, ({ hours }) => (hours - x) ** 2)
  const slope = meanOf(looks, ({ hours, bytes }) => (hours - x) * (bytes - y)) / spread
  const rest = meanOf(looks, ({ hours, bytes }) => (bytes - y - slope * (hours - x)) ** 2)
  return { slope, error: Math.sqrt(rest / spread / Math.max(1, looks.length - 2)) }
}

/** Averages samples over five minutes: adjacent samples see the same heap, and add little. */
const byFiveMinutes = (looks: readonly Look[]): Look[] =>
  [...Map.groupBy(looks, ({ hours }) => Math.floor(hours * 12)).values()].map((some) => ({
    hours: meanOf(some, ({ hours }) => hours),
    bytes: meanOf(some, ({ bytes }) => bytes),
  }))

try {
  await prepareMixed(side, receiver.url('/soak'), noteFailure)
  const { ask, close } = await openCaller(side, noteFailure)
  const loopback = idOf(await ask(post('/api/networks', { name: 'Loopback', subnet: '127.0.0.0/24' })))
  close()
  const timers = [setInterval(look, LOOK_MS), setInterval(tell, MINUTE_MS)]
  const [scanned, inUseWarm] = await Promise.all([
    scans(loopback),
    inUseWhenWarm(),
    work({ isOver, answered, changed }),
  ])
  for (const timer of timers) clearInterval(timer)
  const inUseEnd = await server.memoryInUse()
  const pair = await besideNew()
  const patienceMs = performance.now() + MINUTE_MS
  while (receiver.received.length < changes && performance.now() < patienceMs) await Bun.sleep(100)

  const warm = minutes * WARM
  const looks = memory.filter(({ hours }) => hours * 60 > warm)
  const slope = slopeOf(looks).slope / 2 ** 20
  const error = slopeOf(byFiveMinutes(looks)).error / 2 ** 20
  // The last minute is cut off.
  const p99s = times.slice(Math.ceil(warm), Math.floor(minutes)).map((own) => quantile(own, 0.99))
  const third = Math.max(1, Math.floor(p99s.length / 3))
  const [first, last] = [median(p99s.slice(0, third)), median(p99s.slice(-third))]
  const drift = last / first - 1
  const all = times.reduce((sum, { length }) => sum + length, 0)
  publish([
    plain({
      work: `${minutes} minutes: memory after the first ${warm.toFixed(0)}`,
      ours: `${slope.toFixed(2)} ± ${error.toFixed(2)} MiB an hour, ${mebibytes(memory.at(-1)?.bytes ?? 0)} at the end`,
      goal: `< ${GOAL.mebibytesPerHour} MiB an hour`,
      isMet: slope < GOAL.mebibytesPerHour,
      numbers: { slope_mib_per_hour: slope, error_mib_per_hour: error, minutes },
    }),
    plain({
      work: '  of it in use by what it keeps, then and at the end',
      ours: `${mebibytes(inUseWarm)}, ${mebibytes(inUseEnd)}`,
      goal: '',
      isMet: undefined,
      numbers: { in_use_warm_mib: inUseWarm / 2 ** 20, in_use_mib: inUseEnd / 2 ** 20 },
    }),
    plain({
      work: `  p99 of ${all.toLocaleString('en-US')} requests, first and last third`,
      ours: `${milliseconds(first)}, ${milliseconds(last)}: ${percent(drift)}`,
      goal: `< + ${percent(GOAL.drift)}`,
      isMet: drift < GOAL.drift,
      numbers: { first_ms: first, last_ms: last, drift },
    }),
    plain({
      work: '  p99 afterwards, of a server that has only just started and of this one, in turn',
      ours: `${milliseconds(pair.baseline)}, ${milliseconds(pair.ours)}: ${percent(pair.ratio - 1)}`,
      goal: `< + ${percent(GOAL.drift)}`,
      isMet: pair.ratio - 1 < GOAL.drift,
      numbers: { new_ms: pair.baseline, old_ms: pair.ours, slower: pair.ratio - 1 },
    }),
    plain({
      work: `  refused, beside ${scanned} scans`,
      ours: `${failures.length}`,
      goal: 'none',
      isMet: failures.length === 0,
      numbers: { failures: failures.length, scans: scanned },
    }),
    plain({
      work: `  changes that the webhook was told of`,
      ours: `${receiver.received.length.toLocaleString('en-US')} of ${changes.toLocaleString('en-US')}`,
      goal: 'all',
      isMet: receiver.received.length === changes,
      numbers: { changes, told: receiver.received.length },
    }),
  ])
  for (const line of new Set(failures)) process.stderr.write(`${line}\n`)
} finally {
  for (const one of servers) await one.stop()
  await receiver.close()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
