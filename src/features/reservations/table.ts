/** The tables of reservations. */
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../area.ts'

export type ReservationRow = {
  id: string
  pool_id: string
  ip_address: string
  /** In the space of the network of its pool. */
  ip_key: IpKey
  hostname: string
  /** '' for none. */
  mac_address: string
  purpose: string
  notes: string
  expires_at: string | null
  created_by: string
  /** JSON text. */
  refs: string
  /** JSON text; null without values. */
  custom: string | null
  managed_by: string
  created_at: string
  updated_at: string
}

export type ReservationTables = { reservations: WithArea<ReservationRow> }
