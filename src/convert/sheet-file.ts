/** Reads the cells of a file with columns. */
import { type Cells, parseCells } from '../base/csv/csv.ts'
import { decodeSheetText } from '../base/sheets/decode-text.ts'
import { createFileError } from './converter.ts'
import { checkUnpacked, toBuffer, toStorable } from './file-text.ts'
import { isArchive, readWorkbook } from './xlsx/workbook.ts'

/** Reads CSV, or the first shown sheet of a workbook, with the numbers of its rows. @throws AppError VALIDATION_ERROR on `file` */
export const readSheetFile = (bytes: Uint8Array): Cells => {
  if (isArchive(bytes)) return readWorkbook(bytes)
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  try {
    return parseCells(toStorable(decodeSheetText(buffer)))
  } catch (error) {
    if (error instanceof SyntaxError) throw createFileError('the file', error.message)
    throw error
  }
}
