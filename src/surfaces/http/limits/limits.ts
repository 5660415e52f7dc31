/** The rate limits: all requests of a client, requests that check or set a password, and all requests of a user. */

import type { Valkey } from '../../../base/runtime/valkey.ts'
import { AppError } from '../../../contract/errors.ts'
import { getSiteKey, limitKey } from '../client-address.ts'
import { type Counted, createClientLimiter, type Limit, limitHeaders, type Verdict } from './rate-limit.ts'
import { createSharedLimiter } from './shared-limit.ts'

export type LimitConfig = {
  readonly rateLimitEnabled: boolean
  readonly rateLimitRequests: number
  readonly rateLimitWindowMs: number
  /** 0: no limit. */
  readonly rateLimitUserRequests: number
  readonly loginRateLimitEnabled: boolean
  readonly loginRateLimitRequests: number
  readonly loginRateLimitWindowMs: number
}

/** The rate limit headers of a request, and its error if the limit is exceeded. */
export type LimitResult = {
  readonly headers: Readonly<Record<string, string>>
  readonly remaining: number
  readonly error?: AppError
}

/** Returns the result of the limit that has fewer requests left. */
export const selectLower = (one: LimitResult, other: LimitResult): LimitResult =>
  other.error || other.remaining < one.remaining ? other : one

/** Reads `client` only if a limit is set: computing the client's address costs more than counting. */
type Count = (from: { readonly client: string }, now: () => Date) => LimitResult | Promise<LimitResult>

/** The server in which instances count limits together; undefined if each instance counts for itself. */
export type LimitStore = Pick<Valkey, 'send'> | undefined

export type Limits = {
  /** Counts a request of any kind. */
  readonly general: Count
  /** Counts a request to a path of `OWN_PATHS` in place of `general`. */
  readonly own: readonly (readonly [path: string, Count])[]
  /** Counts like `general`, but only within this instance. */
  readonly probes: Count
  /** Counts a request that checks or sets a password. */
  readonly sensitive: Count
  /** Counts a request of a user, with its id as the client; undefined without such a limit. */
  readonly users: Count | undefined
}

/**
 * Paths whose requests have a limit of their own, by the beginning of the path. Many scanners may have one address, and each sends
 * requests all the time.
 */
const OWN_PATHS = { '/api/scanner/': { name: 'scanners', requests: 600, windowMs: 60_000 } } as const

const UNLIMITED: LimitResult = { headers: {}, remaining: Number.POSITIVE_INFINITY }

type Refusal = (verdict: Verdict) => AppError

const formatUsedUp = ({ limit, resetMs }: Verdict, whose = ''): string =>
  `The limit of ${limit} requests${whose} is used up; come back at ${new Date(resetMs).toISOString()}`

const createRefusal =
  (code: 'RATE_LIMIT_EXCEEDED' | 'LOGIN_RATE_LIMIT_EXCEEDED'): Refusal =>
  (verdict) =>
    new AppError(code, formatUsedUp(verdict))

const refuseRequest = createRefusal('RATE_LIMIT_EXCEEDED')
const refuseUser: Refusal = (verdict) => {
  const message = formatUsedUp(verdict, ' of this user')
  return new AppError('RATE_LIMIT_EXCEEDED', message, { details: [{ field: 'user', message }] })
}

/** Addresses are in canonical text, so an IPv4 address is its own key. */
const getCounted = (address: string): Counted =>
  address.includes(':')
    ? { client: limitKey(address), site: getSiteKey(address) }
    : { client: address, site: undefined }

/** @param name of the limit in the store */
const limitBy = (limit: Limit, name: string, refuse: Refusal, store: LimitStore): Count => {
  const toResult = (verdict: Verdict): LimitResult => {
    const admitted = { headers: limitHeaders(verdict), remaining: verdict.remaining }
    return verdict.isAllowed ? admitted : { ...admitted, error: refuse(verdict) }
  }
  const own = createClientLimiter(limit)
  if (!store) return ({ client }, now) => toResult(own.take(getCounted(client), now().getTime()))
  const shared = createSharedLimiter({ limit, name, valkey: store, own })
  return async ({ client }, now) => toResult(await shared.take(getCounted(client), now().getTime()))
}

export const createLimits = (config: LimitConfig, store: LimitStore): Limits => {
  const general = { requests: config.rateLimitRequests, windowMs: config.rateLimitWindowMs }
  const sensitive = { requests: config.loginRateLimitRequests, windowMs: config.loginRateLimitWindowMs }
  const ofUser = { requests: config.rateLimitUserRequests, windowMs: config.rateLimitWindowMs }
  const limitRequests = (by: LimitStore): Count =>
    config.rateLimitEnabled ? limitBy(general, 'requests', refuseRequest, by) : () => UNLIMITED
  const limitSignIns = () => limitBy(sensitive, 'sign-ins', createRefusal('LOGIN_RATE_LIMIT_EXCEEDED'), store)
  const all = limitRequests(store)
  const own = Object.entries(OWN_PATHS).map(
    ([path, { name, ...limit }]) =>
      [path, config.rateLimitEnabled ? limitBy(limit, name, refuseRequest, store) : () => UNLIMITED] as const,
  )
  return {
    general: all,
    own,
    probes: store ? limitRequests(undefined) : all,
    sensitive: config.loginRateLimitEnabled ? limitSignIns() : () => UNLIMITED,
    users: config.rateLimitEnabled && ofUser.requests > 0 ? limitBy(ofUser, 'users', refuseUser, store) : undefined,
  }
}
