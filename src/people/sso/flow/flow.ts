/** The authorization code flow: sends a browser to a provider, and signs it in when it comes back (RFC 9700 section 2.1). */

import type { Config } from '../../../base/config/config.ts'
import type { Secrets } from '../../../base/security/crypto.ts'
import { createSecret, hashSecret } from '../../../base/security/secret-token.ts'
import { AppError, invalidField, notFound } from '../../../contract/errors.ts'
import { Key } from '../../../contract/fields/fields.ts'
import type { RawAudit } from '../../../kernel/changes/audit.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { requireFreshSession, requireSetup } from '../../../kernel/rights/access.ts'
import { createCookie, getCookie, type OwnCookie } from '../../../surfaces/http/credentials.ts'
import { decodeSegment } from '../../../surfaces/http/route-table.ts'
import type { EndedCredentials } from '../../revoke-access/end-credentials.ts'
import { type SessionTerms, startSession } from '../../sessions/start.ts'
import { findAccount } from '../../users/account.ts'
import type { User } from '../../users/api.ts'
import { admit, type Joined, link, SsoRefusal } from '../accounts.ts'
import type { SsoError } from '../api.ts'
import { getRefusalReason, lacksClaims } from '../claims.ts'
import { type Answer, type OidcClient, OidcError } from '../oidc-client.ts'
import * as providers from '../provider-store.ts'
import { buildRegistration, CALLBACK_PATH } from '../providers.ts'
import type { SsoStateRow } from '../table.ts'
import * as store from './flow-store.ts'
import { type FailurePage, redirect, renderOpeningPage, respondFailure } from './pages.ts'
import { returnPath } from './return-to.ts'

export type FlowOptions = {
  readonly config: Pick<Config, 'publicUrl' | 'cookieSecure'>
  readonly secrets: Secrets
  readonly oidc: OidcClient
  readonly terms: SessionTerms
}

type Audit = Pick<RawAudit<never>, 'note' | 'succeeded' | 'failed'>

const STATE_LIFE_MS = 600_000
const HOUR_MS = 3_600_000

/** The form of the cookie. Its value is kept while it is valid: two tabs may sign in at once. */
const BROWSER = /^[\w-]{43}$/

/** Binds sign-ins in progress to the browser. Lax, because the provider sends the browser back by a link. */
export const createBrowserCookie = ({ cookieSecure }: FlowOptions['config']): OwnCookie =>
  createCookie('sso', { isSecure: cookieSecure, ttlMs: STATE_LIFE_MS, sameSite: 'Lax' })

const readBrowser = (request: Request, cookie: OwnCookie): string | undefined => {
  const value = getCookie(request.headers.get('cookie') ?? '', cookie.name)
  return value !== undefined && BROWSER.test(value) ? value : undefined
}

const parseProviderId = (url: string): string => Key.parse(decodeSegment(new URL(url).pathname.split('/')[4] ?? ''))

/** @throws AppError VALIDATION_ERROR */
const parseFlag = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name)
  if (text && text !== 'true' && text !== 'false') throw invalidField(name, 'must be true or false')
  return text === 'true'
}

/** `GET /api/auth/sso/{id}`. @throws AppError NOT_FOUND; FORBIDDEN, REAUTHENTICATION_REQUIRED to link */
export const start = async (ctx: Ctx, request: Request, options: FlowOptions): Promise<Response> => {
  const { config, secrets, oidc } = options
  const { searchParams: query } = new URL(request.url)
  const id = parseProviderId(request.url)
  const stored = await providers.find(ctx, id)
  if (!stored?.provider.enabled) throw notFound('sso-provider', id)
  const isLink = parseFlag(query, 'link')
  const returnTo = isLink ? '/account' : returnPath(query.get('return_to'))
  if (isLink) {
    requireSetup(ctx.caller)
    requireFreshSession(ctx.caller, Date.parse(ctx.now))
  }
  const { provider } = stored
  const cookie = createBrowserCookie(config)
  const browser = readBrowser(request, cookie) ?? createSecret()
  const [state, nonce, verifier] = [createSecret(), createSecret(), createSecret()]
  let url: URL
  try {
    if (config.publicUrl === undefined) throw new OidcError('the setting PUBLIC_URL is missing')
    const redirectUri = config.publicUrl + CALLBACK_PATH
    const asked = { redirectUri, scopes: provider.scopes, state, nonce, verifier, acr: provider.required_acr }
    url = await oidc.authorize(buildRegistration(secrets, stored), asked, ctx.signal)
  } catch (error) {
    if (!(error instanceof OidcError)) throw error
    logFailure(ctx, { code: 'provider', reason: error.message, provider })
    return respondFailure('provider', { isLink, returnTo })
  }
  const account = isLink && ctx.caller.userId !== undefined ? await findAccount(ctx, ctx.caller.userId) : undefined
  const row: SsoStateRow = {
    ...{ state_hash: hashSecret(state), browser_hash: hashSecret(browser), provider_id: provider.id, verifier, nonce },
    return_to: returnTo,
    user_id: account?.id ?? null,
    user_generation: account?.generation ?? null,
    expires_at: new Date(Date.parse(ctx.now) + STATE_LIFE_MS).toISOString(),
  }
  await ctx.write((tx) => store.insertState(tx, row))
  return redirect(url.href, [cookie.set(browser)])
}

type Failure = {
  readonly code: SsoError
  readonly reason: string
  readonly provider?: Pick<providers.Provider, 'id' | 'name'> | undefined
}

const logFailure = (ctx: Ctx, { code, reason, provider }: Failure): void =>
  ctx.log.warn('a sign-in by single sign-on was refused', {
    request_id: ctx.requestId,
    cause: code,
    reason,
    ...(provider && { provider_id: provider.id, provider: provider.name }),
  })

const respondRefused = async (ctx: Ctx, audit: Audit, of: Failure & FailurePage): Promise<Response> => {
  logFailure(ctx, of)
  const { code, reason, provider } = of
  audit.note({ changes: { method: 'sso', provider_id: provider?.id, provider: provider?.name, cause: code } })
  await audit.failed(new AppError('UNAUTHORIZED', `${code}: ${reason}`))
  return respondFailure(code, of)
}

/** Deletes the sign-in in progress of this browser, and returns it, also an expired one. Undefined without one. */
const takeState = async (ctx: Ctx, request: Request, cookie: OwnCookie): Promise<SsoStateRow | undefined> => {
  const browser = readBrowser(request, cookie)
  const states = new URL(request.url).searchParams.getAll('state')
  const [state] = states
  if (browser === undefined || state === undefined || states.length > 1) return undefined
  const key = { state_hash: hashSecret(state), browser_hash: hashSecret(browser) }
  return ctx.write((tx) => store.takeState(tx, key))
}

type Returned = { readonly row: SsoStateRow; readonly stored: providers.Stored }

const resolveAnswer = async (
  ctx: Ctx,
  request: Request,
  { row, stored }: Returned,
  options: FlowOptions,
): Promise<Answer> => {
  const { searchParams } = new URL(request.url)
  // The address that was registered: that of the request may be of a proxy.
  const url = new URL(`${options.config.publicUrl}${CALLBACK_PATH}`)
  for (const [name, value] of searchParams) url.searchParams.append(name, value)
  const { verifier, nonce } = row
  const state = searchParams.get('state') ?? ''
  const response = { url, state, nonce, verifier, needsMore: lacksClaims(stored.provider) }
  return options.oidc.complete(buildRegistration(options.secrets, stored), response, ctx.signal)
}

const sealToken = (secrets: Secrets, id: string, idToken: string): string | null =>
  secrets.isEnabled ? secrets.seal({ table: 'sso_sessions', column: 'id_token', id }, idToken) : null

const warnOfGroups = (ctx: Ctx, { name: provider, groups_claim: claim }: providers.Provider, groups: Joined): void => {
  if (groups.state === 'absent') ctx.log.warn('a sign-in by single sign-on had no groups claim', { provider, claim })
  if (groups.kept.length > 0)
    ctx.log.warn('the last active admin stays in groups that the identity provider no longer names', {
      provider,
      group_ids: groups.kept,
    })
}

/** For the audit trail: the groups that only the rule of the last admin has kept. */
const describeKept = ({ kept }: Joined) => (kept.length === 0 ? {} : { kept_last_admin_in: kept })

/** For the audit trail: the credentials that a link by address has ended, beside password, sessions and second factors. */
const describeEnded = (ended: EndedCredentials | undefined) =>
  ended && { api_key_ids: ended.keys.map(({ id }) => id), oauth_grant_ids: ended.grants.map(({ id }) => id) }

const noteLink = (ctx: Ctx, { username }: Pick<User, 'username'>, ended: EndedCredentials | undefined): void => {
  if (ended)
    ctx.log.info('a user was linked by the address; earlier password, sessions, factors, keys and grants have ended', {
      ...{ request_id: ctx.requestId, username },
      ...describeEnded(ended),
    })
}

const signIn = async (
  ctx: Ctx,
  request: Request,
  { row, stored: { provider }, answer }: Returned & { readonly answer: Answer },
  { terms, secrets, audit }: FlowOptions & { readonly audit: Audit },
): Promise<Response> => {
  const { claims, idToken } = answer
  const { how, groups, ended, ...signedIn } = await ctx.write((tx) => admit(tx, provider, claims))
  const { user, at } = signedIn
  warnOfGroups(ctx, provider, groups)
  noteLink(ctx, user, ended)
  const endsAt = new Date(Date.parse(at) + provider.max_session_hours * HOUR_MS)
  const begun = { signedIn, method: 'sso', providerId: provider.id, endsAt, request } as const
  const session = await startSession(ctx, begun, terms)
  await ctx.write((tx) =>
    store.insertSession(tx, {
      ...{ session_id: session.id, provider_id: provider.id, subject: claims.sub },
      sid: typeof claims.sid === 'string' ? claims.sid : '',
      id_token: sealToken(secrets, session.id, idToken),
      expires_at: endsAt.toISOString(),
    }),
  )
  audit.note({ userId: user.id, username: user.username, resourceId: session.id })
  audit.note({
    changes: {
      method: 'sso',
      provider_id: provider.id,
      provider: provider.name,
      account: how,
      ...describeKept(groups),
      ...describeEnded(ended),
    },
  })
  await audit.succeeded()
  return renderOpeningPage(row.return_to, [session.cookie])
}

/** @throws SsoRefusal */
const linkTo = async (
  ctx: Ctx,
  userId: string,
  { row, stored: { provider }, answer }: Returned & { readonly answer: Answer },
  audit: Audit,
): Promise<Response> => {
  const changes = { method: 'link', provider: provider.name }
  audit.note({ userId, resource: 'identity', changes })
  const groups = await ctx.write(async (tx) => {
    const account = await findAccount(tx, userId)
    if (!account?.isActive || account.generation !== row.user_generation)
      throw new SsoRefusal('state', 'the session that began to link has ended')
    audit.note({ username: account.username })
    return link(tx, provider, answer.claims, userId)
  })
  warnOfGroups(ctx, provider, groups)
  audit.note({ changes: { ...changes, ...describeKept(groups) } })
  await audit.succeeded()
  return renderOpeningPage('/account', [])
}

/** `GET /api/auth/sso/callback`. */
export const handleCallback = async (
  ctx: Ctx,
  request: Request,
  options: FlowOptions & { readonly audit: Audit },
): Promise<Response> => {
  const { audit } = options
  const row = await takeState(ctx, request, createBrowserCookie(options.config))
  const page: FailurePage = { isLink: typeof row?.user_id === 'string', returnTo: row?.return_to ?? '/' }
  if (!row || row.expires_at <= ctx.now)
    return respondRefused(ctx, audit, { code: 'state', reason: 'no sign-in of this browser is in progress', ...page })
  const stored = await providers.find(ctx, row.provider_id)
  const provider = stored?.provider
  try {
    if (!stored?.provider.enabled) throw new OidcError('the provider is disabled')
    const answer = await resolveAnswer(ctx, request, { row, stored }, options)
    const cause = getRefusalReason(answer.claims, stored.provider)
    if (cause !== undefined) throw new SsoRefusal(cause, `the claims do not satisfy the provider's ${REQUIRED[cause]}`)
    const returned = { row, stored, answer }
    return row.user_id === null
      ? await signIn(ctx, request, returned, options)
      : await linkTo(ctx, row.user_id, returned, audit)
  } catch (error) {
    if (error instanceof SsoRefusal)
      return respondRefused(ctx, audit, { code: error.code, reason: error.message, provider, ...page })
    if (!(error instanceof OidcError)) throw error
    const code = error.kind === 'denied' ? 'denied' : 'provider'
    return respondRefused(ctx, audit, { code, reason: error.message, provider, ...page })
  }
}

const REQUIRED = { acr: 'required_acr', domain: 'allowed_domains', groups: 'groups_claim, which is too long' } as const
