/** Reads the INSERT statements of a `mysqldump`, in one pass over the bytes. */
import { isUtf8 } from 'node:buffer'
import { toStorable } from '../../contract/storable.ts'
import { createFileError } from '../converter.ts'
import { ObjectLimit } from '../object-limit.ts'
import { getColumnField, getTableName, isReadTable, type Row, type Tables } from './tables.ts'

const BACKSLASH = 0x5c
const QUOTE = 0x27
const DOUBLE_QUOTE = 0x22
const BACKTICK = 0x60
const OPEN = 0x28
const CLOSE = 0x29
const COMMA = 0x2c
const SEMICOLON = 0x3b
const LINE_FEED = 0x0a
/** The maximum number of columns of a MySQL table. */
const MAX_COLUMNS = 4096

/** Escapes of a string literal, in the manual of MySQL; any other character stands for itself. */
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\x1a',
}

const isSpace = (byte: number | undefined): boolean => byte !== undefined && byte <= 0x20
/** Letters, digits and the characters of numbers and names without quotes. */
const WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[A-Za-z0-9_$.+-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const isWord = (byte: number | undefined): boolean => byte !== undefined && WORD[byte] === 1

class SqlReader {
  readonly #limit = new ObjectLimit()
  readonly tables: Tables = new Map()
  readonly unread = new Map<string, number>()
  /** The declarations of columns, by table and name. */
  readonly types = new Map<string, Map<string, string>>()
  readonly #bytes: Buffer
  readonly #columns = new Map<string, string[]>()
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read(): void {
    for (this.#skipSpace(); this.#at < this.#bytes.length; this.#skipSpace()) this.#statement()
  }

  #statement(): void {
    const word = this.#word().toUpperCase()
    if (word === 'INSERT' || word === 'REPLACE') this.#insert()
    else if (word === 'CREATE' && this.#isNext('TABLE')) this.#createTable()
    this.#skipTo(SEMICOLON)
    this.#at++
  }

  #createTable(): void {
    if (this.#isNext('IF')) {
      this.#word()
      this.#word()
    }
    const table = this.#name()
    this.#skipSpace()
    if (this.#bytes[this.#at] !== OPEN) return
    const columns: string[] = []
    const types = new Map<string, string>()
    do {
      this.#at++
      this.#skipSpace()
      const column = this.#bytes[this.#at] === BACKTICK ? this.#name() : undefined
      if (column !== undefined) columns.push(column)
      if (columns.length > MAX_COLUMNS)
        throw createFileError(`byte ${this.#at}`, `${table} has more than ${MAX_COLUMNS} columns`)
      const type = this.#at
      this.#skipTo(COMMA, CLOSE)
      if (column !== undefined) types.set(column, this.#bytes.toString('utf8', type, this.#at).trim())
    } while (this.#bytes[this.#at] === COMMA)
    this.#columns.set(table, columns)
    this.types.set(getTableName(table), types)
  }

  #insert(): void {
    while (['INTO', 'IGNORE', 'DELAYED', 'LOW_PRIORITY', 'HIGH_PRIORITY'].some((word) => this.#isNext(word)));
    const start = this.#at
    const name = this.#name()
    const table = getTableName(name)
    this.#skipSpace()
    const columns = this.#bytes[this.#at] === OPEN ? this.#nameList() : this.#columns.get(name)
    if (!this.#isNext('VALUES') && !this.#isNext('VALUE')) throw createFileError(`byte ${this.#at}`, 'expected VALUES')
    if (!columns)
      throw createFileError(`byte ${start}`, `${name} has no columns; dump it with its table or with --complete-insert`)
    const isRead = isReadTable(table)
    for (let isFirst = true; isFirst || this.#bytes[this.#at] === COMMA; isFirst = false) {
      if (!isFirst) this.#at++
      this.#skipSpace()
      const at = this.#at
      const values = this.#tuple(columns.length)
      if (values.length !== columns.length)
        throw createFileError(`byte ${at}`, `a row of ${name} has ${values.length} of ${columns.length} columns`)
      if (isRead) this.#add(table, columns, values)
      else this.unread.set(table, (this.unread.get(table) ?? 0) + 1)
      this.#skipSpace()
    }
  }

  #add(table: string, columns: readonly string[], values: readonly (string | null)[]): void {
    this.#limit.add()
    const row: Row = {}
    for (const [i, value] of values.entries()) {
      const column = columns[i]
      if (column !== undefined && column !== '__proto__' && value !== null && value !== '')
        row[getColumnField(table, column)] = value
    }
    const rows = this.tables.get(table)
    if (rows) rows.push(row)
    else this.tables.set(table, [row])
  }

  #nameList(): string[] {
    const names: string[] = []
    do {
      this.#at++
      names.push(this.#name())
      if (names.length > MAX_COLUMNS) throw createFileError(`byte ${this.#at}`, `has more than ${MAX_COLUMNS} columns`)
      this.#skipSpace()
    } while (this.#bytes[this.#at] === COMMA)
    this.#expect(CLOSE)
    return names
  }

  /** @param width one more value than the columns is an error of its row */
  #tuple(width: number): (string | null)[] {
    if (this.#bytes[this.#at] !== OPEN) throw this.#unexpected()
    const values: (string | null)[] = []
    do {
      this.#at++
      values.push(this.#value())
      this.#skipSpace()
    } while (this.#bytes[this.#at] === COMMA && values.length <= width)
    if (values.length <= width) this.#expect(CLOSE)
    return values
  }

  #value(): string | null {
    this.#skipSpace()
    const first = this.#bytes[this.#at]
    if (first === QUOTE || first === DOUBLE_QUOTE) return this.#string()
    const word = this.#word()
    if (word === '') throw this.#unexpected()
    const next = this.#bytes[this.#at]
    // A bit or hexadecimal literal, or a string with its character set.
    if (next === QUOTE && /^[xX]$/.test(word)) return fromHex(this.#string())
    if (next === QUOTE && /^[bB]$/.test(word)) return fromBits(this.#string())
    if (word.startsWith('_')) return this.#value()
    if (/^0x[0-9a-f]*$/i.test(word)) return fromHex(word.slice(2))
    if (/^null$/i.test(word)) return null
    if (next === OPEN) {
      // A function such as now(). Its value is not in the file.
      this.#at++
      this.#skipTo(CLOSE)
      this.#at++
      return null
    }
    if (/^true$/i.test(word)) return '1'
    return /^false$/i.test(word) ? '0' : word
  }

  #string(): string {
    const bytes = this.#bytes
    const quote = bytes[this.#at]
    const start = this.#at + 1
    let hasEscapes = false
    let end = start
    for (; ; end++) {
      if (end >= bytes.length) throw this.#cutOff()
      const byte = bytes[end]
      if (byte === BACKSLASH) {
        hasEscapes = true
        end++
      } else if (byte === quote) {
        if (bytes[end + 1] !== quote) break
        hasEscapes = true
        end++
      }
    }
    this.#at = end + 1
    const raw = bytes.subarray(start, end)
    // Columns of bytes are kept as their digits.
    if (!isUtf8(raw)) return `0x${raw.toString('hex')}`
    const text = raw.toString('utf8')
    const plain = hasEscapes ? text.replace(/\\(.)|''|""/gs, (pair, escaped) => replaceEscape(pair, escaped)) : text
    return toStorable(plain)
  }

  /** Reads a name, with or without quotes, and without the name of the database before it. */
  #name(): string {
    this.#skipSpace()
    let name: string
    if (this.#bytes[this.#at] === BACKTICK) {
      const end = this.#bytes.indexOf(BACKTICK, this.#at + 1)
      if (end < 0) throw this.#cutOff()
      name = this.#bytes.toString('utf8', this.#at + 1, end)
      this.#at = end + 1
      if (this.#bytes[this.#at] !== 0x2e) return name
      this.#at++
      return this.#name()
    }
    name = this.#word()
    if (name === '') throw this.#unexpected()
    return name.slice(name.lastIndexOf('.') + 1)
  }

  #word(): string {
    this.#skipSpace()
    const start = this.#at
    while (isWord(this.#bytes[this.#at])) this.#at++
    return this.#bytes.toString('utf8', start, this.#at)
  }

  /** Passes over a word, if it is the next one. */
  #isNext(word: string): boolean {
    this.#skipSpace()
    const end = this.#at + word.length
    if (this.#bytes.toString('latin1', this.#at, end).toUpperCase() !== word || isWord(this.#bytes[end])) return false
    this.#at = end
    return true
  }

  /** Moves to one of the bytes outside of strings, comments and inner parentheses. */
  #skipTo(...wanted: number[]): void {
    let depth = 0
    for (this.#skipSpace(); this.#at < this.#bytes.length; this.#skipSpace()) {
      const byte = this.#bytes[this.#at]
      if (depth === 0 && byte !== undefined && wanted.includes(byte)) return
      if (byte === QUOTE || byte === DOUBLE_QUOTE) this.#string()
      else if (byte === BACKTICK) this.#name()
      else {
        if (byte === OPEN) depth++
        else if (byte === CLOSE) depth = Math.max(0, depth - 1)
        this.#at++
      }
    }
    throw this.#cutOff()
  }

  #skipSpace(): void {
    const bytes = this.#bytes
    for (;;) {
      const byte = bytes[this.#at]
      if (isSpace(byte)) this.#at++
      else if (byte === 0x23 || (byte === 0x2d && bytes[this.#at + 1] === 0x2d && !isWord(bytes[this.#at + 2]))) {
        const end = bytes.indexOf(LINE_FEED, this.#at)
        this.#at = end < 0 ? bytes.length : end + 1
      } else if (byte === 0x2f && bytes[this.#at + 1] === 0x2a) {
        const end = bytes.indexOf('*/', this.#at + 2)
        if (end < 0) throw this.#cutOff()
        this.#at = end + 2
      } else return
    }
  }

  #expect(byte: number): void {
    if (this.#bytes[this.#at] !== byte) throw this.#unexpected()
    this.#at++
  }

  #unexpected() {
    if (this.#at >= this.#bytes.length) return this.#cutOff()
    return createFileError(`byte ${this.#at}`, 'is not a statement of a mysqldump')
  }

  #cutOff() {
    return createFileError(`byte ${this.#bytes.length}`, 'the file ends inside a statement')
  }
}

const replaceEscape = (pair: string, escaped: string | undefined): string => {
  if (escaped === undefined) return pair.slice(1)
  // Patterns of LIKE keep their backslash.
  return escaped === '%' || escaped === '_' ? pair : (ESCAPES[escaped] ?? escaped)
}

const fromHex = (digits: string): string => {
  const bytes = Buffer.from(digits, 'hex')
  return isUtf8(bytes) ? toStorable(bytes.toString('utf8')) : `0x${digits}`
}

const fromBits = (digits: string): string => (/^[01]{1,64}$/.test(digits) ? String(BigInt(`0b${digits}`)) : digits)

/** @throws AppError if the dump has a header and not its end */
const checkEnd = (bytes: Buffer): void => {
  if (!/(?:MySQL|MariaDB) dump/.test(bytes.toString('latin1', 0, 2000))) return
  if (!bytes.toString('latin1', Math.max(0, bytes.length - 2000)).includes('-- Dump completed'))
    throw createFileError(`byte ${bytes.length}`, 'the file ends before the end of the dump')
}

export const readSql = (bytes: Buffer): SqlReader => {
  const reader = new SqlReader(bytes)
  reader.read()
  if (reader.tables.size === 0) throw createFileError('the file', 'has no INSERT of a table of phpIPAM')
  checkEnd(bytes)
  return reader
}
