/**
 * Shows a database as it was at an earlier moment, or as it would be, by views of its tables. Knows no table.
 */
import {
  type Compilable,
  type CompiledQuery,
  type Kysely,
  type QueryResult,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { Word } from '../net/words/word.ts'
import { RevisionCache } from './cache/revision-cache.ts'
import type { TableViews } from './cte-views.ts'
import { type Db, escapeLike, type Sql } from './database.ts'
import { createKysely, InterceptingExecutor, type RunQuery } from './query/intercepting-executor.ts'
import { removeOrder } from './query/order-column.ts'

const buildHolds = (texts: readonly RawBuilder<unknown>[], words: readonly Word[]): RawBuilder<SqlBool> => {
  const holds = words.map((word) => {
    const all = word.flatMap((one) => texts.map((text) => sql`${text} LIKE ${`%${escapeLike(one)}%`} ESCAPE '\\'`))
    return sql<SqlBool>`(${sql.join(all, sql` OR `)})`
  })
  return sql`(${sql.join(holds, sql` AND `)})`
}

const holdsWords: Sql['matchesWords'] = (table, words) => buildHolds([sql.ref(`${table}.search_text`)], words)

const holdsInColumns: Sql['matchesColumns'] = ({ table, columns, custom }, words) => {
  const searched = custom === 'searched' ? [...columns, 'custom'] : columns
  return buildHolds(
    searched.map((column) => sql`lower(${sql.ref(`${table}.${column}`)})`),
    words,
  )
}

/** Returns the capabilities of a past. The indexes of searches only have the present texts. */
const getPastCapabilities = (present: Sql): Sql => ({
  ...present,
  areFew: async () => true,
  matchesWords: holdsWords,
  matchesColumns: holdsInColumns,
  matchesWordsInOrder: async (_db, table, { words }) => ({
    condition: async () => holdsWords(table, words),
    count: undefined,
  }),
  countWords: async (db, table, words) => {
    const { rows } = await sql<{ n: number | string }>`
      SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${holdsWords(table, words)}`.execute(db)
    return Number(rows[0]?.n)
  },
})

/** A count of all rows, with the columns that were added to it. */
const COUNT = /^select count\(\*\) as "n"(.*?) from /

/** A count of the rows of a table. */
const TABLE_COUNT = /^select count\(\*\) as "n" from "(\w+)"$/

export type PastMoment = {
  /** The number of its last change. */
  readonly seq: number
  /** Returns false while its answers may still change. */
  readonly isSettled: () => Promise<boolean>
  /** Tells views that leave something out from the whole. */
  readonly part?: string
}

/** The number of overlays of which answers are kept at a time. */
const KEPT_OVERLAYS = 16

/** A state that differs from the present in some objects, and changes with it. */
export type Overlay = {
  /** The number that the views compare with. */
  readonly seq: number
  /** Changes with the objects that differ. */
  readonly version: string
  /** Returns how many rows a table has more than now; undefined if they must be counted. */
  readonly countAdded: (table: string) => Promise<number | undefined>
  readonly part?: string
}

type Shown<Tables> = {
  /** Identifies an answer of these tables. */
  readonly revision: Db<Tables>['revision']
  /** Returns the state for which answers are kept; undefined if they are not. */
  readonly findKept: () => Promise<string | undefined>
}

const showMoment = <Tables>(present: Db<Tables>, { seq, isSettled }: PastMoment): Shown<Tables> => {
  let asked: Promise<boolean> | undefined
  const settled = (): Promise<boolean> => {
    asked ??= isSettled()
    return asked
  }
  return {
    revision: async (names) =>
      (await settled())
        ? `past ${seq} ${await present.timeline()}`.trimEnd()
        : `past ${seq} ${await present.revision(names)}`,
    findKept: async () => ((await settled()) ? `${await present.timeline()}${seq}` : undefined),
  }
}

const showOverlay = <Tables>(present: Db<Tables>, tables: TableViews, { seq, version }: Overlay): Shown<Tables> => {
  const revision: Db<Tables>['revision'] = async (names) => `over ${seq} ${version} ${await present.revision(names)}`
  // The stored tables of the views are tables of this database.
  return { revision, findKept: async () => revision(tables.stored as readonly (keyof Tables & string)[]) }
}

const isOver = (): never => {
  throw new Error('the past does not change')
}

/** Returns the database as it was at a moment, or as it would be. */
export const createAsOfDb = <Tables>(
  present: Db<Tables>,
  tables: TableViews,
  shown: PastMoment | Overlay,
): Pick<Db<Tables>, 'read'> & { readonly store: Db<Tables> } => {
  const { seq, part } = shown
  const overlay = 'version' in shown ? shown : undefined
  const { revision, findKept } = 'version' in shown ? showOverlay(present, tables, shown) : showMoment(present, shown)
  const executor = present.read.getExecutor()
  const { inIndexOrder } = present.sql.past
  const compiled = ({ query, queryId, sql: text }: CompiledQuery, inSteps?: TableViews['inSteps']): string =>
    inIndexOrder && query.kind === 'SelectQueryNode'
      ? executor.compileQuery(inIndexOrder(query, inSteps), queryId).sql
      : text
  const whole = { seq, form: 'whole', compile: (query: CompiledQuery) => compiled(query) }
  const inSteps = { seq, form: 'steps', compile: (query: CompiledQuery) => compiled(query, tables.inSteps) }
  const counting = {
    seq,
    form: 'count',
    compile: (query: CompiledQuery) => inSteps.compile(query).replace(COUNT, 'select 1 as "one"$1 from '),
  }

  async function* streamed<Row>(chunks: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
    for await (const rows of chunks) yield removeOrder(rows)
  }
  const past = <Row>(query: Compilable<Row>): Compilable<Row> => ({
    compile: () => tables.rewrite(query.compile(), inSteps),
  })

  /** Counts in steps, so that the event loop runs in between: without an index the past is counted row by row. */
  const counted = async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    let n = 0
    for await (const rows of streamed(present.stream({ compile: () => tables.rewrite(query, counting) })))
      n += rows.length
    // The row of such a query.
    return { rows: [{ n } as Row] }
  }
  /** Counts all rows of a table by the present ones, which are counted fast. */
  const countTable = async (query: CompiledQuery): Promise<number | undefined> => {
    const [, table] = TABLE_COUNT.exec(query.sql) ?? []
    const added = table === undefined || part !== undefined ? undefined : await overlay?.countAdded(table)
    if (added === undefined) return undefined
    // The row of such a query.
    const { rows } = (await executor.executeQuery(query)) as QueryResult<{ readonly n: number | string }>
    return Number(rows[0]?.n) + added
  }
  const run: RunQuery = async (inner, query) => {
    const n = await countTable(query)
    // The row of such a query.
    if (n !== undefined) return { rows: [{ n } as never] }
    if (present.sql.isInProcess && COUNT.test(query.sql)) return counted(query)
    const result = await inner.executeQuery(tables.rewrite(query, whole))
    return { ...result, rows: removeOrder(result.rows) }
  }

  const read: Kysely<Tables> = createKysely(new InterceptingExecutor(executor, run))
  const store: Db<Tables> = {
    ...present,
    read,
    quick: read,
    quickMany: read,
    cache: new RevisionCache(),
    sql: getPastCapabilities(present.sql),
    write: isOver,
    vacuum: isOver,
    remember: async (table, key, find) => {
      const state = await findKept()
      if (state === undefined) return find()
      const kept = present.cache.at<string>(overlay ? `over ${seq % KEPT_OVERLAYS}` : 'past', state)
      const name = part === undefined ? `${table} ${key}` : `${part} ${table} ${key}`
      const known = kept.get(name)
      if (known !== undefined) return known
      const found = await find()
      if (found !== undefined) kept.set(name, found, found.length)
      return found
    },
    revision: async (names) => (await revision(names)) + (part === undefined ? '' : ` ${part}`),
    readPoint: isOver,
    at: isOver,
    stream: (...queries) => streamed(present.stream(...queries.map(past))),
    scan: (...queries) => streamed(present.scan(...queries.map(past))),
  }
  return { read, store }
}
