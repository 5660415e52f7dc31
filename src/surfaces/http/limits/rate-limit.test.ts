/** The bucket of a client: a fixed number of requests, then none until the window ends. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLimiter, limitHeaders } from './rate-limit.ts'

const T0 = Date.parse('2026-01-02T03:04:05.678Z')
const limit = { requests: 3, windowMs: 60_000 }

describe('a limit of three a minute', () => {
  test('lets three through and not the fourth', () => {
    const { take } = createLimiter(limit)
    expect([0, 1, 2, 3].map((i) => take('a', T0 + i).isAllowed)).toEqual([true, true, true, false])
  })

  test('counts down to nothing', () => {
    const { take } = createLimiter(limit)
    expect([0, 1, 2, 3].map((i) => take('a', T0 + i).remaining)).toEqual([2, 1, 0, 0])
  })

  test('is whole again when the window of the first request ends, and not before', () => {
    const { take } = createLimiter(limit)
    for (let i = 0; i < 3; i++) take('a', T0 + i * 10_000)
    expect(take('a', T0 + 59_999).isAllowed).toBe(false)
    expect([0, 1, 2, 3].map((i) => take('a', T0 + 60_000 + i).isAllowed)).toEqual([true, true, true, false])
  })

  test('keeps clients apart', () => {
    const { take } = createLimiter(limit)
    for (let i = 0; i < 4; i++) take('a', T0)
    expect(take('b', T0).remaining).toBe(2)
  })
})

test('agrees with a plain model over random requests', () => {
  const request = fc.record({ client: fc.constantFrom('a', 'b', 'c'), afterMs: fc.integer({ min: 0, max: 40_000 }) })
  fc.assert(
    fc.property(fc.array(request, { maxLength: 200 }), (requests) => {
      const { take } = createLimiter(limit)
      const windows = new Map<string, { start: number; used: number }>()
      let now = T0
      for (const { client, afterMs } of requests) {
        now += afterMs
        const known = windows.get(client)
        const window = known && now < known.start + limit.windowMs ? known : { start: now, used: 0 }
        windows.set(client, window)
        const isAllowed = window.used < limit.requests
        if (isAllowed) window.used++
        expect(take(client, now)).toEqual({
          isAllowed,
          limit: limit.requests,
          remaining: limit.requests - window.used,
          resetMs: window.start + limit.windowMs,
        })
      }
    }),
  )
})

test('a million clients take the memory of the most that are remembered', () => {
  const limiter = createLimiter(limit)
  for (let i = 0; i < 1_000_000; i++) limiter.take(String(i), T0)
  expect(limiter.size()).toBeLessThanOrEqual(100_000)
})

test('clients with an expired window are forgotten as others come', () => {
  const limiter = createLimiter(limit)
  for (const [i, generation] of ['first', 'second', 'third'].entries())
    for (let n = 0; n < 100; n++) limiter.take(`${generation} ${n}`, T0 + i * 60_000)
  expect(limiter.size()).toBe(200)
})

test('the headers of a refusal say when to come back', () => {
  const { take } = createLimiter({ requests: 1, windowMs: 60_000 })
  take('a', T0)
  expect(limitHeaders(take('a', T0))).toEqual({
    'X-RateLimit-Limit': '1',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '2026-01-02T03:05:05.678Z',
    'Retry-After': 'Fri, 02 Jan 2026 03:05:06 GMT',
  })
})

test('the headers of an admission have no Retry-After', () => {
  expect(limitHeaders(createLimiter(limit).take('a', T0))).not.toHaveProperty('Retry-After')
})
