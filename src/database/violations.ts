/** Names broken constraints equally on both engines, so that a store can name the field at fault. */

import { SQLiteError } from 'bun:sqlite'
import type { SQL } from 'bun'
import { WorkerError } from './worker-error.ts'

/** `table_column[_column]` of a unique index, or only the kind if the engine reports no more. */
export type Violation = { readonly kind: 'unique' | 'foreign_key'; readonly name: string }

/** PostgreSQL error classes (Appendix A): unique_violation, foreign_key_violation. */
const KINDS = { '23505': 'unique', '23503': 'foreign_key' } as const

const fromSqlite = ({ code, message }: SQLiteError | WorkerError): Violation | undefined => {
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return { kind: 'foreign_key', name: '' }
  if (code !== 'SQLITE_CONSTRAINT_UNIQUE' && code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') return undefined
  // "UNIQUE constraint failed: users.username" or "...: pools.a, pools.b"
  const columns = message.slice(message.lastIndexOf(': ') + 2).split(', ')
  const [table = ''] = columns[0]?.split('.') ?? []
  return { kind: 'unique', name: [table, ...columns.map((column) => column.slice(table.length + 1))].join('_') }
}

const fromPostgres = (error: SQL.PostgresError): Violation | undefined => {
  const kind = error.errno && Object.hasOwn(KINDS, error.errno) ? KINDS[error.errno as keyof typeof KINDS] : undefined
  if (!kind) return undefined
  // PostgreSQL names the index of `UNIQUE (username)` on `users` `users_username_key`, a primary key `users_pkey`.
  return { kind, name: (error.constraint ?? '').replace(/_key$/, '').replace(/_pkey$/, '_id') }
}

/** Returns the constraint that an error reports as broken; undefined for any other error. */
export const getViolation = (error: unknown): Violation | undefined => {
  if (error instanceof SQLiteError || error instanceof WorkerError) return fromSqlite(error)
  // Not at the top level, because access to it loads the PostgreSQL client.
  if (error instanceof Bun.SQL.PostgresError) return fromPostgres(error)
  return undefined
}
