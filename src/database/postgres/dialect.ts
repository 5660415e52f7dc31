/**
 * The Kysely dialect for PostgreSQL on Bun's client. A round trip takes longer than most statements, so statements that
 * are not awaited are pipelined, and report failures to a later await. An unreachable server is one error, wherever it
 * is noticed.
 */
import type { ReservedSQL, SQL } from 'bun'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Lent, PostgresPool } from './connections/pool.ts'
import { rethrowTranslated } from './errors.ts'

/** One message with its values, prepared once per connection. */
const PREPARED = { prepare: true, simple: false } as const
const UNPREPARED = { prepare: false, simple: false } as const
const COUNTED = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
// Bun's types lack the options, and the properties of a result other than its rows.
type Runs = {
  readonly unsafe: (text: string, values: unknown[], options: typeof PREPARED | typeof UNPREPARED) => Query
}
type Query = Promise<Result> & { readonly execute: () => Query }
type Result = unknown[] & { readonly command: string; readonly count: number }

type Client = SQL | ReservedSQL

/** In the form of a tagged template. */
const toTemplate = (text: string): TemplateStringsArray =>
  Object.defineProperty([text], 'raw', { value: [text] }) as unknown as TemplateStringsArray

/** Sends a statement at once, not when it is awaited: the order of calls is the order of statements. */
export const send = (client: Client, text: string, values: readonly unknown[] = []): Promise<Result> => {
  // The client sends a text without values by the simple protocol, which cannot be pipelined. It pipelines a template.
  if (values.length === 0) return (client(toTemplate(text)) as unknown as Query).execute()
  return (client as unknown as Runs).unsafe(text, [...values], PREPARED).execute()
}

/** Like `send`, for answers of varying form. Later statements do not wait for its answer. */
export const sendLater = (client: Client, text: string, values: readonly unknown[] = []): Promise<unknown[]> => {
  const answer = (client as unknown as Runs).unsafe(text, [...values], UNPREPARED).execute()
  // The rejection is reported where the result is awaited, if it is.
  answer.catch(() => {})
  return answer
}

export const toQueryResult = <R>(result: Result): QueryResult<R> => ({
  ...(COUNTED.has(result.command) ? { numAffectedRows: BigInt(result.count) } : {}),
  // The rows have the type of the query.
  rows: Array.from(result) as R[],
})

export const refuseStream = (): never => {
  throw new Error('rows are streamed by a separate cursor')
}
const refuseTransaction = (): never => {
  throw new Error('transactions are those of postgres/transaction.ts')
}

const run = async <R>(client: Client, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
  try {
    return toQueryResult<R>(await send(client, sql, parameters))
  } catch (error) {
    return rethrowTranslated(error)
  }
}

/** A connection reserved for one query. */
class OwnConnection implements DatabaseConnection {
  readonly #lent: Lent

  constructor(lent: Lent) {
    this.#lent = lent
  }

  executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    return run(this.#lent.connection, compiled)
  }

  streamQuery = refuseStream

  release(): void {
    this.#lent.release()
  }
}

class BunPostgresDriver implements Driver {
  readonly #acquire: () => Promise<DatabaseConnection>

  constructor(acquire: () => Promise<DatabaseConnection>) {
    this.#acquire = acquire
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return this.#acquire()
  }

  beginTransaction = refuseTransaction
  commitTransaction = refuseTransaction
  rollbackTransaction = refuseTransaction

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof OwnConnection) connection.release()
  }

  /** The creator of the client closes it. */
  async destroy(): Promise<void> {}
}

const createDialect = (acquire: () => Promise<DatabaseConnection>): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new BunPostgresDriver(acquire),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

/** Runs one query after the other on each connection. */
export const createSequentialDialect = (pool: PostgresPool): Dialect =>
  createDialect(async () => new OwnConnection(await pool.reserve()))

/**
 * Pipelines many queries on each connection. For short queries only: each waits for the earlier ones.
 * @param whenReady runs the work when the connections may be used
 */
export const createPipelinedDialect = (
  client: () => SQL,
  whenReady: <T>(work: () => Promise<T>) => Promise<T>,
): Dialect => {
  const shared = { executeQuery: <R>(compiled: CompiledQuery) => run<R>(client(), compiled), streamQuery: refuseStream }
  return createDialect(() => whenReady(async () => shared))
}
