/** Limits requests per client and window; the bucket is full again at the window's end. */

export type Limit = { readonly requests: number; readonly windowMs: number }

export type Verdict = {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the bucket is full again, in ms since the epoch. */
  readonly resetMs: number
}

export type Limiter = {
  /** Takes one request from the client's bucket. */
  readonly take: (client: string, nowMs: number) => Verdict
  /** Returns the verdict of `take` without counting a request. */
  readonly peek: (client: string, nowMs: number) => Verdict
  readonly size: () => number
}

/** The buckets that a request is counted in. */
export type Counted = {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly client: string
  /** The /48 of an IPv6 client, which has a bucket of `SITE_FACTOR` times the size; undefined for IPv4. */
  readonly site: string | undefined
}

export type ClientLimiter = { readonly take: (counted: Counted, nowMs: number) => Verdict }

/** The number of /64s of one /48 that may use up their limits before the limit of the /48 applies. */
export const SITE_FACTOR = 4

/** Maximum number of clients counted at once: about 20 MB. Beyond it, the oldest windows are evicted. */
const MAX_CLIENTS = 100_000

type Bucket = { used: number; resetMs: number }

/** Two generations of buckets: when the older one is over, dropping it costs nothing. */
export const createLimiter = ({ requests, windowMs }: Limit, maxClients = MAX_CLIENTS): Limiter => {
  let older = new Map<string, Bucket>()
  let newer = new Map<string, Bucket>()
  let begunMs = 0

  const open = (client: string, nowMs: number): Bucket => {
    const known = newer.get(client) ?? older.get(client)
    if (known && known.resetMs > nowMs) return known
    if (nowMs - begunMs >= windowMs || newer.size >= maxClients / 2) {
      older = newer
      newer = new Map()
      begunMs = nowMs
    }
    const bucket = { used: 0, resetMs: nowMs + windowMs }
    newer.set(client, bucket)
    return bucket
  }

  return {
    take: (client, nowMs) => {
      const bucket = open(client, nowMs)
      const isAllowed = bucket.used < requests
      if (isAllowed) bucket.used++
      return { isAllowed, limit: requests, remaining: requests - bucket.used, resetMs: bucket.resetMs }
    },
    peek: (client, nowMs) => {
      const known = newer.get(client) ?? older.get(client)
      const { used, resetMs } = known && known.resetMs > nowMs ? known : { used: 0, resetMs: nowMs + windowMs }
      return { isAllowed: used < requests, limit: requests, remaining: requests - used, resetMs }
    },
    size: () => older.size + newer.size,
  }
}

/** Returns the verdict to show: of two rejections the one that lasts longer, else the one with fewer requests left. */
export const selectStricter = (client: Verdict, site: Verdict): Verdict => {
  if (client.isAllowed !== site.isAllowed) return client.isAllowed ? site : client
  if (!client.isAllowed) return site.resetMs > client.resetMs ? site : client
  return site.remaining < client.remaining ? site : client
}

/** Counts a client and, for IPv6, its /48. A request that one of them rejects is counted in neither. */
export const createClientLimiter = ({ requests, windowMs }: Limit): ClientLimiter => {
  const clients = createLimiter({ requests, windowMs })
  const sites = createLimiter({ requests: requests * SITE_FACTOR, windowMs })
  return {
    take: ({ client, site }, nowMs) => {
      if (site === undefined) return clients.take(client, nowMs)
      const both = [clients.peek(client, nowMs), sites.peek(site, nowMs)] as const
      if (!both[0].isAllowed || !both[1].isAllowed) return selectStricter(...both)
      return selectStricter(clients.take(client, nowMs), sites.take(site, nowMs))
    },
  }
}

/** Returns the headers of a verdict. A rejection has a Retry-After as an HTTP-date (RFC 9110 10.2.3). */
export const limitHeaders = ({ isAllowed, limit, remaining, resetMs }: Verdict): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': new Date(resetMs).toISOString(),
  // Rounded up to whole seconds, so that a client that returns then is accepted.
  ...(isAllowed ? {} : { 'Retry-After': new Date(Math.ceil(resetMs / 1000) * 1000).toUTCString() }),
})
