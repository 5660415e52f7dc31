/** Signing in: the password is checked outside any transaction, and every failure looks and lasts the same. */
import { AppError } from '../../platform/errors.ts'
import { parseJson, readBytes, requireJsonType } from '../../platform/http/body.ts'
import type { SessionCookie } from '../../platform/http/credentials.ts'
import { passwordProblem } from '../../platform/password-rule.ts'
import { type Passwords, PasswordsBusyError } from '../../platform/passwords.ts'
import { newSecret, secretHash } from '../../platform/secret-token.ts'
import { parse } from '../../platform/validate.ts'
import type { Ctx } from '../ctx.ts'
import { findForSignIn, recordSignIn, type SignedIn } from '../users/users.ts'
import { type LoggedIn, Login } from './api.ts'
import type { SessionStore } from './store.ts'

export type LoginOptions = {
  readonly passwords: Passwords
  readonly sessions: SessionStore
  readonly cookie: SessionCookie
  readonly ttlMs: number
}

/** Far above a name and a password; this route is open to everyone. */
const MAX_BODY_BYTES = 16 * 1024
/** By then the gate before the passwords has moved on. */
const RETRY_AFTER_MS = 5000

const readLogin = async (request: Request) => {
  requireJsonType(request)
  // A form of another site can't have JSON, and a script of another site says so here.
  if (request.headers.get('sec-fetch-site') === 'cross-site')
    throw new AppError('CSRF_FAILED', 'Sign in from the page of this server')
  const body = parseJson(await readBytes(request, MAX_BODY_BYTES))
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return parse(Login, body)
}

const wrongCredentials = () => new AppError('INVALID_CREDENTIALS', 'The username or the password is wrong')

/** A hash of today's strength where the stored one is weaker. The login succeeds without it if the gate is busy. */
const strongerHash = async (passwords: Passwords, password: string, stored: string): Promise<string | undefined> => {
  if (!passwords.needsRehash(stored) || passwordProblem(password)) return undefined
  try {
    return await passwords.hash(password)
  } catch (error) {
    if (error instanceof PasswordsBusyError) return undefined
    throw error
  }
}

const signIn = async (
  ctx: Ctx,
  passwords: Passwords,
  login: { username: string; password: string },
): Promise<SignedIn> => {
  const known = await findForSignIn(ctx, login.username)
  // Without a hash this takes as long, and fails.
  const isRight = await passwords.verify(login.password, known?.passwordHash)
  if (!known || !isRight) throw wrongCredentials()
  const hash = await strongerHash(passwords, login.password, known.passwordHash)
  const signedIn = await ctx.write((inner) => recordSignIn(inner, { ...known, strongerHash: hash }))
  if (!signedIn) throw wrongCredentials()
  return signedIn
}

const busyResponse = (now: string): Response => {
  const error = new AppError('LOGIN_RATE_LIMIT_EXCEEDED', 'Too many people sign in at once; try again in a moment')
  const retryAt = new Date(Date.parse(now) + RETRY_AFTER_MS).toUTCString()
  return Response.json(error.toBody(), {
    status: error.status,
    headers: { 'Retry-After': retryAt, 'Cache-Control': 'no-store' },
  })
}

export const login = async (ctx: Ctx, request: Request, options: LoginOptions): Promise<Response> => {
  const { passwords, sessions, cookie, ttlMs } = options
  const input = await readLogin(request)
  let signedIn: SignedIn
  try {
    signedIn = await signIn(ctx, passwords, input)
  } catch (error) {
    if (error instanceof PasswordsBusyError) return busyResponse(ctx.now)
    throw error
  }
  const { user, generation } = signedIn
  const token = newSecret()
  const renewedAt = new Date(ctx.now)
  const expiresAt = new Date(renewedAt.getTime() + ttlMs)
  // After the user's own transaction: a password that changes in between leaves this session void by its generation.
  await sessions.create(
    { id: Bun.randomUUIDv7(), userId: user.id, userGeneration: generation, renewedAt, expiresAt },
    secretHash(token),
  )
  const body: LoggedIn = { user, expires_at: expiresAt.toISOString() }
  return Response.json(body, { headers: { 'Set-Cookie': cookie.set(token), 'Cache-Control': 'no-store' } })
}
