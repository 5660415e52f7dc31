/** `POST /api/auth/login` creates a session for a name and a password. */

import { AppError } from '../../platform/contract/errors.ts'
import { parse } from '../../platform/contract/validate.ts'
import { parseJson, readBytes, requireJsonType } from '../../platform/http/body.ts'
import type { OwnCookie } from '../../platform/http/credentials.ts'
import type { RawAudit } from '../../platform/operation/audit.ts'
import { newSecret, secretHash } from '../../platform/security/secret-token.ts'
import type { Ctx } from '../ctx.ts'
import { type LoggedIn, Login } from './api.ts'
import type { SignIn } from './sign-in.ts'
import type { SessionStore } from './store.ts'

export type LoginOptions = {
  readonly signIn: SignIn
  readonly sessions: SessionStore
  readonly cookie: OwnCookie
  readonly ttlMs: number
  readonly audit: Pick<RawAudit<never>, 'note' | 'succeeded'>
}

/** Far above a name and a password; the route needs no sign-in. */
const MAX_BODY_BYTES = 16 * 1024
/** Longer than that of any browser, and short enough for a table. */
const MAX_USER_AGENT = 255

const readLogin = async (request: Request) => {
  requireJsonType(request)
  // Login CSRF: a form of another site can't send JSON, and a script of another site sends this header.
  if (request.headers.get('sec-fetch-site') === 'cross-site')
    throw new AppError('CSRF_FAILED', 'Sign in from the page of this server')
  const body = parseJson(await readBytes(request, MAX_BODY_BYTES))
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return parse(Login, body)
}

/** Returns the User-Agent header as text that can be stored and shown. */
const userAgentOf = ({ headers }: Request): string =>
  (headers.get('user-agent') ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, MAX_USER_AGENT)
    .toWellFormed()

export const login = async (ctx: Ctx, request: Request, options: LoginOptions): Promise<Response> => {
  const { signIn, sessions, cookie, ttlMs, audit } = options
  const sinceMs = performance.now()
  const input = await readLogin(request)
  audit.note({ username: input.username, changes: input })
  const { user, generation, at, deviceCookie } = await signIn(ctx, { ...input, headers: request.headers, sinceMs })
  const token = newSecret()
  // Not the time of the request: the password may have waited in the queue.
  const createdAt = new Date(at)
  const expiresAt = new Date(createdAt.getTime() + ttlMs)
  const times = { createdAt, renewedAt: createdAt, expiresAt }
  const origin = { ipAddress: ctx.client, userAgent: userAgentOf(request) }
  // After the user's own transaction: if the password changes in between, the generation of this session is invalid.
  const id = Bun.randomUUIDv7()
  await sessions.create({ id, userId: user.id, userGeneration: generation, ...times, ...origin }, secretHash(token))
  audit.note({ userId: user.id, username: user.username, resourceId: id })
  await audit.succeeded()
  const body: LoggedIn = { user, expires_at: expiresAt.toISOString() }
  const answer = Response.json(body, { headers: { 'Cache-Control': 'no-store' } })
  for (const value of [cookie.set(token), deviceCookie]) answer.headers.append('Set-Cookie', value)
  return answer
}
