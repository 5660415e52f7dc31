/** Kysely's way to PostgreSQL through Bun's client; a server that is away is told in our own words, wherever it is noticed. */
import type { SQL } from 'bun'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { PostgresJSDialect, PostgresJSDriver, type PostgresJSSql } from 'kysely-postgres-js'
import { rethrowTranslated } from './postgres-errors.ts'

const UNDOES = /^\s*rollback/i

class TranslatingDriver extends PostgresJSDriver {
  /** What failed on a connection since its transaction began, and was not undone: PostgreSQL would end it by undoing all. */
  readonly #failures = new WeakMap<DatabaseConnection, unknown>()

  override async acquireConnection(...options: Parameters<PostgresJSDriver['acquireConnection']>) {
    const connection = await super.acquireConnection(...options).catch(rethrowTranslated)
    // Bound it is the same function, which its type forgets.
    const run = connection.executeQuery.bind(connection) as DatabaseConnection['executeQuery']
    const executeQuery = async <R>(query: CompiledQuery<R>): Promise<QueryResult<R>> => {
      try {
        const result = await run<R>(query)
        if (UNDOES.test(query.sql)) this.#failures.delete(connection)
        return result
      } catch (error) {
        if (!this.#failures.has(connection)) this.#failures.set(connection, error)
        return rethrowTranslated(error)
      }
    }
    // Upon the connection itself, by which the driver knows what it gives back.
    return Object.assign(connection, { executeQuery })
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    // Whoever caught it did not undo it: a commit would say that all is well.
    if (this.#failures.has(connection)) rethrowTranslated(this.#failures.get(connection))
    await super.commitTransaction(connection)
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Where that fails the server is gone, and the transaction with it; what was thrown before says so.
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => {})
  }
}

export class BunPostgresDialect extends PostgresJSDialect {
  readonly #client: SQL

  constructor(client: SQL) {
    super({ postgres: asSql(client) })
    this.#client = client
  }

  override createDriver(): Driver {
    return new TranslatingDriver({ postgres: asSql(this.#client) })
  }
}

// Bun's client is one of the two that the dialect is made for; only the optionality of its options' types differs.
const asSql = (client: SQL) => client as unknown as PostgresJSSql
