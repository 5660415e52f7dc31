/** The text of a file, and the errors of its lines. */
import { badFile } from '../converter.ts'
import { bufferOf, checkUnpacked, checkUtf8 } from '../file-text.ts'

/** @throws AppError VALIDATION_ERROR on `file` for a file that is empty, packed or not UTF-8 */
export const textOf = (bytes: Uint8Array): string => {
  const buffer = bufferOf(bytes)
  checkUnpacked(buffer)
  checkUtf8(buffer)
  return buffer.toString('utf8')
}

export const badLine = (line: number, message: string) => badFile(`line ${line}`, message)
