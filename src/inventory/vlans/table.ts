/** The table of VLANs. */
export type VlanRow = {
  id: string
  vlan_id: number
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  datacenter_id: string | null
  group: string
  /** Lower case, for the filter. */
  group_key: string
  /** Number, datacenter and group in lower case, which are unique together. */
  natural_key: string
  description: string
  /** JSON text. */
  refs: string
  /** JSON text; null without values. */
  custom: string | null
  managed_by: string
  created_at: string
  updated_at: string
}

export type VlanTables = { vlans: VlanRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends VlanTables {}
}
