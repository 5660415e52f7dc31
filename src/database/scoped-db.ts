/** Shows a part of a database: statements read views of its tables. Knows no table. */
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { CacheGroup, RevisionCache } from './cache/revision-cache.ts'
import type { TableViews } from './cte-views.ts'
import type { Db } from './database.ts'
import { createKysely, InterceptingExecutor, type RunQuery } from './query/intercepting-executor.ts'

const isRead = (): never => {
  throw new Error('a narrowed database is read only')
}

const rewriteBy =
  (views: TableViews) =>
  <Row>(query: CompiledQuery<Row>): CompiledQuery<Row> =>
    views.rewrite(query, { seq: 0, form: '', compile: ({ sql: text }) => text })

/** Returns what the views show of the tables that a transaction or a connection sees. */
export const createViewedDb = <Tables>(db: Kysely<Tables>, views: TableViews): Kysely<Tables> => {
  const rewrite = rewriteBy(views)
  const run: RunQuery = (inner, query) => inner.executeQuery(rewrite(query))
  return createKysely(new InterceptingExecutor(db.getExecutor(), run))
}

type NarrowedPart = {
  readonly name: string
  readonly areas: ReadonlySet<number> | undefined
  readonly unread: ReadonlySet<string>
}

/**
 * Returns the part of a database that the views show.
 * @param name the key of the scope filter in caches and ETags
 * @param areas the areas of its rows, if they are the same for all tables
 * @param unread tables that show no row: their writes change no revision
 */
export const createScopedDb = <Tables>(
  whole: Db<Tables>,
  views: TableViews,
  { name: part, areas, unread }: NarrowedPart,
): Pick<Db<Tables>, 'read'> & { readonly store: Db<Tables> } => {
  const rewrite = rewriteBy(views)
  const narrowed = <Row>(query: Compilable<Row>): Compilable<Row> => ({ compile: () => rewrite(query.compile()) })
  const read = createViewedDb(whole.read, views)
  const cache = {
    at: <T>(name: string, revision: string | number): CacheGroup<T> => whole.cache.at<T>(`${name} ${part}`, revision),
  }
  const store: Db<Tables> = {
    ...whole,
    areas,
    read,
    quick: read,
    quickMany: read,
    // The class has private parts, which no caller uses.
    cache: cache as RevisionCache,
    sql: { ...whole.sql, ...whole.sql.inPart },
    write: isRead,
    vacuum: isRead,
    // Does not pass search texts: cached results would count rows outside the scope.
    remember: (table, key, find) => whole.remember(table, `${part} ${key}`, find),
    revision: async (names) => `${await whole.revision(names.filter((name) => !unread.has(name)))} ${part}`,
    readPoint: isRead,
    at: isRead,
    stream: (...queries) => whole.stream(...queries.map(narrowed)),
    scan: (...queries) => whole.scan(...queries.map(narrowed)),
  }
  return { read, store }
}
