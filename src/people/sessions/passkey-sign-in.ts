/**
 * `POST /api/auth/passkey` creates a session for just a passkey: it is two factors. A user without a password also needs a recent
 * sign-in by a provider, because only the provider knows whether the user is still there.
 */
import { AppError } from '../../contract/errors.ts'
import type { RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { ShownPasskey } from '../factors/api.ts'
import type { SignInFactors } from '../factors/sign-in-factor.ts'
import { findAccount, recordSignIn } from '../users/account.ts'
import type { LoggedIn } from './api.ts'
import { readSignIn } from './login.ts'
import { type SessionTerms, startSession } from './start.ts'

type PasskeyOptions = SessionTerms & {
  readonly signInFactors: SignInFactors
  readonly audit: Pick<RawAudit<never>, 'note' | 'succeeded'>
}

const buildWrongPasskeyError = () =>
  new AppError('INVALID_CREDENTIALS', 'No passkey of a user here has answered this challenge')

const createOutdatedError = () =>
  new AppError(
    'INVALID_CREDENTIALS',
    'Sign in by your identity provider. You have no password, and a passkey signs in only for a while after that',
  )

/** Returns when the sessions by passkey of a user end, in ms. @returns 0 for an unknown user */
const findPasskeysEnd = async (ctx: Ctx, userId: string): Promise<number> =>
  (await findAccount(ctx, userId))?.passkeysUntilMs ?? 0

export const handlePasskeySignIn = async (ctx: Ctx, request: Request, options: PasskeyOptions): Promise<Response> => {
  const { signInFactors, audit } = options
  const shown = await readSignIn(request, ShownPasskey)
  const proven = await signInFactors.provePasskey(ctx, shown)
  if (!proven) throw buildWrongPasskeyError()
  audit.note({ userId: proven.userId, changes: { passkey_id: proven.id } })
  let untilMs = Infinity
  const refuse = async (tx: Ctx) => {
    if (!(await signInFactors.consumePasskey(tx, proven))) return buildWrongPasskeyError()
    untilMs = await findPasskeysEnd(tx, proven.userId)
    return untilMs > Date.parse(tx.now) ? undefined : createOutdatedError()
  }
  const signedIn = await ctx.write((tx) => recordSignIn(tx, { id: proven.userId, refuse }))
  if (!signedIn) throw buildWrongPasskeyError()
  if (signedIn instanceof AppError) throw signedIn
  const { user } = signedIn
  const endsAt = untilMs === Infinity ? {} : { endsAt: new Date(untilMs) }
  const { id, expiresAt, cookie } = await startSession(
    ctx,
    { signedIn, method: 'passkey', ...endsAt, request },
    options,
  )
  audit.note({ userId: user.id, username: user.username, resourceId: id })
  await audit.succeeded()
  const body: LoggedIn = { user, expires_at: expiresAt.toISOString() }
  return Response.json(body, { headers: { 'Cache-Control': 'no-store', 'Set-Cookie': cookie } })
}
