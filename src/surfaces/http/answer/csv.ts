/** Writes CSV (RFC 4180). Formulas get an apostrophe in front, and control characters become visible. */

import { isPlain } from '../../../base/csv/cells.ts'
import { escapeCell } from '../../../base/csv/csv-cell.ts'
import type { Row } from '../../../contract/labels.ts'
import { getOwn } from '../../../contract/own.ts'
import { isRecord } from '../../../contract/unknown.ts'

/** True for an item of a list that stands between semicolons. */
const isSimple = (item: unknown): boolean => typeof item === 'number' || typeof item === 'boolean' || isPlain(item)

const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.every(isSimple) ? value.map(String).join(';') : JSON.stringify(value)
  return isRecord(value) ? JSON.stringify(value) : String(value)
}

/** @example formatCsvCell('=1+1') // "'=1+1" */
export const formatCsvCell = (value: unknown): string => {
  const text = toText(value)
  // A number of the contract is written as one, also if it is negative.
  const safe = typeof value === 'number' ? text : escapeCell(text)
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const formatCsvLine = (cells: readonly unknown[]): string => `${cells.map(formatCsvCell).join(',')}\r\n`

type CsvOptions = {
  readonly columns: readonly string[]
  readonly hasHeaders: boolean
  /** Transforms a row before it is written. Without it, rows are written unchanged. */
  readonly shown?: (line: string) => string
}

export function* formatCsv(rows: readonly Row[], options: CsvOptions): Generator<string> {
  const { columns, hasHeaders, shown = (line: string) => line } = options
  const formatLine = (cells: readonly unknown[]): string => shown(formatCsvLine(cells))
  if (hasHeaders) yield formatLine(columns)
  for (let at = 0; at < rows.length; at += 2000)
    yield rows
      .slice(at, at + 2000)
      .map((row) => formatLine(columns.map((column) => getOwn(row, column))))
      .join('')
}
