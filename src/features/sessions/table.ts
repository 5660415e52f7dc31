/** The tables of sessions. */
export type SessionRow = {
  id: string
  /** SHA-256 of the cookie's token in hex; the token itself is not stored. */
  token_hash: string
  user_id: string
  /** The user's generation at sign-in. */
  user_generation: number
  created_at: string
  /** The address of the sign-in; '' if unknown. */
  ip_address: string
  user_agent: string
}

/** Apart from the sessions, because a renewal must not invalidate cached identities. */
export type SessionExpiryRow = { session_id: string; renewed_at: string; expires_at: string }

/** Keys that all instances share. They grant no access: see devices.ts. */
export type SignInKeyRow = { name: string; key: string }

export type SessionTables = {
  sessions: SessionRow
  session_expiries: SessionExpiryRow
  sign_in_keys: SignInKeyRow
}
