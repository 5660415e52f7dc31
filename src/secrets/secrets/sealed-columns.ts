/** The registry of sealed columns, one line each; rotation and the check at the start derive from it. */
import type { Tables } from '../../database/tables.ts'

/** Does not compile if its table lacks the column. */
export type SealedColumn = {
  [Table in keyof Tables & string]: {
    readonly table: Table
    readonly column: keyof Tables[Table] & string
    /** The column with the `id` of the place that a value is sealed for. */
    readonly idColumn: keyof Tables[Table] & string
  }
}[keyof Tables & string]

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'credentials', column: 'secret', idColumn: 'id' },
  { table: 'dns_providers', column: 'tsig_secret', idColumn: 'id' },
  { table: 'sources', column: 'secrets', idColumn: 'id' },
  { table: 'sso_providers', column: 'client_secret', idColumn: 'id' },
  { table: 'sso_sessions', column: 'id_token', idColumn: 'session_id' },
  { table: 'totp', column: 'secret', idColumn: 'id' },
  { table: 'webhooks', column: 'secret', idColumn: 'id' },
  { table: 'webhooks', column: 'sealed_headers', idColumn: 'id' },
  { table: 'webhooks', column: 'sealed_url', idColumn: 'id' },
]
