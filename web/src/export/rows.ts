/** Rows as the text of a file. */
import { cellOf } from '../../../src/features/estate/csv/cells.ts'
import { csvText } from '../../../src/features/estate/csv/csv.ts'
import { CUSTOM, customColumns, customValue, isCustomColumn } from '../../../src/features/estate/csv/custom-columns.ts'
import { FIELDS, type ResourceName, resourceNamed } from './fields.ts'

/** Columns that an import accepts and ignores. */
const KEPT = ['created_at', 'updated_at']

/** The columns of a file of an importable resource. */
export const columnsOfFile = (resource: ResourceName): string[] =>
  // A reservation has an id of its own, which an import does not need to find it.
  [...new Set(['id', ...Object.keys(FIELDS[resource]), ...KEPT])]

/** The columns of a file: the fields of an importable resource, otherwise every property of the rows. */
const columnsOf = (name: string, rows: readonly object[]): string[] => {
  const resource = resourceNamed(name)
  const there = new Set(rows.flatMap((row) => Object.keys(row)))
  return resource ? columnsOfFile(resource).filter((field) => there.has(field)) : [...there]
}

type Row = Readonly<Record<string, unknown>>

const asRows = (rows: readonly object[]): readonly Row[] => rows as readonly Row[]

export const rowsToCsv = (name: string, rows: readonly object[]): string => {
  // Each custom field has a column in the place of all of them.
  const columns = columnsOf(name, rows).flatMap((column) => (column === CUSTOM ? customColumns(rows) : column))
  return csvText([columns]) + csvRows(columns, rows)
}

/** The lines of a CSV below its head. */
export const csvRows = (columns: readonly string[], rows: readonly object[]): string => {
  const cellValue = (row: Row, column: string) => (isCustomColumn(column) ? customValue(row, column) : row[column])
  return csvText(asRows(rows).map((row) => columns.map((column) => cellOf(cellValue(row, column)))))
}

/** A line for each row, so that two files can be compared. */
export const rowsToJson = (name: string, rows: readonly object[]): string => {
  return `[${jsonRows(columnsOf(name, rows), rows)}]\n`
}

/** The objects of a JSON list. */
export const jsonRows = (columns: readonly string[], rows: readonly object[]): string =>
  asRows(rows)
    .map((row) => JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]]))))
    .join(',\n')
