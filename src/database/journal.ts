/** Records the row changes of a transaction from its queries. Knows tables only by the given rules. */
import {
  type CompiledQuery,
  DeleteQueryNode,
  InsertQueryNode,
  type Kysely,
  PrimitiveValueListNode,
  type QueryExecutor,
  type QueryResult,
  ReturningNode,
  type RootOperationNode,
  SelectionNode,
  type SelectQueryNode,
  UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
  type WhereNode,
} from 'kysely'
import type { Sql, Tx } from './database.ts'
import { createKysely, InterceptingExecutor } from './query/intercepting-executor.ts'
import { isPlaceholder } from './query/prepared.ts'
import { getWrittenTable } from './query/written-tables.ts'

export type Row = Readonly<Record<string, unknown>>

/** The rule for a table. */
export type TableRule = {
  /** The columns that identify a row; they never change. */
  readonly key: readonly string[]
  /** Tables from which the database deletes the rows that refer to this key (ON DELETE CASCADE). */
  readonly cascades?: readonly { readonly table: string; readonly column: string }[]
}
/** Tables without a rule are not recorded. */
export type JournalRules = Readonly<Record<string, TableRule>>

/** A row that has changed. */
export type RowChange = { readonly table: string; readonly key: string; readonly before?: Row; readonly after?: Row }

export type Journal = {
  /** Returns the changes so far, in the order of the first change of each row. */
  readonly changes: () => RowChange[]
}

/** A watched transaction has changed more rows than `JournalOptions.most`. It is run again without being watched. */
export class JournalFull extends Error {
  override readonly name = 'JournalFull'
}

export type JournalOptions = {
  readonly rules: JournalRules
  readonly sql: Sql
  /** Maximum number of changed rows. Of a statement that changes more, no more are read. */
  readonly most: number
  readonly tooMany: () => never
}

type Touched = { readonly table: string; readonly key: string; before: Row | undefined; after: Row | undefined }

// Only the names of tables are known here.
type Open = Kysely<Record<string, Record<string, unknown>>>

const isSame = (a: Row | undefined, b: Row | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Bun.deepEquals(a, b))

/** Stores the rows, and discards the rows of a rollback. */
class Notes {
  #touched = new Map<string, Touched>()
  readonly #options: JournalOptions

  constructor(options: JournalOptions) {
    this.#options = options
  }

  note(table: string, rows: { readonly before: readonly Row[]; readonly after: readonly Row[] }): void {
    const { key: columns = [] } = this.#options.rules[table] ?? {}
    const buildKey = (row: Row): string => JSON.stringify(columns.map((column) => row[column]))
    const after = new Map(rows.after.map((row) => [buildKey(row), row]))
    for (const row of rows.before) this.#one(table, buildKey(row), { before: row, after: after.get(buildKey(row)) })
    const known = new Set(rows.before.map(buildKey))
    for (const [key, row] of after) if (!known.has(key)) this.#one(table, key, { before: undefined, after: row })
    if (this.#touched.size > this.#options.most) this.#options.tooMany()
  }

  #one(table: string, key: string, { before, after }: { before: Row | undefined; after: Row | undefined }): void {
    const known = this.#touched.get(`${table} ${key}`)
    // A new object, because a savepoint may restore the old one.
    this.#touched.set(`${table} ${key}`, known ? { ...known, after } : { table, key, before, after })
  }

  mark(): () => void {
    const before = new Map(this.#touched)
    return () => {
      this.#touched = before
    }
  }

  changes(): RowChange[] {
    return [...this.#touched.values()]
      .filter(({ before, after }) => !isSame(before, after))
      .map(({ table, key, before, after }) => ({ table, key, ...(before && { before }), ...(after && { after }) }))
  }
}

const ALL = ReturningNode.create([SelectionNode.createSelectAll()])

/** Adds the whole rows to the result of a statement. */
const addReturning = <N extends InsertQueryNode | UpdateQueryNode | DeleteQueryNode>(node: N): N => ({
  ...node,
  returning: node.returning
    ? ReturningNode.cloneWithSelections(node.returning, [SelectionNode.createSelectAll()])
    : ALL,
})

/** Returns the values that an insert gives to a column; undefined unless they are plain values. */
const getInsertedValues = ({ columns = [], values }: InsertQueryNode, column: string): unknown[] | undefined => {
  const at = columns.findIndex(({ column: { name } }) => name === column)
  if (at === -1 || !values || !ValuesNode.is(values)) return undefined
  return values.values.map((item) => {
    if (PrimitiveValueListNode.is(item)) return item.values[at]
    const value = ValueListNode.is(item) ? item.values[at] : undefined
    return value && ValueNode.is(value) ? value.value : undefined
  })
}

/** Runs the queries of one transaction, and reads the rows around each write. */
class Watch {
  readonly #notes: Notes
  readonly #options: JournalOptions

  constructor(notes: Notes, options: JournalOptions) {
    this.#notes = notes
    this.#options = options
  }

  async run<R>(inner: QueryExecutor, query: CompiledQuery<R>): Promise<QueryResult<R>> {
    const { query: node } = query
    const table = getWrittenTable(node)
    if (table === undefined || !Object.hasOwn(this.#options.rules, table)) return inner.executeQuery(query)
    const given = this.#given(inner, query)
    if (InsertQueryNode.is(node)) return this.#insert(inner, query, { table, node, given })
    if (UpdateQueryNode.is(node)) {
      const before = await this.#select(inner, { table, where: node.where, given, query })
      return this.#write(inner, query, { table, node, given, before, isDelete: false })
    }
    if (!DeleteQueryNode.is(node)) return inner.executeQuery(query)
    // The statement itself returns the deleted rows. Reading them before only limits their number.
    const going = await this.#select(inner, { table, where: node.where, given, query })
    await this.#noteCascades(inner, table, going)
    return this.#write(inner, query, { table, node, given, before: [], isDelete: true })
  }

  /** Returns the values for the placeholders of a prepared query. */
  #given(inner: QueryExecutor, { query, queryId, parameters }: CompiledQuery): (value: unknown) => unknown {
    const names = inner.compileQuery(query, queryId).parameters
    const values = new Map(names.map((name, i) => [name, parameters[i]]))
    return (value) => (isPlaceholder(value) ? values.get(value) : value)
  }

  async #execute(inner: QueryExecutor, node: RootOperationNode, { given, query }: Around): Promise<Row[]> {
    const compiled = inner.compileQuery<Row>(node, query.queryId)
    const { rows } = await inner.executeQuery<Row>({ ...compiled, parameters: compiled.parameters.map(given) })
    return rows
  }

  /** Returns the rows that a condition matches, locked against other writers. */
  async #select(inner: QueryExecutor, around: Around & { readonly where: WhereNode | undefined }): Promise<Row[]> {
    const { table, where } = around
    const { sql, most, tooMany } = this.#options
    const all = sql.lockRows(
      openOn(inner)
        .selectFrom(table)
        .selectAll()
        .limit(most + 1),
    )
    const node: SelectQueryNode = { ...all.toOperationNode(), ...(where && { where }) }
    const rows = await this.#execute(inner, node, around)
    return rows.length > most ? tooMany() : rows
  }

  async #insert<R>(
    inner: QueryExecutor,
    query: CompiledQuery<R>,
    { table, node, given }: { table: string; node: InsertQueryNode; given: Around['given'] },
  ): Promise<QueryResult<R>> {
    let before: Row[] = []
    if (node.onConflict) {
      const [column = ''] = this.#options.rules[table]?.key ?? []
      const values = getInsertedValues(node, column)
      if (!values) throw new Error(`an insert into ${table} that may change rows gives no plain ${column}`)
      before = await openOn(inner).selectFrom(table).selectAll().where(column, 'in', values.map(given)).execute()
    }
    return this.#write(inner, query, { table, node, given, before, isDelete: false })
  }

  async #write<R>(
    inner: QueryExecutor,
    query: CompiledQuery<R>,
    { node, isDelete, before, ...around }: Write,
  ): Promise<QueryResult<R>> {
    const rows = await this.#execute(inner, addReturning(node), { ...around, query })
    this.#notes.note(around.table, isDelete ? { before: rows, after: [] } : { before, after: rows })
    const count = BigInt(rows.length)
    // The returned rows contain the requested columns, and more.
    return { rows: node.returning ? (rows as R[]) : [], numAffectedRows: count, numChangedRows: count }
  }

  async #noteCascades(inner: QueryExecutor, of: string, going: readonly Row[]): Promise<void> {
    const { key: [own = ''] = [], cascades = [] } = this.#options.rules[of] ?? {}
    const keys = going.map((row) => row[own])
    if (keys.length === 0) return
    const { most, tooMany } = this.#options
    for (const { table, column } of cascades) {
      const query = openOn(inner)
        .selectFrom(table)
        .selectAll()
        .where(column, 'in', keys)
        .limit(most + 1)
      const before = await query.execute()
      if (before.length > most) tooMany()
      this.#notes.note(table, { before, after: [] })
    }
  }
}

type Around = { readonly table: string; readonly given: (value: unknown) => unknown; readonly query: CompiledQuery }
type Write = Omit<Around, 'query'> & {
  readonly node: InsertQueryNode | UpdateQueryNode | DeleteQueryNode
  readonly before: readonly Row[]
  readonly isDelete: boolean
}

// Only names are known; the rules have the columns.
const openOn = (executor: QueryExecutor): Open => createKysely(executor)

/** Records a transaction, without the changes of rolled back savepoints. @example recordTransaction(tx, { rules }) */
export const recordTransaction = <Tables>(
  tx: Tx<Tables>,
  options: JournalOptions,
): { tx: Tx<Tables>; journal: Journal } => {
  const notes = new Notes(options)
  const watch = new Watch(notes, options)
  const executor = new InterceptingExecutor(tx.db.getExecutor(), (inner, query) => watch.run(inner, query))
  return {
    tx: {
      ...tx,
      db: createKysely(executor),
      savepoint: async (work) => {
        const forget = notes.mark()
        try {
          return await tx.savepoint(work)
        } catch (error) {
          forget()
          throw error
        }
      },
    },
    journal: { changes: () => notes.changes() },
  }
}
