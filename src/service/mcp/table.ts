/** The table of plans. */
export type PlanRow = {
  id: string
  user_id: string
  /** The key or client that made the plan: `key:...`. */
  client: string
  operation: string
  /** JSON: the input as it was sent. */
  input: string
  /** JSON: the fingerprints of the planned changes. */
  changes: string
  created_at: string
  expires_at: string
  applied_at: string | null
}

export type PlanTables = { plans: PlanRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends PlanTables {}
}
