/** The two limits that every client has: one on all requests, and a narrow one on what tries or sets a password. */
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

/** What a request is told of the limit it was counted by. */
export type Judgement = { readonly headers: Readonly<Record<string, string>>; readonly error?: AppError }

/** Asked for the client only where there is a limit: to find out who it is takes longer than to count it. */
type Count = (from: { readonly client: string }, now: () => Date) => Judgement | Promise<Judgement>

/** Where limits are counted together with other instances; undefined where this one counts for itself. */
export type LimitStore = Pick<Valkey, 'send'> | undefined

export type Limits = {
  /** Counts a request of any kind. */
  readonly general: Count
  /** As `general`, by this instance alone. */
  readonly probes: Count
  /** Counts a request that tries or sets a password. */
  readonly sensitive: Count
}

const UNLIMITED: Judgement = { headers: {} }

const refusal = (code: 'RATE_LIMIT_EXCEEDED' | 'LOGIN_RATE_LIMIT_EXCEEDED', { limit, resetMs }: Verdict): AppError =>
  new AppError(code, `The limit of ${limit} requests is used up; come back at ${new Date(resetMs).toISOString()}`)

/** An address is in canonical text, so that an IPv4 one needs no look at all. */
const countedFor = (address: string): Counted =>
  address.includes(':') ? { client: limitKey(address), site: siteKey(address) } : { client: address, site: undefined }

type Code = Parameters<typeof refusal>[0]

const limitBy = (limit: Limit, code: Code, store: LimitStore): Count => {
  const judged = (verdict: Verdict): Judgement => {
    const headers = limitHeaders(verdict)
    return verdict.isAllowed ? { headers } : { headers, error: refusal(code, verdict) }
  }
  const own = createClientLimiter(limit)
  if (!store) return ({ client }, now) => judged(own.take(countedFor(client), now().getTime()))
  const name = code === 'RATE_LIMIT_EXCEEDED' ? 'requests' : 'sign-ins'
  const shared = createSharedLimiter({ limit, name, valkey: store, own })
  return async ({ client }, now) => judged(await shared.take(countedFor(client), now().getTime()))
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
