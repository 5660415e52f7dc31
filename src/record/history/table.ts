/** The tables of the history. */
import type { Generated } from 'kysely'

/** An integer of 64 bits, which PostgreSQL's driver returns as text. */
type Stored = number | string

export type ChangeRow = {
  /** In the order of the commits, for the changes of one object. */
  seq: Generated<Stored>
  id: string
  /** Milliseconds since the epoch, by the clock that the instances share. */
  at: Stored
  operation: string
  user_id: string
  username: string
  via: string
  key_id: string
  oauth_client: string
  tool: string
  ip_address: string
  request_id: string
  note: string
  /** The number of items by change and kind, as JSON. */
  counts: string
  undoes: string | null
  undone_by: string | null
  /** The proposal that it merges; '' without one. */
  proposal_id: string
  /** Once all transactions below this number have ended, no change with a lower `seq` can appear. 0 with one writer. */
  snapshot_xmax: Stored
}

/** An object of a change. */
export type HistoryRow = {
  kind: string
  id: string
  seq: Stored
  /** The value of `name_key` for `before`. */
  sort_key: string | null
  /** The collation key of that name; '' without one. */
  order_key: string
  /** Values of columns that SQL cannot derive from `before`, as JSON. */
  derived: string | null
  /** The second device of a relationship. */
  child_id: string | null
  /** The document that was there before, as JSON; null if the change created the object. */
  before: string | null
}

export type HistoryTables = {
  changes: ChangeRow
  history: HistoryRow
  /** One row. `begins_at`: earlier moments cannot be shown. */
  history_extent: { id: number; begins_at: Stored }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends HistoryTables {}
}
