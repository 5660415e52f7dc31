/** The tables of groups. */
export type GroupRow = {
  id: string
  name: string
  /** Lower case: names are unique in any case. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  description: string
  created_at: string
  updated_at: string
}

/** A membership and its source: `manual`, or the id of the sign-in provider that reports it. */
export type GroupMemberRow = { group_id: string; user_id: string; source: string }

export type GroupTables = { groups: GroupRow; group_members: GroupMemberRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends GroupTables {}
}
