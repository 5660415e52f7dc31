/**
 * Kysely's way to PostgreSQL through Bun's client. A round trip takes longer than most statements: what nobody waits for is sent
 * behind each other, and told of when somebody waits. A server that is away is told in our own words, wherever it is noticed.
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
import { rethrowTranslated } from './errors.ts'
import type { Lent, PostgresPool } from './pool.ts'

/** As the server takes it: in one message with its values, prepared once for each connection. */
const PREPARED = { prepare: true, simple: false } as const
const UNPREPARED = { prepare: false, simple: false } as const
const COUNTED = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
// Bun's types leave the options out, and what a result is besides its rows.
type Runs = {
  readonly unsafe: (text: string, values: unknown[], options: typeof PREPARED | typeof UNPREPARED) => Query
}
type Query = Promise<Result> & { readonly execute: () => Query }
type Result = unknown[] & { readonly command: string; readonly count: number }

type Client = SQL | ReservedSQL

/** As a tagged template has it. */
const templateOf = (text: string): TemplateStringsArray =>
  Object.defineProperty([text], 'raw', { value: [text] }) as unknown as TemplateStringsArray

/** It is on its way at once, and not when somebody waits for it: the order of calls is that of the statements. */
export const send = (client: Client, text: string, values: readonly unknown[] = []): Promise<Result> => {
  // The client sends a text without values by the simple protocol, for which those before it have to be answered, and those
  // behind it wait; a template it does not.
  if (values.length === 0) return (client(templateOf(text)) as unknown as Query).execute()
  return (client as unknown as Runs).unsafe(text, [...values], PREPARED).execute()
}

/** As `send`, for a statement whose answer looks different each time; whoever waits for what was sent behind it need not wait for it. */
export const later = (client: Client, text: string, values: readonly unknown[] = []): Promise<unknown[]> => {
  const answer = (client as unknown as Runs).unsafe(text, [...values], UNPREPARED).execute()
  // Told to whoever waits for it, if anybody does.
  answer.catch(() => {})
  return answer
}

export const resultOf = <R>(result: Result): QueryResult<R> => ({
  ...(COUNTED.has(result.command) ? { numAffectedRows: BigInt(result.count) } : {}),
  // What the query selects.
  rows: Array.from(result) as R[],
})

export const noStream = (): never => {
  throw new Error('rows are streamed by a cursor of our own')
}
const noTransaction = (): never => {
  throw new Error('transactions are those of postgres/transaction.ts')
}

const run = async <R>(client: Client, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
  try {
    return resultOf<R>(await send(client, sql, parameters))
  } catch (error) {
    return rethrowTranslated(error)
  }
}

/** One that nobody else uses, for a query. */
class OwnConnection implements DatabaseConnection {
  readonly #lent: Lent

  constructor(lent: Lent) {
    this.#lent = lent
  }

  executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    return run(this.#lent.connection, compiled)
  }

  streamQuery = noStream

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

  beginTransaction = noTransaction
  commitTransaction = noTransaction
  rollbackTransaction = noTransaction

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof OwnConnection) connection.release()
  }

  /** Whoever made the client closes it. */
  async destroy(): Promise<void> {}
}

const dialectWith = (acquire: () => Promise<DatabaseConnection>): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new BunPostgresDriver(acquire),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

/** One query after the other on each connection. */
export const oneByOne = (pool: PostgresPool): Dialect =>
  dialectWith(async () => new OwnConnection(await pool.reserve()))

/** Many queries behind each other on each connection. Only short ones: each waits for those before it. */
export const behindEachOther = (client: SQL): Dialect => {
  const shared = { executeQuery: <R>(compiled: CompiledQuery) => run<R>(client, compiled), streamQuery: noStream }
  return dialectWith(async () => shared)
}
