/** The tables of OAuth. Secrets, codes and tokens are stored as SHA-256 hashes in hex only. */
import type { AuthMethod } from './schema.ts'

export type OauthClientRow = {
  id: string
  name: string
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  /** JSON lists of strings. */
  redirect_uris: string
  grant_types: string
  response_types: string
  auth_method: AuthMethod
  /** Null for a public client, which has no secret. */
  secret_hash: string | null
  /** The scope that the client may request. */
  scope: string
  created_at: string
  /** The time of the first consent; null for a client without consent, which expires. */
  consented_at: string | null
}

/** Apart from the clients, because a use must not invalidate cached rights. */
export type OauthClientUseRow = { client_id: string; last_used_at: string | null }

/** A user's consent to a client. All its tokens belong to it and end with it. */
export type OauthGrantRow = {
  id: string
  client_id: string
  user_id: string
  /** The user's generation at the time of consent. Ending all sessions of a user also ends the grant. */
  user_generation: number
  scope: string
  created_at: string
}

/** Apart from the grants, for the same reason as for clients. */
export type OauthGrantUseRow = { grant_id: string; last_used_at: string | null; expires_at: string }

export type OauthCodeRow = {
  code_hash: string
  client_id: string
  user_id: string
  user_generation: number
  redirect_uri: string
  /** Null if a confidential client has sent none. */
  code_challenge: string | null
  scope: string
  expires_at: string
  used_at: string | null
  /** The grant that the code was exchanged for. */
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

declare module '../../database/tables.ts' {
  interface OwnTables extends OauthTables {}
}
