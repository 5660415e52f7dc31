/** `POST /api/auth/passkey` creates a session for a passkey alone: it is two factors. */
import { AppError } from '../../platform/contract/errors.ts'
import type { RawAudit } from '../../platform/operation/audit.ts'
import type { Ctx } from '../ctx.ts'
import { ShownPasskey } from '../factors/api.ts'
import type { SignInFactors } from '../factors/sign-in-factor.ts'
import { recordSignIn } from '../users/account.ts'
import type { LoggedIn } from './api.ts'
import { readSignIn } from './login.ts'
import { type SessionTerms, startSession } from './start.ts'

type PasskeyOptions = SessionTerms & {
  readonly signInFactors: SignInFactors
  readonly audit: Pick<RawAudit<never>, 'note' | 'succeeded'>
}

const wrong = () => new AppError('INVALID_CREDENTIALS', 'No passkey of a user here has answered this challenge')

export const passkeySignIn = async (ctx: Ctx, request: Request, options: PasskeyOptions): Promise<Response> => {
  const { signInFactors, audit } = options
  const shown = await readSignIn(request, ShownPasskey)
  const proven = await signInFactors.provePasskey(ctx, shown)
  if (!proven) throw wrong()
  audit.note({ userId: proven.userId, changes: { passkey_id: proven.id } })
  const refuse = async (tx: Ctx) => ((await signInFactors.consumePasskey(tx, proven)) ? undefined : wrong())
  const signedIn = await ctx.write((tx) => recordSignIn(tx, { id: proven.userId, refuse }))
  if (!signedIn || signedIn instanceof AppError) throw wrong()
  const { user } = signedIn
  const { id, expiresAt, cookie } = await startSession(ctx, { signedIn, method: 'passkey', request }, options)
  audit.note({ userId: user.id, username: user.username, resourceId: id })
  await audit.succeeded()
  const body: LoggedIn = { user, expires_at: expiresAt.toISOString() }
  return Response.json(body, { headers: { 'Cache-Control': 'no-store', 'Set-Cookie': cookie } })
}
