/** The text of a file, and the errors of its lines. */
import { isUtf8 } from 'node:buffer'
import { type Line, splitLines } from '../../net/text-lines.ts'
import { createFileError } from '../converter.ts'
import { checkUnpacked, checkUtf8, decodeLines, toBuffer } from '../file-text.ts'
import { TextWindow } from '../text-window.ts'

/**
 * @param comment the beginning of a comment, which may be of another encoding
 * @throws AppError VALIDATION_ERROR on `file` for a file that is empty, packed or not UTF-8
 */
export const decodeText = (bytes: Uint8Array, comment?: string): string => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  if (comment !== undefined && !isUtf8(buffer)) return decodeLines(buffer, { from: 0, to: buffer.length, comment })
  checkUtf8(buffer)
  return buffer.toString('utf8')
}

export const createLineError = (line: number, message: string) => createFileError(`line ${line}`, message)

const HEAD_BYTES = 1024

/** Returns the beginning of a file. Bytes that are not ASCII become other characters. */
export const readHead = (bytes: Uint8Array): string => toBuffer(bytes).toString('latin1', 0, HEAD_BYTES)

/**
 * Yields the lines of a file, which is not decoded as a whole.
 * @param comment as in `decodeText`
 * @throws AppError VALIDATION_ERROR on `file` for a file that is empty or packed, and for the first line that is not UTF-8
 */
export function* readLines(bytes: Uint8Array, comment?: string): Generator<Line> {
  const window = new TextWindow(bytes, { last: '\n', ...(comment !== undefined && { comment }) })
  let before = 0
  while (window.next()) {
    let number = before
    for (const line of splitLines(window.text)) {
      number = before + line.number
      yield { number, text: line.text }
    }
    before = number
  }
}
