/** The registry of sealed columns: one line for each column that holds sealed values or null. Rotation and the check at the start follow. */
import type { Tables } from '../tables.ts'

/** A column that its table doesn't have does not compile. */
export type SealedColumn = {
  [Table in keyof Tables & string]: {
    readonly table: Table
    readonly column: keyof Tables[Table] & string
    /** What stands in the `id` of the place that a value is sealed for. */
    readonly idColumn: keyof Tables[Table] & string
  }
}[keyof Tables & string]

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'credentials', column: 'secret', idColumn: 'id' },
  { table: 'webhooks', column: 'secret', idColumn: 'id' },
  { table: 'webhooks', column: 'sealed_headers', idColumn: 'id' },
]
