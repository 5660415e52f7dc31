/**
 * A limit that several instances count together, in a Valkey server. While that is away each counts by itself: a client then
 * has as many requests as there are instances times the limit, and none is refused that should not be.
 */
import type { Valkey } from '../valkey.ts'
import type { Limit, Limiter, Verdict } from './rate-limit.ts'

/** One step for the server: the first request of a window begins it, and those above the limit are not counted. */
const TAKE = `
  local used = tonumber(redis.call('GET', KEYS[1]) or '0')
  local left = redis.call('PTTL', KEYS[1])
  if left <= 0 then used = 0 end
  if used < tonumber(ARGV[1]) then
    if left > 0 then return {1, redis.call('INCR', KEYS[1]), left} end
    redis.call('SET', KEYS[1], 1, 'PX', ARGV[2])
    return {1, 1, tonumber(ARGV[2])}
  end
  return {0, used, left}`

/** A server that did not answer is not asked again for so long: nobody's request waits for it meanwhile. */
const REST_MS = 1000

export type SharedLimiter = { readonly take: (client: string, nowMs: number) => Promise<Verdict> }

type Options = {
  readonly limit: Limit
  /** Tells limits apart in the server. */
  readonly name: string
  readonly valkey: Pick<Valkey, 'send'>
  /** Counts while the server is away. */
  readonly own: Limiter
}

export const createSharedLimiter = ({ limit, name, valkey, own }: Options): SharedLimiter => {
  const { requests, windowMs } = limit
  let restsUntilMs = 0

  const ask = async (client: string, nowMs: number): Promise<Verdict> => {
    const key = `plat:limit:${name}:${client}`
    const answer = await valkey.send('EVAL', TAKE, '1', key, String(requests), String(windowMs))
    const [allowed, used, leftMs] = Array.isArray(answer) ? answer.map(Number) : []
    if (allowed === undefined || used === undefined || leftMs === undefined)
      throw new Error('the rate limit store answers in a way that is not known')
    return {
      isAllowed: allowed === 1,
      limit: requests,
      remaining: Math.max(0, requests - used),
      resetMs: nowMs + leftMs,
    }
  }

  return {
    take: async (client, nowMs) => {
      if (performance.now() < restsUntilMs) return own.take(client, nowMs)
      try {
        return await ask(client, nowMs)
      } catch {
        // The connection has said so in the log, once for as long as the server is away.
        restsUntilMs = performance.now() + REST_MS
        return own.take(client, nowMs)
      }
    },
  }
}
