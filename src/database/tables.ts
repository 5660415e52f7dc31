/**
 * The tables of the database, as one type for Kysely. Each feature adds its tables to `OwnTables` in its `table.ts`; the tables of resources
 * without one follow from their facts (inventory/tables.ts).
 */

// biome-ignore lint/suspicious/noEmptyInterface: features extend it
export interface OwnTables {}
export interface Tables extends OwnTables {}
