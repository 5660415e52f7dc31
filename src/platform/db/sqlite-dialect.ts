/** Kysely on bun:sqlite: the statement cache and the short way to it that make it fast, and nothing of ours. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { QueryWatch } from './query-watch.ts'

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

/** Answers at once, so nobody ever waits for the connection. */
const connectionOn = (cache: StatementCache): DatabaseConnection => ({
  executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
    const statement = cache.prepare(sql)
    // Kysely types parameters as unknown; what we bind is text, numbers and null.
    const values = parameters as SQLQueryBindings[]
    // The row's type is the query's own.
    if (statement.columnNames.length > 0) return { rows: statement.all(...values) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
  },
  streamQuery: () => {
    throw new Error('stream through Db.stream, which has a snapshot of its own')
  },
})

const beginElsewhere = async (): Promise<never> => {
  throw new Error('write through Db.write, which begins and commits')
}

const driverOn = (cache: StatementCache): Driver => {
  const connection = connectionOn(cache)
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: beginElsewhere,
    commitTransaction: beginElsewhere,
    rollbackTransaction: beginElsewhere,
    destroy: async () => {},
  }
}

/** Kysely's own lets one query at a time through, which ours have no need of. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** A Kysely over one bun:sqlite connection. Closing it is the caller's. */
export const sqliteKysely = <Tables>(cache: StatementCache, log: QueryWatch['log']): Kysely<Tables> =>
  new Kysely<Tables>({
    log,
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => driverOn(cache),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
