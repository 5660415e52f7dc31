/** The tables of networks. */
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../area.ts'

export type NetworkRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** Canonical CIDR text. */
  subnet: string
  /** The key of its space, and the subnet. */
  subnet_key: string
  prefix: number
  /** Storage keys of the first and last address. */
  first_key: IpKey
  last_key: IpKey
  /** null in the default space. */
  space_id: string | null
  vlan_id: number | null
  datacenter_id: string | null
  description: string
  /** JSON text. */
  refs: string
  /** JSON text; null without values. */
  custom: string | null
  managed_by: string
  created_at: string
  updated_at: string
}

export type NetworkTables = { networks: WithArea<NetworkRow> }
