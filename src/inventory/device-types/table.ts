/** The table of device types. */
export type DeviceTypeRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  manufacturer: string
  model: string
  /** Manufacturer and model in lower case, which are unique together. */
  natural_key: string
  slug: string
  part_number: string
  height: number
  full_depth: number
  power_w: number | null
  description: string
  /** JSON text. */
  ports: string
  /** JSON text. */
  refs: string
  managed_by: string
  created_at: string
  updated_at: string
}

export type DeviceTypeTables = { device_types: DeviceTypeRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends DeviceTypeTables {}
}
