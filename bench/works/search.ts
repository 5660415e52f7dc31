/** Searches by words, pieces of addresses, blocks and tags. */
import { type Bench, plain, type Result, type Work } from '../bench.ts'
import { inTurn } from '../load.ts'
import { milliseconds, quantile } from '../numbers.ts'
import { device } from './write.ts'

const REPEATS = 60
const GOAL_MS = 20

export const searches = (ids: readonly string[]) => [
  { kind: 'a name', q: ids.filter((_, i) => i % Math.ceil(ids.length / 20) === 0) },
  { kind: 'two words', q: ['storage fra1', 'valkey production sw-0', 'load dublin', 'r03 payments'] },
  { kind: 'an address', q: ['10.16.1.5', '10.32.16.9', '10.0.12.10', '2001:db8:1:1::10'] },
  { kind: 'a piece of an address', q: ['10.32.19', '48.204.11', ':2b::', '0.12.10'] },
  { kind: 'a block', q: ['10.16.1.0/24', '10.0.8.0/22', '2001:db8:1:1::/64', '10.32.16.9/32'] },
]

/** Words that a large part of the estate has: the answer itself is long, so the UI asks for its first page. */
export const COMMON = ['production', 'debian', 'web', 'payments']

const measure = async ({ plat, request }: Bench, path: (q: string) => string, qs: readonly string[]) => {
  const requests = qs.map((q) => request({ path: path(encodeURIComponent(q)) }))
  await inTurn(plat.port, requests)
  const repeated = Array.from({ length: REPEATS }, (_, i) => requests[i % requests.length]).filter(
    (r) => r !== undefined,
  )
  return quantile(
    (await inTurn(plat.port, repeated)).map(({ ms }) => ms),
    0.95,
  )
}

/** The 95th percentile where a device is written before each search, so that no cached result is valid. */
const measureAfterWrites = async ({ plat, request }: Bench, qs: readonly string[]): Promise<number> => {
  const taken: number[] = []
  for (let i = 0; i < REPEATS; i++) {
    const body = JSON.stringify(device())
    await inTurn(plat.port, [request({ method: 'POST', path: '/api/devices', body })], 201)
    const path = `/api/devices/search?limit=50&q=${encodeURIComponent(qs[i % qs.length] ?? '')}`
    const [reply] = await inTurn(plat.port, [request({ path })])
    taken.push(reply?.ms ?? Number.NaN)
  }
  return quantile(taken, 0.95)
}

const lineOf = (work: string, ms: number): Result =>
  plain({ work, ours: milliseconds(ms), goal: `p95 < ${GOAL_MS} ms`, isMet: ms < GOAL_MS, numbers: { p95_ms: ms } })

const run = async (bench: Bench): Promise<Result[]> => {
  const results: Result[] = []
  for (const { kind, q } of searches(bench.deviceIds))
    results.push(lineOf(`device search, ${kind}`, await measure(bench, (text) => `/api/devices/search?q=${text}`, q)))
  const firstPage = (text: string) => `/api/devices/search?limit=50&q=${text}`
  results.push(lineOf('device search, a common word or tag, first 50', await measure(bench, firstPage, COMMON)))
  const tags = (text: string) => `/api/devices?limit=50&tags=${text}`
  results.push(lineOf('devices by tag, first 50', await measure(bench, tags, ['db', 'lb', 'staging', 'search'])))
  const everything = [...COMMON, ...searches(bench.deviceIds).flatMap(({ q }) => q)]
  results.push(lineOf('global search', await measure(bench, (text) => `/api/search?q=${text}`, everything)))
  for (const { kind, q } of [...searches(bench.deviceIds), { kind: 'a common word or tag', q: COMMON }])
    results.push(lineOf(`device search, ${kind}, first 50, right after a write`, await measureAfterWrites(bench, q)))
  return results
}

export const search: Work = { name: 'search', run }
