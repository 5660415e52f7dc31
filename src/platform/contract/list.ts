/** Lists of rows as they are sent: counted, paged, streamed, with an ETag that is known before any row is read. */
import { type Compilable, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Sql } from '../db/database.ts'
import type { KernelCtx } from '../operation/context.ts'
import { JsonList } from '../operation/handler-result.ts'

/** The page of a list that a request asks for; without a limit, all rows. */
export type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

type Sent<Row, T> = {
  /** `ctx.store.revision` of every table that the rows are made of, read before anything else is. */
  readonly revision: string
  readonly page: Page
  /** One row as the object of the contract, or as its JSON text. */
  readonly row: (row: Row) => NoInfer<T> | string | Promise<NoInfer<T>>
}

type List<Tables, TB extends keyof Tables, Row, T> = Sent<Row, T> & {
  readonly query: SelectQueryBuilder<Tables, TB, Row>
  /** Rows of all pages, where there is a shorter way to count them than the query itself. */
  readonly total?: () => Promise<number>
  /** The rows of one page, where there is a shorter way to them. */
  readonly pageOf?: (limit: number, offset: number) => Compilable<Row>
}

/** A query for its first rows, or for all of them. */
export type ChainQuery<Row> = (rows?: number) => Compilable<Row> | Promise<Compilable<Row>>

/** Up to so many rows are read at once, without a stream. */
export const SHORT = 1000

type Chain<Row, T> = Sent<Row, T> & {
  /** No row is in two of them. */
  readonly queries: readonly ChainQuery<Row>[]
  readonly total: () => Promise<number>
}

async function* sent<Row, T>(chunks: AsyncIterable<Row[]>, row: Sent<Row, T>['row']): AsyncGenerator<string[]> {
  for await (const rows of chunks) {
    const all = rows.map(row)
    const isPending = all[0] instanceof Promise
    yield (isPending ? await Promise.all(all) : all).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  }
}

/** The rows of a page out of all of them. */
async function* cut<Row>(chunks: AsyncIterable<Row[]>, { limit, offset = 0 }: Page): AsyncGenerator<Row[]> {
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
  readonly store: { readonly sql: Pick<Sql, 'isInProcess'> }
}

type First = {
  readonly count: number
  /** There are no more: nothing is asked in vain. */
  readonly areAll?: boolean
}

/**
 * The first rows of queries, none of which is asked in vain: some find nothing only after a long look. Where all rows are wanted, and
 * the way to the database is long, those between the first one, of what is looked for most often, and the last one, of what is
 * looked for longest, are asked at once.
 */
export async function* firstRows<Row>(
  { db, store }: Asking,
  queries: readonly ChainQuery<Row>[],
  { count, areAll = false }: First,
): AsyncGenerator<Row[]> {
  const ask = async (query: ChainQuery<Row>, rows: number): Promise<Row[]> =>
    (await db.executeQuery<Row>(await query(rows))).rows
  let left = count
  const isAtOnce = areAll && !store.sql.isInProcess
  const others = queries.slice(1)
  const inSteps = [queries.slice(0, 1), others.slice(0, -1), others.slice(-1)]
  const steps = isAtOnce ? inSteps : queries.map((query) => [query])
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

/** A list made of several queries, one after another: all of it in one snapshot, the first rows of it at once. */
export const listChain = <Tables, Row, T>(
  ctx: KernelCtx<Tables>,
  { revision, queries, total, page, row }: Chain<Row, T>,
): JsonList<T> => {
  async function* rows(): AsyncGenerator<Row[]> {
    // Known by now, for the header: with all rows found, the queries that are left are not asked.
    const all = await counted()
    const wanted = Math.min((page.offset ?? 0) + (page.limit ?? Number.POSITIVE_INFINITY), all)
    if (wanted <= SHORT) yield* firstRows(ctx, queries, { count: wanted, areAll: wanted === all })
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
  return new JsonList<T>({ revision, total: counted, rows: () => sent(cut(rows(), page), row) })
}

/** How many rows a query has, whatever it selects. */
export const countRows = async <Tables, TB extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, TB, Row>,
): Promise<number> => {
  const counted = query.clearSelect().clearOrderBy().select(sql<number>`count(*)`.as('n'))
  // With the tables unknown here, so is the type of the one column that was just selected.
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
    pageOf = (limit, offset) => query.limit(limit).offset(offset),
  }: List<Tables, TB, Row, T>,
): JsonList<T> => {
  const { limit = Number.MAX_SAFE_INTEGER, offset = 0 } = page
  const isWhole = page.limit === undefined && page.offset === undefined
  const paged: Compilable<Row> = isWhole ? query : pageOf(limit, offset)
  async function* short(): AsyncGenerator<Row[]> {
    yield (await ctx.db.executeQuery<Row>(paged)).rows
  }
  return new JsonList<T>({ revision, total, rows: () => sent(limit <= SHORT ? short() : ctx.store.stream(paged), row) })
}
