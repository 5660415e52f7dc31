/**
 * Checks a password outside any transaction, always in the same time:
 * docs/decisions/sign-in.md#sign-ins-queue-for-their-hash.
 */

import type { Config } from '../../base/config/config.ts'
import { checkPassword } from '../../base/security/password-rule.ts'
import { type Passwords, PasswordsBusyError, type PasswordTurn } from '../../base/security/passwords.ts'
import { AppError } from '../../contract/errors.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getNetworkKey, limitKey } from '../../surfaces/http/client-address.ts'
import { createLimiter } from '../../surfaces/http/limits/rate-limit.ts'
import type { ShownFactor, SignInFactors } from '../factors/sign-in-factor.ts'
import {
  createKnownTurn,
  findForSignIn,
  recordSignIn,
  type SignedIn,
  type SignInUser,
  unlessBusy,
} from '../users/account.ts'
import { createDevices, type Device } from './devices.ts'

export type Attempt = {
  readonly username: string
  readonly password: string
  readonly factor: ShownFactor
  /** The headers of the request; a cookie among them may identify a known device. */
  readonly headers: Headers
  /** The arrival of the request, as `performance.now()`. */
  readonly sinceMs: number
}

export type Admitted = SignedIn & {
  /** True while passwords only open for marked users. */
  readonly isBreakGlass: boolean
  /** The Set-Cookie value that identifies the device next time. */
  readonly deviceCookie: string
}

/**
 * @throws AppError INVALID_CREDENTIALS in the same time for every cause but a wrong second factor;
 * SECOND_FACTOR_REQUIRED if the password is right and the user has a factor; LOGIN_RATE_LIMIT_EXCEEDED
 */
export type SignIn = (ctx: Ctx, attempt: Attempt) => Promise<Admitted>

export type SignInOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<
    Config,
    'passwordSignIn' | 'cookieSecure' | 'loginRateLimitEnabled' | 'loginRateLimitRequests' | 'loginRateLimitWindowMs'
  >
  readonly passwords: Passwords
  readonly signInFactors: SignInFactors
  readonly now: () => Date
  /** Settles when a user exists: the first start hashes a password before. */
  readonly firstUser: () => Promise<unknown>
}

const buildWrongCredentialsError = () => new AppError('INVALID_CREDENTIALS', 'The username or the password is wrong')

/** Settles like `work`, or rejects after the longest wait. @throws PasswordsBusyError */
const limitWait = async (work: Promise<unknown>, { sinceMs }: Attempt, { maxWaitMs }: Passwords): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new PasswordsBusyError()), Math.max(0, sinceMs + maxWaitMs - performance.now()))
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

export const createSignIn = ({ db, config, passwords, signInFactors, now, firstUser }: SignInOptions): SignIn => {
  const devices = createDevices({ db, isSecure: config.cookieSecure })
  const { loginRateLimitRequests: requests, loginRateLimitWindowMs: windowMs } = config
  // For this instance only, like the queue. It counts attempts, not failures, because many may run concurrently.
  const attempts = createLimiter({ requests, windowMs })

  const canUsePassword = ({ isBreakGlass }: SignInUser): boolean => config.passwordSignIn === 'all' || isBreakGlass

  const canGoAhead = (user: SignInUser | undefined, device: Device | undefined): user is SignInUser => {
    if (user?.id !== device?.userId || user?.generation !== device?.generation) return false
    return (
      device !== undefined && (!config.loginRateLimitEnabled || attempts.take(device.id, now().getTime()).isAllowed)
    )
  }

  const createTurn = (ctx: Ctx, user: SignInUser | undefined, device: Device | undefined): PasswordTurn => {
    if (canGoAhead(user, device)) return createKnownTurn(ctx, user.id)
    const place = { group: getNetworkKey(ctx.client), key: limitKey(ctx.client) }
    return { lane: 'common', ...place, sinceMs: performance.now(), signal: ctx.signal }
  }

  /** Returns a hash of current strength if the stored one is weaker and the queue is not full. */
  const createStrongerHash = async (
    password: string,
    stored: string,
    turn: PasswordTurn,
  ): Promise<string | undefined> => {
    if (!passwords.needsRehash(stored) || checkPassword(password)) return undefined
    try {
      return await passwords.hash(password, turn)
    } catch (error) {
      if (error instanceof PasswordsBusyError) return undefined
      throw error
    }
  }

  const check = async (ctx: Ctx, attempt: Attempt): Promise<Admitted> => {
    const { username, password, factor, headers, sinceMs } = attempt
    await limitWait(firstUser(), attempt, passwords)
    const device = await devices.shown(headers, now())
    const known = await findForSignIn(ctx, username)
    // The check takes the same time and fails if there is no stored hash.
    const isRight = await passwords.verify(password, known?.passwordHash, {
      ...createTurn(ctx, known, device),
      sinceMs,
    })
    if (!known || !isRight || !canUsePassword(known)) throw buildWrongCredentialsError()
    const refuse = await signInFactors.prepare(ctx, known.id, factor)
    const hash = await createStrongerHash(password, known.passwordHash, { ...createKnownTurn(ctx, known.id), sinceMs })
    const signedIn = await ctx.write((inner) => recordSignIn(inner, { ...known, strongerHash: hash, refuse }))
    if (!signedIn) throw buildWrongCredentialsError()
    // After the commit, which has counted a wrong factor.
    if (signedIn instanceof AppError) throw signedIn
    const { user, generation, at } = signedIn
    const isBreakGlass = config.passwordSignIn === 'break-glass'
    if (isBreakGlass)
      ctx.log.warn('a break-glass account has signed in', { request_id: ctx.requestId, username: user.username })
    // The device keeps its id for the same account, and with it its counted attempts.
    const id = device?.userId === user.id ? device.id : undefined
    const deviceCookie = await devices.cookieFor({ id, userId: user.id, generation, at: new Date(at) })
    return { ...signedIn, isBreakGlass, deviceCookie }
  }

  return (ctx, attempt) => unlessBusy(ctx, check(ctx, attempt))
}
