/** The table of relationships. */
export type RelationshipRow = {
  parent_id: string
  child_id: string
  type: string
  notes: string
  managed_by: string
  created_at: string
}

export type RelationshipTables = { relationships: RelationshipRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends RelationshipTables {}
}
