/** Turns the rows of a sheet into rows of an estate document, and knows where each came from. Browser-safe. */
import { isHostname } from '../../net/dns-name.ts'
import { type CellKind, isNothing, readCell } from '../csv/cells.ts'
import type { Cells } from '../csv/csv.ts'
import { CUSTOM, getCustomName, isCustomColumn } from '../csv/custom-columns.ts'
import { MERGED_FIELD } from './guess-columns.ts'
import { type Joinable, mergeAddresses, RowJoiner } from './join-rows.ts'
import { type CellLine, getSheetField, type RowOrigin, type Sheet, type SheetField, type SheetRow } from './sheet.ts'
import { readChoice } from './statuses.ts'
import { joinMask, normalizeSubnetText } from './subnet-text.ts'

/** Rows below their header. */
export type SheetTable = Cells & { readonly columns: readonly string[] }

/** A row that cannot be read. Its other errors are found by the server. */
export type RejectedRow = {
  readonly number: number
  readonly column?: string
  readonly value?: string
  readonly message: string
}

/** What becomes of the cells of a column without a field. */
export type ColumnUse = 'describe' | 'leave' | 'secret'

/** Why a cell has no place: its column is left out or secret, the resource has no description, or an earlier row of its object has another value. */
export type WhyLeft = 'left out' | 'secret' | 'no place' | 'differs'

export type BuildOptions = {
  /** The field of each column; '' for none. */
  readonly fields: readonly string[]
  /** Of a column without a field. */
  readonly getUse: (column: number) => ColumnUse
  /** Called with each cell that has no place. */
  readonly onLeft: (column: string, why: WhyLeft, at: { readonly row: number; readonly value: string }) => void
  /** Called for each row with a cell. */
  readonly onRow?: () => void
  /** Returns the description of a row with lines below its text. Without it, cells have no lines. */
  readonly describe?: (at: number, text: string, lines: readonly CellLine[]) => string
  /** Empty cells clear their field. */
  readonly emptyClears?: boolean
}

export type BuiltRows = {
  readonly rows: SheetRow[]
  readonly origins: readonly RowOrigin[]
  readonly rejected: RejectedRow[]
  /** The names of objects that rows name, by their resource, in the order of the file, with the numbers of these rows. */
  readonly named: NamedObjects
}

export type NamedObjects = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>

/** The state of one row while its cells are read. */
type Draft = Joinable & {
  /** These are absent where no column has them: most sheets have very many rows and few such columns. */
  custom?: [name: string, cell: string][]
  parts?: SheetRow
  partCells?: CellLine[]
  pieces?: Record<string, string>
}

/** @param at the place among the rows; 1 is the first */
type ReadOne = (draft: Draft, cell: string, at: number) => void

class BadCell extends Error {}

/** Words for the space of addresses that every server has. */
const NO_SPACE = /^(global|default|global table|main)$/i

const isAbsentReference = (field: string, text: string): boolean =>
  isNothing(text) || (field === 'space' && NO_SPACE.test(text.trim()))

/** Returns the value of a cell; undefined for none. @throws BadCell */
const readValue = ({ kind, of }: SheetField, name: string, cell: string): unknown => {
  if (name === 'subnet') return normalizeSubnetText(cell)
  try {
    const value = readCell(kind, cell)
    return kind === 'choice' && of && typeof value === 'string' ? readChoice(of, value).value : (value ?? undefined)
  } catch {
    throw new BadCell('is not valid JSON')
  }
}

/** Collects the names of objects that rows name. */
class Names {
  readonly #all = new Map<string, Map<string, number[]>>()
  /** The places of the names of the present row. */
  #ofRow: number[][] = []

  add(resource: string, name: string, number: number): void {
    const names = this.#all.get(resource) ?? new Map<string, number[]>()
    this.#all.set(resource, names)
    const numbers = names.get(name) ?? []
    names.set(name, numbers)
    numbers.push(number)
    this.#ofRow.push(numbers)
  }

  /** Ends a row. The names of a row that is rejected do not count. */
  endRow(isRejected: boolean): void {
    if (this.#ofRow.length === 0) return
    if (isRejected) for (const numbers of this.#ofRow) numbers.pop()
    this.#ofRow = []
  }

  finish(): NamedObjects {
    return new Map(
      [...this.#all].map(([resource, names]) => [
        resource,
        new Map([...names].filter(([, numbers]) => numbers.length > 0)),
      ]),
    )
  }
}

/** Other programs write lists with commas. A column with the exact name of its field is an export of Plat, where a comma is part of a text. */
const splitCommas = (value: unknown, cell: string): unknown =>
  Array.isArray(value) && !/[;\n[]/.test(cell)
    ? cell
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    : value

/** Returns the readers of the columns. */
const buildReaders = (
  sheet: Sheet,
  columns: readonly string[],
  options: BuildOptions,
  names: Names,
): (ReadOne | undefined)[] => {
  const { fields, getUse, onLeft, describe } = options
  const isDescribed = describe !== undefined && Object.hasOwn(sheet.fields, 'description')
  const getColumn = (at: number): string => columns[at] || `column ${at + 1}`
  const readOther = (at: number): ReadOne | undefined => {
    const column = getColumn(at)
    const use = getUse(at)
    if (use === 'describe' && isDescribed) return ({ lines }, value) => void lines.push({ column, value })
    const why = use === 'describe' ? 'no place' : use === 'secret' ? 'secret' : 'left out'
    return (_, value, row) => onLeft(column, why, { row, value })
  }
  const readField = (field: string, at: number): ReadOne => {
    const known = getSheetField(sheet, field) ?? { kind: 'text' }
    const column = getColumn(at)
    if (isCustomColumn(field))
      return (draft, cell) => {
        draft.custom ??= []
        draft.custom.push([getCustomName(field), cell])
      }
    if (Object.hasOwn(sheet.pieces, field))
      return (draft, cell) => {
        draft.pieces = { ...draft.pieces, [field]: cell.trim() }
      }
    if (Object.hasOwn(sheet.parts, field) && !Object.hasOwn(sheet.fields, field))
      return (draft, cell) => {
        const value =
          known.makes !== undefined && isAbsentReference(field, cell) ? undefined : readValue(known, field, cell)
        if (value === undefined || value === null || value === '') return
        if (known.makes !== undefined) names.add(known.makes, String(value), draft.number)
        draft.parts ??= {}
        draft.parts[field] = value
        draft.partCells ??= []
        draft.partCells.push({ column, value: cell })
      }
    if (field === MERGED_FIELD)
      return ({ addresses }, cell) => {
        const list = readValue(known, field, cell)
        if (Array.isArray(list)) for (const one of list) addresses.push(one)
        else if (list !== undefined) throw new BadCell('must be a list')
      }
    const { makes, of } = known
    if (makes !== undefined)
      return ({ row, number }, cell) => {
        const text = cell.trim()
        if (isAbsentReference(field, text)) return
        row[field] = text
        names.add(makes, text, number)
      }
    return ({ row, lines }, cell) => {
      const value = readValue(known, field, cell)
      if (value === undefined || value === null) return
      row[field] = known.kind === 'list' && column !== field ? splitCommas(value, cell) : value
      if (of && isDescribed && value !== cell && readChoice(of, cell).isNear) lines.push({ column, value: cell })
    }
  }
  return columns.map((_, at) => {
    const field = fields[at] ?? ''
    return field === '' ? readOther(at) : readField(field, at)
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Gives the parts of addresses to the addresses of the row, and the cells of a row without an address back. */
const placeParts = ({ addresses, parts, partCells = [], lines }: Draft): void => {
  // Several columns and lists may have one address.
  if (addresses.length > 1) {
    const merged = mergeAddresses(addresses)
    if (merged.length < addresses.length) addresses.splice(0, addresses.length, ...merged)
  }
  if (!parts) return
  if (addresses.length === 0) {
    for (const line of partCells) lines.push(line)
    return
  }
  for (const [at, one] of addresses.entries()) if (isRecord(one)) addresses[at] = { ...parts, ...one }
}

const joinMake = (make: string, model: unknown): string => {
  if (typeof model !== 'string' || model === '') return make
  return model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`
}

/** Puts pieces into their fields. @throws BadCell */
const placePieces = ({ row, pieces }: Draft): void => {
  if (!pieces) return
  const { make, mask } = pieces
  if (make) row.make_model = joinMake(make, row.make_model)
  if (!mask || typeof row.subnet !== 'string') return
  const joined = joinMask(row.subnet, mask)
  if (joined === undefined) throw new BadCell(`${row.subnet} and the mask ${mask} are no subnet`)
  row.subnet = joined
}

/**
 * Fills the name of a row without one: by the host name or the name in the DNS, or by the subnet. An address is a name only in a sheet
 * without names.
 */
const fillName = (sheet: Sheet, { row, addresses, parts }: Draft, hasNames: boolean): void => {
  if (row.id !== undefined || (typeof row.name === 'string' && row.name !== '') || !Object.hasOwn(sheet.fields, 'name'))
    return
  const [first] = addresses
  const candidates = Object.hasOwn(sheet.fields, 'hostname')
    ? [row.hostname, parts?.dns_name, !hasNames && isRecord(first) ? first.ip : undefined]
    : [row.subnet]
  const name = candidates.find((one) => typeof one === 'string' && one !== '')
  if (name === undefined) return
  row.name = name
  // A text with blanks is a name and no host name.
  if (typeof row.hostname === 'string' && name === row.hostname && !isHostname(row.hostname)) delete row.hostname
}

/** Adds the values of columns to a column that holds all of them. Other errors of that column are errors of its row. */
const withValues = (all: unknown, values: readonly (readonly [string, string])[]): object => ({
  ...(isRecord(all) ? all : {}),
  ...Object.fromEntries(values),
})

/** The fields that a clearing cell may not take: without an id the name counts. */
const NEVER_CLEARED: ReadonlySet<string> = new Set(['id'])

const LISTS: ReadonlySet<CellKind> = new Set(['list', 'numbers', 'addresses'])
const NULLS: ReadonlySet<CellKind> = new Set(['number', 'vlan', 'flag', 'record'])

const getEmptyValue = ({ kind }: SheetField): unknown => (LISTS.has(kind) ? [] : NULLS.has(kind) ? null : '')

const SPACE = 32

/** Resources of objects that many rows of a sheet may describe. */
const JOINED: ReadonlySet<string> = new Set(['devices'])

export const buildRows = (sheet: Sheet, table: SheetTable, options: BuildOptions): BuiltRows => {
  const { columns, rows, numbers } = table
  const { fields, describe, emptyClears = false, onLeft, onRow = () => {} } = options
  const names = new Names()
  const readers = buildReaders(sheet, columns, options, names)
  const rejected: RejectedRow[] = []
  const nameAt = fields.indexOf('name')
  const hasNames = nameAt !== -1 && rows.some((row) => (row[nameAt] ?? '').trim() !== '')
  const joiner = new RowJoiner(JOINED.has(sheet.resource), (field, at) => {
    const column = columns[fields.indexOf(field)] ?? field
    onLeft(column, 'differs', at)
  })
  for (const [index, cells] of rows.entries()) {
    const number = numbers[index] ?? index + 1
    const draft: Draft = {
      number,
      at: index + 1,
      row: {},
      addresses: [],
      lines: [],
    }
    let at = 0
    let isEmpty = true
    try {
      for (; at < cells.length; at++) {
        const cell = cells[at] ?? ''
        if (cell === '' || (cell.charCodeAt(0) <= SPACE && cell.trim() === '')) {
          const field = emptyClears ? (fields[at] ?? '') : ''
          const known = field === '' || NEVER_CLEARED.has(field) ? undefined : sheet.fields[field]
          if (known) draft.row[field] = getEmptyValue(known)
          continue
        }
        if (isEmpty) onRow()
        isEmpty = false
        if (at >= columns.length)
          throw new BadCell(`has ${cells.length} cells, and there are ${columns.length} columns`)
        readers[at]?.(draft, cell, index + 1)
      }
      if (isEmpty) continue
      at = Math.max(0, fields.indexOf('mask'))
      placePieces(draft)
    } catch (error) {
      if (!(error instanceof BadCell)) throw error
      names.endRow(true)
      const column = columns[at]
      rejected.push({ number, ...(column !== undefined && { column, value: cells[at] ?? '' }), message: error.message })
      continue
    }
    names.endRow(false)
    placeParts(draft)
    fillName(sheet, draft, hasNames)
    if (draft.addresses.length > 0) draft.row[MERGED_FIELD] = draft.addresses
    if (draft.custom) draft.row[CUSTOM] = withValues(draft.row[CUSTOM], draft.custom)
    joiner.add(draft)
  }
  const joined = joiner.finish()
  if (describe)
    for (const { row, lines, at } of joined.drafts)
      if (lines.length > 0) row.description = describe(at, String(row.description ?? ''), lines)
  return { rows: joined.drafts.map(({ row }) => row), origins: joined.origins, rejected, named: names.finish() }
}
