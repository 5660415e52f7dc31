/** The same inventory work on two servers in turn, so that both meet the same machine: another database, or a larger estate. */
import type { Bench, Result } from './bench.ts'
import { Connection } from './connection.ts'
import { alternate, inTurn, throughput, throughputOnce } from './load.ts'
import { median, milliseconds, rate, times } from './numbers.ts'
import { allocateAtOnce, CALLERS, callerOn, fill16, makePool, post } from './works/pools.ts'
import { COMMON, searches } from './works/search.ts'
import { device } from './works/write.ts'

export type Side = Pick<Bench, 'request' | 'deviceIds'> & { readonly port: number }

export type PairWork = {
  readonly name: string
  /** Milliseconds of one, or how many a second. */
  readonly unit: 'ms' | 'per_second'
  /** Once on either side, before it is measured. */
  readonly before?: (side: Side) => Promise<void>
  readonly measure: (side: Side) => Promise<number>
}

const ROUND_MS = 1500
const READERS = 32
/** Different ones that are read, of either side: as many as people look at, whatever the size of the estate. */
const READ = 4000
const REPEATS = 40
/** The number of rows on a page of the UI. */
export const FIRST = 50
const NEARLY_FULL = 'bench-16'

const medianOf = async ({ port }: Side, requests: readonly Uint8Array[], status = 200): Promise<number> =>
  median((await inTurn(port, requests, status)).map(({ ms }) => ms))

const repeated = (requests: readonly Uint8Array[]): Uint8Array[] =>
  Array.from({ length: REPEATS }, (_, i) => requests[i % requests.length]).filter((one) => one !== undefined)

export const asking = (name: string, pathsOf: (side: Side) => readonly string[]): PairWork => ({
  name,
  unit: 'ms',
  measure: (side) => medianOf(side, repeated(pathsOf(side).map((path) => side.request({ path })))),
})

export const readOne: PairWork = {
  name: 'GET one device, 32 callers',
  unit: 'per_second',
  measure: ({ port, request, deviceIds }) => {
    const step = Math.max(1, Math.floor(deviceIds.length / READ))
    const ids = deviceIds.filter((_, i) => i % step === 0).slice(0, READ)
    const requests = ids.map((id) => request({ path: `/api/devices/${id}` }))
    return throughput({ port, callers: READERS, requests }, ROUND_MS)
  },
}

const readOneAlone: PairWork = {
  name: 'GET one device, one caller',
  unit: 'per_second',
  measure: ({ port, request, deviceIds }) => {
    const requests = deviceIds.slice(0, READ).map((id) => request({ path: `/api/devices/${id}` }))
    return throughput({ port, callers: 1, requests }, ROUND_MS)
  },
}

export const readAll: PairWork = {
  name: 'GET all devices',
  unit: 'ms',
  measure: (side) => medianOf(side, [side.request({ path: '/api/devices' })]),
}

const readAgain: PairWork = {
  name: '  the same with If-None-Match',
  unit: 'ms',
  measure: async (side) => {
    const path = '/api/devices'
    const [whole] = await inTurn(side.port, [side.request({ path })])
    const etag = /\r\netag: *(\S+)/i.exec(whole?.head ?? '')?.[1]
    if (etag === undefined) throw new Error('a list without an ETag')
    return medianOf(side, Array(REPEATS).fill(side.request({ path, headers: { 'If-None-Match': etag } })), 304)
  },
}

const searchPath = (q: string, limit?: number): string =>
  `/api/devices/search?q=${encodeURIComponent(q)}${limit === undefined ? '' : `&limit=${limit}`}`

/** The searches, and the request of each for a side. The sides have different names. */
const searchKinds = (ids: readonly string[], limit?: number) =>
  searches(ids).map(({ kind, q }, at) => ({
    kind,
    name: `device search, ${kind}${limit === undefined ? '' : `, first ${limit}`}`,
    textsOf: ({ deviceIds }: Side) => searches(deviceIds)[at]?.q ?? q,
  }))

/** All that is found, however much that is, or the first page of it. */
export const deviceSearches = (ids: readonly string[], limit?: number): PairWork[] =>
  searchKinds(ids, limit).map(({ name, textsOf }) =>
    asking(name, (side) => textsOf(side).map((text) => searchPath(text, limit))),
  )

type SearchKind = ReturnType<typeof searchKinds>[number]

/** The first page of each, right after a device was written. */
const afterWrites = (
  { textsOf }: SearchKind,
  limit: number,
  written: (text: string) => object,
): PairWork['measure'] => {
  return async (side) => {
    const { port, request } = side
    const taken: number[] = []
    for (const text of textsOf(side)) {
      const body = JSON.stringify(written(text))
      await inTurn(port, [request({ method: 'POST', path: '/api/devices', body })], 201)
      const [reply] = await inTurn(port, [request({ path: searchPath(text, limit) })])
      taken.push(reply?.ms ?? Number.NaN)
    }
    return median(taken)
  }
}

/** The cached result is still valid, which has to be checked. */
export const searchesBesideWrites = (ids: readonly string[], limit: number): PairWork[] =>
  searchKinds(ids, limit).map((kind) => ({
    name: `${kind.name}, right after another device was written`,
    unit: 'ms',
    measure: afterWrites(kind, limit, device),
  }))

/** The cached result is invalid. A search of a block is left out: any write invalidates it. */
export const searchesAfterWrites = (ids: readonly string[], limit: number): PairWork[] =>
  searchKinds(ids, limit)
    .filter(({ kind }) => kind !== 'a block')
    .map((kind) => ({
      name: `${kind.name}, right after a device that it finds was written`,
      unit: 'ms',
      measure: afterWrites(kind, limit, (text) => ({ ...device(), description: text })),
    }))

/** Searches with more matches than a page. */
const BEGINNINGS = ['fra1', '10.', '10.16.', 'dub1-r']

export const commonSearches: readonly PairWork[] = [
  asking('device search, the beginning of a name or address, first 50', () =>
    BEGINNINGS.map((q) => searchPath(q, FIRST)),
  ),
  asking('device search, a common word or tag, first 50', () => COMMON.map((q) => searchPath(q, FIRST))),
  asking('devices by tag, first 50', () => ['db', 'lb', 'staging'].map((tag) => `/api/devices?limit=50&tags=${tag}`)),
  asking('global search', () => COMMON.map((q) => `/api/search?q=${q}`)),
]

export const writing = (callers: number, count: number): PairWork => ({
  name: `write a device, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
  unit: 'per_second',
  measure: ({ port, request }) => {
    const requests = Array.from({ length: count }, () =>
      request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }),
    )
    return throughputOnce({ port, callers, requests, status: 201 })
  },
})

let updates = 0
export const updating: PairWork = {
  name: 'update of a device, one caller',
  unit: 'per_second',
  measure: ({ port, request, deviceIds }) => {
    const requests = Array.from({ length: 300 }, () => {
      const path = `/api/devices/${deviceIds[(updates++ * 37) % deviceIds.length]}`
      return request({ method: 'PUT', path, body: JSON.stringify({ description: `updated ${updates}` }) })
    })
    return throughputOnce({ port, callers: 1, requests })
  },
}

const withCaller = async <T>(side: Side, work: (call: ReturnType<typeof callerOn>) => Promise<T>): Promise<T> => {
  const connection = await Connection.open(side.port)
  try {
    return await work(callerOn(connection, side))
  } finally {
    connection.close()
  }
}

export const nextIp: PairWork = {
  ...asking('next-ip, a /16 with one address free', () => [`/api/pools/${NEARLY_FULL}/next-ip`]),
  before: (side) => withCaller(side, (call) => fill16(call, NEARLY_FULL)),
}

/** An older checkout has no policies. */
const protect = (side: Side): Promise<void> =>
  withCaller(side, async (call) => {
    const { id: datacenter_id } = (await call(post('/api/datacenters', { name: 'protected' }))) as { id: string }
    const scope = (await call(post('/api/scopes', { name: 'protected', datacenter_ids: [datacenter_id] }))) as {
      id: string
    }
    const policy = { name: 'protected', scope_id: scope.id, protect: true }
    await call(post('/api/policies', policy)).catch((error: unknown) => {
      if (!String(error).includes(': 404 ')) throw error
    })
  })

const updatingBeside: PairWork = {
  ...updating,
  name: 'update of a device, a policy protects others',
  before: protect,
}

let pools = 0

const allocating: PairWork = {
  name: `allocate, ${CALLERS} callers at once on one pool`,
  unit: 'ms',
  measure: async (side) => {
    const id = `bench-run-${++pools}`
    const range = { start_ip: `172.${20 + pools}.0.1`, end_ip: `172.${20 + pools}.255.254` }
    await withCaller(side, (call) => makePool(call, id, `172.${20 + pools}.0.0/16`, range))
    const { ips, ms } = await allocateAtOnce(side, id)
    if (new Set(ips).size !== CALLERS) throw new Error(`${new Set(ips).size} addresses for ${CALLERS} callers`)
    return ms
  },
}

/** Everything that the benchmark of the inventory measures over HTTP. */
export const allWorks = (ids: readonly string[]): PairWork[] => [
  ...[readOne, readOneAlone, readAll, readAgain],
  ...deviceSearches(ids),
  ...commonSearches,
  ...searchesAfterWrites(ids, FIRST),
  asking('utilization of all networks', () => ['/api/networks?include=utilization']),
  ...[writing(1, 300), writing(32, 1500), updating, nextIp, allocating, updatingBeside],
]

export type Pairing = { readonly ours: Side; readonly baseline: Side; readonly called: string }

/** One line: how many times as long it takes on ours as on the baseline; without a goal it only says so. */
export const compareOne = async (
  work: PairWork,
  { ours, baseline, called }: Pairing,
  goal?: number,
): Promise<Result> => {
  const { name, unit, measure, before } = work
  for (const side of [ours, baseline]) {
    await before?.(side)
    await measure(side)
  }
  const pair = await alternate(
    5,
    () => measure(ours),
    () => measure(baseline),
  )
  const slower = unit === 'ms' ? pair.ratio : 1 / pair.ratio
  const text = unit === 'ms' ? milliseconds : rate
  return {
    work: name,
    ours: text(pair.ours),
    baseline: `${called} ${text(pair.baseline)}`,
    ratio: times(slower),
    goal: goal === undefined ? '' : `<= ${goal} x the time`,
    isMet: goal === undefined ? undefined : slower <= goal,
    numbers: { [`ours_${unit}`]: pair.ours, [`baseline_${unit}`]: pair.baseline, slower },
  }
}
