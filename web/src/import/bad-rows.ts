/** Rows of a file that are not imported: where they stand, and a file with them. */
import { formatCsv } from '../../../src/base/csv/csv.ts'
import { formatPlace, listOriginRows, locateCell, type MappedTable } from '../../../src/base/sheets/locate.ts'
import type { RowOrigin } from '../../../src/base/sheets/sheet.ts'
import { DATACENTER, DATACENTER_ID } from './import-fields.ts'
import type { MappedRows, Mapping } from './mapping.ts'
import { getCells } from './mapping.ts'
import type { Source } from './read.ts'

/** Returns the cells of a sheet by the numbers of their rows; undefined for JSON, which has no cells. */
/** A sheet of the page. */
export type SourceTable = MappedTable & Pick<Source, 'unit'>

export const buildTable = (source: Source, mapping: Mapping): SourceTable | undefined => {
  if (source.format === 'JSON') return undefined
  const cells = getCells(source)
  const places = new Map(source.numbers.map((number, at) => [number, at]))
  const fields = mapping.map((field) => (field === DATACENTER_ID ? DATACENTER : field))
  return { columns: source.columns, fields, unit: source.unit, getCells: (number) => cells[places.get(number) ?? -1] }
}

/** @example describeError(table, 3, { field: 'status', message: 'must be ...' }) // 'status: must be ... (line 3, column Status, "asleep")' */
export const describeError = (
  table: SourceTable | undefined,
  origin: RowOrigin | undefined,
  { field, message }: { readonly field: string; readonly message: string },
): string => {
  const text = field === '' ? message : `${field}: ${message}`
  if (!table || origin === undefined) return text
  const place = locateCell(table, origin, field)
  return `${text} (${[`${table.unit} ${place.number}`, formatPlace(place)].filter((part) => part !== '').join(', ')})`
}

/** Returns the first row of the file that a row was made of. */
export const getFirstRow = (origin: RowOrigin | undefined): number =>
  origin === undefined ? 0 : (listOriginRows(origin)[0] ?? 0)

/** Returns the file with the rows that are not imported, as they stand in the source. @param failed places of rows */
export const formatBadRows = (
  source: Source,
  { origins, rejected, rows }: Pick<MappedRows, 'origins' | 'rejected' | 'rows'>,
  failed: ReadonlySet<number>,
): { readonly ending: 'csv' | 'json'; readonly type: string; readonly text: string } => {
  if (source.format === 'JSON') {
    const bad = rows.filter((_, at) => failed.has(at))
    return { ending: 'json', type: 'application/json', text: `${JSON.stringify(bad, undefined, 2)}\n` }
  }
  const made = [...failed].flatMap((at) => listOriginRows(origins[at] ?? { rows: [], addresses: [] }))
  const numbers = new Set([...made, ...rejected.map(({ number }) => number)])
  const bad = getCells(source).filter((_, at) => numbers.has(source.numbers[at] ?? 0))
  return { ending: 'csv', type: 'text/csv;charset=utf-8', text: formatCsv([source.columns, ...bad]) }
}
