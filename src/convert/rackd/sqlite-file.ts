/**
 * Reads the tables of an SQLite file from strangers. Views, triggers, virtual tables and generated columns are passed
 * over, because their expressions run code of the file.
 */
import { Database } from 'bun:sqlite'
import { toStorable } from '../../contract/storable.ts'
import { createFileError } from '../converter.ts'
import { ObjectLimit } from '../object-limit.ts'

const MAGIC = 'SQLite format 3\0'
/** Offsets in the header, in the manual "Database File Format". */
const PAGE_SIZE = 16
const WRITE_VERSION = 18
const READ_VERSION = 19
const CHANGES = 24
const PAGES = 28
const VALID_FOR = 92

export type SqlRow = Readonly<Record<string, unknown>>

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns a copy that needs no log beside it, because one of a file in memory can't be opened. */
const copyWithoutLog = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  copy[WRITE_VERSION] = 1
  copy[READ_VERSION] = 1
  return copy
}

const checkHeader = (bytes: Buffer): void => {
  if (bytes.length < 100 || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw createFileError('byte 0', 'is not an SQLite file')
  const size = bytes.readUInt16BE(PAGE_SIZE)
  const expected = bytes.readUInt32BE(PAGES) * (size === 1 ? 65_536 : size)
  // The number of pages counts if it was written with the last change.
  if (bytes.readUInt32BE(CHANGES) === bytes.readUInt32BE(VALID_FOR) && bytes.length < expected)
    throw createFileError(`byte ${bytes.length}`, `the file ends before its ${expected} bytes`)
}

export class SqliteFile {
  readonly #limit = new ObjectLimit()
  readonly #db: Database
  /** Rows and characters that may still be read: a damaged tree can name the same pages without end. */
  #left: number

  /** @param bytes of the whole file */
  constructor(bytes: Buffer) {
    checkHeader(bytes)
    this.#left = 4 * bytes.length
    this.#db = this.#guarded(() => Database.deserialize(copyWithoutLog(bytes), { readonly: true }))
    this.#guarded(() => {
      for (const pragma of ['trusted_schema = OFF', 'cell_size_check = ON', 'query_only = ON'])
        this.#db.run(`PRAGMA ${pragma}`)
    })
  }

  close(): void {
    this.#db.close()
  }

  /** Returns the names of the ordinary tables. */
  tables(): string[] {
    const rows = this.#guarded(() =>
      this.#db
        .query("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY name")
        .all(),
    )
    return rows.map((row) => String((row as SqlRow).name))
  }

  /** Returns the rows of a table, by the columns that are stored, without empty values. */
  rows(table: string): SqlRow[] {
    const columns = this.#guarded(() => this.#db.query(`PRAGMA table_xinfo(${quoteName(table)})`).all() as SqlRow[])
    const names = columns.filter(({ hidden }) => hidden === 0).map(({ name }) => String(name))
    if (names.length === 0) return []
    return [...this.#read(table, names.map(quoteName).join(', '))].map((row) => this.#texts(row))
  }

  /** Counts the rows of a table and reads none of their values. */
  count(table: string): number {
    let n = 0
    for (const _ of this.#read(table, '1')) n++
    return n
  }

  #texts(row: SqlRow): SqlRow {
    this.#limit.add()
    const kept: [string, unknown][] = []
    for (const [name, value] of Object.entries(row)) {
      if (value === null || value === '') continue
      const text = value instanceof Uint8Array ? `0x${Buffer.from(value).toString('hex')}` : value
      if (typeof text === 'string') this.#spend(text.length)
      kept.push([name, typeof text === 'string' ? toStorable(text) : text])
    }
    return Object.fromEntries(kept)
  }

  *#read(table: string, columns: string): Generator<SqlRow> {
    const sql = `SELECT ${columns} FROM ${quoteName(table)} NOT INDEXED`
    const rows = this.#guarded(() => this.#db.query(sql).iterate())
    for (;;) {
      const next = this.#guarded(() => rows.next())
      if (next.done) return
      this.#spend(1)
      yield next.value as SqlRow
    }
  }

  #spend(n: number): void {
    this.#left -= n
    if (this.#left < 0) throw createFileError('the file', 'is damaged: its tables have more rows than it can hold')
  }

  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw createFileError('the file', `is a damaged SQLite file: ${error instanceof Error ? error.message : error}`)
    }
  }
}
