/** Reads the cells of a file with columns. */
import { type Cells, parseCells } from '../base/csv/csv.ts'
import { decodeSheetText } from '../base/sheets/decode-text.ts'
import { createFileError } from './converter.ts'
import { checkUnpacked, toBuffer, toStorable } from './file-text.ts'

/** @throws AppError VALIDATION_ERROR on `file` */
export const readSheetFile = (bytes: Uint8Array): Cells => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  try {
    return parseCells(toStorable(decodeSheetText(buffer)))
  } catch (error) {
    if (error instanceof SyntaxError) throw createFileError('the file', error.message)
    throw error
  }
}
