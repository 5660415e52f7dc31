/**
 * What becomes of a code or a refresh token that a client shows: the decisions alone, for what is stored and what is asked.
 * The client has proved by then that it is itself. Pure; the moment is given.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isOurResource, type Server } from './authorization.ts'
import type { Problem } from './oauth-error.ts'
import { catalogued, common, scopesOf, scopeText } from './scopes.ts'

/** A user, as far as tokens are concerned. */
export type Holder = {
  readonly isActive: boolean
  readonly generation: number
  readonly permissions: ReadonlySet<string>
}

type Granted = {
  readonly clientId: string
  /** What the user has agreed to. */
  readonly scope: string
  /** The user's generation at that moment. */
  readonly userGeneration: number
  /** Undefined for a user who is gone. */
  readonly user: Holder | undefined
}

export type StoredCode = Granted & {
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly expiresAt: string
  readonly usedAt: string | null
  /** What it was exchanged for. */
  readonly grantId: string | null
}

export type StoredRefreshToken = Granted & {
  readonly grantId: string
  readonly expiresAt: string
  readonly usedAt: string | null
}

export type AskingClient = {
  readonly id: string
  /** What it has registered. */
  readonly scope: string
  readonly mayRefresh: boolean
}

type Asking = {
  readonly client: AskingClient
  readonly server: Server
  /** RFC 3339 in UTC with milliseconds, as everything that is stored. */
  readonly now: string
  readonly resource: string | undefined
}

export type CodeRequest = Asking & { readonly redirectUri: string; readonly verifier: string | undefined }

export type RefreshRequest = Asking & {
  readonly scope: string | undefined
  /** How long a token that was replaced may still be shown; 0 for not at all. */
  readonly graceMs: number
}

type Refusal = { readonly kind: 'refuse'; readonly problem: Problem }
/** Refuses, and ends the family: what was stolen opens nothing any more, whoever the thief is. */
type Revocation = { readonly kind: 'revoke'; readonly problem: Problem; readonly grantId: string }

export type CodeDecision =
  | Refusal
  | Revocation
  /** Refuses, and the code is void from then on. */
  | { readonly kind: 'burn'; readonly problem: Problem }
  | { readonly kind: 'issue'; readonly scope: string; readonly withRefreshToken: boolean }

export type RefreshDecision =
  | Refusal
  | Revocation
  /** A new pair in place of the token. */
  | { readonly kind: 'rotate'; readonly scope: string }
  /** An access token alone, for one who was a moment too late with a token that was replaced. */
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

/** What is said of a code or token that there is not, and of one that is somebody else's or over. */
export const NOT_VALID: Problem = { error: 'invalid_grant', description: 'The code or token is not valid' }
const invalid: Refusal = { kind: 'refuse', problem: NOT_VALID }
const NO_USER = 'The user has ended what was agreed to'
const NO_SCOPE = 'The user may do nothing of what was agreed to any more'
const WRONG_RESOURCE = 'resource must be the address of /mcp'

/** RFC 7636 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/** RFC 7636 4.6, in a time that doesn't tell where they differ. */
export const matchesChallenge = (verifier: string, challenge: string): boolean => {
  if (!VERIFIER.test(verifier)) return false
  const made = createHash('sha256').update(verifier).digest('base64url')
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}

/** What a token may be for: agreed to, registered, in the catalogue, and in the user's power at this moment. */
export const effectiveScopes = (
  agreed: string,
  { scope }: Pick<AskingClient, 'scope'>,
  { permissions }: Pick<Holder, 'permissions'>,
): string[] => common(common(catalogued(agreed), new Set(scopesOf(scope))), permissions)

/** The user, if what was agreed to still stands. */
const standing = ({ user, userGeneration }: Granted): Holder | undefined =>
  user?.isActive && user.generation === userGeneration ? user : undefined

const isWrongResource = ({ resource, server }: Asking): boolean =>
  resource !== undefined && !isOurResource(resource, server)

/** Why the one who shows the code is not the one it was made for; undefined if there is nothing to say. */
const possessionProblem = (code: StoredCode, { redirectUri, verifier }: CodeRequest): string | undefined => {
  if (redirectUri !== code.redirectUri) return 'redirect_uri is not the one that the code was asked for with'
  // Whoever strips the challenge from a request must not get through with any verifier (RFC 9700 4.8.2).
  if (code.codeChallenge === null)
    return verifier === undefined ? undefined : 'The code was asked for without code_challenge'
  return verifier !== undefined && matchesChallenge(verifier, code.codeChallenge)
    ? undefined
    : 'code_verifier does not match'
}

export const decideCode = (code: StoredCode, request: CodeRequest): CodeDecision => {
  // A stranger learns nothing of a code, and can't spoil it for the one it belongs to.
  if (code.clientId !== request.client.id) return invalid
  if (code.usedAt !== null)
    return code.grantId === null ? invalid : revoke('The code was used before; its tokens have ended', code.grantId)
  if (code.expiresAt <= request.now) return invalid
  if (code.codeChallenge !== null && request.verifier === undefined)
    return refuse('code_verifier is missing', 'invalid_request')
  const problem = possessionProblem(code, request)
  if (problem !== undefined) return burn(problem)
  if (isWrongResource(request)) return refuse(WRONG_RESOURCE, 'invalid_target')
  const user = standing(code)
  if (!user) return refuse(NO_USER)
  const scopes = effectiveScopes(code.scope, request.client, user)
  if (scopes.length === 0) return refuse(NO_SCOPE)
  return { kind: 'issue', scope: scopeText(scopes), withRefreshToken: request.client.mayRefresh }
}

/** Before or after: the clock of the process that has replaced it may be ahead of this one. */
const isInGrace = (usedAt: string, { now, graceMs }: RefreshRequest): boolean =>
  Math.abs(Date.parse(now) - Date.parse(usedAt)) < graceMs

export const decideRefresh = (token: StoredRefreshToken, request: RefreshRequest): RefreshDecision => {
  if (token.clientId !== request.client.id) return invalid
  const { usedAt, grantId, scope: agreed } = token
  // RFC 9700 4.14.2: of two who show it one is not the client, and nobody can tell which.
  if (usedAt !== null && !isInGrace(usedAt, request))
    return revoke('The refresh token was used before; all tokens of its consent have ended', grantId)
  if (token.expiresAt <= request.now) return invalid
  const user = standing(token)
  if (!user) return refuse(NO_USER)
  if (isWrongResource(request)) return refuse(WRONG_RESOURCE, 'invalid_target')
  const asked = request.scope ?? agreed
  const mayHave = new Set(scopesOf(agreed))
  if (scopesOf(asked).some((scope) => !mayHave.has(scope)))
    return refuse('scope goes beyond what was agreed to', 'invalid_scope')
  const scopes = effectiveScopes(asked, request.client, user)
  // The token stays as it is: what the user may do again tomorrow comes back.
  if (scopes.length === 0) return refuse(NO_SCOPE)
  return { kind: usedAt === null ? 'rotate' : 'lend', scope: scopeText(scopes) }
}
