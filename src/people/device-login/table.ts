/** The table of sign-ins of devices, in the shape of RFC 8628. */
export type DeviceCodeRow = {
  /** SHA-256 of the device code, which only the device knows. */
  code_hash: string
  user_code: string
  /** The name that the device gives itself. */
  client: string
  ip_address: string
  created_at: string
  expires_at: string
  /** The last request for the key; that of the start before the first. */
  polled_at: string
  state: string
  /** The user who has decided. */
  user_id: string | null
  user_generation: number | null
}

export type DeviceLoginTables = { device_codes: DeviceCodeRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends DeviceLoginTables {}
}
