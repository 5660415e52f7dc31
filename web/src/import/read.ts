/** Pasted or dropped text, and workbooks, as columns and rows. */
import { type Cells, parseCells, type ReadSheet } from '../../../src/base/csv/csv.ts'
import { findHeader, hasHeader } from '../../../src/base/sheets/find-header.ts'
import type { ResourceName } from '../export/fields.ts'
import { getImportSheet } from './import-fields.ts'

export type Source = {
  readonly format: 'CSV' | 'XLSX' | 'JSON'
  /** The name of the file, without its ending; undefined for pasted text. */
  readonly name?: string | undefined
  readonly columns: readonly string[]
  /** Texts from CSV and XLSX, any value from JSON; undefined where a row has no such field. */
  readonly rows: readonly (readonly unknown[])[]
  /** The line in which each row of a CSV begins, the number of a row in a workbook, or its place in JSON; 1 is the first. */
  readonly numbers: readonly number[]
  /** The unit of the numbers. */
  readonly unit: Cells['unit']
  /** Of a workbook with several sheets. */
  readonly sheet?: ReadSheet
}

/** Returns a source without the rows of these numbers. */
export const withoutRows = (source: Source, numbers: ReadonlySet<number>): Source => {
  const kept = source.numbers.map((number) => !numbers.has(number))
  return {
    ...source,
    rows: source.rows.filter((_, at) => kept[at]),
    numbers: source.numbers.filter((_, at) => kept[at]),
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fromObjects = (objects: readonly unknown[]): Source => {
  const bad = objects.findIndex((one) => !isObject(one))
  if (bad !== -1) throw new SyntaxError(`Row ${bad + 1} is no object`)
  const rows = objects.filter(isObject)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return {
    format: 'JSON',
    columns,
    rows: rows.map((row) => columns.map((column) => (Object.hasOwn(row, column) ? row[column] : undefined))),
    numbers: rows.map((_, at) => at + 1),
    unit: 'row',
  }
}

const parseLine = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new SyntaxError(`Line ${number + 1} is not valid JSON`)
  }
}

const readJson = (text: string): Source => {
  if (text.startsWith('[')) return fromObjects(JSON.parse(text) as readonly unknown[])
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // One object over many lines, or one in each line.
  if (lines.length > 1 && !/\}\s*$/.test(lines[0] ?? '')) return fromObjects([JSON.parse(text)])
  return fromObjects(lines.map(parseLine))
}

const fromCells = (format: 'CSV' | 'XLSX', { rows, numbers, unit, sheet }: Cells, resource: ResourceName): Source => {
  if (rows.length < 2) throw new SyntaxError(`It has only one ${unit}: the first ${unit} names the columns`)
  const at = findHeader(rows, getImportSheet(resource))
  if (at === undefined)
    throw new SyntaxError(
      `${unit === 'row' ? 'Row' : 'Line'} ${numbers[0]} holds values: a ${unit} above the rows must name the columns, such as name,ip`,
    )
  const columns = (rows[at] ?? []).map((column) => column.trim())
  while (columns.length > 1 && columns.at(-1) === '') columns.pop()
  const isFilled = (row: readonly string[]) => row.some((cell) => cell.trim() !== '')
  const below = rows.flatMap((row, index) => (index > at && isFilled(row) ? [[row, numbers[index] ?? 0] as const] : []))
  if (below.length === 0) throw new SyntaxError('It has no rows below the names of the columns')
  if (below.every(([row]) => isFilled(row.slice(columns.length))))
    throw new SyntaxError(`${unit === 'row' ? 'Row' : 'Line'} ${below[0]?.[1]} has more cells than there are columns`)
  return {
    ...{ format, columns, rows: below.map(([row]) => row), numbers: below.map(([, number]) => number), unit },
    ...(sheet && { sheet }),
  }
}

/** @throws SyntaxError with words for a person */
export const readSource = (input: string, resource: ResourceName = 'devices'): Source => {
  const text = input.replace(/^\ufeff/, '')
  if (text.trim() === '') throw new SyntaxError('It is empty')
  return /^\s*[[{]/.test(text) ? readJson(text.trim()) : fromCells('CSV', parseCells(text), resource)
}

/** True for the beginning of a ZIP archive, such as a workbook. */
export const isArchive = async (file: Blob): Promise<boolean> => {
  const [first, second, third] = new Uint8Array(await file.slice(0, 3).arrayBuffer())
  return first === 0x50 && second === 0x4b && third === 3
}

/** @throws SyntaxError with words for a person, or AppError for a file that is no workbook */
export const readWorkbookFile = async (file: Blob, resource: ResourceName): Promise<Source> => {
  const { readWorkbook } = await import('../../../src/base/sheets/workbook.ts')
  const bytes = new Uint8Array(await file.arrayBuffer())
  const sheet = getImportSheet(resource)
  return fromCells('XLSX', await readWorkbook(bytes, (rows) => hasHeader(rows, sheet)), resource)
}
