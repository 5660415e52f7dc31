/** The column that tells which part of the estate a row belongs to. */
import type { Generated } from 'kysely'

/** A row with its area: the number of the set of the scopes that it is in. `scopes/area-store.ts` is its only writer. */
export type WithArea<Row> = Row & { area: Generated<number> }
