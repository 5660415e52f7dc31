/** The tables of reservations. */
export type ReservationRow = {
  id: string
  pool_id: string
  ip_address: string
  ip_key: string
  hostname: string
  /** '' for none. */
  mac_address: string
  purpose: string
  notes: string
  expires_at: string | null
  created_by: string
  /** JSON text. */
  refs: string
  managed_by: string
  created_at: string
  updated_at: string
}

export type ReservationTables = { reservations: ReservationRow }
