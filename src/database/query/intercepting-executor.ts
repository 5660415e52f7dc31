/** A Kysely executor that lets a function intercept each query. */
import {
  type CompiledQuery,
  type ConnectionProvider,
  type Dialect,
  DummyDriver,
  Kysely,
  type KyselyPlugin,
  type QueryExecutor,
  type QueryResult,
} from 'kysely'

/** Runs a query on the wrapped executor. */
export type RunQuery = <R>(inner: QueryExecutor, query: CompiledQuery<R>) => Promise<QueryResult<R>>

/** Runs queries by `run`, and delegates everything else to the wrapped executor. */
export class InterceptingExecutor implements QueryExecutor {
  readonly #inner: QueryExecutor
  readonly #run: RunQuery

  constructor(inner: QueryExecutor, run: RunQuery) {
    this.#inner = inner
    this.#run = run
  }

  get adapter() {
    return this.#inner.adapter
  }
  get plugins() {
    return this.#inner.plugins
  }
  transformQuery: QueryExecutor['transformQuery'] = (node, queryId) => this.#inner.transformQuery(node, queryId)
  compileQuery: QueryExecutor['compileQuery'] = (node, queryId) => this.#inner.compileQuery(node, queryId)
  provideConnection: QueryExecutor['provideConnection'] = (consumer, options) =>
    this.#inner.provideConnection(consumer, options)
  executeQuery: QueryExecutor['executeQuery'] = (query) => this.#run(this.#inner, query)
  stream: QueryExecutor['stream'] = (query, chunkSize, options) => this.#inner.stream(query, chunkSize, options)
  withConnectionProvider(provider: ConnectionProvider): QueryExecutor {
    return new InterceptingExecutor(this.#inner.withConnectionProvider(provider), this.#run)
  }
  withPlugin(plugin: KyselyPlugin): QueryExecutor {
    return new InterceptingExecutor(this.#inner.withPlugin(plugin), this.#run)
  }
  withPlugins(plugins: readonly KyselyPlugin[]): QueryExecutor {
    return new InterceptingExecutor(this.#inner.withPlugins(plugins), this.#run)
  }
  withPluginAtFront(plugin: KyselyPlugin): QueryExecutor {
    return new InterceptingExecutor(this.#inner.withPluginAtFront(plugin), this.#run)
  }
  withoutPlugins(): QueryExecutor {
    return new InterceptingExecutor(this.#inner.withoutPlugins(), this.#run)
  }
}

const none = (): never => {
  throw new Error('a transaction does not open connections')
}
const NO_DIALECT: Dialect = {
  createAdapter: none,
  createDriver: none,
  createIntrospector: none,
  createQueryCompiler: none,
}

/** Builds queries for an executor that is in a transaction already. */
export const createKysely = <Tables>(executor: QueryExecutor): Kysely<Tables> =>
  new Kysely<Tables>({ config: { dialect: NO_DIALECT }, dialect: NO_DIALECT, driver: new DummyDriver(), executor })
