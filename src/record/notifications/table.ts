/** The tables of messages that are not composed yet. */
import type { Generated } from 'kysely'

export type EntryRow = {
  /** Later events of an object have higher numbers. */
  seq: Generated<number>
  webhook_id: string
  event: string
  resource_id: string
  /** The text of the event for people. */
  line: string
  /** The path of the page of the object; '' without one. */
  link: string
  created_at: string
}

export type ToldRow = {
  webhook_id: string
  /** The object of which a message told; '' for the message itself. */
  resource_id: string
  told_at: string
}

export type NotificationTables = { notification_entries: EntryRow; notification_told: ToldRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends NotificationTables {}
}
