/** The tables that conflicts own. */
import type { ConflictStatus, ConflictType } from './schema.ts'

export type ConflictRow = {
  /** Begins with the moment: the order of the ids is that of the detections. */
  id: string
  type: ConflictType
  /** What it is about, in one text: of the conflicts with the same cause one at most is open. */
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
}

export type ConflictTables = {
  conflicts: ConflictRow
  conflict_members: { conflict_id: string; member_id: string }
}
