/** The tables of scopes. */
export type ScopeRow = {
  id: string
  name: string
  /** Lower case: names are unique in any case. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  description: string
  /** JSON text of a list, like the four below. */
  datacenter_ids: string
  space_ids: string
  subnets: string
  tags: string
  kind_ids: string
  created_at: string
  updated_at: string
}

/** A set of scopes that some object is in, or was. */
export type AreaRow = {
  id: number
  /** The ids of the scopes, sorted, with a space between them. */
  scopes: string
}

export type ScopeTables = {
  scopes: ScopeRow
  areas: AreaRow
  area_scopes: { scope_id: string; area_id: number }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends ScopeTables {}
}
