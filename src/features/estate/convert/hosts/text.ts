/** The lines of a text file. */
import { badFile } from '../converter.ts'
import { bufferOf, checkUnpacked, checkUtf8 } from '../file-text.ts'

/** @throws AppError VALIDATION_ERROR on `file` for a file that is empty, packed or not UTF-8 */
export const textOf = (bytes: Uint8Array): string => {
  const buffer = bufferOf(bytes)
  checkUnpacked(buffer)
  checkUtf8(buffer)
  return buffer.toString('utf8')
}

export type Line = { readonly number: number; readonly text: string }

/** Yields the lines from 1 on, without their ends. */
export function* linesOf(text: string): Generator<Line> {
  let number = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end < 0 ? text.length : end
    yield { number: ++number, text: text.slice(at, stop).replace(/\r$/, '') }
    at = stop + 1
  }
}

export const badLine = (line: number, message: string) => badFile(`line ${line}`, message)
