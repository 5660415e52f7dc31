/** `POST /api/auth/login` creates a session for a name and a password. */

import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import type { RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseJson, readBytes, requireJsonType } from '../../surfaces/http/body/body.ts'
import type { Requirement } from '../factors/requirement.ts'
import { type LoggedIn, Login } from './api.ts'
import type { SignIn } from './sign-in.ts'
import { type SessionTerms, startSession } from './start.ts'

export type LoginOptions = SessionTerms & {
  readonly signIn: SignIn
  readonly requirement: Requirement
  readonly audit: Pick<RawAudit<never>, 'note' | 'succeeded'>
}

/** Far above a name and a password; the route needs no sign-in. */
const MAX_BODY_BYTES = 16 * 1024
/** Reads the body of a sign-in. @throws AppError */
export const readSignIn = async <Schema extends z.ZodObject>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> => {
  requireJsonType(request)
  // Login CSRF: a form of another site can't send JSON, and a script of another site sends this header.
  if (request.headers.get('sec-fetch-site') === 'cross-site')
    throw new AppError('CSRF_FAILED', 'Sign in from the page of this server')
  const body = parseJson(await readBytes(request, MAX_BODY_BYTES))
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return parse(schema, body)
}

export const handleLogin = async (ctx: Ctx, request: Request, options: LoginOptions): Promise<Response> => {
  const { signIn, audit, requirement } = options
  const sinceMs = performance.now()
  const { username, password, ...factor } = await readSignIn(request, Login)
  audit.note({ username, changes: { username, password, ...factor } })
  const { deviceCookie, isBreakGlass, ...signedIn } = await signIn(ctx, {
    ...{ username, password, factor, sinceMs },
    headers: request.headers,
  })
  const { user } = signedIn
  if (isBreakGlass) audit.note({ changes: { username, password, ...factor, break_glass: true } })
  const { id, expiresAt, cookie } = await startSession(ctx, { signedIn, method: 'password', request }, options)
  audit.note({ userId: user.id, username: user.username, resourceId: id })
  await audit.succeeded()
  const isMissing = await requirement.isMissing({ db: ctx.store.quick }, user.id)
  const body: LoggedIn = {
    user,
    expires_at: expiresAt.toISOString(),
    ...(isMissing && { second_factor_setup_required: true }),
  }
  const answer = Response.json(body, { headers: { 'Cache-Control': 'no-store' } })
  for (const value of [cookie, deviceCookie]) answer.headers.append('Set-Cookie', value)
  return answer
}
