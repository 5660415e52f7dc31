/** The tables of single sign-on. */
export type SsoProviderRow = {
  id: string
  name: string
  /** Lower case: names are unique regardless of case. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  issuer: string
  client_id: string
  /** Sealed; null for a public client. */
  client_secret: string | null
  /** JSON lists. */
  scopes: string
  allowed_domains: string
  group_mappings: string
  enabled: number
  create_users: number
  link_by_email: number
  username_claim: string
  groups_claim: string
  required_acr: string
  max_session_hours: number
  credentials_max_idle_days: number
  allow_http: number
  created_at: string
  updated_at: string
  /** The user who made it or last changed it, who may be deleted; null if unknown. */
  changed_by: string | null
}

/** A user at a provider. Nothing but the provider and its subject names the user. */
export type IdentityRow = {
  id: string
  provider_id: string
  subject: string
  user_id: string
  created_at: string
  /** The last sign-in by this provider. */
  last_login_at: string
  /** When the provider signed the user out everywhere; null again after a sign-in by it. */
  logged_out_at: string | null
  /** 1 if a sign-in found the user by the verified address, 0 if not; null for an identity of before this was stored. */
  linked_by_email: number | null
}

/** A sign-in in progress, deleted by its callback. */
export type SsoStateRow = {
  state_hash: string
  /** SHA-256 of the cookie that binds it to the browser. */
  browser_hash: string
  provider_id: string
  verifier: string
  nonce: string
  return_to: string
  /** The user who links an identity; null for a sign-in. */
  user_id: string | null
  user_generation: number | null
  expires_at: string
}

/** The provider's side of a session, for both kinds of logout. The session itself may be outside of the database. */
export type SsoSessionRow = {
  session_id: string
  provider_id: string
  subject: string
  /** The session at the provider; '' if it named none. */
  sid: string
  /** Sealed; null without an encryption key. */
  id_token: string | null
  expires_at: string
}

/** Logout tokens that were accepted, until they expire. */
export type SsoSeenRow = { token_hash: string; expires_at: string }

export type SsoTables = {
  sso_providers: SsoProviderRow
  identities: IdentityRow
  sso_states: SsoStateRow
  sso_sessions: SsoSessionRow
  sso_seen: SsoSeenRow
}

declare module '../../database/tables.ts' {
  interface OwnTables extends SsoTables {}
}
