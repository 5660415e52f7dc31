/** The JSON forms of OAuth clients, grants and consent requests. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { CataloguePermission } from '../roles/api.ts'

/** How a client authenticates (RFC 7591 section 2); `none` is a public client without a secret. */
export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const
export type GrantType = (typeof GRANT_TYPES)[number]

export const OauthClient = z
  .object({
    id: z.string().describe('The same as client_id'),
    client_id: z.string(),
    client_name: z.string().describe('The name that the client gives itself; it is not verified'),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.enum(GRANT_TYPES)),
    response_types: z.array(z.literal('code')),
    token_endpoint_auth_method: z.enum(AUTH_METHODS),
    scope: z.string().describe('Permissions it may ask for, separated by spaces'),
    is_confidential: z.boolean().describe('Whether it has a secret'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('When a token of it was last used, to the minute'),
    grant_count: z.int().describe('Consents of users that are in force'),
  })
  .meta({
    id: 'OauthClient',
    columns: ['id', 'client_name', 'is_confidential', 'grant_count', 'created_at', 'last_used_at'],
  })
export type OauthClient = z.infer<typeof OauthClient>

export const OauthGrant = z
  .object({
    id: z.string(),
    client_id: z.string(),
    client_name: z.string(),
    user_id: z.string(),
    username: z.string(),
    scope: z
      .string()
      .describe(
        'The scopes of the consent, separated by spaces; permissions that the user lacks at the moment do not apply',
      ),
    created_at: Timestamp.describe('When the user agreed'),
    last_used_at: Timestamp.nullable().describe('To the minute'),
    expires_at: Timestamp.describe('When it ends unless it is used before'),
  })
  .meta({
    id: 'OauthGrant',
    columns: ['id', 'client_name', 'username', 'created_at', 'last_used_at', 'expires_at'],
  })
export type OauthGrant = z.infer<typeof OauthGrant>

/** The request that the user decides on. */
export const ConsentRequest = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    redirect_uri: z.string(),
    redirect_host: z.string().describe('Where the browser will be sent, with its port: claude.ai, localhost:33418'),
    is_loopback: z.boolean().describe('Whether that is the machine that the browser runs on'),
    username: z.string().describe('The user who would consent'),
    scope: z.string().describe('The names of all scopes, separated by spaces'),
    scopes: z.array(
      CataloguePermission.extend({
        is_held: z.boolean().describe('True if the user has the permission; others are not granted'),
      }).meta({ id: 'RequestedScope' }),
    ),
  })
  .meta({ id: 'ConsentRequest' })
export type ConsentRequest = z.infer<typeof ConsentRequest>

/** The address that the browser goes to next. */
export const Redirection = z.object({ redirect_uri: z.string() }).meta({ id: 'Redirection' })
export type Redirection = z.infer<typeof Redirection>

/** RFC 6749 5.2. Only the authorization endpoint sends the last two. */
export const OauthError = z
  .object({
    error: z.string(),
    error_description: z.string(),
    redirect_host: z
      .string()
      .optional()
      .describe('The host of the client, with its port, where its address is registered'),
    redirect_uri: z
      .string()
      .optional()
      .describe(
        'The address with which a signed-in user returns the error to the client; never followed automatically',
      ),
  })
  .meta({ id: 'OauthError' })
export type OauthError = z.infer<typeof OauthError>
