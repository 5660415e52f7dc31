/** 100,000 discovered devices: the time of a page, and of a change of many at once. */
import { plain, type Result } from './bench.ts'
import { Connection, type RequestParts } from './connection.ts'
import { milliseconds, quantile, rate } from './numbers.ts'
import type { Server } from './servers.ts'
import { watch } from './watch.ts'

/** Nothing is sent to any of them. */
const NETWORKS = Array.from({ length: 10 }, (_, n) => `172.${16 + n}.0.0/18`)
const MOST_PER_NETWORK = 10_000
const REPEATS = 25
const PAGE_MS = 50
/** The longest time of a small request while many devices are changed. */
const BESIDE_MS = 50
const AT_ONCE = 1000
const SYSTEMS = ['Debian 12', 'Ubuntu 24.04', 'Windows Server 2022', 'IOS XE 17', 'FreeBSD 14']

type Call = <T>(method: string, path: string, body?: object) => Promise<T>
export type DiscoveredDevicesBench = {
  readonly server: Server
  readonly request: (parts: RequestParts) => Uint8Array
  readonly call: Call
  /** Discovered devices in all. */
  readonly count: number
  readonly say: (text: string) => void
}

type Host = Readonly<Record<string, unknown>>

const hostAt = (network: number, i: number): Host => ({
  ip: `172.${16 + network}.${(i + 1) >> 8}.${(i + 1) & 255}`,
  mac_address: `00:1b:${[0x20 + network, i >> 16, (i >> 8) & 255, i & 255].map((n) => n.toString(16).padStart(2, '0')).join(':')}`,
  vendor: 'Intel Corporate',
  hostname: `host-${network}-${i}.example.net`,
  os: SYSTEMS[i % SYSTEMS.length],
  os_confidence: 80,
  open_ports: [22, 80, 443],
})

/** In the second scan some are not there, some are called otherwise, and as many are new as are gone. */
const later = (hosts: readonly Host[], i: number): Host[] =>
  i % 10 === 3 ? [] : [{ ...hosts[i], ...(i % 10 === 4 ? { hostname: `renamed-${i}.example.net` } : {}) }]

type Loaded = { readonly ids: readonly string[]; readonly scan: string }

const load = async ({ call, count, say }: DiscoveredDevicesBench): Promise<{ loaded: Loaded; results: Result[] }> => {
  const perNetwork = Math.min(MOST_PER_NETWORK, Math.floor(count / NETWORKS.length))
  const ids: string[] = []
  let scan = ''
  const record = async (id: string, hosts: readonly Host[]): Promise<number> => {
    const begin = performance.now()
    const made = await call<{ id: string }>('POST', `/api/discovery/networks/${id}/results`, { hosts })
    scan = made.id
    return hosts.length / ((performance.now() - begin) / 1000)
  }
  const speeds: number[] = []
  for (const [n, subnet] of NETWORKS.entries()) {
    say(`recording ${perNetwork.toLocaleString('en-US')} hosts of ${subnet} ...`)
    const { id } = await call<{ id: string }>('POST', '/api/networks', { name: `Discovered ${n}`, subnet })
    ids.push(id)
    const hosts = Array.from({ length: perNetwork }, (_, i) => hostAt(n, i))
    speeds.push(await record(id, hosts))
    if (n > 0) continue
    const some = await call<{ id: string }[]>('GET', `/api/discovery/devices?network_id=${id}&limit=${AT_ONCE}`)
    await call('POST', '/api/discovery/devices/promote', { ids: some.map((one) => one.id) })
    speeds.push(
      await record(
        id,
        hosts.flatMap((_, i) => later(hosts, i)),
      ),
    )
  }
  const slowest = Math.min(...speeds)
  const result = plain({
    work: `scans of ${perNetwork.toLocaleString('en-US')} hosts taken in`,
    ours: `${rate(slowest)} at the slowest`,
    goal: '',
    isMet: undefined,
    numbers: { hosts_per_second: slowest },
  })
  return { loaded: { ids, scan }, results: [result] }
}

const page = async (
  { server, request }: DiscoveredDevicesBench,
  [work, path]: readonly [string, string],
): Promise<Result> => {
  const connection = await Connection.open(server.port)
  const times: number[] = []
  let total = ''
  for (let i = 0; i < REPEATS; i++) {
    const { status, head, ms } = await connection.send(request({ path }))
    if (status !== 200) throw new Error(`${path}: ${status}`)
    total = /x-total-count: *(\d+)/i.exec(head)?.[1] ?? ''
    times.push(ms)
  }
  connection.close()
  const worst = quantile(times, 0.95)
  return plain({
    work: `  ${work}`,
    ours: `${milliseconds(quantile(times, 0.5))}, p95 ${milliseconds(worst)}${total === '' ? '' : `, of ${Number(total).toLocaleString('en-US')}`}`,
    goal: `p95 < ${PAGE_MS} ms`,
    isMet: worst < PAGE_MS,
    numbers: { median_ms: quantile(times, 0.5), p95_ms: worst },
  })
}

const pagesOf = (
  { ids: [first = '', second = ''], scan }: Loaded,
  count: number,
): readonly (readonly [string, string])[] => {
  const all = '/api/discovery/devices?limit=50&network_id=*'
  const of = (id: string) => `/api/discovery/devices?limit=50&network_id=${id}`
  const inbox = '/api/discovery/inbox?limit=50'
  return [
    ['discovered devices, first page', all],
    ['discovered devices, of a network', of(second)],
    ['discovered devices, the last page', `${all}&offset=${count - 100}`],
    ['discovered devices, down', `${all}&status=down`],
    ['discovered devices, down, of a network', `${of(first)}&status=down`],
    ['discovered devices, up', `${all}&status=up`],
    ['discovered devices, documented', `${all}&promoted=true`],
    ['discovered devices, documented, of a network', `${of(first)}&promoted=true`],
    ['discovered devices, not documented', `${all}&promoted=false`],
    ['discovered devices, words that one has', `${all}&q=host-1-4711.example`],
    ['discovered devices, words that a fifth has', `${all}&q=debian`],
    ['discovered devices, words without a match', `${all}&q=nothing-like-this`],
    ['inbox, all', inbox],
    ...['new', 'changed', 'gone', 'conflict'].map(
      (bucket) => [`inbox, ${bucket}`, `${inbox}&bucket=${bucket}`] as const,
    ),
    ['inbox, new, of a network', `${inbox}&bucket=new&network_id=${second}`],
    ['inbox, new, in the middle', `${inbox}&bucket=new&offset=${Math.floor(count / 2)}`],
    ['inbox, new, the last page', `${inbox}&bucket=new&offset=${Math.floor(count * 0.8)}`],
    ['inbox, ignored', `${inbox}&ignored=true`],
    ['inbox, counts', '/api/discovery/inbox/summary'],
    ['inbox, counts of a network', `/api/discovery/inbox/summary?network_id=${second}`],
    ['differences of a scan', `/api/discovery/scans/${scan}/diff?limit=100`],
  ]
}

/** The time of a large request, and of small requests beside it. */
const beside = async (
  { server }: DiscoveredDevicesBench,
  work: string,
  act: () => Promise<unknown>,
): Promise<Result> => {
  const probe = watch(server.port)
  await Bun.sleep(200)
  const begin = performance.now()
  await act()
  const ms = performance.now() - begin
  const waits = await probe.stop()
  const p99 = quantile(waits, 0.99)
  return plain({
    work: `  ${work}`,
    ours: `${milliseconds(ms)}; /healthz at the same time p99 ${milliseconds(p99)}, worst ${milliseconds(quantile(waits, 1))}`,
    goal: `p99 < ${BESIDE_MS} ms`,
    isMet: p99 < BESIDE_MS,
    numbers: { ms, p99_ms: p99, worst_ms: quantile(waits, 1) },
  })
}

const many = async (bench: DiscoveredDevicesBench, { ids: [first = '', second = ''] }: Loaded): Promise<Result[]> => {
  const { call } = bench
  const some = await call<{ id: string }[]>('GET', `/api/discovery/devices?network_id=${second}&limit=${AT_ONCE * 2}`)
  const chosen = some.map(({ id }) => id)
  return [
    await beside(bench, `document ${AT_ONCE}`, () =>
      call('POST', '/api/discovery/devices/promote', { ids: chosen.slice(0, AT_ONCE) }),
    ),
    await beside(bench, `delete ${AT_ONCE}`, () =>
      call('POST', '/api/discovery/devices/delete', { ids: chosen.slice(AT_ONCE) }),
    ),
    await beside(bench, 'delete all of a network', () => call('DELETE', `/api/discovery/devices?network_id=${second}`)),
    await beside(bench, 'delete a network with them', () => call('DELETE', `/api/networks/${first}`)),
  ]
}

export const measureDiscoveredDevices = async (bench: DiscoveredDevicesBench): Promise<Result[]> => {
  const { loaded, results } = await load(bench)
  for (const one of pagesOf(loaded, bench.count)) {
    bench.say(`${one[0]} ...`)
    results.push(await page(bench, one))
  }
  return [...results, ...(await many(bench, loaded))]
}
