/** The authorization endpoint: asks the user, and issues a code on approval (RFC 6749 4.1.1, 4.1.2). */

import { createSecret, hashSecret } from '../../base/security/secret-token.ts'
import { AppError } from '../../contract/errors.ts'
import type { Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import { formatClient, type RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { requireSetup } from '../../kernel/rights/access.ts'
import type { Requirement } from '../factors/requirement.ts'
import { CATALOGUE } from '../roles/catalogue.ts'
import type { Attempt, SignIn } from '../sessions/sign-in.ts'
import { findAccount } from '../users/account.ts'
import {
  type Asked,
  type AuthorizationDecision,
  buildErrorRedirection,
  decideAuthorization,
  type Parameters,
} from './authorization.ts'
import { toRegisteredClient } from './clients/clients.ts'
import { buildRedirection, parseDestination } from './clients/redirect-uri.ts'
import { OauthProtocolError, type Problem, respondJson, respondProblem } from './oauth-error.ts'
import { isForm, parseQuery, readPostedParameters } from './parameters.ts'
import type { ConsentRequest, Redirection } from './schema.ts'
import { filterCommon, formatScopes, listHeldAnywhere } from './scopes.ts'
import type { Settings } from './settings.ts'
import * as store from './store.ts'

const CODE_PREFIX = 'plat_ac_'
/** RFC 6749 4.1.2 permits ten minutes; a client normally redeems a code at once. */
const CODE_LIFE_MS = 60_000

const decide = async (ctx: Ctx, parameters: Parameters, settings: Settings): Promise<AuthorizationDecision> => {
  const row = await store.findClient(ctx, parameters.client_id ?? '')
  return decideAuthorization(parameters, row && toRegisteredClient(row), settings)
}

const signInFirst = () => new AppError('UNAUTHORIZED', 'Sign in to choose the permissions of the client')

const buildConsentRequest = (
  { client, redirectUri, scopes }: Asked,
  user: Pick<Caller, 'username' | 'permissions' | 'scopedPermissions'>,
): ConsentRequest => {
  const held = listHeldAnywhere(user)
  const { host, isLoopback } = parseDestination(redirectUri)
  const asked = new Set<string>(scopes)
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uri: redirectUri,
    redirect_host: host,
    is_loopback: isLoopback,
    username: user.username,
    scope: formatScopes(scopes),
    scopes: CATALOGUE.filter(({ name }) => asked.has(name)).map((permission) => ({
      ...permission,
      is_held: held.has(permission.name),
    })),
  }
}

const redirect = (to: string): Response =>
  new Response(null, { status: 303, headers: { Location: to, 'Cache-Control': 'no-store' } })

type Reported = Extract<AuthorizationDecision, { readonly kind: 'report' }>

/** Redirects no browser, because anyone can register a client (RFC 9700 4.11.2). */
const respondReported = ({ problem, redirectUri }: Reported, isSignedIn: boolean): Response =>
  respondProblem(problem, { host: parseDestination(redirectUri).host, uri: isSignedIn ? redirectUri : undefined })

/** `GET /mcp-oauth/authorize` for requests other than a browser's navigation to a page. */
export const handleAuthorize = async (ctx: Ctx, request: Request, settings: Settings): Promise<Response> => {
  const decision = await decide(ctx, parseQuery(request), settings)
  switch (decision.kind) {
    case 'refuse':
      return respondProblem(decision.problem)
    case 'report':
      return respondReported(decision, ctx.caller.via === 'session')
    case 'ask':
      if (ctx.caller.via !== 'session') throw signInFirst()
      return respondJson(buildConsentRequest(decision.asked, ctx.caller))
  }
}

type User = {
  readonly id: string
  readonly username: string
  readonly generation: number | undefined
  readonly isBreakGlass?: boolean
}

type ConsentOptions = {
  readonly settings: Settings
  readonly signIn: SignIn
  readonly requirement: Requirement
  readonly audit: RawAudit<Tx<Tables>>
}

/** The options of `ConsentOptions`, with `signIn` bound to the request. */
type Terms = Omit<ConsentOptions, 'signIn'> & {
  readonly signIn: (shown: Pick<Attempt, 'username' | 'password' | 'factor'>) => ReturnType<SignIn>
}

const noteUser = ({ audit }: Pick<ConsentOptions, 'audit'>, { id: userId, username }: User): void =>
  audit.note({ userId, username })

const recordRefusal = ({ audit }: Pick<ConsentOptions, 'audit'>, { error, description }: Problem): Promise<void> =>
  audit.failed(new OauthProtocolError(error, description))

/** Returns the deciding user: the one with the sent name and password, otherwise the user of the session. */
const resolveDecider = async (
  ctx: Ctx,
  parameters: Parameters,
  { signIn, requirement, audit }: Terms,
): Promise<User> => {
  const { username, password, totp, recovery_code } = parameters
  if (username !== undefined || password !== undefined) {
    audit.note({ userId: '', username: username ?? '' })
    if (username === undefined || password === undefined)
      throw new OauthProtocolError('invalid_request', 'username and password must come together')
    const { user, generation, isBreakGlass } = await signIn({ username, password, factor: { totp, recovery_code } })
    // Tokens must not be a way around a required factor.
    if (await requirement.isMissing({ db: ctx.store.quick }, user.id)) requireSetup({ needsFactor: true })
    return { id: user.id, username: user.username, generation, isBreakGlass }
  }
  const { via, userId, username: name } = ctx.caller
  if (via !== 'session' || userId === undefined) throw signInFirst()
  return { id: userId, username: name, generation: undefined }
}

type Consent = { readonly code: string; readonly scope: string } | { readonly problem: Problem }

const NOTHING_HELD: Problem = { error: 'invalid_scope', description: 'The user has none of the requested permissions' }

/** Stores the consent in a transaction, with the permissions that the user has at that time. */
const storeConsent = async (ctx: Ctx, asked: Asked, user: User): Promise<Consent> => {
  const account = await findAccount(ctx, user.id)
  const isSame = user.generation === undefined || user.generation === account?.generation
  if (!account?.isActive || !isSame) return { problem: NOTHING_HELD }
  const scopes = filterCommon(asked.scopes, listHeldAnywhere(account))
  if (scopes.length === 0) return { problem: NOTHING_HELD }
  const code = createSecret(CODE_PREFIX)
  const scope = formatScopes(scopes)
  await store.insertCode(ctx, {
    code_hash: hashSecret(code),
    client_id: asked.client.id,
    user_id: account.id,
    user_generation: account.generation,
    redirect_uri: asked.redirectUri,
    code_challenge: asked.codeChallenge,
    scope,
    expires_at: new Date(Date.parse(ctx.now) + CODE_LIFE_MS).toISOString(),
    used_at: null,
    grant_id: null,
  })
  await store.keepClient(ctx, asked.client.id, ctx.now)
  return { code, scope }
}

const isYes = ({ approved }: Parameters): boolean => {
  if (approved === 'true' || approved === 'false') return approved === 'true'
  throw new OauthProtocolError('invalid_request', 'approved must be true or false')
}

const DENIED: Problem = { error: 'access_denied', description: 'The user has not agreed' }

/** Returns the redirect URI with the user's decision. */
const completeDecision = async (ctx: Ctx, parameters: Parameters, asked: Asked, terms: Terms): Promise<string> => {
  const { settings, audit } = terms
  const { client, redirectUri, state } = asked
  let about: object = { client_id: client.id, client_name: client.name }
  audit.note({
    resourceId: client.id,
    oauthClient: formatClient(client),
    changes: { ...about, approved: parameters.approved },
  })
  const refused = async (problem: Problem): Promise<string> => {
    await recordRefusal(terms, problem)
    return buildErrorRedirection(problem, asked, settings)
  }
  const isAgreed = isYes(parameters)
  // A denial is reported to the client too, so it also requires a signed-in user.
  const user = await resolveDecider(ctx, parameters, terms)
  noteUser(terms, user)
  if (user.isBreakGlass) {
    about = { ...about, break_glass: true }
    audit.note({ changes: { ...about, approved: isAgreed } })
  }
  if (!isAgreed) return refused(DENIED)
  let isRefused = false
  const consent = await ctx.write(
    async (tx) => {
      const made = await storeConsent(tx, asked, user)
      isRefused = 'problem' in made
      if ('scope' in made) audit.note({ changes: { ...about, approved: true, scope: made.scope } })
      return made
    },
    { audit: { ...audit, succeeded: async (tx) => (isRefused ? undefined : audit.succeeded(tx)) } },
  )
  if ('problem' in consent) return refused(consent.problem)
  return buildRedirection(redirectUri, { code: consent.code, state, iss: settings.issuer })
}

const hasCredentials = ({ username, password }: Parameters): boolean => username !== undefined || password !== undefined

/** Values of Sec-Fetch-Site for a page of another site, or of a sibling host of the same site. */
const OTHER_HOSTS: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** `POST /mcp-oauth/authorize`. Validates the whole request again, independently of the page. */
export const handleConsent = async (ctx: Ctx, request: Request, options: ConsentOptions): Promise<Response> => {
  // Login CSRF: a page of another host must not make the user consent under another account.
  if (OTHER_HOSTS.has(request.headers.get('sec-fetch-site') ?? ''))
    throw new AppError('CSRF_FAILED', 'Decide on the page of this server')
  const sinceMs = performance.now()
  const parameters = await readPostedParameters(request)
  const decision = await decide(ctx, parameters, options.settings)
  let deviceCookie: string | undefined
  const signIn: Terms['signIn'] = async (shown) => {
    const admitted = await options.signIn(ctx, { ...shown, headers: request.headers, sinceMs })
    deviceCookie = admitted.deviceCookie
    return admitted
  }
  const goTo = (redirect_uri: string): Response => {
    const answer = isForm(request) ? redirect(redirect_uri) : respondJson({ redirect_uri } satisfies Redirection)
    if (deviceCookie !== undefined) answer.headers.append('Set-Cookie', deviceCookie)
    return answer
  }
  switch (decision.kind) {
    case 'refuse':
      await recordRefusal(options, decision.problem)
      return respondProblem(decision.problem)
    case 'report': {
      const isSignedIn = ctx.caller.via === 'session' || hasCredentials(parameters)
      if (isSignedIn) noteUser(options, await resolveDecider(ctx, parameters, { ...options, signIn }))
      await recordRefusal(options, decision.problem)
      // A browser follows a redirect by itself, so a form post is not redirected to the client.
      return isSignedIn && !isForm(request) ? goTo(decision.redirectUri) : respondReported(decision, isSignedIn)
    }
    case 'ask':
      return goTo(await completeDecision(ctx, parameters, decision.asked, { ...options, signIn }))
  }
}
