/** The tables of saved views. */
export type ViewRow = {
  id: string
  /** Null for a shared view whose owner was deleted. */
  owner_id: string | null
  name: string
  /** Lower case: an owner has one view of a name on a page, in any case. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  path: string
  search: string
  is_shared: number
  created_at: string
  updated_at: string
}

/** A view in the menu of a user. */
export type ViewPinRow = { user_id: string; view_id: string }

export type ViewTables = { views: ViewRow; view_pins: ViewPinRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends ViewTables {}
}
