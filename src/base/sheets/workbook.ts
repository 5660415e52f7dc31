/** Reads one sheet of a workbook (XLSX, ECMA-376 part 1, section 18) as rows of texts with their numbers. Browser-safe. */
import { type CellValue, readXlsx, streamXlsxRows } from 'hucre/xlsx'
import { AppError, invalidField } from '../../contract/errors.ts'
import { toStorable } from '../../contract/storable.ts'
import type { Cells } from '../csv/csv.ts'
import { MAX_TITLES } from './find-header.ts'
import { sumUnpackedSizes } from './unpacked-size.ts'

/** The most bytes of all files of a workbook, unpacked. The library reads no more of a file than the archive claims. */
const MAX_BYTES = 512 * 2 ** 20
/** The most cells of all rows, with the empty ones before a filled one. */
const MAX_CELLS = 20_000_000
/** The most sheets in which a header is looked for. */
const MAX_SHEETS = 50
/** The days of a time without a date: day 0 of dates since 1900, and of those since 1904. */
const TIME_DAYS: ReadonlySet<string> = new Set(['1899-12-31', '1904-01-01'])

const createFileError = (message: string) => invalidField('file', `the file: ${message}`)

/** Returns a date, with the time where there is one, or a time without a date. @example '2024-01-01T12:00:00Z' */
const formatDate = (date: Date): string => {
  if (Number.isNaN(date.getTime())) return ''
  // Seconds are the smallest unit that a format shows without fractions.
  const text = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString()
  const [day, time] = [text.slice(0, -14), text.slice(-13, -5)]
  if (time === '00:00:00') return day
  return TIME_DAYS.has(day) ? time : `${day}T${time}Z`
}

/** Excel stores 0.1 + 0.2 with all its digits, and shows 15. */
const formatNumber = (value: number): string => String(Number(value.toPrecision(15)))

const toText = (value: CellValue): string => {
  if (value === null) return ''
  if (typeof value === 'number') return formatNumber(value)
  return value instanceof Date ? formatDate(value) : toStorable(String(value).replace(/\r\n?/g, '\n'))
}

type SheetPart = { readonly index: number; readonly name: string; readonly isHidden: boolean }

/** Returns the sheets in the order of their tabs. */
const listSheets = async (bytes: Uint8Array): Promise<SheetPart[]> => {
  const sheets: SheetPart[] = []
  await readXlsx(bytes, {
    // Asked for each sheet before it is read; none is read here.
    sheets: ({ index, name, hidden, veryHidden }) => {
      sheets.push({ index, name: toStorable(name), isHidden: Boolean(hidden || veryHidden) })
      return false
    },
  })
  return sheets
}

/** Yields the rows with a cell. */
async function* readRows(bytes: Uint8Array, sheet: number): AsyncGenerator<{ number: number; cells: string[] }> {
  let count = 0
  for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
    count += values.length
    if (count > MAX_CELLS) throw createFileError(`has more than ${MAX_CELLS} cells`)
    const cells = values.map(toText)
    if (cells.some((cell) => cell.trim() !== '')) yield { number: index + 1, cells }
  }
}

/** Returns the rows among which the header stands. A sheet that cannot be read, such as a chart, has none. */
const readFirstRows = async (bytes: Uint8Array, sheet: number): Promise<string[][]> => {
  const rows: string[][] = []
  try {
    for await (const { cells } of readRows(bytes, sheet)) if (rows.push(cells) > MAX_TITLES) break
  } catch {
    return []
  }
  return rows
}

/** Tells whether rows of the beginning of a sheet name the columns. */
export type HasHeader = (rows: readonly (readonly string[])[]) => boolean

/** Returns the first of several shown sheets that has a header, else the first one with a row, else the first one. */
const chooseSheet = async (
  bytes: Uint8Array,
  sheets: readonly SheetPart[],
  hasHeader: HasHeader,
): Promise<SheetPart> => {
  const shown = sheets.filter(({ isHidden }) => !isHidden)
  const [first] = shown
  if (!first) throw createFileError('has no sheet that is shown')
  if (shown.length === 1) return first
  let filled: SheetPart | undefined
  for (const sheet of shown.slice(0, MAX_SHEETS)) {
    const rows = await readFirstRows(bytes, sheet.index)
    if (hasHeader(rows)) return sheet
    if (rows.length > 0) filled ??= sheet
  }
  return filled ?? first
}

const collectCells = async (bytes: Uint8Array, hasHeader: HasHeader): Promise<Cells> => {
  const sheets = await listSheets(bytes)
  const chosen = await chooseSheet(bytes, sheets, hasHeader)
  const [rows, numbers]: [string[][], number[]] = [[], []]
  for await (const { number, cells } of readRows(bytes, chosen.index)) {
    rows.push(cells)
    numbers.push(number)
  }
  const others = sheets.filter((sheet) => sheet !== chosen).map(({ name, isHidden }) => ({ name, isHidden }))
  return { rows, numbers, unit: 'row', ...(others.length > 0 && { sheet: { name: chosen.name, others } }) }
}

/**
 * Reads the first shown sheet with a header.
 * @throws AppError VALIDATION_ERROR on `file`
 */
export const readWorkbook = async (bytes: Uint8Array, hasHeader: HasHeader = () => true): Promise<Cells> => {
  const size = sumUnpackedSizes(bytes)
  if (size === undefined) throw createFileError('is no ZIP archive, or is cut off')
  if (size > MAX_BYTES) throw createFileError(`unpacks to more than ${MAX_BYTES} bytes`)
  try {
    return await collectCells(bytes, hasHeader)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The library tells a damaged file by errors of many kinds.
    throw createFileError(
      `is a ZIP archive, and no workbook that can be read (${(error as Error).message}); unpack other archives first`,
    )
  }
}
