/** The forms of known identity providers: the pattern of the issuer, and their claims. */
import type { Values } from '../../resource/resource.ts'

export type Preset = {
  /** In the URL of the form. */
  readonly id: string
  readonly text: string
  readonly given: Values
}

/**
 * Microsoft identity platform, OpenID Connect; Okta, OIDC discovery; Google OpenID Connect; Keycloak, server administration guide.
 * A part in braces is to be replaced.
 */
export const PRESETS: readonly Preset[] = [
  {
    id: 'entra',
    text: 'Microsoft Entra ID',
    given: { name: 'Microsoft', issuer: 'https://login.microsoftonline.com/{tenant}/v2.0' },
  },
  {
    id: 'okta',
    text: 'Okta',
    given: { name: 'Okta', issuer: 'https://{domain}.okta.com', scopes: 'openid, profile, email, groups' },
  },
  {
    id: 'google',
    text: 'Google',
    given: {
      ...{ name: 'Google', issuer: 'https://accounts.google.com', username_claim: 'email' },
      // Google names no groups.
      groups_claim: '',
    },
  },
  {
    id: 'keycloak',
    text: 'Keycloak',
    given: { name: 'Keycloak', issuer: 'https://{host}/realms/{realm}' },
  },
  { id: 'other', text: 'Other', given: {} },
]

/** True for an issuer with a part that is still to be replaced. */
export const hasPlaceholder = (issuer: string): boolean => /[{}]/.test(issuer)
