/**
 * A transaction on PostgreSQL. Queries are sent as they come, several behind each other where their callers don't wait; what says
 * nothing but that it went well is not waited for at all.
 */
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
import { noStream, resultOf, send } from './dialect.ts'
import { rethrowTranslated } from './errors.ts'

const UNDOES = /^\s*rollback/i
/** So many statements may be under way before their sender waits. */
const MOST_UNDER_WAY = 32

/** Of a named lock: what is sent behind it is done when it is held. */
const TAKES = /^select pg_advisory_xact_lock\b/i

/** Whether the answer says only that it went well: that of an insert which returns nothing, and of named locks. */
const saysNothing = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'InsertQueryNode' ? !query.returning : TAKES.test(sql)

export class PostgresTransaction implements DatabaseConnection {
  readonly #client: ReservedSQL
  readonly #log: (event: LogEvent) => void
  readonly #underWay = new Set<Promise<unknown>>()
  #sent = 0
  /** What failed first, and was not undone: PostgreSQL would end the transaction by undoing all. */
  #failure: { readonly error: unknown; readonly place: number } | undefined

  /** Begins; that is not waited for. */
  constructor(client: ReservedSQL, log: (event: LogEvent) => void) {
    this.#client = client
    this.#log = log
    this.#later(send(client, 'begin'))
  }

  /** Sends a statement of which only a failure is of interest: it is told by what is waited for next. */
  async give(text: string, values: readonly unknown[] = []): Promise<void> {
    this.#later(send(this.#client, text, values))
    if (this.#underWay.size > MOST_UNDER_WAY) await this.#settled()
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

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const answer = this.#timed(compiled, send(this.#client, compiled.sql, compiled.parameters))
    this.#later(answer)
    if (saysNothing(compiled)) {
      if (this.#underWay.size > MOST_UNDER_WAY) await this.#settled()
      return { rows: [] }
    }
    try {
      const result = resultOf<R>(await answer)
      if (UNDOES.test(compiled.sql)) await this.#undone()
      return result
    } catch (error) {
      await this.#settled()
      // Behind a failure the server refuses everything, which says nothing of what it was.
      return rethrowTranslated(this.#failure?.error ?? error)
    }
  }

  streamQuery = noStream

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
        // Not all that fail at once are heard of in the order in which they were sent.
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

/**
 * Kysely on a transaction. Its own would wait for each answer before it sends the next query.
 * @param dialect of the database that it is a transaction of
 */
export const kyselyIn = <Tables>(
  transaction: PostgresTransaction,
  dialect: Dialect,
  plugins: readonly KyselyPlugin[] = [],
): Kysely<Tables> => {
  const provider = { provideConnection: <T>(use: (on: DatabaseConnection) => Promise<T>) => use(transaction) }
  const executor = new DefaultQueryExecutor(compiler, adapter, provider, [...plugins])
  return new Kysely<Tables>({ config: { dialect }, driver: dialect.createDriver(), dialect, executor })
}
