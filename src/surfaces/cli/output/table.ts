/** Formats rows and single objects as plain aligned text. Output is made printable, and fits the terminal's width. */

import { getLabel, type Row } from '../../../contract/labels.ts'
import { getOwn } from '../../../contract/own.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { cut, measureWidth, padEnd, toPrintable } from './display.ts'

const NONE = '-'
const GAP = '  '
/** Minimum width of a column, on any terminal. */
const MIN_WIDTH = 6

const formatHostPort = (row: Row): string => {
  const ip = String(row.ip)
  const port = row.port === null || row.port === undefined ? '' : String(row.port)
  return port === '' ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

/** True for an end of a cable: a port of a device, with the side of a rear port. */
const isEnd = ({ device, port }: Row): boolean => typeof device === 'string' && typeof port === 'string'

const endText = ({ device, port, side, port_side }: Row): string =>
  `${device} ${port}${(port_side ?? side) === 'rear' ? ' rear' : ''}`

const formatObjectCell = (row: Row, column: string): string => {
  // The percentage of `utilization: {..., utilization: 12.5}`, the text of `error: {error: ...}`.
  const own = getOwn(row, column)
  if (typeof own === 'string' || typeof own === 'number') return String(own)
  if (typeof row.ip === 'string')
    return typeof row.label === 'string' && row.label !== ''
      ? `${formatHostPort(row)} (${row.label})`
      : formatHostPort(row)
  const label = getLabel(row)
  if (label !== undefined) return label
  if (isEnd(row)) return endText(row)
  const differences = Object.entries(row).flatMap(([field, value]) =>
    isDifference(value) ? [[field, value] as const] : [],
  )
  if (differences.length > 0 && differences.length === Object.keys(row).length) return formatDifferences(differences)
  return Object.entries(row)
    .map(([key, value]) => `${key}=${formatCompact(value, key)}`)
    .join(' ')
}

/** The old and the new value of a field. */
type Difference = { readonly from: unknown; readonly to: unknown }

const isDifference = (value: unknown): value is Difference =>
  isRecord(value) && Object.keys(value).length === 2 && Object.hasOwn(value, 'from') && Object.hasOwn(value, 'to')

/** The widest old or new value of a field. */
const MAX_VALUE = 40

/** Formats `status: active -> maintenance`; for a new or deleted object only the values. */
const formatDifferences = (differences: readonly (readonly [field: string, Difference])[]): string => {
  const shown = (value: unknown, field: string) => cut(formatCompact(value, field), MAX_VALUE) || NONE
  for (const [gone, kept] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const)
    if (differences.length > 1 && differences.every(([, one]) => one[gone] === null))
      return differences
        .flatMap(([field, one]) => (shown(one[kept], field) === NONE ? [] : [`${field}: ${shown(one[kept], field)}`]))
        .join(', ')
  return differences.map(([field, { from, to }]) => `${field}: ${shown(from, field)} -> ${shown(to, field)}`).join(', ')
}

const formatCompact = (value: unknown, column: string): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((one) => formatCompact(one, column)).join(', ')
  return isRecord(value) ? formatObjectCell(value, column) : String(value)
}

/** Formats one value on one line; `-` for none. */
export const formatCell = (value: unknown, column: string): string => toPrintable(formatCompact(value, column)) || NONE

const formatHeading = (column: string): string => toPrintable(column).toUpperCase()

const IDS = new Set(['id', 'change_id'])

/** Narrows the widest columns to the limit, but never the ids, which are copied. */
const fit = (widths: number[], columns: readonly string[], limit: number): number[] => {
  const made = [...widths]
  const isCuttable = (i: number) => !IDS.has(columns[i] ?? '') && (made[i] ?? 0) > MIN_WIDTH
  let excess = made.reduce((sum, width) => sum + width, GAP.length * (made.length - 1)) - limit
  while (excess > 0) {
    const cuttable = made.map((_, i) => i).filter(isCuttable)
    if (cuttable.length === 0) break
    const widest = cuttable.reduce((best, i) => ((made[i] ?? 0) > (made[best] ?? 0) ? i : best))
    made[widest] = (made[widest] ?? 0) - 1
    excess--
  }
  return made
}

export type TableOptions = {
  readonly columns: readonly string[]
  readonly hasHeaders: boolean
  readonly width: number | undefined
}

/** Yields a table in pieces of some thousand lines. The widths need every row, the text does not. */
export function* formatTable(rows: readonly Row[], { columns, hasHeaders, width }: TableOptions): Generator<string> {
  const lines = rows.map((row) => columns.map((column) => formatCell(getOwn(row, column), column)))
  if (hasHeaders) lines.unshift(columns.map(formatHeading))
  const wide = columns.map((_, i) => lines.reduce((most, line) => Math.max(most, measureWidth(line[i] ?? '')), 0))
  const widths = width === undefined ? wide : fit(wide, columns, width)
  const last = columns.length - 1
  const cell = (text: string, i: number): string => {
    const shown = width === undefined ? text : cut(text, widths[i] ?? 0)
    return i === last ? shown : padEnd(shown, widths[i] ?? 0)
  }
  for (let at = 0; at < lines.length; at += 2000)
    yield lines
      .slice(at, at + 2000)
      .map((line) => `${line.map(cell).join(GAP).trimEnd()}\n`)
      .join('')
}

/** Yields one object with a line per field. Lists of objects follow as separate tables. */
export function* formatObject(row: Row, options: Omit<TableOptions, 'columns'>): Generator<string> {
  const isTable = (value: unknown): value is Row[] =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && !('ip' in one) && !isEnd(one))
  const plain = Object.entries(row).filter(([, value]) => !isTable(value))
  const width = plain.reduce((most, [key]) => Math.max(most, measureWidth(toPrintable(key)) + 1), 0)
  yield plain.map(([key, value]) => `${padEnd(`${toPrintable(key)}:`, width)} ${formatCell(value, key)}\n`).join('')
  for (const [key, value] of Object.entries(row)) {
    if (!isTable(value)) continue
    yield `\n${toPrintable(key)}:\n`
    yield* formatTable(value, { ...options, columns: listColumns(value) })
  }
}

/** Returns the columns of rows without columns in their schema: all their fields. */
export const listColumns = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))]
