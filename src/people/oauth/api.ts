/** The OAuth contract: the protocol endpoints (RFC 6749), and the management of clients. Browser-safe. */
import { z } from 'zod'
import { idOf, Page } from '../../contract/fields/fields.ts'
import { PLAIN_TEXT } from '../../contract/fields/text-rules.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { MAX_REDIRECT_URI, REDIRECT_URI_PATTERN } from './clients/redirect-uri.ts'
import { MAX_NAME, MAX_REDIRECT_URIS } from './clients/registration.ts'
import {
  AUTH_METHODS,
  ConsentRequest,
  GRANT_TYPES,
  OauthClient,
  OauthError,
  OauthGrant,
  Redirection,
} from './schema.ts'
import { SCOPE_PATTERN } from './scopes.ts'

export const oauthClients = {
  list: operation({
    name: 'oauth-clients.list',
    summary: 'List the AI clients and other OAuth clients that have registered',
    http: 'GET /api/oauth/clients',
    access: 'oauth-clients:list',
    input: () => z.object(Page),
    output: () => z.array(OauthClient),
  }),
  get: operation({
    name: 'oauth-clients.get',
    summary: 'Show an OAuth client',
    http: 'GET /api/oauth/clients/{id}',
    access: 'oauth-clients:read',
    input: () => z.object({ id: idOf('oauth-clients') }),
    output: OauthClient,
  }),
  delete: operation({
    name: 'oauth-clients.delete',
    summary: 'Delete an OAuth client; all that users have agreed to with it ends at once',
    description: 'You must hold all permissions of its users.',
    http: 'DELETE /api/oauth/clients/{id}',
    access: 'oauth-clients:delete',
    input: () => z.object({ id: idOf('oauth-clients') }),
    output: () => z.void(),
  }),
}

export const oauthGrants = {
  list: operation({
    name: 'oauth-grants.list',
    summary: 'List the clients that act for you; with the permission oauth-clients:list, for everyone, newest first',
    description:
      'Grants of users with permissions that you lack are left out; requesting those of such a user is forbidden.',
    http: 'GET /api/oauth/grants',
    access: 'authenticated',
    input: () =>
      z.object({
        client_id: idOf('oauth-clients').optional().describe('Only of this client'),
        user_id: idOf('users').optional().describe('Only of this user'),
        ...Page,
      }),
    output: () => z.array(OauthGrant),
  }),
  delete: operation({
    name: 'oauth-grants.delete',
    summary:
      'End your consent to a client or, with the permission oauth-clients:delete, that of any user; its tokens are invalid from then on',
    description: 'For the grant of another user you must also hold all permissions of that user.',
    http: 'DELETE /api/oauth/grants/{id}',
    access: 'authenticated',
    input: () => z.object({ id: idOf('oauth-grants') }),
    output: () => z.void(),
  }),
}

const Word = z.string().optional()

/** RFC 6749 3.1: no parameter is there twice, not even one that the server does not know. */
const form = <const Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).catchall(z.string())

/** RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 section 2. */
export const AuthorizationParameters = z.object({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string().describe('One that the client has registered; of a loopback address the port may differ'),
  scope: Word.describe('Permissions, separated by spaces; without it all that the client has registered'),
  state: Word.describe('Sent back as it is'),
  code_challenge: Word.meta({ exact: { pattern: '^[A-Za-z0-9_-]{43}$' } }),
  code_challenge_method: z.literal('S256').optional(),
  resource: Word.describe('The address of /mcp'),
})

export const ConsentParameters = AuthorizationParameters.extend({
  scope: Word.describe('All that was asked for, or less'),
  approved: z.boolean().describe('Whether the user agrees'),
  username: Word.describe('Signs in for this request, without a session'),
  password: Word.meta({ format: 'password' }),
  totp: Word.describe('With username and password: the code of the authenticator app, if the user has one'),
  recovery_code: Word.describe('In place of any other second factor'),
}).catchall(z.union([z.string(), z.boolean()]))

export const TokenParameters = form({
  grant_type: z.enum(GRANT_TYPES),
  code: Word,
  redirect_uri: Word,
  code_verifier: Word,
  refresh_token: Word,
  scope: Word,
  resource: Word,
  client_id: Word,
  client_secret: Word,
})

export const TokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string().optional(),
    scope: z.string(),
  })
  .meta({ id: 'OauthToken' })

export const RevocationParameters = form({
  token: z.string(),
  token_type_hint: Word,
  client_id: Word,
  client_secret: Word,
})

/** RFC 7591 section 2. Members that are not declared here are ignored and not stored. */
const metadataOfClient = {
  redirect_uris: z
    .array(z.string().meta({ exact: { pattern: REDIRECT_URI_PATTERN, maxLength: MAX_REDIRECT_URI } }))
    .describe('https, or http to the loopback; matched exactly')
    .meta({ exact: { minItems: 1, maxItems: MAX_REDIRECT_URIS } }),
  client_name: z.string().meta({ exact: { pattern: PLAIN_TEXT, maxLength: MAX_NAME } }),
  scope: z
    .string()
    .describe('Permissions it may ask for, separated by spaces; without it those that only read')
    .meta({ exact: { pattern: SCOPE_PATTERN } }),
  token_endpoint_auth_method: z.enum(AUTH_METHODS).describe('none without it'),
  grant_types: z.array(z.enum(GRANT_TYPES)).meta({ exact: { contains: { const: 'authorization_code' } } }),
  response_types: z.array(z.literal('code')).meta({ exact: { minItems: 1, maxItems: 1 } }),
}

/** Null is as good as absent: some clients send all members. */
export const ClientMetadata = z.object({
  redirect_uris: metadataOfClient.redirect_uris,
  client_name: metadataOfClient.client_name.nullish(),
  scope: metadataOfClient.scope.nullish(),
  token_endpoint_auth_method: metadataOfClient.token_endpoint_auth_method.nullish(),
  grant_types: metadataOfClient.grant_types.nullish(),
  response_types: metadataOfClient.response_types.nullish(),
})

export const RegisteredClient = z
  .object(metadataOfClient)
  .extend({
    client_id: z.string(),
    client_id_issued_at: z.int(),
    client_secret: z.string().optional().describe('Shown this once, and only to a client that has one'),
    client_secret_expires_at: z.int().optional(),
  })
  .meta({ id: 'RegisteredClient' })

const FORM = 'application/x-www-form-urlencoded'
const OWN_ERRORS = 'Errors are those of RFC 6749 5.2: {error, error_description}.'

const defineMetadata = (name: string, path: string, summary: string) =>
  rawRoute({
    name: `oauth.${name}`,
    summary,
    http: `GET /.well-known/${path}`,
    access: 'public',
    isOptional: true,
    output: z.looseObject({}),
  })

/** These routes exist only with MCP_OAUTH_ENABLED=true. */
export const oauthRoutes = {
  server: defineMetadata(
    'server-metadata',
    'oauth-authorization-server',
    'Describe the authorization server (RFC 8414)',
  ),
  serverOfMcp: defineMetadata(
    'server-metadata-of-mcp',
    'oauth-authorization-server/mcp',
    'Describe the authorization server, where some clients look for it',
  ),
  resource: defineMetadata(
    'resource-metadata',
    'oauth-protected-resource',
    'Describe the resource that the tokens are for (RFC 9728)',
  ),
  resourceOfMcp: defineMetadata(
    'resource-metadata-of-mcp',
    'oauth-protected-resource/mcp',
    'Describe the resource that the tokens are for, at the path of RFC 9728 3.1',
  ),
  register: rawRoute({
    name: 'oauth.register',
    summary: 'Register a client (RFC 7591); it is deleted after a day without a consent',
    description: OWN_ERRORS,
    http: 'POST /mcp-oauth/register',
    status: 201,
    access: 'public',
    isOptional: true,
    audit: { action: 'create', resource: 'oauth-client' },
    refusal: OauthError,
    input: ClientMetadata,
    output: RegisteredClient,
  }),
  authorize: rawRoute({
    name: 'oauth.authorize',
    summary: 'Ask the user of a session to authorize a client',
    description: `A browser gets the consent page. ${OWN_ERRORS} An invalid request is not redirected: the 400 names the client's host in redirect_host. For the user of a session it has the address that reports the error to the client in redirect_uri.`,
    http: 'GET /mcp-oauth/authorize',
    access: 'public',
    isOptional: true,
    plainErrors: [401],
    refusal: OauthError,
    query: AuthorizationParameters,
    output: ConsentRequest,
  }),
  consent: rawRoute({
    name: 'oauth.consent',
    summary: 'Approve or deny a client',
    description: `Requires a session with X-Requested-With, or username and password. JSON is answered with the address to go to, a form with a redirect to it. Without a signed-in user there is no redirect, even for a denial or an invalid request. ${OWN_ERRORS}`,
    http: 'POST /mcp-oauth/authorize',
    access: 'public',
    isOptional: true,
    isSensitive: true,
    audit: { action: 'update', resource: 'oauth-client' },
    plainErrors: [401, 403],
    refusal: OauthError,
    input: ConsentParameters,
    output: Redirection,
  }),
  token: rawRoute({
    name: 'oauth.token',
    summary: 'Exchange a code or a refresh token for new tokens',
    description: OWN_ERRORS,
    http: 'POST /mcp-oauth/token',
    access: 'public',
    isOptional: true,
    audit: { action: 'create', resource: 'oauth-token' },
    errors: [401],
    refusal: OauthError,
    consumes: FORM,
    input: TokenParameters,
    output: TokenAnswer,
  }),
  revoke: rawRoute({
    name: 'oauth.revoke',
    summary: 'End the consent that a token belongs to (RFC 7009)',
    description: OWN_ERRORS,
    http: 'POST /mcp-oauth/revoke',
    access: 'public',
    isOptional: true,
    audit: { action: 'delete', resource: 'oauth-token' },
    errors: [401],
    refusal: OauthError,
    consumes: FORM,
    input: RevocationParameters,
  }),
}
