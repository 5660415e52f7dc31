/** Signing in: the password is checked outside any transaction, and every failure looks and lasts the same. */
import type { RawAudit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import { parseJson, readBytes, requireJsonType } from '../../platform/http/body.ts'
import type { SessionCookie } from '../../platform/http/credentials.ts'
import { passwordProblem } from '../../platform/password-rule.ts'
import { type Passwords, PasswordsBusyError } from '../../platform/passwords.ts'
import { newSecret, secretHash } from '../../platform/secret-token.ts'
import { parse } from '../../platform/validate.ts'
import type { Ctx } from '../ctx.ts'
import { findForSignIn, recordSignIn, type SignedIn, unlessBusy } from '../users/account.ts'
import { type LoggedIn, Login } from './api.ts'
import type { SessionStore } from './store.ts'

export type LoginOptions = {
  readonly passwords: Passwords
  readonly sessions: SessionStore
  readonly cookie: SessionCookie
  readonly ttlMs: number
  readonly audit: Pick<RawAudit<never>, 'note' | 'succeeded'>
}

/** Far above a name and a password; this route is open to everyone. */
const MAX_BODY_BYTES = 16 * 1024
/** Longer than any browser's, and short enough for a table. */
const MAX_USER_AGENT = 255

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

/** @throws AppError INVALID_CREDENTIALS, the same in the same time whatever was wrong */
export const signIn = async (
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

/** A browser's name for itself, as something that can be stored and shown. */
const userAgentOf = ({ headers }: Request): string =>
  (headers.get('user-agent') ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, MAX_USER_AGENT)
    .toWellFormed()

export const login = async (ctx: Ctx, request: Request, options: LoginOptions): Promise<Response> => {
  const { passwords, sessions, cookie, ttlMs, audit } = options
  const input = await readLogin(request)
  audit.note({ username: input.username, changes: input })
  const { user, generation } = await unlessBusy(ctx, signIn(ctx, passwords, input))
  const token = newSecret()
  const createdAt = new Date(ctx.now)
  const expiresAt = new Date(createdAt.getTime() + ttlMs)
  const times = { createdAt, renewedAt: createdAt, expiresAt }
  const origin = { ipAddress: ctx.client, userAgent: userAgentOf(request) }
  // After the user's own transaction: a password that changes in between leaves this session void by its generation.
  const id = Bun.randomUUIDv7()
  await sessions.create({ id, userId: user.id, userGeneration: generation, ...times, ...origin }, secretHash(token))
  audit.note({ userId: user.id, username: user.username, resourceId: id })
  await audit.succeeded()
  const body: LoggedIn = { user, expires_at: expiresAt.toISOString() }
  return Response.json(body, { headers: { 'Set-Cookie': cookie.set(token), 'Cache-Control': 'no-store' } })
}
