/** The tables of events. */
import type { Generated } from 'kysely'

export type EventRow = {
  /** Later events have higher numbers. */
  seq: Generated<number>
  event: string
  /** The id of the object that the event is about. */
  resource_id: string
  /** JSON. */
  data: string
  /** The change in the history; '' for an event without one. */
  change_id: string
  created_at: string
}

export type EventTables = { events: EventRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends EventTables {}
}
