/** The tables of API keys. */
export type ApiKeyRow = {
  id: string
  /** Null for a key from before keys had owners; such a key is invalid. */
  user_id: string | null
  name: string
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  /** SHA-256 of the key in hex; the key itself is not stored. */
  key_hash: string
  prefix: string
  created_at: string
  expires_at: string | null
  /** The id of the user who made it, who may be deleted; null for a key of an earlier version. */
  created_by: string | null
  /** The only feed with content that the key opens; null for a key with all rights of its owner. */
  feed_id: string | null
  /** A JSON list of names; null for a key with all permissions of its owner. */
  permissions: string | null
  /** The scope in which its permissions count, which may be deleted; null for every part of the estate. */
  scope_id: string | null
  /** A JSON list of CIDRs; null for every address. */
  allowed_cidrs: string | null
  rotated_at: string | null
  /** The hash of the value before the last rotation. */
  previous_hash: string | null
  /** Until then the value before the last rotation opens. */
  previous_expires_at: string | null
}

/** Apart from the keys, because a use must not invalidate cached rights. */
export type ApiKeyUseRow = { key_id: string; last_used_at: string | null; last_used_ip: string | null }

export type KeyTables = { api_keys: ApiKeyRow; api_key_uses: ApiKeyUseRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends KeyTables {}
}
