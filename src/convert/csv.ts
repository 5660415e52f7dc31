/** Converts a spreadsheet: one row for each line, with the columns that its first line names. */

import { type CellKind, readCell } from '../base/csv/cells.ts'
import { parseCsv } from '../base/csv/csv.ts'
import { CUSTOM, getCustomName, isCustomColumn } from '../base/csv/custom-columns.ts'
import { guessFields } from '../base/csv/guess.ts'
import { invalidField } from '../contract/errors.ts'
import { type FieldSchema, getInputSchema, stripNull } from '../contract/input-schema.ts'
import { getOwn } from '../contract/own.ts'
import { formatSuggestion } from '../contract/suggest.ts'
import { INVENTORY } from '../inventory/resources.ts'
import { type Conversion, createFileError, type EstateRow, type WholeConverter } from './converter.ts'
import { checkUnpacked, toBuffer, toStorable } from './file-text.ts'
import { ObjectLimit } from './object-limit.ts'
import type { ConvertOptions, Mapping } from './protocol.ts'
import { type Line, ReportBuilder } from './report-builder.ts'
import type { RowSchema, RowSchemas } from './row-schemas.ts'
import { isSecret } from './secret-fields.ts'
import { isArchive, readWorkbook } from './xlsx/workbook.ts'

/** The number of columns of the largest sheet of a spreadsheet, and the longest name of one. */
const MAX_COLUMNS = 16_384
const MAX_COLUMN_NAME = 1000

const getCellKind = (schema: FieldSchema): CellKind => {
  const { type, items } = stripNull(schema)
  if (type === 'array') return items && stripNull(items).properties ? 'addresses' : 'list'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'object' ? 'record' : 'text'
}

/** Returns the fields of a row, and how the cell of each is read. A reference has its field by name first. */
const listCellKinds = ({ draft, level }: RowSchema): Readonly<Record<string, CellKind>> => {
  const { properties = {} } = getInputSchema(draft)
  return {
    ...Object.fromEntries(level.references.map(({ as }) => [as, 'text' as const])),
    ...Object.fromEntries(Object.entries(properties).map(([field, schema]) => [field, getCellKind(schema)])),
  }
}

/** Spreadsheets save as UTF-8, as UTF-16 with a byte order mark, or as Windows-1252. */
const decodeText = (bytes: Uint8Array): string => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return toStorable(new TextDecoder('utf-16le').decode(buffer))
  try {
    return toStorable(new TextDecoder('utf-8', { fatal: true }).decode(buffer))
  } catch {
    return toStorable(new TextDecoder('windows-1252').decode(buffer))
  }
}

const parseTable = (bytes: Uint8Array): { readonly columns: string[]; readonly rows: string[][] } => {
  try {
    const [columns = [], ...rows] = isArchive(bytes) ? readWorkbook(bytes).rows : parseCsv(decodeText(bytes))
    if (columns.length === 0) throw createFileError('line 1', 'names no column')
    if (columns.length > MAX_COLUMNS) throw createFileError('line 1', `names more than ${MAX_COLUMNS} columns`)
    const long = columns.findIndex((column) => column.length > MAX_COLUMN_NAME)
    if (long !== -1)
      throw createFileError('line 1', `names column ${long + 1} with more than ${MAX_COLUMN_NAME} characters`)
    return { columns: columns.map((column) => column.trim()), rows }
  } catch (error) {
    if (error instanceof SyntaxError) throw createFileError('the file', error.message)
    throw error
  }
}

/** True for a field that a column may hold: of a custom field, the server of the import knows whether it is defined. */
const isField = (kinds: Readonly<Record<string, CellKind>>, field: string): boolean =>
  Object.hasOwn(kinds, field) || (Object.hasOwn(kinds, CUSTOM) && isCustomColumn(field))

type Fields = {
  readonly noun: string
  readonly kinds: Readonly<Record<string, CellKind>>
  /** Columns that are left out unless the mapping gives them a field. */
  readonly readOnly: ReadonlySet<string>
}

/** Returns the field of each column: that of the mapping, else the one that its name means; '' for none. */
const mapColumns = (
  columns: readonly string[],
  given: Readonly<Record<string, string>>,
  { noun, kinds, readOnly }: Fields,
): string[] => {
  const names = new Set(columns)
  for (const [column, field] of Object.entries(given)) {
    const at = `mapping.columns.${column}`
    if (!names.has(column)) throw invalidField(at, `is no column of the file${formatSuggestion(column, columns)}`)
    if (field !== '' && !isField(kinds, field))
      throw invalidField(at, `${field} is not a field of a ${noun}${formatSuggestion(field, Object.keys(kinds))}`)
  }
  const taken = new Set(Object.values(given))
  const free = Object.keys(kinds).filter((field) => !taken.has(field))
  const isOpen = (column: string) => !Object.hasOwn(given, column) && !readOnly.has(column)
  const own = (column: string) =>
    isOpen(column) && isCustomColumn(column) && isField(kinds, column) && !taken.has(column) ? column : ''
  const guessed = guessFields(
    free,
    columns.map((column) => (isOpen(column) ? column : '')),
  )
  const fields = columns.map((column, at) => getOwn(given, column) ?? (guessed[at] || own(column)))
  const firsts = new Map<string, number>()
  for (const [at, field] of fields.entries()) {
    const first = firsts.get(field) ?? at
    firsts.set(field, first)
    if (field !== '' && first !== at)
      throw invalidField(`mapping.columns.${columns[at]}`, `is ${field}, as ${columns[first]} is`)
  }
  return fields
}

const parseCell = (kind: CellKind, cell: string, where: string): unknown => {
  try {
    return readCell(kind, cell)
  } catch {
    throw createFileError(where, 'is not valid JSON')
  }
}

/** Adds the values of columns to a column that holds all of them. Other errors of that column are errors of its row. */
const withValues = (all: unknown, values: readonly (readonly [string, string])[]): object => ({
  ...(typeof all === 'object' ? all : {}),
  ...Object.fromEntries(values),
})

const convertCsv = (
  { getRules, READ_ONLY }: RowSchemas,
  bytes: Uint8Array,
  { mapping = {}, ...options }: ConvertOptions,
): Conversion => {
  const { resource, columns: given = {} } = mapping
  if (resource === undefined)
    throw invalidField('resource', `is required for a spreadsheet: one of ${INVENTORY.join(', ')}`)
  const rules = getRules(resource)
  const kinds = listCellKinds(rules)
  const { columns, rows } = parseTable(bytes)
  const fields = mapColumns(columns, given, { noun: rules.noun, kinds, readOnly: READ_ONLY })
  const report = new ReportBuilder(options)
  const limit = new ObjectLimit()
  const isDescribed = Object.hasOwn(kinds, 'description')
  const converted = rows.map((cells, index): EstateRow => {
    limit.add()
    report.read('row')
    const number = index + 1
    if (cells.length > columns.length)
      throw createFileError(`row ${number}`, `has ${cells.length} of ${columns.length} cells`)
    const row: Record<string, unknown> = {}
    const lines: Line[] = []
    const custom: [name: string, cell: string][] = []
    for (const [at, cell] of cells.entries()) {
      if (cell.trim() === '') continue
      const column = columns[at] || `column ${at + 1}`
      const field = fields[at] ?? ''
      if (isCustomColumn(field)) custom.push([getCustomName(field), cell])
      else if (field !== '') row[field] = parseCell(getOwn(kinds, field) ?? 'text', cell, `row ${number}: ${field}`)
      else if (isSecret(column)) report.dropped(column)
      else if (getOwn(given, columns[at] ?? '') === '' || READ_ONLY.has(column))
        report.left(column, 'is left out', { row: number, value: cell })
      else if (isDescribed) lines.push({ key: column, value: cell, field: column })
      else report.left(column, 'has no place in Plat', { row: number, value: cell })
    }
    if (custom.length > 0) row[CUSTOM] = withValues(row[CUSTOM], custom)
    const text = String(row.description ?? '')
    // A text that is too long is an error of its row, unless lines are added.
    return lines.length > 0 ? { ...row, description: report.describe('row', number, text, lines) } : row
  })
  const documents = converted.length > 0 ? { [resource]: converted } : {}
  const used: Mapping = { resource, columns: listUsedColumns(columns, fields, given) }
  return {
    source: 'csv',
    documents,
    hosts: [],
    report: { ...report.report(documents), mapping: used },
    leftover: report.leftover(),
  }
}

export const createCsvConverter =
  (schemas: RowSchemas): WholeConverter =>
  (bytes, options) =>
    convertCsv(schemas, bytes, options)

/** Returns the columns with a field, and the columns that the mapping left out. */
const listUsedColumns = (
  columns: readonly string[],
  fields: readonly string[],
  given: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, at): [string, string][] => {
      const field = fields[at] ?? ''
      return field !== '' || getOwn(given, column) === '' ? [[column, field]] : []
    }),
  )
