/** A transaction on PostgreSQL. Statements are pipelined unless their callers await them. */
import type { ReservedSQL } from 'bun'
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  Kysely,
  type KyselyPlugin,
  type LogEvent,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { refuseStream, send, toQueryResult } from './dialect.ts'
import { rethrowTranslated } from './errors.ts'

const UNDOES = /^\s*rollback/i
/** Maximum number of unanswered statements before the sender waits. */
const MOST_UNDER_WAY = 32

/** Takes a named lock: later statements run when it is held. */
const TAKES = /^select pg_advisory_xact_lock(_shared)?\b/i

/** Returns true if the answer can only be success: for an insert that returns nothing, and for named locks. */
const saysNothing = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'InsertQueryNode' ? !query.returning : TAKES.test(sql)

export class PostgresTransaction implements DatabaseConnection {
  readonly #client: ReservedSQL
  readonly #log: (event: LogEvent) => void
  readonly #underWay = new Set<Promise<unknown>>()
  #sent = 0
  /** The first failure that was not rolled back to a savepoint. PostgreSQL then turns a commit into a rollback. */
  #failure: { readonly error: unknown; readonly place: number } | undefined

  /** Sends BEGIN without waiting for it. */
  constructor(client: ReservedSQL, log: (event: LogEvent) => void) {
    this.#client = client
    this.#log = log
    this.#later(send(client, 'begin'))
  }

  /** Sends a statement of which only a failure matters. The next awaited statement reports it. */
  async give(text: string, values: readonly unknown[] = []): Promise<void> {
    this.#later(send(this.#client, text, values))
    if (this.#underWay.size > MOST_UNDER_WAY) await this.#settled()
  }

  async commit(): Promise<void> {
    this.#later(send(this.#client, 'commit'))
    await this.#settled()
    // After a failure a commit would be a rollback. A caller that caught the error did not roll it back.
    if (this.#failure) rethrowTranslated(this.#failure.error)
  }

  async rollback(): Promise<void> {
    // If that fails, the connection is lost and the transaction has ended; the earlier error reports that.
    this.#later(send(this.#client, 'rollback'))
    await this.#settled()
  }

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const answer = this.#timed(compiled, send(this.#client, compiled.sql, compiled.parameters))
    this.#later(answer)
    if (saysNothing(compiled)) {
      if (this.#underWay.size > MOST_UNDER_WAY) await this.#settled()
      return { rows: [] }
    }
    try {
      const result = toQueryResult<R>(await answer)
      if (UNDOES.test(compiled.sql)) await this.#undone()
      return result
    } catch (error) {
      await this.#settled()
      // After a failure the server rejects every statement, with an error that does not name the cause.
      return rethrowTranslated(this.#failure?.error ?? error)
    }
  }

  streamQuery = refuseStream

  async #undone(): Promise<void> {
    await this.#settled()
    this.#failure = undefined
  }

  async #timed<T>(query: CompiledQuery, answer: Promise<T>): Promise<T> {
    const began = performance.now()
    const event = () => ({ query, queryDurationMillis: performance.now() - began })
    try {
      const result = await answer
      this.#log({ level: 'query', ...event() })
      return result
    } catch (error) {
      this.#log({ level: 'error', error, ...event() })
      throw error
    }
  }

  #later(answer: Promise<unknown>): void {
    const place = this.#sent++
    const settled = answer
      .catch((error: unknown) => {
        // Failures may be reported in another order than that of their statements.
        if (!this.#failure || place < this.#failure.place) this.#failure = { error, place }
      })
      .finally(() => this.#underWay.delete(settled))
    this.#underWay.add(settled)
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}

const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

/** Returns a Kysely on a transaction, because Kysely's own waits for each answer before the next query. */
export const createTransactionKysely = <Tables>(
  transaction: PostgresTransaction,
  dialect: Dialect,
  plugins: readonly KyselyPlugin[] = [],
): Kysely<Tables> => {
  const provider = { provideConnection: <T>(use: (on: DatabaseConnection) => Promise<T>) => use(transaction) }
  const executor = new DefaultQueryExecutor(compiler, adapter, provider, [...plugins])
  return new Kysely<Tables>({ config: { dialect }, driver: dialect.createDriver(), dialect, executor })
}
