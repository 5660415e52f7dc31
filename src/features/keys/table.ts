/** The tables that API keys own. */
export type ApiKeyRow = {
  id: string
  /** Null for a key from before keys had owners; it opens nothing. */
  user_id: string | null
  name: string
  name_key: string
  /** SHA-256 of the key in hex; the key itself is nowhere. */
  key_hash: string
  prefix: string
  created_at: string
  expires_at: string | null
  /** Id of the user who made it, who may be gone; null for a key from before this was known. */
  created_by: string | null
}

/** Apart from the keys: a use must not look like a change of what keys may do. */
export type ApiKeyUseRow = { key_id: string; last_used_at: string | null }

export type KeyTables = { api_keys: ApiKeyRow; api_key_uses: ApiKeyUseRow }
