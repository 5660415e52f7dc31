/** The tables of DNS zones. */
import type { LeaseColumns } from '../../kernel/jobs/leases.ts'

export type DnsZoneRow = {
  id: string
  name: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  subnet: string | null
  kind: string
  provider_id: string | null
  mode: string
  ttl: number
  /** JSON: a list of texts, as statuses and nameservers. */
  tags: string
  datacenter_id: string | null
  network_id: string | null
  /** null in the default space. */
  space_id: string | null
  statuses: string
  is_default: number
  nameservers: string
  admin_email: string
  negative_ttl: number
  max_delete_percent: number
  check_interval_seconds: number
  repair: number
  description: string
  created_at: string
  updated_at: string
}

/** Apart from the zone: the lane writes it, and settings are cached by the revision of zones. */
export type DnsZoneStateRow = LeaseColumns & {
  zone_id: string
  serial: number
  /** The fields of the file that are not RRsets, as text. */
  head: string
  server_serial: number | null
  /** The serial of the last comparison. */
  compared_serial: number | null
  /** '' without one. */
  error: string
  failures: number
  retry_ms: number
  /** The reason for which nothing is sent; '' without one. */
  held: string
  drift_count: number
  /** The time of the next check. */
  check_ms: number
  /** Transfers that have begun since the last one that succeeded. */
  transfer_failures: number
  /** The error of the last transfer that cost much; '' after one that succeeded. */
  transfer_error: string
  /** JSON: the names below the apex that only the server delegates, with their name servers. */
  delegations: string
  last_synced_at: string | null
  last_checked_at: string | null
}

export type DnsRrsetRow = {
  zone_id: string
  name: string
  type: string
  state: string
  message: string
  source: string
  /** JSON: a list of texts, as record_ids and the values. */
  device_ids: string
  record_ids: string
  /** Null if the zone does not want it. */
  wanted: string | null
  wanted_ttl: number
  /** Null if Plat has not published it. */
  published: string | null
  published_ttl: number
  /** The values that are sent, on record before the message leaves. */
  sending: string | null
}

export type DnsZoneTables = {
  dns_zones: DnsZoneRow
  dns_zone_states: DnsZoneStateRow
  dns_rrsets: DnsRrsetRow
  dns_changes: { id: string; zone_id: string; name: string }
  dns_reports: { zone_id: string; doc: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends DnsZoneTables {}
}
