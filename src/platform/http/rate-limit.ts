/** A limit of requests per client and window: a full bucket at the window's first request, full again at its end. */

export type Limit = { readonly requests: number; readonly windowMs: number }

export type Verdict = {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the bucket is full again, in ms since the epoch. */
  readonly resetMs: number
}

export type Limiter = {
  /** Takes one request out of the client's bucket. */
  readonly take: (client: string, nowMs: number) => Verdict
  readonly size: () => number
}

/** Clients remembered at once: about 20 MB. With more, the one whose window began first is forgotten. */
const MAX_CLIENTS = 100_000
/** Expired buckets dropped for each request, oldest first, so that no request ever pays for many. */
const SWEEP = 2

type Bucket = { used: number; resetMs: number }

/** All windows are equally long, so the order in which buckets were made is the order in which they end. */
export const createLimiter = ({ requests, windowMs }: Limit, maxClients = MAX_CLIENTS): Limiter => {
  const buckets = new Map<string, Bucket>()

  const sweep = (nowMs: number): void => {
    let swept = 0
    for (const [client, bucket] of buckets) {
      const isFull = buckets.size >= maxClients
      if (swept >= SWEEP && !isFull) return
      if (bucket.resetMs > nowMs && !isFull) return
      buckets.delete(client)
      swept++
    }
  }

  const open = (client: string, nowMs: number): Bucket => {
    const known = buckets.get(client)
    if (known && known.resetMs > nowMs) return known
    // Deleted first, so that the new one goes to the end of the order.
    if (known) buckets.delete(client)
    sweep(nowMs)
    const bucket = { used: 0, resetMs: nowMs + windowMs }
    buckets.set(client, bucket)
    return bucket
  }

  return {
    take: (client, nowMs) => {
      const bucket = open(client, nowMs)
      const isAllowed = bucket.used < requests
      if (isAllowed) bucket.used++
      return { isAllowed, limit: requests, remaining: requests - bucket.used, resetMs: bucket.resetMs }
    },
    size: () => buckets.size,
  }
}

/** The headers of a verdict; a refusal also says when to come back, as an HTTP-date (RFC 9110 10.2.3). */
export const limitHeaders = ({ isAllowed, limit, remaining, resetMs }: Verdict): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': new Date(resetMs).toISOString(),
  // Whole seconds, rounded up: one who comes back then must be let in.
  ...(isAllowed ? {} : { 'Retry-After': new Date(Math.ceil(resetMs / 1000) * 1000).toUTCString() }),
})
