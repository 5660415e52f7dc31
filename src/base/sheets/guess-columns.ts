/** Guesses the fields of the columns of a sheet by their names, and by what their cells hold. Browser-safe. */

import { parseIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { type CellKind, isNothing, readCell } from '../csv/cells.ts'
import { getSheetField, listSheetFields, rankField, type Sheet } from './sheet.ts'
import { isCidrText, isMaskText } from './subnet-text.ts'
import { normalizeWord, rankWord } from './words.ts'

/** The rows whose cells decide between the fields of a word. */
const SAMPLE_ROWS = 50

/** A column `Label` holds the name of its row more often than the label of an address. */
const LABEL_RANK = 50

const SUFFIX = /_id$/

const isIpCell = (cell: string): boolean => {
  const list = readAddresses(cell)
  return list.length > 0 && list.every((ip) => parseIp(ip) !== undefined)
}

const readAddresses = (cell: string): string[] => {
  try {
    const list = readCell('addresses', cell)
    return Array.isArray(list) ? list.map((one: { readonly ip?: unknown }) => String(one.ip ?? '')) : []
  } catch {
    return []
  }
}

const isNumber = (kind: CellKind, cell: string): boolean => {
  const value = readCell(kind, cell)
  return typeof value === 'number' && value >= 0
}

const MAX_PORT = 65_535

/** Returns true for a cell that a field may hold. */
const canHold = (field: string, kind: CellKind, cell: string): boolean => {
  if (field === 'subnet') return isCidrText(cell) || parseIp(cell) !== undefined
  if (field === 'mask') return isMaskText(cell)
  if (field === 'port') return isNumber('number', cell) && Number(cell) <= MAX_PORT
  if (kind === 'addresses' || kind === 'ip') return isIpCell(cell)
  if (kind === 'mac') return parseMac(cell.trim()) !== undefined
  if (kind === 'number' || kind === 'vlan') return isNumber(kind, cell)
  if (field === 'hostname' || field === 'name' || field === 'location') return !isIpCell(cell)
  return field === 'interface' || field === 'switch_port' ? parseMac(cell.trim()) === undefined : true
}

const isInteger = (cell: string): boolean => /^\d+$/.test(cell.trim())

type Candidate = { readonly rank: number; readonly column: number; readonly field: string }

const rankColumn = (sheet: Sheet, field: string, word: string): number | undefined => {
  const rank = rankField(sheet, field, word)
  return rank !== undefined && field === 'label' && Object.hasOwn(sheet.parts, field) ? rank + LABEL_RANK : rank
}

/** The cells of one column that are not empty. */
type Samples = readonly string[]

const collectSamples = (rows: readonly (readonly string[])[], columns: number): Samples[] => {
  const sample = rows.slice(0, SAMPLE_ROWS)
  return Array.from({ length: columns }, (_, at) =>
    sample.map((row) => row[at] ?? '').filter((cell) => !isNothing(cell)),
  )
}

const isPlausible = (
  sheet: Sheet,
  { rank, column, field }: Candidate,
  name: string,
  samples: readonly Samples[],
): boolean => {
  const cells = samples[column] ?? []
  if (cells.length === 0) return true
  // The id of a row in another program, which is no id here.
  if (field === 'id' && name !== 'id' && cells.every(isInteger)) return false
  const kind = getSheetField(sheet, field)?.kind ?? 'text'
  if (rank <= 1 && field !== 'port' && field !== 'hostname') return true
  return cells.some((cell) => canHold(field, kind, cell))
}

/** The field that several columns may hold, because it is a list. */
export const MERGED_FIELD = 'addresses'

/**
 * The column of a device type by name, as estate documents have it. Sheets with the manufacturer beside it call the model so, and
 * sheets of automation a driver, such as `cisco_ios`. The name of a device type has its manufacturer and its model, with a blank between.
 */
const TYPE_BY_NAME = 'device_type'

const mayHoldTypes = (cells: Samples): boolean => cells.length === 0 || cells.some((cell) => cell.trim().includes(' '))

/**
 * Returns the field of each column, or '' for none. Each field is taken once, by the surest word for it, but several columns may hold
 * addresses. Parts of addresses are taken only beside addresses.
 * @param taken fields that are given by hand; columns with a given field are empty
 */
export const guessColumns = (
  sheet: Sheet,
  {
    columns,
    rows,
    taken = [],
  }: { columns: readonly string[]; rows: readonly (readonly string[])[]; taken?: readonly string[] },
): string[] => {
  const samples = collectSamples(rows, columns.length)
  const words = columns.map(normalizeWord)
  const hasMake = words.some((word) => word !== '' && rankWord(sheet.resource, 'make', word) !== undefined)
  const isNative = (field: string, column: number) =>
    field.replace(SUFFIX, '') !== TYPE_BY_NAME ||
    columns[column] === `${TYPE_BY_NAME}_id` ||
    (columns[column] === TYPE_BY_NAME && !hasMake && mayHoldTypes(samples[column] ?? []))
  const listCandidates = (fields: readonly string[]): Candidate[] =>
    fields
      .flatMap((field) =>
        words.flatMap((word, column): Candidate[] => {
          const rank = word === '' ? undefined : rankColumn(sheet, field, word)
          return rank === undefined || !isNative(field, column) ? [] : [{ rank, column, field }]
        }),
      )
      .filter((one) => isPlausible(sheet, one, columns[one.column] ?? '', samples))
      .sort((a, b) => a.rank - b.rank || a.column - b.column)
  const all = listCandidates(listSheetFields(sheet))
  const hasAddresses = taken.includes(MERGED_FIELD) || all.some(({ field }) => field === MERGED_FIELD)
  const isPart = (field: string) => Object.hasOwn(sheet.parts, field)
  const used = new Set(taken.flatMap((field) => (field === MERGED_FIELD ? [] : listTwins(field))))
  const guessed = columns.map(() => '')
  for (const { column, field } of all) {
    if (guessed[column] !== '' || used.has(field) || (isPart(field) && !hasAddresses)) continue
    guessed[column] = field
    if (field !== MERGED_FIELD) for (const one of listTwins(field)) used.add(one)
  }
  return guessed
}

/** Returns the names of one reference: by name, and by id. */
const listTwins = (field: string): string[] => {
  const base = field.replace(SUFFIX, '')
  return [field, base, `${base}_id`]
}
