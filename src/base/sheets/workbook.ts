/** Reads the first sheet of a workbook (XLSX, ECMA-376 part 1, section 18) as rows of texts with their numbers. Browser-safe. */
import { type CellValue, readXlsx, type StreamRow, streamXlsxRows } from 'hucre/xlsx'
import { AppError, invalidField } from '../../contract/errors.ts'
import { toStorable } from '../../contract/storable.ts'
import type { Cells } from '../csv/csv.ts'
import { sumUnpackedSizes } from './unpacked-size.ts'

/** The most bytes of all files of a workbook, unpacked. The library reads no more of a file than the archive claims. */
const MAX_BYTES = 512 * 2 ** 20
/** The most cells of all rows, with the empty ones before a filled one. */
const MAX_CELLS = 20_000_000
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

/** Returns the place of the first sheet that is shown. */
const findSheet = async (bytes: Uint8Array): Promise<number> => {
  let shown: number | undefined
  await readXlsx(bytes, {
    // Asked for each sheet before it is read; none is read here.
    sheets: ({ index, hidden, veryHidden }) => {
      if (!hidden && !veryHidden) shown ??= index
      return false
    },
  })
  if (shown === undefined) throw createFileError('has no sheet that is shown')
  return shown
}

const collectCells = async (rows: AsyncIterable<StreamRow>): Promise<Cells> => {
  const cells: Cells = { rows: [], numbers: [], unit: 'row' }
  let count = 0
  for await (const { index, values } of rows) {
    count += values.length
    if (count > MAX_CELLS) throw createFileError(`has more than ${MAX_CELLS} cells`)
    const row = values.map(toText)
    if (row.every((cell) => cell.trim() === '')) continue
    cells.rows.push(row)
    cells.numbers.push(index + 1)
  }
  return cells
}

/** @throws AppError VALIDATION_ERROR on `file` */
export const readWorkbook = async (bytes: Uint8Array): Promise<Cells> => {
  const size = sumUnpackedSizes(bytes)
  if (size === undefined) throw createFileError('is no ZIP archive, or is cut off')
  if (size > MAX_BYTES) throw createFileError(`unpacks to more than ${MAX_BYTES} bytes`)
  try {
    return await collectCells(streamXlsxRows(bytes, { sheet: await findSheet(bytes) }))
  } catch (error) {
    if (error instanceof AppError) throw error
    // The library tells a damaged file by errors of many kinds.
    throw createFileError(
      `is a ZIP archive, and no workbook that can be read (${(error as Error).message}); unpack other archives first`,
    )
  }
}
