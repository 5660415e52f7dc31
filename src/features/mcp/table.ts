/** The table of what was planned. */
export type PlanRow = {
  id: string
  user_id: string
  /** The key or the client that asked: `key:...`. */
  client: string
  operation: string
  /** JSON, as it was sent. */
  input: string
  /** JSON: what the plan was shown to change. */
  changes: string
  created_at: string
  expires_at: string
  applied_at: string | null
}

export type PlanTables = { plans: PlanRow }
