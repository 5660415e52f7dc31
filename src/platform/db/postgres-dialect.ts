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
import { rethrowTranslated } from './postgres-errors.ts'

/** As the server takes it: in one message with its values, prepared once for each connection. */
const PREPARED = { prepare: true, simple: false } as const
const UNPREPARED = { prepare: false, simple: false } as const
const UNDOES = /^\s*rollback/i
/** Of these the server says nothing but that it is done: what is sent behind them comes after it. */
const TAKES = /^\s*(savepoint|select pg_advisory_xact_lock)\b/i
const COUNTED = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
/** So many statements may be under way before their sender waits. */
const MOST_UNDER_WAY = 32

// Bun's types leave the options out, and what a result is besides its rows.
type Runs = {
  readonly unsafe: (text: string, values: unknown[], options: typeof PREPARED | typeof UNPREPARED) => Query
}
type Query = Promise<Result> & { readonly execute: () => Query }
type Result = unknown[] & { readonly command: string; readonly count: number }

type Client = SQL | ReservedSQL

/** It is on its way at once, and not when somebody waits for it: the order of calls is that of the statements. */
const send = (client: Client, text: string, values: readonly unknown[] = []): Promise<Result> =>
  (client as unknown as Runs).unsafe(text, [...values], PREPARED).execute()

/** As `send`, for a statement whose answer looks different each time; whoever waits for what was sent behind it need not wait for it. */
export const later = (client: Client, text: string, values: readonly unknown[] = []): Promise<unknown[]> => {
  const answer = (client as unknown as Runs).unsafe(text, [...values], UNPREPARED).execute()
  // Told to whoever waits for it, if anybody does.
  answer.catch(() => {})
  return answer
}

const resultOf = <R>(result: Result): QueryResult<R> => ({
  ...(COUNTED.has(result.command) ? { numAffectedRows: BigInt(result.count) } : {}),
  // What the query selects.
  rows: Array.from(result) as R[],
})

/** Whether the answer says only that it went well: that of an insert which returns nothing, of a savepoint, and of a named lock. */
const saysNothing = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'InsertQueryNode' ? !query.returning : TAKES.test(sql)

const noStream = (): never => {
  throw new Error('rows are streamed by a cursor of our own')
}

const run = async <R>(client: Client, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
  try {
    return resultOf<R>(await send(client, sql, parameters))
  } catch (error) {
    return rethrowTranslated(error)
  }
}

/** One for each transaction, and for each query outside of any. */
class OwnConnection implements DatabaseConnection {
  readonly #client: ReservedSQL
  readonly #underWay = new Set<Promise<unknown>>()
  #isInTransaction = false
  /** What failed first since the transaction began, and was not undone: PostgreSQL would end it by undoing all. */
  #failure: { readonly error: unknown } | undefined

  constructor(client: ReservedSQL) {
    this.#client = client
  }

  /** Not waited for: what comes next is sent behind it. */
  begin(): void {
    this.#isInTransaction = true
    this.#later(send(this.#client, 'begin'))
  }

  async commit(): Promise<void> {
    this.#later(send(this.#client, 'commit'))
    await this.#settled()
    // Of a transaction in which something failed a commit is a rollback; whoever caught the failure did not undo it.
    if (this.#failure) rethrowTranslated(this.#failure.error)
  }

  async rollback(): Promise<void> {
    // Where that fails the server is gone, and the transaction with it; what was thrown before says so.
    this.#later(send(this.#client, 'rollback'))
    await this.#settled()
  }

  executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    return this.#isInTransaction ? this.#inTransaction(compiled) : run(this.#client, compiled)
  }

  streamQuery = noStream

  release(): Promise<void> {
    return this.#client.release()
  }

  async #inTransaction<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const answer = send(this.#client, compiled.sql, compiled.parameters)
    if (saysNothing(compiled)) {
      this.#later(answer)
      if (this.#underWay.size > MOST_UNDER_WAY) await this.#settled()
      return { rows: [] }
    }
    try {
      const result = resultOf<R>(await answer)
      if (UNDOES.test(compiled.sql)) await this.#undone()
      return result
    } catch (error) {
      await this.#settled()
      this.#failure ??= { error }
      // Behind a failure the server refuses everything, which says nothing of what it was.
      return rethrowTranslated(this.#failure.error)
    }
  }

  async #undone(): Promise<void> {
    await this.#settled()
    this.#failure = undefined
  }

  #later(answer: Promise<unknown>): void {
    const settled = answer
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#underWay.delete(settled))
    this.#underWay.add(settled)
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}

const noTransaction = (): never => {
  throw new Error('a transaction needs a connection of its own')
}

/** How the connections of a client are used: one query after the other on each, or many behind each other. */
export type Use = 'one by one' | 'behind each other'

class BunPostgresDriver implements Driver {
  readonly #client: SQL
  readonly #shared: DatabaseConnection | undefined

  constructor(client: SQL, use: Use) {
    this.#client = client
    if (use === 'behind each other')
      this.#shared = { executeQuery: (compiled) => run(client, compiled), streamQuery: noStream }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#shared ?? new OwnConnection(await this.#client.reserve().catch(rethrowTranslated))
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    own(connection).begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).commit()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).rollback()
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof OwnConnection) await connection.release()
  }

  /** Whoever made the client closes it. */
  async destroy(): Promise<void> {}
}

const own = (connection: DatabaseConnection): OwnConnection =>
  connection instanceof OwnConnection ? connection : noTransaction()

/** Only short queries may be behind each other: each waits for those before it. */
export const bunPostgresDialect = (client: SQL, use: Use): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new BunPostgresDriver(client, use),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})
