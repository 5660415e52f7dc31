/** The interface of a database as source or target of a copy, implemented for each engine by a file beside this one. */

import { pause } from '../../base/runtime/pause.ts'
import type { Engine } from '../../database/database.ts'
import { quoteName } from '../../database/query/quoted.ts'
import type { AppliedMigration } from '../../database/sqlite/file.ts'
import type { Query } from '../recovery/doctor-data.ts'
import { add, countCharacters, type Fingerprint, getKey, getKeyColumns, NOTHING, type Row, type Table } from './form.ts'

/** A part of a table, by its primary key. */
export type Range = {
  /** The rows after this key. */
  readonly after?: Row | undefined
  /** The rows up to this key, inclusive. */
  readonly upTo?: Row | undefined
}

export type Side = {
  readonly engine: Engine
  /** The location without a password. */
  readonly place: string
  /** Every table with data. None in an empty database. */
  readonly tableNames: () => Promise<readonly string[]>
  /** The tables as the database itself describes them. */
  readonly tables: () => Promise<readonly Table[]>
  /** The applied migrations. */
  readonly applied: () => Promise<readonly AppliedMigration[]>
  readonly count: (table: Table) => Promise<number>
  /** Returns the first rows of a range, in the order of the primary key. */
  readonly rows: (table: Table, range: Range, most: number) => Promise<Row[]>
  /** Returns the last key of a table. */
  readonly lastKey: (table: Table) => Promise<Row | undefined>
  readonly query: Query
  readonly close: () => Promise<void>
}

/** A database that is read in one snapshot. */
export type Source = Side & {
  /** A warning about writers that the snapshot does not see. */
  readonly warning: string | undefined
}

/** An index, a reference or a trigger that is removed during a copy. */
export type LoosePart = {
  readonly id: number
  /** The statement that creates it. */
  readonly fasten: string
}

export type Target = Side & {
  /** Migrates an empty database to this program's schema. */
  readonly prepare: () => Promise<void>
  /** Marks it as unfinished, and removes the indexes, references and triggers. May be repeated. */
  readonly loosen: () => Promise<void>
  readonly clear: (table: Table) => Promise<void>
  /** Inserts all of the rows, or none. */
  readonly insert: (table: Table, rows: readonly Row[]) => Promise<void>
  /** Returns the removed parts in the order of their restoration. */
  readonly looseParts: () => Promise<readonly LoosePart[]>
  readonly fasten: (part: LoosePart) => Promise<void>
  /** Updates data derived from the rows. */
  readonly settle: (tables: readonly Table[]) => Promise<void>
  /** Removes the mark: from now on it is an ordinary database. */
  readonly finish: () => Promise<void>
  /** Removes everything that an unfinished copy has created. */
  readonly wipe: () => Promise<void>
}

/** Tables that are maintained by each database itself. */
const OWN_TABLES = new Set(['migrations', 'revisions'])
/** The table of the parts that `loosen` has removed, until the copy is finished. */
export const LOOSE_PARTS = 'copy_loose_parts'

export const isCopied = (table: string): boolean => !OWN_TABLES.has(table) && table !== LOOSE_PARTS

export type Words = {
  /** Returns the expression that reads a column in the form of `form.ts`. */
  readonly read: (column: Table['columns'][number]) => string
  /** Returns the placeholder of value number `n`, beginning with 1, which is compared with the column. */
  readonly parameter: (n: number, column: Table['columns'][number]) => string
}

/** Qualified with the table, because the bare name would sort a column that is read as text. */
const quoteColumn = (table: Table, name: string): string => `${quoteName(table.name)}.${quoteName(name)}`

/** Returns the statement for `rows`; its parameters are the keys `after` and `upTo`, in this order. */
export const buildPageSql = (
  table: Table,
  { after, upTo }: Range,
  { most, words }: { most: number; words: Words },
): string => {
  const key = getKeyColumns(table)
  const names = key.map(({ name }) => quoteColumn(table, name)).join(', ')
  const bounds = [...(after ? ['>'] : []), ...(upTo ? ['<='] : [])].map((operator, bound) => {
    const values = key.map((column, i) => words.parameter(bound * key.length + i + 1, column))
    return `(${names}) ${operator} (${values.join(', ')})`
  })
  const where = bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`
  const columns = table.columns.map(words.read).join(', ')
  return `SELECT ${columns} FROM ${quoteName(table.name)}${where} ORDER BY ${names} LIMIT ${most}`
}

export const buildLastKeySql = (table: Table, words: Words): string => {
  const key = getKeyColumns(table)
  const order = key.map(({ name }) => `${quoteColumn(table, name)} DESC`).join(', ')
  return `SELECT ${key.map(words.read).join(', ')} FROM ${quoteName(table.name)} ORDER BY ${order} LIMIT 1`
}

/** The number of rows of a page: small at first, because a row may be large. */
const FIRST_ROWS = 64
const MOST_ROWS = 4096
/** The intended size of a page, in characters. */
const PAGE_LENGTH = 2_000_000

/** Doubled or halved, so that few different statements are prepared. */
const computeNextSize = (most: number, page: readonly Row[]): number => {
  const length = countCharacters(page)
  if (length > PAGE_LENGTH) return Math.max(1, most / 2)
  return length < PAGE_LENGTH / 4 ? Math.min(MOST_ROWS, most * 2) : most
}

export type Reading = Range & { readonly signal: AbortSignal; readonly read?: ((rows: number) => void) | undefined }

/** Yields the rows of a range in pages, in bounded memory. */
export async function* readPages(side: Side, table: Table, { signal, ...range }: Reading): AsyncGenerator<Row[]> {
  let most = FIRST_ROWS
  let { after } = range
  for (;;) {
    signal.throwIfAborted()
    const page = await side.rows(table, { after, upTo: range.upTo }, most)
    const last = page.at(-1)
    if (last) yield page
    if (!last || page.length < most) return
    after = getKey(table, last)
    most = computeNextSize(most, page)
    // Lets the process handle Ctrl-C.
    await pause()
  }
}

export const computeFingerprint = async (side: Side, table: Table, reading: Reading): Promise<Fingerprint> => {
  let sum = NOTHING
  for await (const page of readPages(side, table, reading)) {
    sum = add(sum, page)
    reading.read?.(page.length)
  }
  return sum
}
