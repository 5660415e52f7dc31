/** Finds the row of a sheet that names the columns: titles and notes may stand above it. Browser-safe. */

import { parseIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { isCustomColumn } from '../csv/custom-columns.ts'
import { listSheetFields, rankField, type Sheet } from './sheet.ts'
import { isCidrText } from './subnet-text.ts'
import { normalizeWord } from './words.ts'

/** The header stands within these rows. */
export const MAX_TITLES = 20

const isValue = (cell: string): boolean =>
  parseIp(cell.trim()) !== undefined || isCidrText(cell) || parseMac(cell.trim()) !== undefined

const countFilled = (row: readonly string[]): number => row.filter((cell) => cell.trim() !== '').length

type Rows = readonly (readonly string[])[]

const findGivenHeader = (first: Rows, given: readonly string[]): number | undefined => {
  const at = first.findIndex((row) => given.every((column) => row.some((cell) => cell.trim() === column)))
  return given.length === 0 || at === -1 ? undefined : at
}

/** Returns the row with the most names that mean a field; undefined for none. */
const findKnownHeader = (first: Rows, sheet: Sheet): number | undefined => {
  const fields = listSheetFields(sheet)
  const known = new Map<string, boolean>()
  const isKnown = (cell: string): boolean => {
    const word = normalizeWord(cell)
    const isField =
      known.get(word) ?? (word !== '' && fields.some((field) => rankField(sheet, field, word) !== undefined))
    known.set(word, isField)
    return isField || isCustomColumn(cell.trim()) || sheet.readOnly.has(cell.trim())
  }
  const isNarrow = first.every((row) => countFilled(row) <= 1)
  // One word below the first row may as well be a value.
  const least = (at: number) => (at === 0 || isNarrow ? 1 : 2)
  const ranks = first.map((row, at) => {
    const rank = row.some(isValue) ? 0 : new Set(row.filter(isKnown)).size
    return rank >= least(at) ? rank : 0
  })
  const best = Math.max(0, ...ranks)
  return best > 0 ? ranks.indexOf(best) : undefined
}

/**
 * Returns the place of the header: the first row with all columns that are given by hand, else the row with the most names that mean a
 * field, else the first one with two cells.
 * @returns undefined for a sheet that begins with values
 */
export const findHeader = (rows: Rows, sheet: Sheet, given: readonly string[] = []): number | undefined => {
  const first = rows.slice(0, MAX_TITLES)
  const known = findGivenHeader(first, given) ?? findKnownHeader(first, sheet)
  if (known !== undefined) return known
  const titles = first.findIndex((row) => countFilled(row) > 1)
  const at = titles === -1 ? 0 : titles
  return rows[at]?.some(isValue) ? undefined : at
}

/** True for rows with a row below their header, which has the columns that are given by hand, or names a field. A cover sheet has none. */
export const hasHeader = (rows: Rows, sheet: Sheet, given: readonly string[] = []): boolean => {
  const first = rows.slice(0, MAX_TITLES)
  const at = given.length > 0 ? findGivenHeader(first, given) : findKnownHeader(first, sheet)
  return at !== undefined && rows.length > at + 1
}
