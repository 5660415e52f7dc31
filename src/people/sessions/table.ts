/** The tables of sessions. */
import type { SignInMethod } from './api.ts'

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
  method: SignInMethod
  /** The provider of a sign-in by single sign-on. */
  provider_id: string | null
  /** When it ends, used or not. */
  ends_at: string | null
}

/** Apart from the sessions, because a renewal must not invalidate cached identities. */
export type SessionExpiryRow = { session_id: string; renewed_at: string; expires_at: string }

/** Keys that all instances share: see sign-in-key-store.ts. */
export type SignInKeyRow = { name: string; key: string }

/** A session of an external store that was ended. From `expires_at` on it would be invalid by itself. */
export type EndedSessionRow = { id: string; expires_at: string }

export type SessionTables = {
  ended_sessions: EndedSessionRow
  sessions: SessionRow
  session_expiries: SessionExpiryRow
  sign_in_keys: SignInKeyRow
}

declare module '../../database/tables.ts' {
  interface OwnTables extends SessionTables {}
}
