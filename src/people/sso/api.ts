/** The contract of single sign-on by OpenID Connect: providers, identities and the routes of the protocol. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, idOf, Name, Page, patch } from '../../contract/fields/fields.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { Identity, Issuer, optionalFields, providerFields, SsoProvider, SsoProviderTest } from './schema.ts'

export const SsoProviderDraft = z.object({ name: Name, ...providerFields, ...draft(optionalFields) })
export type SsoProviderDraft = z.output<typeof SsoProviderDraft>

export const SsoProviderPatch = z.object({
  id: idOf('sso-providers'),
  ...patch({ name: Name, ...providerFields, ...optionalFields }),
})
export type SsoProviderPatch = z.output<typeof SsoProviderPatch>

const One = z.object({ id: idOf('sso-providers') })

export const SsoIssuer = z.object({ issuer: Issuer, ...draft({ allow_http: optionalFields.allow_http }) })
export type SsoIssuer = z.output<typeof SsoIssuer>

const HANDS_OUT =
  'You must hold all that is granted to the groups of `group_mappings`, and all that the users hold whom it could sign in: its own users, and with `link_by_email` those with an address in `allowed_domains`.'

export const ssoProviders = {
  list: operation({
    name: 'sso-providers.list',
    summary: 'List identity providers, without their secrets',
    http: 'GET /api/sso/providers',
    access: 'sso-providers:list',
    input: () => z.object({ name: Filter.optional().describe('Part of the name, in any case'), ...Page }),
    output: () => z.array(SsoProvider),
  }),
  create: operation({
    name: 'sso-providers.create',
    summary: 'Add an identity provider (OpenID Connect)',
    description: `Nothing is sent to it; sso-providers.test does that. Needs PUBLIC_URL. ${HANDS_OUT} On a command line secrets are visible to all users of the machine: send them with --input -.`,
    http: 'POST /api/sso/providers',
    status: 201,
    effect: 'create',
    access: 'sso-providers:create',
    errors: [409],
    cli: { args: ['name', 'issuer', 'client_id'] },
    // A secret that a model has read is no longer secret.
    mcp: 'hidden',
    input: SsoProviderDraft,
    output: SsoProvider,
  }),
  get: operation({
    name: 'sso-providers.get',
    summary: 'Show an identity provider, without its secret',
    http: 'GET /api/sso/providers/{id}',
    access: 'sso-providers:read',
    input: One,
    output: SsoProvider,
  }),
  update: operation({
    name: 'sso-providers.update',
    summary: 'Change some fields of an identity provider',
    description: `A secret that is not given stays as it is; "" clears it. The issuer cannot change once a user has signed in by it. ${HANDS_OUT}`,
    http: 'PUT /api/sso/providers/{id}',
    access: 'sso-providers:update',
    errors: [409],
    // For the same reason as for create.
    mcp: 'hidden',
    input: SsoProviderPatch,
    output: SsoProvider,
  }),
  delete: operation({
    name: 'sso-providers.delete',
    summary: 'Delete an identity provider, with its identities, memberships and sessions',
    description:
      'Its users stay. Those without a password cannot sign in until they have one, also not with a passkey. Their API keys and OAuth grants stay valid, except those that sleep, which end: deactivate users who are to leave. You must hold all that its users hold.',
    http: 'DELETE /api/sso/providers/{id}',
    access: 'sso-providers:delete',
    errors: [409],
    // Its sessions may be stored outside of the database, so a dry run could not be rolled back.
    mcp: 'hidden',
    input: One,
    output: () => z.void(),
  }),
  test: operation({
    name: 'sso-providers.test',
    summary: 'Read the discovery document and the keys of an identity provider',
    http: 'POST /api/sso/providers/{id}/test',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    access: 'sso-providers:read',
    errors: [502],
    input: One,
    output: SsoProviderTest,
  }),
  check: operation({
    name: 'sso-providers.check',
    summary: 'Read the discovery document and the keys of an issuer that is not stored',
    http: 'POST /api/sso/providers/check',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    access: { anyOf: ['sso-providers:create', 'sso-providers:update'] },
    errors: [502],
    cli: { args: ['issuer'] },
    // It lets a model call any address.
    mcp: 'hidden',
    input: SsoIssuer,
    output: SsoProviderTest,
  }),
}

export const identities = {
  list: operation({
    name: 'identities.list',
    summary: 'List your identities at identity providers',
    http: 'GET /api/auth/identities',
    access: 'authenticated',
    input: () => z.object(Page),
    output: () => z.array(Identity),
  }),
  delete: operation({
    name: 'identities.delete',
    summary: 'Unlink an identity of yours; it no longer signs in as you',
    description:
      'The last identity of a user without a password stays, because a passkey of such a user needs a recent sign-in by a provider.',
    http: 'DELETE /api/auth/identities/{id}',
    access: 'authenticated',
    input: () => z.object({ id: idOf('identities') }),
    output: () => z.void(),
  }),
}

/** The causes of a failed sign-in, in `sso_error`. */
export const SSO_ERRORS = [
  ...(['denied', 'state', 'provider', 'no_account', 'username_taken'] as const),
  ...(['inactive', 'domain', 'acr', 'groups', 'linked_elsewhere'] as const),
] as const
export type SsoError = (typeof SSO_ERRORS)[number]

export const ssoRoutes = {
  start: rawRoute({
    name: 'sso.start',
    summary: 'Send a browser to an identity provider to sign in',
    description:
      'Sets the cookie that binds the sign-in to the browser. If the provider cannot be reached the browser is sent to /login?sso_error=provider. With `link=true` the identity is linked to the user of the session, which must be fresh.',
    http: 'GET /api/auth/sso/{id}',
    status: 302,
    access: 'public',
    beforeSetup: true,
    errors: [400, 401, 403, 404],
    // Portals of providers add parameters of their own (OpenID Connect Core 1.0, section 4).
    query: z.looseObject({
      return_to: z.string().optional().describe('The path to open after the sign-in; / for any other text'),
      link: z.boolean().optional().describe('Links the identity to the user of the session'),
    }),
  }),
  callback: rawRoute({
    name: 'sso.callback',
    summary: 'Complete a sign-in by an identity provider; the answer sets the session cookie',
    description:
      'The answer is a page that opens `return_to`, because a redirect from another site would not carry the session cookie. A failure is a redirect to /login?sso_error=CODE, with the `return_to` of the sign-in.',
    http: 'GET /api/auth/sso/callback',
    alsoAnswers: { 302: 'empty' },
    access: 'public',
    audit: { action: 'login', resource: 'session' },
    query: z.looseObject({
      code: z.string().optional(),
      state: z.string().optional(),
      iss: z.string().optional().describe('RFC 9207'),
      error: z.string().optional(),
    }),
    produces: 'text/html',
  }),
  logout: rawRoute({
    name: 'sso.logout',
    summary: 'End the session, and return the address that ends the one at the identity provider',
    http: 'POST /api/auth/sso/logout',
    access: 'authenticated',
    session: 'any',
    beforeSetup: true,
    audit: { action: 'logout', resource: 'session' },
    output: z
      .object({ url: z.string().nullable().describe('Null for a session by password, and without such an address') })
      .meta({ id: 'SsoLogout' }),
  }),
  backchannelLogout: rawRoute({
    name: 'sso.backchannel-logout',
    summary: 'End sessions for an identity provider (OpenID Connect Back-Channel Logout 1.0)',
    description:
      'Ends the sessions of `sid`, or without it all sessions of the user with `sub`, in whichever way they began. If no session by the provider is left, passkeys of a user without a password are refused until the next sign-in by a provider. Errors are those of RFC 6749 5.2: {error}.',
    http: 'POST /api/auth/sso/{id}/backchannel-logout',
    access: 'public',
    audit: { action: 'logout', resource: 'session' },
    consumes: 'application/x-www-form-urlencoded',
    // The registered URI may have a query (OpenID Connect Back-Channel Logout 1.0, section 2.2).
    query: z.looseObject({}),
    refusal: z.object({ error: z.literal('invalid_request') }).meta({ id: 'LogoutError' }),
    input: z.looseObject({ logout_token: z.string() }),
  }),
}
