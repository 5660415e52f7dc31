/**
 * Decides on an authorization request (RFC 6749 4.1.1, RFC 7636, RFC 8707). It is refused, reported to the client by a
 * signed-in user, or put before the user. The client and its redirect URI are checked first, because they could
 * redirect a browser to an attacker. Pure.
 */

import { buildRedirection, isRegistered } from './clients/redirect-uri.ts'
import type { Problem } from './oauth-error.ts'
import { filterCommon, parseCatalogued, parseScopes } from './scopes.ts'

/** The fields of a client that a request is checked against. */
export type RegisteredClient = {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly scope: string
  readonly isConfidential: boolean
}

export type Parameters = Readonly<Record<string, string | undefined>>

/** The identifiers of this authorization server and of its resource. */
export type Server = { readonly issuer: string; readonly resource: string }

export type Asked = {
  readonly client: RegisteredClient
  readonly redirectUri: string
  readonly state: string | undefined
  /** The requested scopes that the client has registered and the catalog has; never empty. */
  readonly scopes: readonly string[]
  readonly codeChallenge: string | null
}

export type AuthorizationDecision =
  | { readonly kind: 'refuse'; readonly problem: Problem }
  | { readonly kind: 'report'; readonly problem: Problem; readonly redirectUri: string }
  | { readonly kind: 'ask'; readonly asked: Asked }

/** SHA-256 in base64url (RFC 7636 4.2). */
const CHALLENGE = /^[\w-]{43}$/

const checkPkce = (
  { code_challenge, code_challenge_method }: Parameters,
  isConfidential: boolean,
): string | undefined => {
  if (code_challenge === undefined) {
    if (code_challenge_method !== undefined) return 'code_challenge is missing'
    return isConfidential ? undefined : 'code_challenge is missing: a client without a secret must use PKCE'
  }
  if (code_challenge_method !== 'S256') return 'code_challenge_method must be S256'
  return CHALLENGE.test(code_challenge) ? undefined : 'code_challenge must be 43 characters of base64url'
}

/** Clients send the address of /mcp, older ones that of the server; some append a slash. */
export const isOurResource = (resource: string, { issuer, resource: own }: Server): boolean => {
  const bare = resource.replace(/\/$/, '')
  return bare === own || bare === issuer
}

/** Returns the error to report to the client, if the request has one. */
const checkParameters = (parameters: Parameters, client: RegisteredClient, server: Server): Problem | undefined => {
  const { response_type, response_mode, resource } = parameters
  if (response_type === undefined) return { error: 'invalid_request', description: 'response_type is missing' }
  if (response_type !== 'code') return { error: 'unsupported_response_type', description: 'response_type must be code' }
  if (response_mode !== undefined && response_mode !== 'query')
    return { error: 'invalid_request', description: 'response_mode must be query' }
  const pkce = checkPkce(parameters, client.isConfidential)
  if (pkce !== undefined) return { error: 'invalid_request', description: pkce }
  if (resource !== undefined && !isOurResource(resource, server))
    return { error: 'invalid_target', description: 'resource must be the address of /mcp' }
  return undefined
}

/** Returns the redirect URI with the error, the `state` of the request and the issuer (RFC 9207). */
export const buildErrorRedirection = (
  { error, description }: Problem,
  { redirectUri, state }: Pick<Asked, 'redirectUri' | 'state'>,
  { issuer }: Server,
): string => buildRedirection(redirectUri, { error, error_description: description, state, iss: issuer })

/** @param client the one that `client_id` names */
export const decideAuthorization = (
  parameters: Parameters,
  client: RegisteredClient | undefined,
  server: Server,
): AuthorizationDecision => {
  if (!client)
    return { kind: 'refuse', problem: { error: 'invalid_client', description: 'client_id is not registered' } }
  const { redirect_uri: redirectUri, state, scope, code_challenge } = parameters
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris))
    return {
      kind: 'refuse',
      problem: { error: 'invalid_request', description: 'redirect_uri is not one that the client has registered' },
    }
  const report = (problem: Problem): AuthorizationDecision => ({
    kind: 'report',
    problem,
    redirectUri: buildErrorRedirection(problem, { redirectUri, state }, server),
  })
  const problem = checkParameters(parameters, client, server)
  if (problem) return report(problem)
  const registered = new Set(parseScopes(client.scope))
  const scopes = filterCommon(parseCatalogued(scope ?? client.scope), registered)
  if (scopes.length === 0)
    return report({ error: 'invalid_scope', description: 'scope has none of the registered scopes of the client' })
  return { kind: 'ask', asked: { client, redirectUri, state, scopes, codeChallenge: code_challenge ?? null } }
}
