/** Inserts rows into every table, generated from the schema, so that future tables are included. */
import { Database } from 'bun:sqlite'

type ColumnRow = { readonly name: string; readonly type: string; readonly pk: number; readonly notnull: number }
type Reference = { readonly from: string; readonly table: string; readonly to: string }
type Value = string | number | bigint | null

/** Texts that are hard to copy: characters of file formats, of escapes, of other planes, and the empty text. */
const TEXTS = ['', 'tab\there\nand\r\nthere', '\\N \\. \\\\t "quoted" \'\'', 'żółć 東京 🗺️ e\u0301']
const REALS = [0.1 + 0.2, 1 / 3, 1e21, 5]
const LARGEST = 2_147_483_647
/** Above the numbers that the migrations assign. */
const FIRST_KEY = 1000

export const ROWS_EACH = TEXTS.length

export const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('migrations', 'revisions') ORDER BY name",
    )
    .all()
    .map(({ name }) => name)

const columnsOf = (database: Database, table: string): ColumnRow[] =>
  database.query<ColumnRow, [string]>('SELECT name, type, pk, "notnull" FROM pragma_table_info(?)').all(table)

const referencesOf = (database: Database, table: string): Reference[] =>
  database.query<Reference, [string]>('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)').all(table)

/** Returns the value of a column in row `n`. For a reference it is that of the referenced column. */
const madeUp = (database: Database, table: string, column: ColumnRow, n: number): Value => {
  const reference = referencesOf(database, table).find(({ from }) => from === column.name)
  const target = reference && columnsOf(database, reference.table).find(({ name }) => name === reference.to)
  if (reference && target) return madeUp(database, reference.table, target, n)
  if (n === 0 && column.notnull === 0 && column.pk === 0) return null
  if (column.type === 'INTEGER') return column.pk > 0 ? FIRST_KEY + n : LARGEST - n
  if (column.type === 'DOUBLE PRECISION') return REALS[n] ?? n
  return `${column.name} ${n} ${TEXTS[n] ?? ''}`
}

/** Numbers that only 64 bits hold; the migrations of their tables document such columns. */
const LARGE = [
  'UPDATE audit SET place = place + 34084860461056',
  'UPDATE utilization_samples SET total = 9007199254740993, used = 9223372036854775807',
  'UPDATE webhook_deliveries SET until_ms = 1790000000000',
]

/** @param file a data file of this version that is not in use */
export const fillEveryTable = (file: string): void => {
  const database = new Database(file, { readwrite: true, create: false })
  database.run('PRAGMA foreign_keys = OFF')
  database.transaction(() => {
    for (const table of tablesOf(database)) {
      const columns = columnsOf(database, table)
      const names = columns.map(({ name }) => `"${name}"`).join(', ')
      const insert = database.query(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
      for (let n = 0; n < ROWS_EACH; n++) insert.run(...columns.map((column) => madeUp(database, table, column, n)))
    }
    for (const statement of LARGE) database.run(statement)
  })()
  database.close()
}

/** Returns all rows of all tables, by table, as SQLite returns them. */
export const everyRow = (file: string): Record<string, unknown[]> => {
  const database = new Database(file, { readonly: true, safeIntegers: true })
  const rows = tablesOf(database).map((table) => {
    const key = columnsOf(database, table).flatMap(({ name, pk }) => (Number(pk) > 0 ? [name] : []))
    return [table, database.query(`SELECT * FROM ${table} ORDER BY ${key.join(', ')}`).all()] as const
  })
  database.close()
  return Object.fromEntries(rows)
}
