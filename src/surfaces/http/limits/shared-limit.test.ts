// A limit counted in a Valkey server: by all instances together, for a window, and by each separately while the server is down.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { valkey } from '../../../../testing/servers/servers.ts'
import { until } from '../../../../testing/until.ts'
import { createLogger } from '../../../base/runtime/log.ts'
import { openValkey, type Valkey } from '../../../base/runtime/valkey.ts'
import { type Counted, createClientLimiter, type Limit } from './rate-limit.ts'
import { createSharedLimiter } from './shared-limit.ts'

const LONG: Limit = { requests: 3, windowMs: 60_000 }
const SHORT: Limit = { requests: 1, windowMs: 200 }

let server: Awaited<ReturnType<typeof valkey>>
let connection: Valkey
const logged: string[] = []
let clients = 0
/** A client that has not been counted before. */
let client: Counted

beforeAll(async () => {
  server = await valkey()
  const log = createLogger({ level: 'info', format: 'text', write: (entry) => logged.push(entry) })
  connection = openValkey({ url: server.url, what: 'rate limit store', log, patienceMs: 1000 })
}, 60_000)
beforeEach(() => {
  client = { client: `192.0.2.${++clients}`, site: undefined }
})
afterAll(async () => {
  connection.close()
  await server.stop()
})

const limiter = (limit: Limit) =>
  createSharedLimiter({ limit, name: 'requests', valkey: connection, own: createClientLimiter(limit) })

test('counts down to zero, at every instance', async () => {
  const both = [limiter(LONG), limiter(LONG)]
  const left: number[] = []
  for (const { take } of [...both, ...both]) left.push((await take(client, Date.now())).remaining)
  expect(left).toEqual([2, 1, 0, 0])
})

test('admits exactly the limit of concurrent requests', async () => {
  const { take } = limiter(LONG)
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => take(client, Date.now())))
  expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(LONG.requests)
})

test('says when the window ends', async () => {
  const nowMs = Date.now()
  const { resetMs } = await limiter(LONG).take(client, nowMs)
  expect(Math.abs(resetMs - nowMs - LONG.windowMs)).toBeLessThan(1000)
})

test('is whole again when the window has ended', async () => {
  const { take } = limiter(SHORT)
  await take(client, Date.now())
  expect((await take(client, Date.now())).isAllowed).toBe(false)
  const again = await until('another window', async () => {
    const verdict = await take(client, Date.now())
    return verdict.isAllowed ? verdict : undefined
  })
  expect(again.remaining).toBe(0)
})

test('keeps clients apart', async () => {
  const { take } = limiter(LONG)
  await take(client, Date.now())
  expect((await take({ client: 'another', site: undefined }, Date.now())).remaining).toBe(2)
})

const inSite = (n: number, site = `2001:db8:${clients}::/48`): Counted => ({
  client: `2001:db8:${clients}:${n}::/64`,
  site,
})

test('the /64s of one /48 have four times the limit together', async () => {
  const both = [limiter(LONG), limiter(LONG)]
  const verdicts: boolean[] = []
  for (let n = 0; n < 14; n++) verdicts.push((await both[n % 2]?.take(inSite(n), Date.now()))?.isAllowed ?? false)
  expect(verdicts.indexOf(false)).toBe(4 * LONG.requests)
})

test('a refusal of a /64 does not count for its /48', async () => {
  const { take } = limiter(LONG)
  for (let n = 0; n < 20; n++) await take(inSite(1), Date.now())
  expect(await take(inSite(2), Date.now())).toMatchObject({ isAllowed: true, limit: LONG.requests, remaining: 2 })
})

test('reports the /48 if it has less remaining', async () => {
  const { take } = limiter(LONG)
  const told: number[] = []
  for (let n = 0; n < 13; n++) told.push((await take(inSite(n), Date.now())).limit)
  expect(told.slice(8)).toEqual([LONG.requests, LONG.requests, 12, 12, 12])
})

test('each instance counts separately while the server is away, and the log says so once', async () => {
  await server.stop()
  const before = logged.length
  const both = [limiter(LONG), limiter(LONG)]
  const left: number[] = []
  for (const { take } of [...both, ...both]) left.push((await take(client, Date.now())).remaining)
  await server.start()
  expect([left, logged.slice(before).filter((entry) => entry.includes('the rate limit store is away')).length]).toEqual(
    [[2, 2, 1, 1], 1],
  )
})
