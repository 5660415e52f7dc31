/** The common form of rows of both engines: each value as text. Knows no table. */
import { AppError } from '../../contract/errors.ts'

/** The type of a column's values, independent of the engine. */
export type Kind = 'text' | 'integer' | 'real' | 'bytes'

/** Text unchanged, integers and reals in decimal, bytes in hexadecimal. */
export type Cell = string | null
export type Row = readonly Cell[]

export type Column = {
  readonly name: string
  readonly kind: Kind
  /** The name of the type in its engine. */
  readonly type: string
}

export type Table = {
  readonly name: string
  readonly columns: readonly Column[]
  /** The columns of the primary key, in its order, by their position among the columns. */
  readonly key: readonly number[]
}

const KINDS: Readonly<Record<string, Kind>> = {
  TEXT: 'text',
  INTEGER: 'integer',
  BIGINT: 'integer',
  REAL: 'real',
  'DOUBLE PRECISION': 'real',
  BLOB: 'bytes',
  BYTEA: 'bytes',
}

/** @throws AppError for a type without a rule for copying */
export const buildColumn = (table: string, name: string, type: string): Column => {
  const kind = KINDS[type.toUpperCase()]
  if (!kind)
    throw new AppError('INTERNAL_ERROR', `${table}.${name} is of the type ${type}, which this version cannot copy`)
  return { name, kind, type }
}

/** @throws AppError for a table without a primary key: its rows have no order for copying */
export const buildTable = (name: string, columns: readonly Column[], keyNames: readonly string[]): Table => {
  const key = keyNames.map((one) => columns.findIndex((column) => column.name === one))
  if (key.length === 0 || key.includes(-1))
    throw new AppError('INTERNAL_ERROR', `${name} has no primary key, so that its rows cannot be copied`)
  return { name, columns, key }
}

export const getKeyColumns = ({ columns, key }: Table): Column[] => key.flatMap((at) => columns[at] ?? [])

export const getKey = ({ key }: Table, row: Row): Row => key.map((at) => row[at] ?? null)

/** Converts a value that PostgreSQL has sent as text. */
export const parseCell = (text: string | null, kind: Kind): Cell =>
  // The engines write the same number in several ways: 1e+20, 100000000000000000000.
  text !== null && kind === 'real' ? String(Number(text)) : text

/** Converts a value of SQLite, which returns integers as bigints. */
export const toCell = (value: string | bigint | number | Uint8Array | null): Cell => {
  if (value === null || typeof value === 'string') return value
  return value instanceof Uint8Array ? value.toHex() : String(value)
}

/** Converts a cell to a value for SQLite. */
export const toSqliteValue = (cell: Cell, kind: Kind): string | bigint | number | Uint8Array | null => {
  if (cell === null) return null
  switch (kind) {
    case 'text':
      return cell
    case 'integer':
      return BigInt(cell)
    case 'real':
      return Number(cell)
    case 'bytes':
      return Uint8Array.fromHex(cell)
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const ESCAPED = /[\\\n\r\t]/
const EVERY_ESCAPED = /[\\\n\r\t]/g

/** Converts a cell to the text format of PostgreSQL's COPY (its manual, "COPY", File Formats). */
const copyText = (cell: Cell, kind: Kind): string => {
  if (cell === null) return '\\N'
  if (kind === 'bytes') return `\\\\x${cell}`
  return ESCAPED.test(cell) ? cell.replace(EVERY_ESCAPED, (c) => ESCAPES[c] ?? c) : cell
}

/** Formats rows for COPY. @throws AppError for a text with a NUL in it, which PostgreSQL cannot store */
export const copyLines = (table: Table, rows: readonly Row[]): string =>
  rows
    .map((row) => {
      const line = row.map((cell, at) => copyText(cell, table.columns[at]?.kind ?? 'text')).join('\t')
      if (line.includes('\0')) throw new AppError('INVALID_INPUT', nulMessage(table, row))
      return `${line}\n`
    })
    .join('')

const nulMessage = (table: Table, row: Row): string => {
  const column = table.columns[row.findIndex((cell) => cell?.includes('\0'))]?.name ?? ''
  const key = getKey(table, row).join(', ')
  return `${table.name}.${column} of the row ${JSON.stringify(key)} has a character 0 in it, which PostgreSQL cannot store: change that text first`
}

/** The number of rows, and a sum over them that does not depend on their order. */
export type Fingerprint = { readonly rows: number; readonly sum: bigint }

export const NOTHING: Fingerprint = { rows: 0, sum: 0n }

const WORD_BITS = 64

/** Adds a 64-bit hash of each row. */
export const add = ({ rows, sum }: Fingerprint, more: readonly Row[]): Fingerprint => ({
  rows: rows + more.length,
  sum: BigInt.asUintN(
    WORD_BITS,
    more.reduce((total, row) => total + BigInt(Bun.hash(JSON.stringify(row))), sum),
  ),
})

export const isSame = (a: Fingerprint, b: Fingerprint): boolean => a.rows === b.rows && a.sum === b.sum

/** @example sumText({ rows: 1, sum: 255n }) // '00000000000000ff' */
export const sumText = ({ sum }: Fingerprint): string => sum.toString(16).padStart(WORD_BITS / 4, '0')

/** Returns the approximate size of the rows in memory, in characters. */
export const countCharacters = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => row.reduce((all, cell) => all + (cell?.length ?? 0), sum), 0)
