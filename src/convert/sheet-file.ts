/** Reads the cells of a file with columns. */
import { type Cells, parseCells } from '../base/csv/csv.ts'
import { decodeSheetText } from '../base/sheets/decode-text.ts'
import type { HasHeader } from '../base/sheets/workbook.ts'
import { toStorable } from '../contract/storable.ts'
import { createFileError } from './converter.ts'
import { checkUnpacked, toBuffer } from './file-text.ts'

/** @throws AppError VALIDATION_ERROR on `file` */
export const readSheetText = (bytes: Uint8Array): Cells => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  try {
    return parseCells(toStorable(decodeSheetText(buffer)))
  } catch (error) {
    if (error instanceof SyntaxError) throw createFileError('the file', error.message)
    throw error
  }
}

/** True for the beginning of a ZIP archive. */
const isArchive = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3

/**
 * Reads CSV, or the first shown sheet of a workbook with a header, with the numbers of its rows.
 * @throws AppError VALIDATION_ERROR on `file`
 */
export const readSheetFile = async (bytes: Uint8Array, hasHeader?: HasHeader): Promise<Cells> =>
  isArchive(bytes) ? (await import('../base/sheets/workbook.ts')).readWorkbook(bytes, hasHeader) : readSheetText(bytes)
