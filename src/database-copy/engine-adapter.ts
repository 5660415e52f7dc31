/** What a copy needs of the database at either end; the two files beside this one say it for each engine. */
import type { Engine } from '../platform/db/database.ts'
import { quoted } from '../platform/db/quoted.ts'
import type { AppliedMigration } from '../platform/db/sqlite/file.ts'
import { pause } from '../platform/runtime/pause.ts'
import type { Query } from '../recovery/doctor-data.ts'
import { add, type Fingerprint, keyColumns, keyOf, lengthOf, NOTHING, type Row, type Table } from './form.ts'

/** A part of a table, by its primary key. */
export type Range = {
  /** The rows behind this key. */
  readonly after?: Row | undefined
  /** Up to and with this key. */
  readonly upTo?: Row | undefined
}

export type Side = {
  readonly engine: Engine
  /** Where it is, without a password. */
  readonly place: string
  /** Every table that holds data. None in a database that is empty. */
  readonly tableNames: () => Promise<readonly string[]>
  /** As the database itself describes them. */
  readonly tables: () => Promise<readonly Table[]>
  /** The migrations that it has been through. */
  readonly applied: () => Promise<readonly AppliedMigration[]>
  readonly count: (table: Table) => Promise<number>
  /** The first rows of a range, in the order of the primary key. */
  readonly rows: (table: Table, range: Range, most: number) => Promise<Row[]>
  /** The last key there is. */
  readonly lastKey: (table: Table) => Promise<Row | undefined>
  readonly query: Query
  readonly close: () => Promise<void>
}

/** A side that is read in one snapshot. */
export type Source = Side & {
  /** What to tell about writers that the snapshot does not see. */
  readonly warning: string | undefined
}

/** An index, a reference or a trigger that is off for the time of a copy. */
export type LoosePart = {
  readonly id: number
  /** The statement that makes it. */
  readonly fasten: string
}

export type Target = Side & {
  /** Brings an empty database to this program's schema. */
  readonly prepare: () => Promise<void>
  /** Marks it as unfinished, and takes off the indexes, references and triggers, which go back on with `fasten` one by one. May be repeated. */
  readonly loosen: () => Promise<void>
  readonly clear: (table: Table) => Promise<void>
  /** All of the rows, or none. */
  readonly insert: (table: Table, rows: readonly Row[]) => Promise<void>
  /** What is loose, in the order in which it goes back on. */
  readonly looseParts: () => Promise<readonly LoosePart[]>
  readonly fasten: (part: LoosePart) => Promise<void>
  /** Brings what is derived from the rows in line with them. */
  readonly settle: (tables: readonly Table[]) => Promise<void>
  /** Takes the mark away: from now on it is a database like any other. */
  readonly finish: () => Promise<void>
  /** Takes everything away that an unfinished copy has made. */
  readonly wipe: () => Promise<void>
}

/** Tables that are each database's own business. */
const OWN_TABLES = new Set(['migrations', 'revisions'])
/** What `loosen` has taken off and `fasten` puts back; it is there only as long as a copy is not finished. */
export const LOOSE_PARTS = 'copy_loose_parts'

export const isCopied = (table: string): boolean => !OWN_TABLES.has(table) && table !== LOOSE_PARTS

export type Words = {
  /** Reads a column so that it comes as `form.ts` wants it. */
  readonly read: (column: Table['columns'][number]) => string
  /** The place of the value number `n`, beginning with 1, that is compared with the column. */
  readonly parameter: (n: number, column: Table['columns'][number]) => string
}

/** With the table: a column that is read as text is sorted as one by its name alone. */
const inTable = (table: Table, name: string): string => `${quoted(table.name)}.${quoted(name)}`

/** The statement for `rows`; its parameters are the keys `after` and `upTo`, one after the other. */
export const pageSql = (
  table: Table,
  { after, upTo }: Range,
  { most, words }: { most: number; words: Words },
): string => {
  const key = keyColumns(table)
  const names = key.map(({ name }) => inTable(table, name)).join(', ')
  const bounds = [...(after ? ['>'] : []), ...(upTo ? ['<='] : [])].map((operator, bound) => {
    const values = key.map((column, i) => words.parameter(bound * key.length + i + 1, column))
    return `(${names}) ${operator} (${values.join(', ')})`
  })
  const where = bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`
  const columns = table.columns.map(words.read).join(', ')
  return `SELECT ${columns} FROM ${quoted(table.name)}${where} ORDER BY ${names} LIMIT ${most}`
}

export const lastKeySql = (table: Table, words: Words): string => {
  const key = keyColumns(table)
  const order = key.map(({ name }) => `${inTable(table, name)} DESC`).join(', ')
  return `SELECT ${key.map(words.read).join(', ')} FROM ${quoted(table.name)} ORDER BY ${order} LIMIT 1`
}

/** Rows read at once: few at first, because one of them may be large. */
const FIRST_ROWS = 64
const MOST_ROWS = 4096
/** Rows of one page should take about as much, in characters. */
const PAGE_LENGTH = 2_000_000

/** Doubled or halved, so that there are few different statements. */
const nextSize = (most: number, page: readonly Row[]): number => {
  const length = lengthOf(page)
  if (length > PAGE_LENGTH) return Math.max(1, most / 2)
  return length < PAGE_LENGTH / 4 ? Math.min(MOST_ROWS, most * 2) : most
}

export type Reading = Range & { readonly signal: AbortSignal; readonly read?: ((rows: number) => void) | undefined }

/** The rows of a range in pages, in bounded memory. */
export async function* pages(side: Side, table: Table, { signal, ...range }: Reading): AsyncGenerator<Row[]> {
  let most = FIRST_ROWS
  let { after } = range
  for (;;) {
    signal.throwIfAborted()
    const page = await side.rows(table, { after, upTo: range.upTo }, most)
    const last = page.at(-1)
    if (last) yield page
    if (!last || page.length < most) return
    after = keyOf(table, last)
    most = nextSize(most, page)
    // So that Ctrl-C is heard.
    await pause()
  }
}

export const fingerprint = async (side: Side, table: Table, reading: Reading): Promise<Fingerprint> => {
  let sum = NOTHING
  for await (const page of pages(side, table, reading)) {
    sum = add(sum, page)
    reading.read?.(page.length)
  }
  return sum
}
