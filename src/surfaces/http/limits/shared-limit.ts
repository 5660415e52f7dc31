/** A rate limit that instances share in a Valkey server. While it is down, each instance counts separately. */
import type { Valkey } from '../../../base/runtime/valkey.ts'
import {
  type ClientLimiter,
  type Counted,
  type Limit,
  SITE_FACTOR,
  selectStricter,
  type Verdict,
} from './rate-limit.ts'

/**
 * One atomic script over the buckets of a client and of its site. The first request of a window begins it. A request
 * that one bucket rejects is counted in neither. ARGV: the window in ms, then the size of each bucket. Returns `used,
 * left` of each bucket, and whether all allow the request.
 */
const TAKE = `
  local answer = {1}
  for i, key in ipairs(KEYS) do
    local used = tonumber(redis.call('GET', key) or '0')
    local left = redis.call('PTTL', key)
    if left <= 0 then used = 0 end
    if used >= tonumber(ARGV[i + 1]) then answer[1] = 0 end
    answer[i * 2] = used
    answer[i * 2 + 1] = left
  end
  for i, key in ipairs(KEYS) do
    if answer[i * 2 + 1] <= 0 then answer[i * 2 + 1] = tonumber(ARGV[1]) end
    if answer[1] == 1 then
      if answer[i * 2] > 0 then redis.call('INCR', key) else redis.call('SET', key, 1, 'PX', ARGV[1]) end
      answer[i * 2] = answer[i * 2] + 1
    end
  end
  return answer`

/** Pause after the server failed to answer, so that requests do not wait for it. */
const REST_MS = 1000

export type SharedLimiter = { readonly take: (counted: Counted, nowMs: number) => Promise<Verdict> }

type Options = {
  readonly limit: Limit
  /** Prefix that separates this limit from others in the server. */
  readonly name: string
  readonly valkey: Pick<Valkey, 'send'>
  /** Counts while the server is down. */
  readonly own: ClientLimiter
}

export const createSharedLimiter = ({ limit, name, valkey, own }: Options): SharedLimiter => {
  const { requests, windowMs } = limit
  const buildKey = (client: string) => `plat:limit:${name}:${client}`
  let restsUntilMs = 0

  const ask = async ({ client, site }: Counted, nowMs: number): Promise<Verdict> => {
    const keys = site === undefined ? [buildKey(client)] : [buildKey(client), buildKey(site)]
    const sizes = site === undefined ? [requests] : [requests, requests * SITE_FACTOR]
    const texts = [windowMs, ...sizes].map(String)
    const answer = await valkey.send('EVAL', TAKE, String(keys.length), ...keys, ...texts)
    const [allowed, ...counts] = Array.isArray(answer) ? answer.map(Number) : []
    const verdicts = sizes.map((size, i): Verdict => {
      const [used, leftMs] = [counts[i * 2], counts[i * 2 + 1]]
      if (used === undefined || leftMs === undefined) throw new Error('the rate limit store returned an unknown answer')
      const isAllowed = allowed === 1 || used < size
      return { isAllowed, limit: size, remaining: Math.max(0, size - used), resetMs: nowMs + leftMs }
    })
    return verdicts.reduce(selectStricter)
  }

  return {
    take: async (counted, nowMs) => {
      if (performance.now() < restsUntilMs) return own.take(counted, nowMs)
      try {
        return await ask(counted, nowMs)
      } catch {
        // The connection logs this once per outage.
        restsUntilMs = performance.now() + REST_MS
        return own.take(counted, nowMs)
      }
    },
  }
}
