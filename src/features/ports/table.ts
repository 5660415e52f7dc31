/** The table of ports. */
import type { Port } from './api.ts'

export type PortRow = {
  id: string
  device_id: string
  name: string
  /** Lower case: unique within the device. */
  name_key: string
  /** Computed by sort-key.ts. */
  sort_key: string
  kind: Port['kind']
  type: string
  speed_mbps: number | null
  /** '' for none. */
  mac_address: string
  enabled: number
  parent_id: string | null
  pass_through: number
  vlan_id: number | null
  /** JSON. */
  tagged_vlan_ids: string
  description: string
  /** JSON. */
  refs: string
  /** JSON; null without values. */
  custom: string | null
  managed_by: string
  created_at: string
  updated_at: string
}

export type PortTables = { ports: PortRow }
