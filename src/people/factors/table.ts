/** The tables of second factors. */
export type TotpRow = {
  id: string
  user_id: string
  /** The secret in base32, sealed. */
  secret: string
  /** The time step of the last accepted code; -1 before the first. */
  last_step: number
  created_at: string
  /** Null until a first code has confirmed it: it is not yet in force. */
  confirmed_at: string | null
  last_used_at: string | null
}

export type PasskeyRow = {
  id: string
  user_id: string
  /** In base64url, as authenticators send it. */
  credential_id: string
  /** The COSE key in base64url. */
  public_key: string
  /** The signature counter of the last sign-in. */
  counter: number
  /** A JSON list of texts. */
  transports: string
  is_synced: number
  name: string
  name_key: string
  created_at: string
  last_used_at: string | null
}

/** One unused code. All codes of a user have the same salt. */
export type RecoveryCodeRow = { user_id: string; code_hash: string; salt: string }

/** The wrong factors of a user since the last right one. */
export type FactorFailureRow = { user_id: string; failures: number; blocked_until: string | null }

export type FactorChallengeRow = {
  id: string
  challenge: string
  purpose: 'register' | 'sign-in'
  /** The user that it is for; null for a sign-in, which shows who it is. */
  user_id: string | null
  expires_at: string
}

export type FactorTables = {
  totp: TotpRow
  passkeys: PasskeyRow
  recovery_codes: RecoveryCodeRow
  factor_failures: FactorFailureRow
  factor_challenges: FactorChallengeRow
}

declare module '../../database/tables.ts' {
  interface OwnTables extends FactorTables {}
}
