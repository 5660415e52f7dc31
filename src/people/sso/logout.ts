/** Both kinds of logout: RP-Initiated Logout 1.0, and Back-Channel Logout 1.0. */

import type { Config } from '../../base/config/config.ts'
import { SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { AppError } from '../../contract/errors.ts'
import { Key } from '../../contract/fields/fields.ts'
import type { Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { readBytes } from '../../surfaces/http/body/body.ts'
import type { OwnCookie } from '../../surfaces/http/credentials.ts'
import { decodeSegment } from '../../surfaces/http/route-table.ts'
import { endSession } from '../sessions/sessions.ts'
import * as store from './flow/flow-store.ts'
import { endForLogout } from './logout-scope.ts'
import { type OidcClient, OidcError } from './oidc-client.ts'
import * as providers from './provider-store.ts'
import { buildRegistration } from './providers.ts'
import type { SessionEnding } from './sessions.ts'
import type { SsoSessionRow } from './table.ts'

export type LogoutOptions = SessionEnding & {
  readonly config: Pick<Config, 'publicUrl'>
  readonly secrets: Secrets
  readonly oidc: OidcClient
  readonly cookie: OwnCookie
}

type Audit = RawAudit<Tx<Tables>>

/** Decrypts the token. A token that cannot be decrypted is left out: the provider then asks the user. */
const openToken = (secrets: Secrets, { session_id: id, id_token }: SsoSessionRow): string | undefined => {
  if (id_token === null) return undefined
  try {
    return secrets.open({ table: 'sso_sessions', column: 'id_token', id }, id_token)
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    return undefined
  }
}

/** Returns the address that ends the session at the provider; null without one. */
const findLogoutAddress = async (ctx: Ctx, row: SsoSessionRow, options: LogoutOptions): Promise<string | null> => {
  const { config, secrets, oidc } = options
  const stored = await providers.find(ctx, row.provider_id)
  if (!stored || config.publicUrl === undefined) return null
  try {
    const request = { idToken: openToken(secrets, row), returnTo: `${config.publicUrl}/login` }
    return (await oidc.endSession(buildRegistration(secrets, stored), request, ctx.signal))?.href ?? null
  } catch (error) {
    if (!(error instanceof OidcError)) throw error
    ctx.log.warn('the logout address of an identity provider is unknown', { provider: stored.provider.name, error })
    return null
  }
}

/** `POST /api/auth/sso/logout`. */
export const handleLogout = async (ctx: Ctx, audit: Audit, options: LogoutOptions): Promise<Response> => {
  const id = ctx.caller.credentialId ?? ''
  audit.note({ resourceId: id })
  const row = await store.findSession(ctx, id)
  const end = await endSession(ctx, options.sessions, id)
  await ctx.write(
    async (tx) => {
      await end(tx)
      await store.removeSession(tx, id)
    },
    { audit },
  )
  const url = row ? await findLogoutAddress(ctx, row, options) : null
  return Response.json({ url }, { headers: { 'Set-Cookie': options.cookie.clear, 'Cache-Control': 'no-store' } })
}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i
const MAX_BODY_BYTES = 64 * 1024

/** @throws OidcError for a body without exactly one token */
const readToken = async (request: Request): Promise<string> => {
  if (!FORM.test(request.headers.get('content-type') ?? '')) throw new OidcError('the body is not a form')
  const body = new TextDecoder().decode(await readBytes(request, MAX_BODY_BYTES))
  const [token, ...more] = new URLSearchParams(body).getAll('logout_token')
  if (!token || more.length > 0) throw new OidcError('the body has not one logout_token')
  return token
}

const parseProviderId = (url: string): string => Key.parse(decodeSegment(new URL(url).pathname.split('/')[4] ?? ''))

const UNCACHED = { 'Cache-Control': 'no-store' }

/** `POST /api/auth/sso/{id}/backchannel-logout`. */
export const handleBackchannelLogout = async (
  ctx: Ctx,
  request: Request,
  options: LogoutOptions & { readonly audit: Audit },
): Promise<Response> => {
  const { audit, oidc, secrets } = options
  try {
    const stored = await providers.find(ctx, parseProviderId(request.url))
    if (!stored) throw new OidcError('there is no such provider')
    const { id, name } = stored.provider
    audit.note({ changes: { method: 'backchannel', provider_id: id, provider: name } })
    const { sub, sid, jti, expiresAt } = await oidc.verifyLogout(
      buildRegistration(secrets, stored),
      await readToken(request),
      ctx.signal,
    )
    const of = { providerId: id, ...(sid !== undefined && { sid }), ...(sub !== undefined && { subject: sub }) }
    const seen = hashSecret(`${id} ${jti}`)
    // Sessions elsewhere end before the transaction. That does no harm for a token that was accepted before.
    const end = await endForLogout(ctx, options, of)
    await ctx.write(
      async (tx) => {
        if (!(await store.storeToken(tx, seen, expiresAt.toISOString())))
          throw new OidcError('the logout token was used before')
        await end(tx)
      },
      { audit },
    )
    return new Response(null, { headers: UNCACHED })
  } catch (error) {
    if (!(error instanceof OidcError)) throw error
    ctx.log.warn('a back-channel logout was refused', { request_id: ctx.requestId, reason: error.message })
    await audit.failed(new AppError('INVALID_INPUT', error.message))
    return Response.json({ error: 'invalid_request' }, { status: 400, headers: UNCACHED })
  }
}
