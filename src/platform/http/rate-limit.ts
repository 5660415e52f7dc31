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

/** So many /64s of one /48 may use their limit up before it is that of the /48. */
export const SITE_FACTOR = 4

/** Clients remembered at once: about 20 MB. With more, those whose windows began first are forgotten. */
const MAX_CLIENTS = 100_000

type Bucket = { used: number; resetMs: number }

/**
 * Buckets live in two generations. A new one begins when the last is a window old, so that what the older one held is over,
 * or when it holds its half of the most that are remembered. Dropping a generation costs no request anything.
 */
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

/** Returns the verdict to show: of two refusals the one that lasts longer, else the one with less left. */
export const stricter = (client: Verdict, site: Verdict): Verdict => {
  if (client.isAllowed !== site.isAllowed) return client.isAllowed ? site : client
  if (!client.isAllowed) return site.resetMs > client.resetMs ? site : client
  return site.remaining < client.remaining ? site : client
}

/** Counts a client by itself and, for IPv6, by its /48. What one of the two refuses is taken out of neither. */
export const createClientLimiter = ({ requests, windowMs }: Limit): ClientLimiter => {
  const clients = createLimiter({ requests, windowMs })
  const sites = createLimiter({ requests: requests * SITE_FACTOR, windowMs })
  return {
    take: ({ client, site }, nowMs) => {
      if (site === undefined) return clients.take(client, nowMs)
      const both = [clients.peek(client, nowMs), sites.peek(site, nowMs)] as const
      if (!both[0].isAllowed || !both[1].isAllowed) return stricter(...both)
      return stricter(clients.take(client, nowMs), sites.take(site, nowMs))
    },
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
