/** Decides on a code or a refresh token of an authenticated client. Pure; the time is an argument. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isOurResource, type Server } from './authorization.ts'
import type { Problem } from './oauth-error.ts'
import { filterCommon, formatScopes, listHeldAnywhere, parseCatalogued, parseScopes } from './scopes.ts'

/** The fields of a user that tokens depend on. */
export type Holder = {
  readonly isActive: boolean
  readonly generation: number
  readonly permissions: ReadonlySet<string>
  readonly scopedPermissions?: ReadonlyMap<string, unknown>
}

type Granted = {
  readonly clientId: string
  /** The scope that the user has consented to. */
  readonly scope: string
  /** The user's generation at the time of consent. */
  readonly userGeneration: number
  /** Undefined for a deleted user. */
  readonly user: Holder | undefined
}

export type StoredCode = Granted & {
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly expiresAt: string
  readonly usedAt: string | null
  /** The grant that the code was exchanged for. */
  readonly grantId: string | null
}

export type StoredRefreshToken = Granted & {
  readonly grantId: string
  readonly expiresAt: string
  readonly usedAt: string | null
}

export type AskingClient = {
  readonly id: string
  /** The scope that the client has registered. */
  readonly scope: string
  readonly mayRefresh: boolean
}

type Asking = {
  readonly client: AskingClient
  readonly server: Server
  /** RFC 3339 in UTC with milliseconds, like all stored times. */
  readonly now: string
  readonly resource: string | undefined
}

export type CodeRequest = Asking & { readonly redirectUri: string; readonly verifier: string | undefined }

export type RefreshRequest = Asking & {
  readonly scope: string | undefined
  /** How long a replaced token is still accepted, in milliseconds; 0 rejects it at once. */
  readonly graceMs: number
}

type Refusal = { readonly kind: 'refuse'; readonly problem: Problem }
/** Refuses and revokes the grant with all its tokens, because a stolen token must not work for anyone. */
type Revocation = { readonly kind: 'revoke'; readonly problem: Problem; readonly grantId: string }

export type CodeDecision =
  | Refusal
  | Revocation
  /** Refuses and invalidates the code. */
  | { readonly kind: 'burn'; readonly problem: Problem }
  | { readonly kind: 'issue'; readonly scope: string; readonly withRefreshToken: boolean }

export type RefreshDecision =
  | Refusal
  | Revocation
  /** Replaces the token by a new pair. */
  | { readonly kind: 'rotate'; readonly scope: string }
  /** Issues only an access token, for a replaced token that is still in its grace period. */
  | { readonly kind: 'lend'; readonly scope: string }

const refuse = (description: string, error: Problem['error'] = 'invalid_grant'): Refusal => ({
  kind: 'refuse',
  problem: { error, description },
})
const burn = (description: string): CodeDecision => ({ kind: 'burn', problem: { error: 'invalid_grant', description } })
const revoke = (description: string, grantId: string): Revocation => ({
  kind: 'revoke',
  problem: { error: 'invalid_grant', description },
  grantId,
})

/** The same error for an unknown, an expired and another client's code or token. */
export const NOT_VALID: Problem = { error: 'invalid_grant', description: 'The code or token is not valid' }
const invalid: Refusal = { kind: 'refuse', problem: NOT_VALID }
const NO_USER = 'The user has ended the consent'
const NO_SCOPE = 'The user has none of the consented permissions any more'
const WRONG_RESOURCE = 'resource must be the address of /mcp'

/** RFC 7636 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/** Compares per RFC 7636 4.6, in constant time. */
export const matchesChallenge = (verifier: string, challenge: string): boolean => {
  if (!VERIFIER.test(verifier)) return false
  const made = createHash('sha256').update(verifier).digest('base64url')
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}

/** Returns the scopes that the user consented to, the client registered, the catalog has and the user holds now. */
export const computeEffectiveScopes = (
  agreed: string,
  { scope }: Pick<AskingClient, 'scope'>,
  user: Pick<Holder, 'permissions' | 'scopedPermissions'>,
): string[] => filterCommon(filterCommon(parseCatalogued(agreed), new Set(parseScopes(scope))), listHeldAnywhere(user))

/** Returns the user, unless the consent has ended. */
const getActiveUser = ({ user, userGeneration }: Granted): Holder | undefined =>
  user?.isActive && user.generation === userGeneration ? user : undefined

const isWrongResource = ({ resource, server }: Asking): boolean =>
  resource !== undefined && !isOurResource(resource, server)

/** Returns why the request does not match the one that the code was issued for, otherwise undefined. */
const checkPossession = (code: StoredCode, { redirectUri, verifier }: CodeRequest): string | undefined => {
  if (redirectUri !== code.redirectUri) return 'redirect_uri is not the one that the code was asked for with'
  // An attacker who removes the challenge from a request must not succeed with any verifier (RFC 9700 4.8.2).
  if (code.codeChallenge === null)
    return verifier === undefined ? undefined : 'The code was asked for without code_challenge'
  return verifier !== undefined && matchesChallenge(verifier, code.codeChallenge)
    ? undefined
    : 'code_verifier does not match'
}

export const decideCode = (code: StoredCode, request: CodeRequest): CodeDecision => {
  // Another client gets no information about a code and can't invalidate it.
  if (code.clientId !== request.client.id) return invalid
  if (code.usedAt !== null)
    return code.grantId === null ? invalid : revoke('The code was used before; its tokens have ended', code.grantId)
  if (code.expiresAt <= request.now) return invalid
  if (code.codeChallenge !== null && request.verifier === undefined)
    return refuse('code_verifier is missing', 'invalid_request')
  const problem = checkPossession(code, request)
  if (problem !== undefined) return burn(problem)
  if (isWrongResource(request)) return refuse(WRONG_RESOURCE, 'invalid_target')
  const user = getActiveUser(code)
  if (!user) return refuse(NO_USER)
  const scopes = computeEffectiveScopes(code.scope, request.client, user)
  if (scopes.length === 0) return refuse(NO_SCOPE)
  return { kind: 'issue', scope: formatScopes(scopes), withRefreshToken: request.client.mayRefresh }
}

/** Compares the absolute difference: the clock of the process that replaced the token may be ahead. */
const isInGrace = (usedAt: string, { now, graceMs }: RefreshRequest): boolean =>
  Math.abs(Date.parse(now) - Date.parse(usedAt)) < graceMs

export const decideRefresh = (token: StoredRefreshToken, request: RefreshRequest): RefreshDecision => {
  if (token.clientId !== request.client.id) return invalid
  const { usedAt, grantId, scope: agreed } = token
  // RFC 9700 4.14.2: one of the two senders is not the client, and the server can't tell which.
  if (usedAt !== null && !isInGrace(usedAt, request))
    return revoke('The refresh token was used before; all tokens of its consent have ended', grantId)
  if (token.expiresAt <= request.now) return invalid
  const user = getActiveUser(token)
  if (!user) return refuse(NO_USER)
  if (isWrongResource(request)) return refuse(WRONG_RESOURCE, 'invalid_target')
  const asked = request.scope ?? agreed
  const mayHave = new Set(parseScopes(agreed))
  if (parseScopes(asked).some((scope) => !mayHave.has(scope)))
    return refuse('scope exceeds the consent', 'invalid_scope')
  const scopes = computeEffectiveScopes(asked, request.client, user)
  // The token stays valid: the scopes return when the user gets the permissions back.
  if (scopes.length === 0) return refuse(NO_SCOPE)
  return { kind: usedAt === null ? 'rotate' : 'lend', scope: formatScopes(scopes) }
}
