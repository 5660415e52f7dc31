/** The text of a file: its encoding, and characters that no field of Plat can hold. */
import { isUtf8 } from 'node:buffer'
import { createFileError } from './converter.ts'

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Returns the bytes without a byte order mark, without a copy. */
export const toBuffer = (bytes: Uint8Array): Buffer => {
  const start = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start)
}

const countLines = (bytes: Buffer, to: number): number => {
  let lines = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) lines++
  return lines
}

/** Yields the lines of a part, with their ends. */
function* splitBytes(bytes: Buffer, from: number, to: number): Generator<{ at: number; line: Buffer }> {
  for (let at = from; at < to; ) {
    const end = bytes.indexOf(LINE_FEED, at)
    const next = end < 0 || end >= to ? to : end + 1
    yield { at, line: bytes.subarray(at, next) }
    at = next
  }
}

const createEncodingError = (bytes: Buffer, at: number) =>
  createFileError(`line ${countLines(bytes, at) + 1}`, 'is not UTF-8')

/** @throws AppError that names the first line that is not UTF-8 */
export const checkUtf8 = (bytes: Buffer): void => {
  if (isUtf8(bytes)) return
  for (const { at, line } of splitBytes(bytes, 0, bytes.length)) if (!isUtf8(line)) throw createEncodingError(bytes, at)
}

/** Returns the end of the text before the comment; undefined for a line without one. A mark inside quotes begins none. */
const findComment = (line: string, mark: string): number | undefined => {
  for (let at = line.indexOf(mark); at >= 0; at = line.indexOf(mark, at + 1)) {
    const quotes = line.slice(0, at).replace(/\\./g, '').split('"').length - 1
    if (quotes % 2 === 0) return at
  }
  return undefined
}

type Part = { readonly from: number; readonly to: number; readonly comment: string }

/**
 * Returns a part of a text, without comments that are not UTF-8: they have no meaning.
 * @throws AppError that names the first line that is not UTF-8 before its comment
 */
export const decodeLines = (bytes: Buffer, { from, to, comment }: Part): string => {
  let text = ''
  for (const { at, line } of splitBytes(bytes, from, to)) {
    const end = isUtf8(line) ? undefined : findComment(line.toString('latin1'), comment)
    const kept = end === undefined ? line : line.subarray(0, end)
    if (!isUtf8(kept)) throw createEncodingError(bytes, at)
    text += `${kept.toString('utf8')}${end === undefined ? '' : '\n'}`
  }
  return text
}

/** @throws AppError for the formats that have to be unpacked first */
export const checkUnpacked = (bytes: Buffer): void => {
  if (bytes.length === 0) throw createFileError('byte 0', 'the file is empty')
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw createFileError('byte 0', 'the file is packed by gzip; unpack it first')
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    throw createFileError('byte 0', 'the file is a ZIP archive; unpack it first')
}
