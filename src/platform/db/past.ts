/**
 * Shows a database as it was at an earlier moment. Puts common table expressions in front of each statement, which have
 * the names of its tables: built queries, prepared queries and raw SQL all read the past. Knows no table.
 */
import { type Compilable, type CompiledQuery, type Kysely, type QueryResult, type SqlBool, sql } from 'kysely'
import { RevisionCache } from './cache/revision-cache.ts'
import { type Db, escapeLike, type PastSql, type Sql } from './database.ts'
import { InterceptingExecutor, kyselyOn, type RunQuery } from './query/intercepting-executor.ts'
import { withoutOrder } from './query/order-column.ts'

/** A common table expression of a past, as SQL text. */
export type PastTable = {
  readonly name: string
  /** `:seq` stands for the number of the moment. The tables of `stored` are named by `PastSql.stored`. */
  readonly sql: string
  /** The stored tables that it reads. */
  readonly stored?: readonly string[]
  /** Read whole, once for each statement. */
  readonly isMaterialized?: true
  /** The name of the same table with rows that are not of the past: see `PastSql.inIndexOrder`. */
  readonly inSteps?: string
}

/** A statement that reads the past. */
type Rewritten = { readonly sql: string; readonly hasParameter: boolean }

type Wanted = {
  readonly seq: number
  /** The name of `compile`. */
  readonly form: string
  /** Returns the text of a query in the form that is best for the engine. */
  readonly compile: (query: CompiledQuery) => string
}

/** Bound of the cache of statements; lists of values make statements of many lengths. */
const MAX_CACHED = 1000

const wordsOf = (text: string): Set<string> => new Set(text.match(/\w+/g))

/** Words that do not follow a dot, so that columns are not taken for tables. */
const namesIn = (text: string): Set<string> => new Set(text.match(/(?<![.\w])\w+/g))

const READ = /\b(?:from|join)\s+"?(\w+)\b"?(?!\s*\()/gi
const DEFINED = /"?(\w+)"?(?:\s*\([^)]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/gi
const OWN_WITH = /^\s*with\s+(recursive\s+)?/i

/** Rewrites statements. Shared by all moments, because the moment is a parameter. */
export class PastTables {
  readonly #engine: PastSql
  readonly #tables: ReadonlyMap<string, PastTable>
  readonly #rewritten = new Map<string, Rewritten>()

  /** @param tables in an order in which each refers to earlier ones alone */
  constructor(engine: PastSql, tables: readonly PastTable[]) {
    this.#engine = engine
    this.#tables = new Map(tables.map((table) => [table.name, table]))
  }

  /** @throws Error if the statement reads a table that has no past */
  rewrite<Row>(query: CompiledQuery<Row>, { seq, form, compile }: Wanted): CompiledQuery<Row> {
    const key = `${form} ${query.sql}`
    let known = this.#rewritten.get(key)
    if (!known) {
      known = this.#build(compile(query), query.parameters.length)
      if (this.#rewritten.size < MAX_CACHED) this.#rewritten.set(key, known)
    }
    const { isParameterFirst } = this.#engine
    const own = known.hasParameter ? [seq] : []
    const parameters = isParameterFirst ? [...own, ...query.parameters] : [...query.parameters, ...own]
    return { ...query, sql: known.sql, parameters }
  }

  /** Returns the name of a table that is read in steps. */
  readonly inSteps = (table: string): string | undefined => this.#tables.get(table)?.inSteps

  #build(statement: string, parameters: number): Rewritten {
    this.#refuseOthers(statement)
    const used = this.#withNeeds(wordsOf(statement))
    if (used.length === 0) return { sql: statement, hasParameter: false }
    const stored = new Set(used.flatMap((table) => table.stored ?? []))
    const definitions = [
      ...[...stored].flatMap((table) => this.#engine.defineStored(table) ?? []),
      ...used.map((table) => `${table.name} AS ${table.isMaterialized ? '' : 'NOT '}MATERIALIZED (${table.sql})`),
    ].join(', ')
    const [own = '', recursive = ''] = OWN_WITH.exec(statement) ?? []
    // Beside a recursive expression, a definition that names a stored table would name the definition of that table.
    const rest =
      recursive !== ''
        ? ` SELECT * FROM (${statement}) AS own`
        : own === ''
          ? ` ${statement}`
          : `, ${statement.slice(own.length)}`
    return {
      sql: `WITH ${definitions.replaceAll(':seq', this.#engine.parameter(parameters))}${rest}`,
      hasParameter: definitions.includes(':seq'),
    }
  }

  /** Returns the tables with these names and those that they need, in order. */
  #withNeeds(names: ReadonlySet<string>): PastTable[] {
    const needed = new Set<string>()
    const add = (words: ReadonlySet<string>): void => {
      for (const word of words) {
        const table = this.#tables.get(word)
        if (!table || needed.has(word)) continue
        needed.add(word)
        add(namesIn(table.sql))
      }
    }
    add(names)
    return [...this.#tables.values()].filter(({ name }) => needed.has(name))
  }

  #refuseOthers(statement: string): void {
    const defined = new Set([...statement.matchAll(DEFINED)].map(([, name]) => name))
    for (const [, name = ''] of statement.matchAll(READ))
      if (!this.#tables.has(name) && !defined.has(name)) throw new Error(`the table "${name}" has no past`)
  }
}

const holdsWords: Sql['matchesWords'] = (table, words) => {
  const holds = words.map(
    (word) => sql<SqlBool>`${sql.ref(`${table}.search_text`)} LIKE ${`%${escapeLike(word)}%`} ESCAPE '\\'`,
  )
  return sql`(${sql.join(holds, sql` AND `)})`
}

/** The capabilities of a past. The indexes of searches have the present texts alone. */
const pastCapabilities = (present: Sql): Sql => ({
  ...present,
  areFew: async () => true,
  matchesWords: holdsWords,
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

export type PastMoment = {
  /** The number of its last change. */
  readonly seq: number
  /** Returns false while its answers may still change. */
  readonly isSettled: () => Promise<boolean>
}

const isOver = (): never => {
  throw new Error('the past does not change')
}

/** Returns the database as it was at a moment. */
export const pastOf = <Tables>(
  present: Db<Tables>,
  tables: PastTables,
  { seq, isSettled }: PastMoment,
): Pick<Db<Tables>, 'read'> & { readonly store: Db<Tables> } => {
  const executor = present.read.getExecutor()
  const { inIndexOrder } = present.sql.past
  const compiled = ({ query, queryId, sql: text }: CompiledQuery, inSteps?: PastTables['inSteps']): string =>
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
    for await (const rows of chunks) yield withoutOrder(rows)
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
  const run: RunQuery = async (inner, query) => {
    if (present.sql.isInProcess && COUNT.test(query.sql)) return counted(query)
    const result = await inner.executeQuery(tables.rewrite(query, whole))
    return { ...result, rows: withoutOrder(result.rows) }
  }

  const read: Kysely<Tables> = kyselyOn(new InterceptingExecutor(executor, run))
  let asked: Promise<boolean> | undefined
  const settled = (): Promise<boolean> => {
    asked ??= isSettled()
    return asked
  }
  const store: Db<Tables> = {
    ...present,
    read,
    quick: read,
    cache: new RevisionCache(),
    sql: pastCapabilities(present.sql),
    write: isOver,
    vacuum: isOver,
    remember: async (table, key, find) => {
      if (!(await settled())) return find()
      const kept = present.cache.at<string>('past', seq)
      const known = kept.get(`${table} ${key}`)
      if (known !== undefined) return known
      const found = await find()
      if (found !== undefined) kept.set(`${table} ${key}`, found, found.length)
      return found
    },
    revision: async (names) => {
      return (await settled()) ? `past ${seq}` : `past ${seq} ${await present.revision(names)}`
    },
    readPoint: isOver,
    stream: (...queries) => streamed(present.stream(...queries.map(past))),
    scan: (...queries) => streamed(present.scan(...queries.map(past))),
  }
  return { read, store }
}
