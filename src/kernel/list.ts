/** Sends lists of rows: counted, paged, streamed, with an ETag that is known before any row is read. */
import { type Compilable, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { computeEtag } from '../contract/etag.ts'
import type { Sql } from '../database/database.ts'
import type { KernelCtx } from './context.ts'
import { JsonList } from './handler-result.ts'

/** The requested page of a list; without a limit, all rows. */
export type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

type Sent<Row, T> = {
  /** `ctx.store.revision` of every table of the rows, read before any other query. */
  readonly revision: string
  readonly page: Page
  /** One row as the object of the contract, or as its JSON text. */
  readonly row: (row: Row) => NoInfer<T> | string | Promise<NoInfer<T>>
}

type List<Tables, TB extends keyof Tables, Row, T> = Sent<Row, T> & {
  readonly query: SelectQueryBuilder<Tables, TB, Row>
  /** Counts the rows of all pages, if that is faster than counting the query. */
  readonly total?: () => Promise<number>
  /** Returns a faster query for the rows of one page, if there is one. */
  readonly buildPage?: (limit: number, offset: number) => Compilable<Row> | Promise<Compilable<Row>>
  /** Returns a faster query for all rows, if there is one. */
  readonly whole?: () => Compilable<Row> | Promise<Compilable<Row>>
}

/** Returns a query for the first `rows` rows, or for all of them. */
export type ChainQuery<Row> = (rows?: number) => Compilable<Row> | Promise<Compilable<Row>>

/** Up to this many rows are read at once, without a stream. */
export const SHORT = 1000

type Chain<Row, T> = Sent<Row, T> & {
  /** No row is in two of them. */
  readonly queries: readonly ChainQuery<Row>[]
  readonly total: () => Promise<number>
}

async function* serializeRows<Row, T>(
  chunks: AsyncIterable<Row[]>,
  row: Sent<Row, T>['row'],
): AsyncGenerator<string[]> {
  for await (const rows of chunks) {
    const all = rows.map(row)
    const isPending = all[0] instanceof Promise
    yield (isPending ? await Promise.all(all) : all).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  }
}

/** Yields the rows of a page out of all rows. */
export async function* takePage<Row>(chunks: AsyncIterable<Row[]>, { limit, offset = 0 }: Page): AsyncGenerator<Row[]> {
  let skipped = 0
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const rows of chunks) {
    const page = rows.slice(Math.max(0, offset - skipped)).slice(0, left)
    skipped += rows.length - page.length
    left -= page.length
    if (page.length > 0) yield page
    if (left <= 0) return
  }
}

type Asking = {
  readonly db: Pick<Kysely<never>, 'executeQuery'>
  readonly store: { readonly sql: Pick<Sql, 'together'> }
}

type First = {
  readonly count: number
  /** True if these are all rows, so that later queries are not sent. */
  readonly areAll?: boolean
}

/**
 * Yields the first rows of several queries, and sends only the queries that are needed: some find nothing only after a
 * long search. If all rows are wanted and the database is remote, the queries between first and last are sent
 * concurrently. The first query covers the most frequent case, and the last one takes longest.
 */
export async function* readFirstRows<Row>(
  { db, store }: Asking,
  queries: readonly ChainQuery<Row>[],
  { count, areAll = false }: First,
): AsyncGenerator<Row[]> {
  const ask = async (query: ChainQuery<Row>, rows: number): Promise<Row[]> =>
    (await db.executeQuery<Row>(await query(rows))).rows
  let left = count
  const others = queries.slice(1)
  const inSteps = [queries.slice(0, 1), others.slice(0, -1), others.slice(-1)]
  const steps = areAll ? store.sql.together(inSteps) : queries.map((query) => [query])
  for (const step of steps) {
    if (left <= 0) return
    const most = left
    const found = await Promise.all(step.map((query) => ask(query, most)))
    for (const rows of found) {
      const wanted = rows.slice(0, left)
      left -= wanted.length
      yield wanted
    }
  }
}

/** Creates a list of several queries in sequence. The complete list is read in one snapshot. */
export const listChain = <Tables, Row, T>(
  ctx: KernelCtx<Tables>,
  { revision, queries, total, page, row }: Chain<Row, T>,
): JsonList<T> => {
  async function* rows(): AsyncGenerator<Row[]> {
    // The header needs the count anyway. Once all rows are found, the remaining queries are not sent.
    const all = await counted()
    const wanted = Math.min((page.offset ?? 0) + (page.limit ?? Number.POSITIVE_INFINITY), all)
    if (wanted <= SHORT) yield* readFirstRows(ctx, queries, { count: wanted, areAll: wanted === all })
    else {
      const limit = page.limit === undefined ? undefined : wanted
      yield* ctx.store.stream(...(await Promise.all(queries.map((query) => query(limit)))))
    }
  }
  let count: Promise<number> | undefined
  const counted = (): Promise<number> => {
    count ??= total()
    return count
  }
  return new JsonList<T>({ revision, total: counted, rows: () => serializeRows(takePage(rows(), page), row) })
}

/** Counts the rows of a query, regardless of its selection. */
export const countRows = async <Tables, TB extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, TB, Row>,
): Promise<number> => {
  const counted = query.clearSelect().clearOrderBy().select(sql<number>`count(*)`.as('n'))
  // The tables are unknown here, and so is the type of the selected column.
  const { n } = (await counted.executeTakeFirstOrThrow()) as { n: number | string }
  return Number(n)
}

export const listRows = <Tables, TB extends keyof Tables, Row, T>(
  ctx: KernelCtx<Tables>,
  {
    revision,
    query,
    page,
    row,
    total = () => countRows(query),
    buildPage = (limit, offset) => query.limit(limit).offset(offset),
    whole = () => query,
  }: List<Tables, TB, Row, T>,
): JsonList<T> => {
  const { limit = Number.MAX_SAFE_INTEGER, offset = 0 } = page
  const isWhole = page.limit === undefined && page.offset === undefined
  async function* paged(): AsyncGenerator<Row[]> {
    const asked = await (isWhole ? whole() : buildPage(limit, offset))
    if (limit <= SHORT) yield (await ctx.db.executeQuery<Row>(asked)).rows
    else yield* ctx.store.stream(asked)
  }
  return new JsonList<T>({ revision, total, rows: () => serializeRows(paged(), row) })
}

/** Counts rows that the database does not count. */
export const countChunks = async (chunks: AsyncIterable<readonly unknown[]>): Promise<number> => {
  let total = 0
  for await (const rows of chunks) total += rows.length
  return total
}

type Chunks = { readonly revision: string; readonly total?: () => Promise<number>; readonly page: Page }

/** Sends the rows of a page out of all rows. */
export const listChunks = <T>(
  { revision, total = () => countChunks(chunks()), page }: Chunks,
  chunks: () => AsyncIterable<T[]>,
): JsonList<T> =>
  new JsonList<T>({ revision, total, rows: () => serializeRows(takePage(chunks(), page), (row) => row) })

/** Sends a list that is in memory. @param revision by default, its ETag is that of its values */
export const listValues = <T>(
  values: readonly T[],
  { limit, offset = 0 }: Page,
  revision = computeEtag(JSON.stringify(values)),
): JsonList<T> =>
  new JsonList({
    revision,
    total: async () => values.length,
    rows: async function* () {
      yield values.slice(offset, limit === undefined ? undefined : offset + limit).map((one) => JSON.stringify(one))
    },
  })
