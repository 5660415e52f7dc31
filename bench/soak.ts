/**
 * Hours of everything at once: `bun bench/soak.ts [--minutes 120] [--devices 20000]`. Reads, searches, writes, allocations, a webhook that is
 * told of every change, and a scan of loopback each minute, at an even pace far below the limit, so that what grows shows.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LAB_VARIABLE } from '../src/scanner/lab-guard.ts'
import { startReceiver } from '../src/testing/receiver.ts'
import { authorized, plain } from './bench.ts'
import { Connection, type RequestParts } from './connection.ts'
import { mebibytes, median, milliseconds, percent, quantile } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { makePool, post } from './works/pools.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '120' }, devices: { type: 'string', default: '20000' } },
})
const minutes = Number(values.minutes)
if (!(minutes >= 6)) throw new Error('--minutes: at least 6, of which a sixth is to get warm')

const CALLERS = 4
/** Of each caller, from one request to the next. */
const PACE_MS = 20
const GOAL = { mebibytesPerHour: 1, drift: 0.1 }
const MINUTE_MS = 60_000
/** After so much of the time it is warm. */
const WARM = 1 / 6
const LOOK_MS = 5000

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-soak-'))
process.stderr.write('importing ...\n')
const { dataDir, key, deviceIds } = await prepare(workDir, Number(values.devices))
const server = await startPlat(dataDir, { [LAB_VARIABLE]: '1' }, { main: 'src/testing/reaching-main.ts' })
const receiver = await startReceiver()
const request = authorized(key)

const beganMs = performance.now()
const endMs = beganMs + minutes * MINUTE_MS
const isOver = (): boolean => performance.now() >= endMs
/** Times of the requests, by the minute in which they were answered. */
const times: number[][] = Array.from({ length: Math.ceil(minutes) + 1 }, () => [])
const failures: string[] = []
let changes = 0

const caller = async () => {
  const connection = await Connection.open(server.port)
  return {
    close: () => connection.close(),
    ask: async (parts: RequestParts): Promise<string> => {
      const { status, body, ms } = await connection.send(request(parts), { keepBody: true })
      times[Math.floor((performance.now() - beganMs) / MINUTE_MS)]?.push(ms)
      if (status >= 400) failures.push(`${parts.method ?? 'GET'} ${parts.path}: ${status} ${body.slice(0, 200)}`)
      return body
    },
  }
}

const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id

/** Ends as it began: whatever it makes it takes away. */
const turn = async (ask: (parts: RequestParts) => Promise<string>, own: number, n: number): Promise<number> => {
  const id = deviceIds[(n * 7919 + own) % deviceIds.length] ?? ''
  switch (n % 8) {
    case 0: {
      const made = idOf(await ask(post('/api/devices', { name: `soak ${own}-${n}`, tags: ['soak'] })))
      await ask({ method: 'DELETE', path: `/api/devices/${made}` })
      changes += 2
      return 2
    }
    case 1:
      await ask({ method: 'PUT', path: `/api/devices/${id}`, body: JSON.stringify({ description: `turn ${n}` }) })
      changes++
      return 1
    case 2: {
      const given = await ask(post('/api/pools/soak/allocate', {}))
      const [made] = (JSON.parse(given) as { reservations?: { id: string }[] }).reservations ?? []
      if (!made) return 1
      await ask({ method: 'DELETE', path: `/api/reservations/${made.id}` })
      return 2
    }
    case 3:
      await ask({ path: `/api/devices/search?limit=50&q=${id.slice(0, 6)}` })
      return 1
    case 4:
      await ask({ path: '/api/devices?limit=50&tags=production' })
      return 1
    case 5:
      await ask({ path: '/api/networks?include=utilization' })
      return 1
    default:
      await ask({ path: `/api/devices/${id}` })
      return 1
  }
}

const call = async (own: number): Promise<void> => {
  const { ask, close } = await caller()
  for (let n = 0; !isOver(); ) {
    const startMs = performance.now()
    const sent = await turn(ask, own, n++)
    await Bun.sleep(Math.max(0, startMs + sent * PACE_MS - performance.now()))
  }
  close()
}

const scans = async (network_id: string): Promise<number> => {
  let count = 0
  while (!isOver()) {
    // One that stays open between them is closed by the server.
    const { ask, close } = await caller()
    await ask(post(`/api/discovery/networks/${network_id}/scan`, { scan_type: 'quick' }))
    close()
    count++
    await Bun.sleep(Math.min(MINUTE_MS, Math.max(0, endMs - performance.now())))
  }
  return count
}

/** A leak shows here, beside how much the collector lets wait. */
const inUseWhenWarm = async (): Promise<number> => {
  await Bun.sleep(minutes * WARM * MINUTE_MS)
  return server.memoryInUse()
}

/** Each minute a line: hours are long for whoever waits for the end of them. */
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

/** By least squares, in bytes an hour, with its standard error: what is collected now and then makes it uncertain. */
const slopeOf = (looks: readonly Look[]): { readonly slope: number; readonly error: number } => {
  const [x, y] = [meanOf(looks, ({ hours }) => hours), meanOf(looks, ({ bytes }) => bytes)]
  const spread = meanOf(looks, ({ hours }) => (hours - x) ** 2)
  const slope = meanOf(looks, ({ hours, bytes }) => (hours - x) * (bytes - y)) / spread
  const rest = meanOf(looks, ({ hours, bytes }) => (bytes - y - slope * (hours - x)) ** 2)
  return { slope, error: Math.sqrt(rest / spread / Math.max(1, looks.length - 2)) }
}

/** Those of five minutes as one: one look after another meets the same heap, and tells little more. */
const byFiveMinutes = (looks: readonly Look[]): Look[] =>
  [...Map.groupBy(looks, ({ hours }) => Math.floor(hours * 12)).values()].map((some) => ({
    hours: meanOf(some, ({ hours }) => hours),
    bytes: meanOf(some, ({ bytes }) => bytes),
  }))

try {
  const { ask, close } = await caller()
  await makePool(async (parts) => ask(parts), 'soak', '172.24.0.0/16', {
    start_ip: '172.24.0.1',
    end_ip: '172.24.255.254',
  })
  const loopback = idOf(await ask(post('/api/networks', { name: 'Loopback', subnet: '127.0.0.0/24' })))
  const events = ['device.created', 'device.updated', 'device.deleted']
  await ask(post('/api/webhooks', { name: 'soak', url: receiver.url('/soak'), events }))
  close()
  const timers = [setInterval(look, LOOK_MS), setInterval(tell, MINUTE_MS)]
  const callers = Array.from({ length: CALLERS }, (_, own) => call(own))
  const [scanned, inUseWarm] = await Promise.all([scans(loopback), inUseWhenWarm(), ...callers])
  for (const timer of timers) clearInterval(timer)
  const inUseEnd = await server.memoryInUse()
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
  await server.stop()
  await receiver.close()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
