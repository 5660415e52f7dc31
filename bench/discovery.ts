/**
 * The effect of a scan on other requests: `bun bench/discovery.ts [--devices 100000] [--seconds 20] [--rates 2000,20000] [--found
 * 100000]`. An estate is imported. A real scanner scans 127.0.0.0/16 twice at each rate and finds all of its 65,534 addresses alive.
 * Another thread requests devices, lists and free addresses. `--rates ''` leaves the scans out. Then discovered devices are put on
 * record, listed, and changed many at once.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LAB_VARIABLE } from '../src/scanner/lab-guard.ts'
import { type Api, apiOf } from './api.ts'
import { authorized, plain, type Result } from './bench.ts'
import { measureDiscoveredDevices } from './discovery-devices.ts'
import type { Kind, Times } from './discovery-probe.ts'
import { megabytes, milliseconds, quantile, rate } from './numbers.ts'
import { publish } from './report.ts'
import { freePort, type Server, startPlat } from './servers.ts'
import { type Prepared, prepare } from './setup.ts'
import type { Hold } from './writer-holds.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '20' },
    rates: { type: 'string', default: '2000,20000' },
    subnet: { type: 'string', default: '127.0.0.0/16' },
    found: { type: 'string', default: '100000' },
  },
})

const MORE_MS = 25
const MORE_BYTES = 60_000_000
const CHILD_BYTES = 80_000_000
const HOLD_MS = 20
const LOOK_MS = 100
const LIST_LIMIT = 50

const say = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Sends requests until its answer is called. */
const ask = (port: number, kinds: readonly Kind[]) => {
  const worker = new Worker(new URL('./discovery-probe.ts', import.meta.url))
  const { promise, resolve, reject } = Promise.withResolvers<Times>()
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.onmessage = ({ data }: MessageEvent<Times>) => resolve(data)
  // A failure is reported when the times are read.
  promise.catch(() => {})
  worker.postMessage({ port, kinds })
  return (): Promise<Times> => {
    worker.postMessage('stop')
    return promise.finally(() => worker.terminate())
  }
}

const field = (pid: number | string, name: string): number => {
  try {
    const kilobytes = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}

const childrenOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter((id) => /scanner-child/.test(readCommand(id)))
}
const readCommand = (pid: string): string => {
  try {
    return pid === '' ? '' : readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The most memory that the server and its scanner were seen with. */
const watchMemory = ({ pid }: Server) => {
  let [server, child] = [0, 0]
  const timer = setInterval(() => {
    server = Math.max(server, field(pid, 'VmRSS'))
    for (const id of childrenOf(pid)) child = Math.max(child, field(id, 'VmHWM'))
  }, LOOK_MS)
  return () => {
    clearInterval(timer)
    return { server, child }
  }
}

type Bench = {
  readonly server: Server
  readonly api: Api
  readonly kinds: readonly Kind[]
  readonly holds: () => Promise<readonly Hold[]>
}

/** Measures requests, memory and transactions while `work` runs. */
const beside = async ({ server, kinds, holds }: Bench, work: () => Promise<void>) => {
  await holds()
  const stop = ask(server.port, kinds)
  const memory = watchMemory(server)
  await server.watchStalls()
  const begin = performance.now()
  await work()
  const ms = performance.now() - begin
  const stallMs = await server.longestStallMs()
  return { ms, stallMs, times: await stop(), memory: memory(), holds: await holds() }
}
type Measured = Awaited<ReturnType<typeof beside>>

type Scan = {
  readonly id: string
  readonly status: string
  readonly found_hosts: number
  readonly error_message: string
}

const scan = async ({ api }: Bench, networkId: string): Promise<number> => {
  const { id } = await api<Scan>('POST', `/api/discovery/networks/${networkId}/scan`)
  for (;;) {
    const { status, found_hosts, error_message } = await api<Scan>('GET', `/api/discovery/scans/${id}`)
    if (status === 'completed') return found_hosts
    if (status !== 'pending' && status !== 'running') throw new Error(`the scan ${status}: ${error_message}`)
    await Bun.sleep(LOOK_MS)
  }
}

const p99Of = ({ times }: Measured, name: string): number => quantile(times[name] ?? [], 0.99)

const resultsOf = (name: string, idle: Measured, busy: Measured, found: number): Result[] => {
  const latencies = Object.keys(busy.times).map((kind) => {
    const [before, now] = [p99Of(idle, kind), p99Of(busy, kind)]
    return plain({
      work: `  ${kind}`,
      ours: `p99 ${milliseconds(now)} of ${busy.times[kind]?.length}, idle ${milliseconds(before)}`,
      goal: `< idle + ${MORE_MS} ms`,
      isMet: now < before + MORE_MS,
      numbers: { p99_ms: now, idle_p99_ms: before },
    })
  })
  const growth = busy.memory.server - idle.memory.server
  const held = busy.holds.map(({ ms }) => ms)
  const worked = busy.holds.map(({ workMs }) => workMs)
  return [
    plain({
      work: name,
      ours: `${found.toLocaleString('en-US')} found in ${milliseconds(busy.ms)} (${rate(found / (busy.ms / 1000))})`,
      goal: '',
      isMet: undefined,
      numbers: { found, ms: busy.ms },
    }),
    ...latencies,
    plain({
      work: '  memory of the server',
      ours: `${megabytes(busy.memory.server)}, + ${megabytes(growth)}`,
      goal: `< idle + ${megabytes(MORE_BYTES)}`,
      isMet: growth < MORE_BYTES,
      numbers: { bytes: busy.memory.server, growth_bytes: growth },
    }),
    plain({
      work: '  memory of the scanner',
      ours: megabytes(busy.memory.child),
      goal: `< ${megabytes(CHILD_BYTES)}`,
      isMet: busy.memory.child > 0 && busy.memory.child < CHILD_BYTES,
      numbers: { bytes: busy.memory.child },
    }),
    plain({
      work: `  work of the ${held.length} transactions`,
      ours: `longest ${milliseconds(quantile(worked, 1))}, p99 ${milliseconds(quantile(worked, 0.99))}, median ${milliseconds(quantile(worked, 0.5))}`,
      goal: `<= ${HOLD_MS} ms`,
      isMet: quantile(worked, 1) <= HOLD_MS,
      numbers: { longest_ms: quantile(worked, 1), p99_ms: quantile(worked, 0.99) },
    }),
    plain({
      work: '    with the disk, and with all else that runs on this machine',
      ours: `longest ${milliseconds(quantile(held, 1))}, p99 ${milliseconds(quantile(held, 0.99))}, median ${milliseconds(quantile(held, 0.5))}`,
      goal: '',
      isMet: undefined,
      numbers: { longest_ms: quantile(held, 1), p99_ms: quantile(held, 0.99) },
    }),
    plain({
      work: '  longest stall of the event loop',
      ours: `${milliseconds(busy.stallMs)}, idle ${milliseconds(idle.stallMs)}`,
      goal: '',
      isMet: undefined,
      numbers: { ms: busy.stallMs, idle_ms: idle.stallMs },
    }),
  ]
}

const kindsFor = (key: string, deviceIds: readonly string[], poolIds: readonly string[]): Kind[] => {
  const request = authorized(key)
  const some = <T>(all: readonly T[], count: number): T[] => {
    const step = Math.max(1, Math.floor(all.length / count))
    return all.filter((_, i) => i % step === 0)
  }
  const pages = Array.from({ length: 40 }, (_, i) => Math.floor((i * deviceIds.length) / 40))
  return [
    { name: 'GET one device', requests: some(deviceIds, 1000).map((id) => request({ path: `/api/devices/${id}` })) },
    {
      name: 'GET a page of devices',
      requests: pages.map((offset) => request({ path: `/api/devices?limit=${LIST_LIMIT}&offset=${offset}` })),
    },
    { name: 'next-ip', requests: some(poolIds, 200).map((id) => request({ path: `/api/pools/${id}/next-ip` })) },
  ]
}

const measureAt = async (perSecond: string, { dataDir, key, deviceIds }: Prepared): Promise<Result[]> => {
  const port = freePort()
  // Nothing but loopback is asked, not even for names.
  const env = {
    DISCOVERY_RATE: perSecond,
    DISCOVERY_ALLOW_LOCAL: 'true',
    [LAB_VARIABLE]: '1',
    PLAT_BENCH_HOLDS_PORT: String(port),
  }
  const server = await startPlat(dataDir, env, { preload: './bench/writer-holds.ts' })
  try {
    const api = apiOf(server, key)
    const pools = await api<{ id: string }[]>('GET', '/api/pools?limit=2000')
    const kinds = kindsFor(
      key,
      deviceIds,
      pools.map(({ id }) => id),
    )
    // The server of writer-holds.ts answers with a list of holds.
    const holds = async () => (await (await fetch(`http://127.0.0.1:${port}`)).json()) as readonly Hold[]
    const bench: Bench = { server, api, kinds, holds }
    const idleFor = (seconds: number) => beside(bench, () => Bun.sleep(seconds * 1000))
    say(`idle, beside ${perSecond} probes a second ...`)
    await idleFor(Math.min(5, Number(values.seconds)))
    const idle = await idleFor(Number(values.seconds))
    const { id } = await api<{ id: string }>('POST', '/api/networks', { name: 'Loopback', subnet: values.subnet })
    const results: Result[] = []
    for (const which of ['first scan', 'second scan']) {
      const name = `${which} of ${values.subnet}, ${perSecond} probes/s`
      say(`${name} ...`)
      let found = 0
      const busy = await beside(bench, async () => {
        found = await scan(bench, id)
      })
      results.push(...resultsOf(name, idle, busy, found))
    }
    await api('DELETE', `/api/networks/${id}`)
    return results
  } finally {
    await server.stop()
  }
}

const measureMany = async (count: number, { dataDir, key }: Prepared): Promise<Result[]> => {
  const server = await startPlat(dataDir, { DISCOVERY_ALLOW_LOCAL: 'true', [LAB_VARIABLE]: '1' })
  try {
    return await measureDiscoveredDevices({ server, call: apiOf(server, key), request: authorized(key), count, say })
  } finally {
    await server.stop()
  }
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-discovery-'))
try {
  say(`importing ${Number(values.devices).toLocaleString('en-US')} devices ...`)
  const prepared = await prepare(workDir, Number(values.devices))
  // Each part by itself: nothing of it is lost when a later one fails.
  for (const perSecond of values.rates.split(',').filter(Boolean)) publish(await measureAt(perSecond, prepared))
  if (Number(values.found) > 0) publish(await measureMany(Number(values.found), prepared))
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
