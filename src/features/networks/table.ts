/** The tables of networks. */
export type NetworkRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** Canonical CIDR text. */
  subnet: string
  prefix: number
  /** Sortable keys of the first and last address. */
  first_key: string
  last_key: string
  vlan_id: number | null
  datacenter_id: string | null
  description: string
  /** JSON text. */
  refs: string
  managed_by: string
  created_at: string
  updated_at: string
}

export type NetworkTables = { networks: NetworkRow }
