/** Rows as the text of a file. */
import { formatCell } from '../../../src/base/csv/cells.ts'
import { formatCsv } from '../../../src/base/csv/csv.ts'
import { CUSTOM, getCustomValue, isCustomColumn, listCustomColumns } from '../../../src/base/csv/custom-columns.ts'
import { FIELDS, findResource, type ResourceName } from './fields.ts'

/** Columns that an import accepts and ignores. */
const KEPT = ['created_at', 'updated_at']

/** Returns the columns of a file of an importable resource. */
export const listFileColumns = (resource: ResourceName): string[] =>
  // A reservation has an id of its own, which an import does not need to find it.
  [...new Set(['id', ...Object.keys(FIELDS[resource]), ...KEPT])]

/** Returns the columns of a file: the fields of an importable resource, otherwise every property of the rows. */
const listColumns = (name: string, rows: readonly object[]): string[] => {
  const resource = findResource(name)
  const there = new Set(rows.flatMap((row) => Object.keys(row)))
  return resource ? listFileColumns(resource).filter((field) => there.has(field)) : [...there]
}

type Row = Readonly<Record<string, unknown>>

const toRows = (rows: readonly object[]): readonly Row[] => rows as readonly Row[]

export const formatRowsAsCsv = (name: string, rows: readonly object[]): string => {
  // Each custom field has a column in the place of all of them.
  const columns = listColumns(name, rows).flatMap((column) => (column === CUSTOM ? listCustomColumns(rows) : column))
  return formatCsv([columns]) + formatCsvRows(columns, rows)
}

/** Formats the lines of a CSV below its head. */
export const formatCsvRows = (columns: readonly string[], rows: readonly object[]): string => {
  const getCellValue = (row: Row, column: string) =>
    isCustomColumn(column) ? getCustomValue(row, column) : row[column]
  return formatCsv(toRows(rows).map((row) => columns.map((column) => formatCell(getCellValue(row, column)))))
}

/** Formats a line for each row, so that two files can be compared. */
export const formatJson = (name: string, rows: readonly object[]): string => {
  return `[${formatJsonRows(listColumns(name, rows), rows)}]\n`
}

/** Formats the objects of a JSON list. */
export const formatJsonRows = (columns: readonly string[], rows: readonly object[]): string =>
  toRows(rows)
    .map((row) => JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]]))))
    .join(',\n')
