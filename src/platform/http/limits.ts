/** The two limits that every client has: one on all requests, and a narrow one on what tries or sets a password. */
import { AppError } from '../errors.ts'
import { limitKey } from './client-address.ts'
import { createLimiter, type Limit, limitHeaders, type Verdict } from './rate-limit.ts'

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
type Count = (from: { readonly client: string }, now: () => Date) => Judgement

export type Limits = {
  /** Counts a request of any kind. */
  readonly general: Count
  /** Counts a request that tries or sets a password. */
  readonly sensitive: Count
}

const UNLIMITED: Judgement = { headers: {} }

const refusal = (code: 'RATE_LIMIT_EXCEEDED' | 'LOGIN_RATE_LIMIT_EXCEEDED', { limit, resetMs }: Verdict): AppError =>
  new AppError(code, `The limit of ${limit} requests is used up; come back at ${new Date(resetMs).toISOString()}`)

const limitBy = (limit: Limit, code: Parameters<typeof refusal>[0]): Count => {
  const limiter = createLimiter(limit)
  return ({ client }, now) => {
    const verdict = limiter.take(limitKey(client), now().getTime())
    const headers = limitHeaders(verdict)
    return verdict.isAllowed ? { headers } : { headers, error: refusal(code, verdict) }
  }
}

export const createLimits = (config: LimitConfig): Limits => ({
  general: config.rateLimitEnabled
    ? limitBy({ requests: config.rateLimitRequests, windowMs: config.rateLimitWindowMs }, 'RATE_LIMIT_EXCEEDED')
    : () => UNLIMITED,
  sensitive: config.loginRateLimitEnabled
    ? limitBy(
        { requests: config.loginRateLimitRequests, windowMs: config.loginRateLimitWindowMs },
        'LOGIN_RATE_LIMIT_EXCEEDED',
      )
    : () => UNLIMITED,
})
