/** The tables that OAuth owns. Of secrets, codes and tokens there are only SHA-256 hashes in hex. */
import type { AuthMethod } from './schema.ts'

export type OauthClientRow = {
  id: string
  name: string
  name_key: string
  /** JSON lists of texts. */
  redirect_uris: string
  grant_types: string
  response_types: string
  auth_method: AuthMethod
  /** Null for a public client, which can keep no secret. */
  secret_hash: string | null
  /** What it may ask for. */
  scope: string
  created_at: string
  /** When a user first agreed to it; null for one that nobody knows, and that goes by itself. */
  consented_at: string | null
}

/** Apart from the clients: a use must not look like a change of what tokens may do. */
export type OauthClientUseRow = { client_id: string; last_used_at: string | null }

/** What a user has agreed to with a client: the family that all its tokens belong to, and end with. */
export type OauthGrantRow = {
  id: string
  client_id: string
  user_id: string
  /** The user's generation at that moment: whatever ends all sign-ins of a user ends the grant. */
  user_generation: number
  scope: string
  created_at: string
}

/** Apart from the grants, as those of clients. */
export type OauthGrantUseRow = { grant_id: string; last_used_at: string | null; expires_at: string }

export type OauthCodeRow = {
  code_hash: string
  client_id: string
  user_id: string
  user_generation: number
  redirect_uri: string
  /** Null where a confidential client has sent none. */
  code_challenge: string | null
  scope: string
  expires_at: string
  used_at: string | null
  /** What it was exchanged for. */
  grant_id: string | null
}

export type OauthRefreshTokenRow = { token_hash: string; grant_id: string; expires_at: string; used_at: string | null }

export type OauthAccessTokenRow = { token_hash: string; grant_id: string; scope: string; expires_at: string }

export type OauthTables = {
  oauth_clients: OauthClientRow
  oauth_client_uses: OauthClientUseRow
  oauth_grants: OauthGrantRow
  oauth_grant_uses: OauthGrantUseRow
  oauth_codes: OauthCodeRow
  oauth_refresh_tokens: OauthRefreshTokenRow
  oauth_access_tokens: OauthAccessTokenRow
}
