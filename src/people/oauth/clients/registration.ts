/** Validates the metadata of a client registration (RFC 7591 section 2). Pure. */

import type { Problem } from '../oauth-error.ts'
import { AUTH_METHODS, type AuthMethod, GRANT_TYPES, type GrantType } from '../schema.ts'
import { formatScopes, parseKnownScopes, READING } from '../scopes.ts'
import { isRedirectUri } from './redirect-uri.ts'

export type Metadata = {
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly GrantType[]
  readonly response_types: readonly 'code'[]
  readonly token_endpoint_auth_method: AuthMethod
  readonly scope: string
}

export const MAX_REDIRECT_URIS = 10
export const MAX_NAME = 255
const UNNAMED = 'Unnamed client'
/** Format characters and separators, which are invisible or reorder text; users decide by the name. */
const MARK = /[\p{Cf}\p{Zl}\p{Zp}]/u
const CONTROL = /\p{Cc}/u

class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.description)
  }
}

const refuse = (description: string, error: Problem['error'] = 'invalid_client_metadata'): never => {
  throw new Refused({ error, description })
}

const toTexts = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined

const readRedirectUris = (value: unknown): string[] => {
  const uris = toTexts(value)
  if (!uris || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return refuse(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} addresses`, 'invalid_redirect_uri')
  const bad = uris.findIndex((uri) => !isRedirectUri(uri))
  if (bad !== -1)
    return refuse(
      `redirect_uris[${bad}] must be an absolute https address, or http to the loopback, without user name, fragment and wildcard`,
      'invalid_redirect_uri',
    )
  return [...new Set(uris)]
}

const readName = (value: unknown): string => {
  if (value === undefined) return UNNAMED
  if (typeof value !== 'string') return refuse('client_name must be a text')
  const name = value.trim()
  // Checks before trimming, because `trim` removes some of these characters.
  if ([...name].length > MAX_NAME || !name.isWellFormed() || CONTROL.test(name) || MARK.test(value))
    return refuse(`client_name must be readable text of at most ${MAX_NAME} characters`)
  return name || UNNAMED
}

const readScope = (value: unknown): string => {
  if (value === undefined) return formatScopes(READING)
  const scopes = typeof value === 'string' ? parseKnownScopes(value) : undefined
  if (!scopes || scopes.length === 0)
    return refuse('scope must be permissions of the catalog, separated by spaces, like devices:list devices:read')
  return formatScopes(scopes)
}

const readAuthMethod = (value: unknown): AuthMethod => {
  if (value === undefined) return 'none'
  const method = AUTH_METHODS.find((one) => one === value)
  return method ?? refuse(`token_endpoint_auth_method must be one of ${AUTH_METHODS.join(', ')}`)
}

const readGrantTypes = (value: unknown): GrantType[] => {
  if (value === undefined) return [...GRANT_TYPES]
  const types = toTexts(value) ?? []
  const known = GRANT_TYPES.filter((type) => types.includes(type))
  const isKnown = types.every((type) => known.some((one) => one === type))
  if (!isKnown || !known.includes('authorization_code'))
    return refuse(`grant_types must hold authorization_code, and may hold refresh_token`)
  return known
}

const readResponseTypes = (value: unknown): 'code'[] => {
  const types = value === undefined ? ['code'] : toTexts(value)
  if (types?.length !== 1 || types[0] !== 'code') return refuse('response_types must be code alone')
  return ['code']
}

/** Treats null as absent: some clients send all members. */
const present = (value: unknown): unknown => value ?? undefined

/** Returns the metadata to store. Unknown members are dropped, and no URL in them is ever fetched. */
export const validateRegistration = (
  body: Readonly<Record<string, unknown>>,
): Metadata | { readonly problem: Problem } => {
  try {
    return {
      client_name: readName(present(body.client_name)),
      redirect_uris: readRedirectUris(body.redirect_uris),
      grant_types: readGrantTypes(present(body.grant_types)),
      response_types: readResponseTypes(present(body.response_types)),
      token_endpoint_auth_method: readAuthMethod(present(body.token_endpoint_auth_method)),
      scope: readScope(present(body.scope)),
    }
  } catch (thrown) {
    if (thrown instanceof Refused) return { problem: thrown.problem }
    throw thrown
  }
}
