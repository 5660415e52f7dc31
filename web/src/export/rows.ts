/** Rows as the text of a file. */
import { cellOf } from '../../../src/features/estate/csv/cells.ts'
import { csvText } from '../../../src/features/estate/csv/csv.ts'
import { CUSTOM, customColumns, customValue, isCustomColumn } from '../../../src/features/estate/csv/custom-columns.ts'
import { FIELDS, resourceNamed } from './fields.ts'

/** Columns that an import accepts and ignores. */
const KEPT = ['created_at', 'updated_at']

/** The columns of a file: the fields of an importable resource, otherwise every property of the rows. */
const columnsOf = (name: string, rows: readonly object[]): string[] => {
  const resource = resourceNamed(name)
  const there = new Set(rows.flatMap((row) => Object.keys(row)))
  if (!resource) return [...there]
  // A reservation has an id of its own, which an import does not need to find it.
  return [...new Set(['id', ...Object.keys(FIELDS[resource]), ...KEPT])].filter((field) => there.has(field))
}

type Row = Readonly<Record<string, unknown>>

const asRows = (rows: readonly object[]): readonly Row[] => rows as readonly Row[]

export const rowsToCsv = (name: string, rows: readonly object[]): string => {
  // Each custom field has a column in the place of all of them.
  const columns = columnsOf(name, rows).flatMap((column) => (column === CUSTOM ? customColumns(rows) : column))
  const cellValue = (row: Row, column: string) => (isCustomColumn(column) ? customValue(row, column) : row[column])
  return csvText([columns, ...asRows(rows).map((row) => columns.map((column) => cellOf(cellValue(row, column))))])
}

/** A line for each row, so that two files can be compared. */
export const rowsToJson = (name: string, rows: readonly object[]): string => {
  const columns = columnsOf(name, rows)
  const lines = asRows(rows).map((row) =>
    JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]]))),
  )
  return `[${lines.join(',\n')}]\n`
}
