/** The tables of pools. */
export type PoolRow = {
  id: string
  network_id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  start_ip: string
  end_ip: string
  /** Sortable keys of the first and last address. */
  start_key: string
  end_key: string
  description: string
  /** JSON text. */
  refs: string
  managed_by: string
  created_at: string
  updated_at: string
}

export type PoolTables = {
  pools: PoolRow
  pool_tags: { pool_id: string; position: number; tag: string }
}
