/** The table of DNS servers. */
export type DnsProviderRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  type: string
  host: string
  port: number
  tsig_name: string
  tsig_algorithm: string
  /** Sealed; null without one. */
  tsig_secret: string | null
  timeout_seconds: number
  description: string
  created_at: string
  updated_at: string
}

export type DnsProviderTables = { dns_providers: DnsProviderRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends DnsProviderTables {}
}
