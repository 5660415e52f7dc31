/** The tables of devices. */
import type { Generated } from 'kysely'
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../../resource/area.ts'

export type DeviceRow = {
  seq: Generated<number>
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  /** Lower case: host names are case-insensitive. */
  hostname_key: string
  description: string
  make_model: string
  os: string
  status: string
  datacenter_id: string | null
  username: string
  location: string
  managed_by: string
  rack_id: string | null
  device_type_id: string | null
  /** In the form of name keys; null for none. */
  serial_key: string | null
  asset_key: string | null
  role_key: string | null
  created_at: string
  updated_at: string
  /** All searchable text, in lower case, after a line feed: see `storedSearchText`. */
  search_text: string
  /** The device as JSON, exactly as it is sent. */
  doc: string
}

export type AddressRow = {
  device_id: string
  position: number
  ip: string
  ip_key: IpKey
  network_id: string | null
  pool_id: string | null
  /** '' for none. */
  mac_address: string
  dns_name: string
  /** 1 for an address that other devices may have too. */
  is_shared: number
}

export type DeviceTables = {
  devices: WithArea<DeviceRow>
  addresses: AddressRow
  device_tags: { device_id: string; position: number; tag: string }
  device_domains: { device_id: string; position: number; domain: string }
  /** Records which addresses belong to which network, by the rule in membership.ts. */
  network_addresses: { network_id: string; ip_key: IpKey; device_id: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends DeviceTables {}
}
