/** The tables that users own. */
export type UserRow = {
  id: string
  username: string
  /** Lower case: names are unique in any case. */
  username_key: string
  /** What the name looks like, after the version of the table that says so; null where no version of Plat has computed it. */
  username_look: string | null
  /** The same of the name in lower case. */
  username_look_lower: string | null
  /** The same of the name in upper case. */
  username_look_upper: string | null
  email: string
  /** Null without an address, which then need not be unique. */
  email_key: string | null
  full_name: string
  password_hash: string
  is_active: number
  /** Counted up by whatever ends all sign-ins of the user: a session or token of an earlier generation is void. */
  generation: number
  created_at: string
  updated_at: string
  last_login_at: string | null
}

export type UserRoleRow = { user_id: string; role_id: string }

export type UserTables = { users: UserRow; user_roles: UserRoleRow }
