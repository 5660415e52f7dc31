/** The tables of conflicts. */
import type { ConflictStatus, ConflictType } from './schema.ts'

export type ConflictRow = {
  /** A UUIDv7: ids sort by time of detection. */
  id: string
  type: ConflictType
  /** The cause as one text: at most one conflict of a cause is open. */
  cause: string
  status: ConflictStatus
  description: string
  ip_address: string
  /** JSON. */
  device_ids: string
  /** JSON. */
  network_ids: string
  /** JSON. */
  subnets: string
  detected_at: string
  resolved_at: string | null
  resolved_by: string
  notes: string
  space_id: string | null
}

export type ConflictTables = {
  conflicts: ConflictRow
  conflict_members: { conflict_id: string; member_id: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends ConflictTables {}
}
