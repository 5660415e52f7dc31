/** Kysely on bun:sqlite, made fast by a statement cache and by direct execution. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type Driver,
  Kysely,
  type KyselyPlugin,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { QueryMetrics } from '../query/query-metrics.ts'

/** Maximum number of prepared statements. Lists of values have one for each of many lengths. */
const CACHE_SIZE = 500

export type StatementCache = { readonly prepare: (sql: string) => Statement; readonly clear: () => void }

/** Caches the most recently used prepared statements; the oldest one is finalized to stay within the bound. */
export const createStatementCache = (database: Database): StatementCache => {
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

/** Runs a compiled query. Returns a promise if the connection is on another thread. */
export type Run = <Row>(query: CompiledQuery) => QueryResult<Row> | Promise<QueryResult<Row>>

/** Runs one statement on a connection of this thread. */
export const runStatement = (
  cache: StatementCache,
  sql: string,
  parameters: readonly unknown[],
): QueryResult<unknown> => {
  const statement = cache.prepare(sql)
  // Kysely types parameters as unknown; Plat binds text, numbers and null.
  const values = parameters as SQLQueryBindings[]
  if (statement.columnNames.length > 0) return { rows: statement.all(...values) }
  const { changes, lastInsertRowid } = statement.run(...values)
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
}

/** Runs compiled queries and reports each to `log`. @param writer fails once its transaction has ended */
export const runOn =
  (cache: StatementCache, log: QueryMetrics['log'], writer?: Pick<Database, 'inTransaction'>): Run =>
  <Row>(query: CompiledQuery): QueryResult<Row> => {
    if (writer?.inTransaction === false) throw new Error('The transaction has ended')
    const startedMs = performance.now()
    try {
      // The rows have the type of the query.
      return runStatement(cache, query.sql, query.parameters) as QueryResult<Row>
    } finally {
      log({ level: 'query', query, queryDurationMillis: performance.now() - startedMs })
    }
  }

const beginElsewhere = async (): Promise<never> => {
  throw new Error('write through Db.write, which begins and commits')
}

/** Queries run synchronously, so the connection is always free. */
const buildDriver = (run: Run): Driver => {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>(query: CompiledQuery) => run<Row>(query),
    streamQuery: () => {
      throw new Error('stream through Db.stream, which has a separate snapshot')
    },
  }
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

/** Kysely's own adapter runs one query at a time, which synchronous queries do not need. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

type Parts = {
  readonly run: Run
  readonly adapter: Adapter
  readonly driver: Driver
  /** One for all: creating one costs more than most queries, and every transaction has its own executor. */
  readonly compiler: SqliteQueryCompiler
}

/**
 * Kysely's executor acquires a connection for each query, in a dozen promises that take longer than most queries. This
 * one runs the query directly. Plugins see each query but not its result; none of ours changes results.
 */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #parts: Parts

  constructor(parts: Parts, plugins: KyselyPlugin[] = []) {
    const { adapter, driver, compiler } = parts
    super(compiler, adapter, new DefaultConnectionProvider(driver), plugins)
    this.#parts = parts
  }

  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#parts.run<Row>(query)
  }

  override withPlugin(plugin: KyselyPlugin): DirectExecutor {
    return new DirectExecutor(this.#parts, [...this.plugins, plugin])
  }

  override withoutPlugins(): DirectExecutor {
    return new DirectExecutor(this.#parts)
  }
}

/** Returns a Kysely that runs its queries by `run`, on one SQLite connection. The caller closes the connection. */
export const createSqliteKysely = <Tables>(run: Run): Kysely<Tables> => {
  const adapter = new Adapter()
  const driver = buildDriver(run)
  const compiler = new SqliteQueryCompiler()
  const dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => compiler,
  }
  return new Kysely<Tables>({
    config: { dialect },
    dialect,
    driver,
    executor: new DirectExecutor({ run, adapter, driver, compiler }),
  })
}
