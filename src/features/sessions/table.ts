/** The tables that sessions own. */
export type SessionRow = {
  id: string
  /** SHA-256 of the cookie's token in hex; the token itself is nowhere. */
  token_hash: string
  user_id: string
  /** The user's generation at sign-in. */
  user_generation: number
  created_at: string
  /** Whence the sign-in came; '' where nobody knows. */
  ip_address: string
  user_agent: string
}

/** Apart from the sessions: a later expiry must not look like a change of who is signed in. */
export type SessionExpiryRow = { session_id: string; renewed_at: string; expires_at: string }

/** Keys that all instances share. They open nothing: see devices.ts. */
export type SignInKeyRow = { name: string; key: string }

export type SessionTables = {
  sessions: SessionRow
  session_expiries: SessionExpiryRow
  sign_in_keys: SignInKeyRow
}
