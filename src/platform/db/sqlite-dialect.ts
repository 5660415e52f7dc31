/** Kysely on bun:sqlite: the statement cache that makes it fast, and nothing of ours. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { Kysely, SqliteDialect } from 'kysely'

/** Distinct statements kept prepared; the product has a few hundred, and lists of values add some of many lengths. */
const CACHE_SIZE = 500

export type StatementCache = { readonly prepare: (sql: string) => Statement; readonly clear: () => void }

/** Keeps the statements used last prepared; the oldest is finalized when there are too many. */
export const statementCache = (database: Database): StatementCache => {
  const statements = new Map<string, Statement>()
  return {
    prepare: (sql) => {
      const known = statements.get(sql)
      if (known) {
        if (statements.size > CACHE_SIZE / 2) {
          statements.delete(sql)
          statements.set(sql, known)
        }
        return known
      }
      const [oldest] = statements
      if (statements.size >= CACHE_SIZE && oldest) {
        statements.delete(oldest[0])
        oldest[1].finalize()
      }
      const statement = database.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    clear: () => {
      for (const statement of statements.values()) statement.finalize()
      statements.clear()
    },
  }
}

/** A Kysely over one bun:sqlite connection. Closing it is the caller's. */
export const sqliteKysely = <Tables>(cache: StatementCache): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        close: () => {},
        prepare: (sql) => {
          const statement = cache.prepare(sql)
          return {
            reader: statement.columnNames.length > 0,
            // Kysely types parameters as unknown; what we bind is text, numbers and null.
            all: (parameters) => statement.all(...(parameters as SQLQueryBindings[])),
            run: (parameters) => statement.run(...(parameters as SQLQueryBindings[])),
            iterate: () => {
              throw new Error('stream through Db.stream, which has a snapshot of its own')
            },
          }
        },
      },
    }),
  })
