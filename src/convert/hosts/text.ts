/** The text of a file, and the errors of its lines. */
import { createFileError } from '../converter.ts'
import { checkUnpacked, checkUtf8, toBuffer } from '../file-text.ts'

/** @throws AppError VALIDATION_ERROR on `file` for a file that is empty, packed or not UTF-8 */
export const decodeText = (bytes: Uint8Array): string => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  checkUtf8(buffer)
  return buffer.toString('utf8')
}

export const createLineError = (line: number, message: string) => createFileError(`line ${line}`, message)
