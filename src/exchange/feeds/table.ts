/** The table of feeds. */
export type FeedRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  description: string
  format: string
  /** JSON: a list of texts. */
  tags: string
  datacenter_id: string | null
  network_id: string | null
  /** null in the default space. */
  space_id: string | null
  /** JSON: a list of texts. */
  statuses: string
  address_label: string
  family: string
  port: number | null
  zone_id: string | null
  template: string
  media_type: string
  created_at: string
  updated_at: string
}

export type FeedTables = { feeds: FeedRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends FeedTables {}
}
