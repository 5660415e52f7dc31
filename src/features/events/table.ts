/** The tables that events own. */
import type { Generated } from 'kysely'

export type EventRow = {
  /** Later events have higher numbers. */
  seq: Generated<number>
  event: string
  /** What it is about. */
  resource_id: string
  /** JSON. */
  data: string
  created_at: string
}

export type EventTables = { events: EventRow }
