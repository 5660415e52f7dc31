/** The tables of users. */
export type UserRow = {
  id: string
  username: string
  /** Lower case: names are unique regardless of case. */
  username_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  username_order: string
  /** The skeleton of the name, after the version of its table; null if no version of Plat has computed it. */
  username_look: string | null
  /** The skeleton of the name in lower case. */
  username_look_lower: string | null
  /** The skeleton of the name in upper case. */
  username_look_upper: string | null
  email: string
  /** Null without an e-mail address: nulls need not be unique. */
  email_key: string | null
  full_name: string
  password_hash: string
  is_active: number
  /** Signs in by password while PASSWORD_SIGN_IN is `break-glass`. */
  is_break_glass: number
  /** Incremented when all sessions of the user are ended: a session or token of an earlier generation is invalid. */
  generation: number
  created_at: string
  updated_at: string
  last_login_at: string | null
}

/** A role of a user or of the members of a group. */
export type GrantRow = {
  id: string
  role_id: string
  /** Null for a grant to a group. */
  user_id: string | null
  /** Null for a grant to a user. */
  group_id: string | null
  /** The part of the estate that the grant holds for; null for all of it. */
  scope_id: string | null
  created_at: string
}

export type UserTables = { users: UserRow; grants: GrantRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends UserTables {}
}
