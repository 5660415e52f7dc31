/** CSV by RFC 4180. A cell that a spreadsheet would run as a formula is led by an apostrophe. */
import { isRow, type Row } from './cli/labels.ts'

const FORMULA = /^[=+\-@\t\r]/

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.some(isRow) ? JSON.stringify(value) : value.map(String).join(';')
  return isRow(value) ? JSON.stringify(value) : String(value)
}

/** @example csvCell('=1+1') // "'=1+1" */
export const csvCell = (value: unknown): string => {
  const text = textOf(value)
  // A number of the contract is one, also where it is negative.
  const safe = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`

export function* csvText(
  rows: readonly Row[],
  { columns, hasHeaders }: { columns: readonly string[]; hasHeaders: boolean },
): Generator<string> {
  if (hasHeaders) yield csvLine(columns)
  for (let at = 0; at < rows.length; at += 2000)
    yield rows
      .slice(at, at + 2000)
      .map((row) => csvLine(columns.map((column) => row[column])))
      .join('')
}
