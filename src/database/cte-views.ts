/**
 * Puts common table expressions in front of each statement, which have the names of its tables: built queries, prepared queries and raw
 * SQL all read these views in place of the stored tables.
 */
import type { CompiledQuery } from 'kysely'
import type { PastSql } from './query/past-sql.ts'

/** A common table expression, as SQL text. */
export type TableView = {
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

/** A statement that reads the views. */
type Rewritten = { readonly sql: string; readonly hasParameter: boolean }

type Wanted = {
  /** The value of the common parameter. */
  readonly seq: number
  /** The name of `compile`. */
  readonly form: string
  /** Returns the text of a query in the form that is best for the engine. */
  readonly compile: (query: CompiledQuery) => string
}

/** Bound of the cache of statements; lists of values make statements of many lengths. */
const MAX_CACHED = 1000

const extractWords = (text: string): Set<string> => new Set(text.match(/\w+/g))

/** Words that do not follow a dot, so that columns are not taken for tables. */
const extractNames = (text: string): Set<string> => new Set(text.match(/(?<![.\w])\w+/g))

const READ = /\b(?:from|join)\s+"?(\w+)\b"?(?!\s*\()/gi
const DEFINED = /"?(\w+)"?(?:\s*\([^)]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/gi
const OWN_WITH = /^\s*with\s+(recursive\s+)?/i

/** Rewrites statements. Shared by all moments of a past, because the moment is a parameter. */
export class TableViews {
  readonly #engine: PastSql
  readonly #tables: ReadonlyMap<string, TableView>
  readonly #asStored: ReadonlySet<string>
  readonly #rewritten = new Map<string, Rewritten>()

  /**
   * @param tables in an order in which each refers only to earlier ones
   * @param asStored the tables that have no view, and are read as they are stored
   */
  constructor(engine: PastSql, tables: readonly TableView[], asStored: readonly string[] = []) {
    this.#engine = engine
    this.#asStored = new Set(asStored)
    this.#tables = new Map(tables.map((table) => [table.name, table]))
  }

  /** @throws Error if the statement reads a table that has no view */
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

  /** The stored tables that the views read. */
  get stored(): readonly string[] {
    return [...new Set([...this.#tables.values()].flatMap(({ stored }) => stored ?? []))]
  }

  /** Returns the name of a table that is read in steps. */
  readonly inSteps = (table: string): string | undefined => this.#tables.get(table)?.inSteps

  #build(statement: string, parameters: number): Rewritten {
    this.#refuseOthers(statement)
    const used = this.#withNeeds(extractWords(statement))
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

  /** Returns the tables with these names and the tables that they need, in order. */
  #withNeeds(names: ReadonlySet<string>): TableView[] {
    const needed = new Set<string>()
    const add = (words: ReadonlySet<string>): void => {
      for (const word of words) {
        const table = this.#tables.get(word)
        if (!table || needed.has(word)) continue
        needed.add(word)
        add(extractNames(table.sql))
      }
    }
    add(names)
    return [...this.#tables.values()].filter(({ name }) => needed.has(name))
  }

  #refuseOthers(statement: string): void {
    const defined = new Set([...statement.matchAll(DEFINED)].map(([, name]) => name))
    for (const [, name = ''] of statement.matchAll(READ))
      if (!this.#tables.has(name) && !defined.has(name) && !this.#asStored.has(name))
        throw new Error(`the table "${name}" has no view`)
  }
}
