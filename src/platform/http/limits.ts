/** The two rate limits of every client: all requests, and those that check or set a password. */
import { AppError } from '../contract/errors.ts'
import type { Valkey } from '../runtime/valkey.ts'
import { limitKey, siteKey } from './client-address.ts'
import { type Counted, createClientLimiter, type Limit, limitHeaders, type Verdict } from './rate-limit.ts'
import { createSharedLimiter } from './shared-limit.ts'

export type LimitConfig = {
  readonly rateLimitEnabled: boolean
  readonly rateLimitRequests: number
  readonly rateLimitWindowMs: number
  readonly loginRateLimitEnabled: boolean
  readonly loginRateLimitRequests: number
  readonly loginRateLimitWindowMs: number
}

/** The rate limit headers of a request, and its error if the limit is exceeded. */
export type LimitResult = { readonly headers: Readonly<Record<string, string>>; readonly error?: AppError }

/** Reads `client` only if a limit is set: computing the client's address costs more than counting. */
type Count = (from: { readonly client: string }, now: () => Date) => LimitResult | Promise<LimitResult>

/** The server in which instances count limits together; undefined if each instance counts alone. */
export type LimitStore = Pick<Valkey, 'send'> | undefined

export type Limits = {
  /** Counts a request of any kind. */
  readonly general: Count
  /** Counts like `general`, but only within this instance. */
  readonly probes: Count
  /** Counts a request that checks or sets a password. */
  readonly sensitive: Count
}

const UNLIMITED: LimitResult = { headers: {} }

const refusal = (code: 'RATE_LIMIT_EXCEEDED' | 'LOGIN_RATE_LIMIT_EXCEEDED', { limit, resetMs }: Verdict): AppError =>
  new AppError(code, `The limit of ${limit} requests is used up; come back at ${new Date(resetMs).toISOString()}`)

/** Addresses are in canonical text, so an IPv4 address is its own key. */
const countedFor = (address: string): Counted =>
  address.includes(':') ? { client: limitKey(address), site: siteKey(address) } : { client: address, site: undefined }

type Code = Parameters<typeof refusal>[0]

const limitBy = (limit: Limit, code: Code, store: LimitStore): Count => {
  const resultOf = (verdict: Verdict): LimitResult => {
    const headers = limitHeaders(verdict)
    return verdict.isAllowed ? { headers } : { headers, error: refusal(code, verdict) }
  }
  const own = createClientLimiter(limit)
  if (!store) return ({ client }, now) => resultOf(own.take(countedFor(client), now().getTime()))
  const name = code === 'RATE_LIMIT_EXCEEDED' ? 'requests' : 'sign-ins'
  const shared = createSharedLimiter({ limit, name, valkey: store, own })
  return async ({ client }, now) => resultOf(await shared.take(countedFor(client), now().getTime()))
}

export const createLimits = (config: LimitConfig, store: LimitStore): Limits => {
  const general = { requests: config.rateLimitRequests, windowMs: config.rateLimitWindowMs }
  const sensitive = { requests: config.loginRateLimitRequests, windowMs: config.loginRateLimitWindowMs }
  const limitRequests = (by: LimitStore): Count =>
    config.rateLimitEnabled ? limitBy(general, 'RATE_LIMIT_EXCEEDED', by) : () => UNLIMITED
  const all = limitRequests(store)
  return {
    general: all,
    probes: store ? limitRequests(undefined) : all,
    sensitive: config.loginRateLimitEnabled ? limitBy(sensitive, 'LOGIN_RATE_LIMIT_EXCEEDED', store) : () => UNLIMITED,
  }
}
