/** The table of the numbers of the NetBox API. */
export type NetboxIdRow = {
  kind: string
  number: number
  /** Null if the number names nothing any more. */
  key: string | null
  /** JSON: the fields of a name that a client has made. */
  attributes: string | null
}

export type NetboxTables = { netbox_ids: NetboxIdRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends NetboxTables {}
}
