/** The tables of utilization. */

export type SampleRow = {
  /** The id of a network or a pool. */
  object_id: string
  /** YYYY-MM-DD, UTC. */
  day: string
  used: number
  total: number
}

export type UtilizationTables = {
  utilization_samples: SampleRow
  /** The pools that have been reported as nearly full, and have not had room since. */
  pool_alarms: { pool_id: string; raised_at: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends UtilizationTables {}
}
