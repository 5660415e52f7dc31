/** The schemas of identity providers and identities. Browser-safe. */
import { z } from 'zod'
import { flagOr, idOf, line, numberOr, Timestamp, text, trimmed } from '../../contract/fields/fields.ts'
import { HOST_NAME, matchWhole, WHITE_SPACE } from '../../contract/fields/text-rules.ts'

export const GroupMapping = z.object({
  value: line(255)
    .min(1, 'must not be empty')
    .describe('A value of the groups claim, compared exactly; `*` is everyone of the provider'),
  group_id: idOf('groups').describe('The group that its holders are members of'),
})
export type GroupMapping = z.infer<typeof GroupMapping>

export const SsoProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    issuer: z.string(),
    client_id: z.string(),
    has_secret: z.boolean().describe('Whether a client secret is stored; it is never sent'),
    scopes: z.array(z.string()),
    enabled: z.boolean(),
    create_users: z.boolean(),
    link_by_email: z.boolean(),
    allowed_domains: z.array(z.string()),
    username_claim: z.string(),
    groups_claim: z.string(),
    group_mappings: z.array(z.object({ value: z.string(), group_id: z.string() })),
    required_acr: z.string(),
    max_session_hours: z.int(),
    credentials_max_idle_days: z.int(),
    allow_http: z.boolean(),
    redirect_uri: z.string().describe('The redirect URI to register at the provider'),
    backchannel_logout_uri: z.string().describe('The back-channel logout URI to register at the provider'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SsoProvider', columns: ['id', 'name', 'issuer', 'client_id', 'enabled'] })
export type SsoProvider = z.infer<typeof SsoProvider>

/** Far above any real number. */
const MAX_SCOPES = 50
const MAX_DOMAINS = 100
const MAX_MAPPINGS = 500

/** RFC 6749 3.3, the characters of a scope. */
const SCOPE_PATTERN = '[!#-\\[\\]-~]{1,255}'
const Scope = z.string().regex(new RegExp(matchWhole(SCOPE_PATTERN)), 'must be a scope without blanks')

const DEFAULT_SCOPES = ['openid', 'profile', 'email']
const ISSUER_PATTERN = `https?://[^/?#@\\\\${WHITE_SPACE}]+(?:/[^?#\\\\${WHITE_SPACE}]*)?`

/** Absent and null are `usual`; the empty text stays. */
const claimOr = (usual: string) =>
  line(255)
    .nullable()
    .transform((name) => name ?? usual)

export const Issuer = line(2048)
  .refine((value) => /^https?:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/.test(value) && URL.canParse(value), {
    error: 'must be an https URL without user, query or fragment',
  })
  .meta({ exact: { pattern: matchWhole(ISSUER_PATTERN) }, examples: ['https://id.example.com/realms/staff'] })
  .describe('The address by which the provider names itself')

export const providerFields = {
  client_id: trimmed(255),
  issuer: Issuer,
}

export const optionalFields = {
  client_secret: text(1024).describe('Without it the client is public and uses PKCE alone; never sent back'),
  scopes: z
    .array(Scope)
    .max(MAX_SCOPES)
    .refine((scopes) => scopes.length === 0 || scopes.includes('openid'), { error: 'must include openid' })
    .meta({ exact: { contains: { const: 'openid' } } })
    .nullable()
    .transform((scopes) => (scopes && scopes.length > 0 ? [...new Set(scopes)] : DEFAULT_SCOPES))
    .describe('Scopes to ask for; openid, profile and email where absent'),
  enabled: flagOr(true).describe('Whether users may sign in by it'),
  create_users: flagOr(true).describe('Whether a user is made for an identity that is unknown'),
  link_by_email: flagOr(false).describe(
    'Whether an unknown identity is linked to the user with its verified e-mail address, whose password, sessions, second factors, keys and OAuth grants end. Users who manage people and break-glass users are never linked by it',
  ),
  allowed_domains: z
    .array(
      line(253)
        .refine(HOST_NAME.holds, { error: 'must be a domain name' })
        .meta({ exact: { pattern: matchWhole(HOST_NAME.pattern) } })
        .transform((name) => name.toLowerCase()),
    )
    .max(MAX_DOMAINS)
    .nullable()
    .transform((names) => [...new Set(names ?? [])])
    .describe('The only domains of verified e-mail addresses; any address where empty'),
  username_claim: claimOr('preferred_username')
    .transform((name) => name || 'preferred_username')
    .describe('The claim that names a new user'),
  groups_claim: claimOr('groups').describe(
    'The claim with the groups of a user; dots descend into it. "" reads none, and only the mapping of `*` counts',
  ),
  group_mappings: z
    .array(GroupMapping)
    .max(MAX_MAPPINGS)
    .nullable()
    .transform((mappings) => mappings ?? [])
    .describe('The groups that users are members of by a value of the groups claim'),
  required_acr: text(255).describe('The authentication context (acr) that a sign-in must have'),
  max_session_hours: numberOr(12, { min: 1, max: 720 }).describe(
    'Hours after which a session ends, used or not; passkeys of its users without a password are refused then, until the next sign-in by it',
  ),
  credentials_max_idle_days: numberOr(90, { min: 0, max: 36_500 }).describe(
    'Days after the last sign-in by which API keys and OAuth grants of users without a password are refused; 0 for no limit',
  ),
  allow_http: flagOr(false).describe('Whether the issuer may have an http URL'),
}

export const Identity = z
  .object({
    id: z.string(),
    provider_id: z.string(),
    provider: z.string().describe('The name of the provider'),
    subject: z.string().describe('The user at the provider: the claim sub'),
    created_at: Timestamp,
    last_login_at: Timestamp,
  })
  .meta({ id: 'Identity', columns: ['id', 'provider', 'subject', 'last_login_at'] })
export type Identity = z.infer<typeof Identity>

export const SsoProviderTest = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    end_session_endpoint: z.string().nullable(),
    backchannel_logout_supported: z.boolean(),
    keys: z.int().describe('The number of keys that the provider signs with'),
  })
  .meta({ id: 'SsoProviderTest', columns: ['issuer', 'backchannel_logout_supported', 'keys'] })
export type SsoProviderTest = z.infer<typeof SsoProviderTest>
