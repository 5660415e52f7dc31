/** The tables of users. */
export type UserRow = {
  id: string
  username: string
  /** Lower case: names are unique regardless of case. */
  username_key: string
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
  /** Incremented when all sessions of the user are ended: a session or token of an earlier generation is invalid. */
  generation: number
  created_at: string
  updated_at: string
  last_login_at: string | null
}

export type UserRoleRow = { user_id: string; role_id: string }

export type UserTables = { users: UserRow; user_roles: UserRoleRow }
