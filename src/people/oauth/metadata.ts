/** The two metadata documents for clients (RFC 8414, RFC 9728). */
import { AUTH_METHODS, GRANT_TYPES } from './schema.ts'
import { ALL_SCOPES, READING } from './scopes.ts'
import type { Settings } from './settings.ts'

export const buildServerMetadata = ({ issuer }: Settings) => ({
  issuer,
  authorization_endpoint: `${issuer}/mcp-oauth/authorize`,
  token_endpoint: `${issuer}/mcp-oauth/token`,
  registration_endpoint: `${issuer}/mcp-oauth/register`,
  revocation_endpoint: `${issuer}/mcp-oauth/revoke`,
  scopes_supported: ALL_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  authorization_response_iss_parameter_supported: true,
})

/** Clients request the scopes listed here, so these only read. */
export const buildResourceMetadata = ({ issuer, resource }: Settings) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: READING,
  bearer_methods_supported: ['header'],
  resource_name: 'Plat',
})

/** Allows scripts of every site: the document is public. */
export const respondPublic = (document: object): Response =>
  Response.json(document, {
    headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' },
  })
