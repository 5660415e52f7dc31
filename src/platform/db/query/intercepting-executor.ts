/** Kysely on an executor that somebody looks over the shoulder of. Knows nothing of what is looked for. */
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

/** Runs a query on the executor that was asked. */
export type RunQuery = <R>(inner: QueryExecutor, query: CompiledQuery<R>) => Promise<QueryResult<R>>

/** An executor that has its queries run by `run`, and leaves all else to the one it stands for. */
export class WatchedExecutor implements QueryExecutor {
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
    return new WatchedExecutor(this.#inner.withConnectionProvider(provider), this.#run)
  }
  withPlugin(plugin: KyselyPlugin): QueryExecutor {
    return new WatchedExecutor(this.#inner.withPlugin(plugin), this.#run)
  }
  withPlugins(plugins: readonly KyselyPlugin[]): QueryExecutor {
    return new WatchedExecutor(this.#inner.withPlugins(plugins), this.#run)
  }
  withPluginAtFront(plugin: KyselyPlugin): QueryExecutor {
    return new WatchedExecutor(this.#inner.withPluginAtFront(plugin), this.#run)
  }
  withoutPlugins(): QueryExecutor {
    return new WatchedExecutor(this.#inner.withoutPlugins(), this.#run)
  }
}

const none = (): never => {
  throw new Error('a transaction opens no connection of its own')
}
const NO_DIALECT: Dialect = {
  createAdapter: none,
  createDriver: none,
  createIntrospector: none,
  createQueryCompiler: none,
}

/** Builds queries that the executor runs, which has a transaction already. */
export const kyselyOn = <Tables>(executor: QueryExecutor): Kysely<Tables> =>
  new Kysely<Tables>({ config: { dialect: NO_DIALECT }, dialect: NO_DIALECT, driver: new DummyDriver(), executor })
