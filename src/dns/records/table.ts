/** The table of the own records of DNS zones. */
export type DnsRecordRow = {
  id: string
  zone_id: string
  /** Relative to the zone. */
  name: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  type: string
  ttl: number | null
  value: string
  description: string
  created_at: string
  updated_at: string
}

export type DnsRecordTables = { dns_records: DnsRecordRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends DnsRecordTables {}
}
