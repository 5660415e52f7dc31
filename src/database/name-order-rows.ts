/** Gives the rows of earlier programs the collation keys of their names. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { toNameKey, toNameOrder } from '../net/name-order.ts'
import type { Db } from './database.ts'
import { buildStale, type NamedTable } from './migrations/name-orders.ts'

/** The rows of one transaction. */
const AT_ONCE = 1000

type Row = Readonly<Record<string, string>>
type Named = { readonly named: Record<string, string> }

const joinRefs = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))

/** Reads the next rows without the key of their name, in the order of their ids. */
const findStale = async (db: Db<never>, of: NamedTable, after: Row | undefined): Promise<readonly Row[]> => {
  const { table, key, id = ['id'], unique = [], texts = [] } = of
  const columns = [...new Set([...id, key, ...unique, ...texts])]
  const later = after ? sql` AND (${joinRefs(id)}) > (${sql.join(id.map((column) => sql`${after[column]}`))})` : sql``
  const query = sql<Row>`SELECT ${joinRefs(columns)} FROM ${sql.table(table)}
    WHERE ${sql.raw(buildStale(db.engine, of))}${later} ORDER BY ${joinRefs(id)} LIMIT ${AT_ONCE}`
  return (await query.execute(db.read)).rows
}

/** Writes the collation keys of rows with a name key that stays. A row that was changed since has the key of its writer. */
const writeOrders = async (tx: Kysely<Named>, of: NamedTable, rows: readonly Row[]): Promise<void> => {
  if (rows.length === 0) return
  const { table, key, order, id = ['id'] } = of
  const values = rows.map((row) => {
    const cells = [...id, key].map((column) => sql`${row[column]}`)
    return sql`(${sql.join([...cells, sql`${toNameOrder(toNameKey(row[key] ?? ''))}`])})`
  })
  const isRow = [...id, key].map((column, i) => {
    const value = sql.ref(`fresh.column${i + 1}`)
    return sql<boolean>`${sql.ref(`${table}.${column}`)} = ${column === 'seq' ? sql`CAST(${value} AS BIGINT)` : value}`
  })
  const [first, last] = [rows[0], rows.at(-1)]
  const joinCells = (row: Row | undefined) => sql.join(id.map((column) => sql`${row?.[column]}`))
  const own = joinRefs(id.map((column) => `${table}.${column}`))
  // Planners without statistics read the whole table otherwise.
  const isBetween = sql<boolean>`(${own}) >= (${joinCells(first)}) AND (${own}) <= (${joinCells(last)})`
  await tx
    .updateTable(table as 'named')
    .from(sql`(VALUES ${sql.join(values)})`.as('fresh') as never)
    .set({ [order]: sql.ref<string>(`fresh.column${id.length + 2}`) })
    .where(sql<boolean>`${sql.join(isRow, sql` AND `)}`)
    .where(isBetween)
    .execute()
}

/** Composes the texts of a row. A name key that another object has already stays as it is. */
const composeTexts = async (tx: Kysely<Named>, of: NamedTable, row: Row): Promise<void> => {
  const { table, key, order, id = ['id'], unique, texts = [] } = of
  const name = toNameKey(row[key] ?? '')
  const isRow = [...id, key].map((column) => sql<boolean>`${sql.ref(column)} = ${row[column]}`)
  const update = (cells: Readonly<Record<string, string>>, condition = sql<boolean>`TRUE`) =>
    tx
      .updateTable(table as 'named')
      .set(cells)
      .where(sql<boolean>`${sql.join(isRow, sql` AND `)}`)
      .where(condition)
      .execute()
  for (const column of texts.filter((column) => row[column] !== row[column]?.normalize('NFC'))) {
    const composed = row[column]?.normalize('NFC') ?? ''
    const isFree = sql<boolean>`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} AS other WHERE ${sql.ref(`other.${column}`)} = ${composed})`
    await update({ [column]: composed }, column === 'natural_key' ? isFree : undefined)
  }
  await update({ [order]: toNameOrder(name) })
  if (name === row[key]) return
  const within = (unique ?? []).map((column) => sql`${sql.ref(`other.${column}`)} = ${row[column]}`)
  const isSame = sql.join([sql`${sql.ref(`other.${key}`)} = ${name}`, ...within], sql` AND `)
  const isFree = sql<boolean>`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} AS other WHERE ${isSame})`
  await update({ [key]: name }, unique ? isFree : undefined)
}

const isComposed = ({ key, texts = [] }: NamedTable, row: Row): boolean =>
  toNameKey(row[key] ?? '') === row[key] && texts.every((column) => row[column] === row[column]?.normalize('NFC'))

/** Gives the rows of a table their collation keys, in short transactions. Returns their number. */
const completeTable = async (db: Db<never>, of: NamedTable): Promise<number> => {
  let count = 0
  let last: Row | undefined
  for (;;) {
    const rows = await findStale(db, of, last)
    if (rows.length > 0)
      await db.write(async ({ db: tx }) => {
        const named = tx as object as Kysely<Named>
        const [composed, others] = [
          rows.filter((row) => isComposed(of, row)),
          rows.filter((row) => !isComposed(of, row)),
        ]
        await writeOrders(named, of, composed)
        for (const row of others) await composeTexts(named, of, row)
      })
    count += rows.length
    last = rows.at(-1)
    if (rows.length < AT_ONCE) return count
  }
}

/** Returns the tables that have such rows, by one query. */
const filterStale = async (db: Db<never>, tables: readonly NamedTable[]): Promise<readonly NamedTable[]> => {
  const found = tables.map((of, i) => {
    const rows = sql`SELECT 1 FROM ${sql.table(of.table)} WHERE ${sql.raw(buildStale(db.engine, of))}`
    return sql`CAST(EXISTS (${rows}) AS INTEGER) AS ${sql.ref(`t${i}`)}`
  })
  const { rows } = await sql<Readonly<Record<string, number>>>`SELECT ${sql.join(found)}`.execute(db.read)
  return tables.filter((_, i) => rows[0]?.[`t${i}`] === 1)
}

/** Gives all rows without one the collation key of their name. Safe beside other writers. Returns the number of rows. */
export const completeNameOrders = async <Tables>(db: Db<Tables>, tables: readonly NamedTable[]): Promise<number> => {
  // The type of the statements does not depend on the tables.
  const untyped = db as object as Db<never>
  let count = 0
  for (const table of await filterStale(untyped, tables)) count += await completeTable(untyped, table)
  return count
}
