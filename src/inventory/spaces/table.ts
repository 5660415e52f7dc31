/** The table of the keys of address spaces. */
export type SpaceTables = {
  /** The beginnings of storage keys, also of deleted spaces: see `SpaceKey`. */
  space_keys: { space_id: string; space_key: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends SpaceTables {}
}
