/** The table of occupancy. */
export type OccupancyTables = {
  /** A bitmap of 256 addresses; blocks in which none is taken have no row. */
  address_blocks: { block: string; taken: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends OccupancyTables {}
}
