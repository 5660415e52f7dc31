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

/** @throws AppError that names the first line that is not UTF-8 */
export const checkUtf8 = (bytes: Buffer): void => {
  if (isUtf8(bytes)) return
  let line = 1
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, at)
    const next = end < 0 ? bytes.length : end + 1
    if (!isUtf8(bytes.subarray(at, next))) break
    at = next
  }
  throw createFileError(`line ${line}`, 'is not UTF-8')
}

/** @throws AppError for the formats that have to be unpacked first */
export const checkUnpacked = (bytes: Buffer): void => {
  if (bytes.length === 0) throw createFileError('byte 0', 'the file is empty')
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw createFileError('byte 0', 'the file is packed by gzip; unpack it first')
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    throw createFileError('byte 0', 'the file is a ZIP archive; unpack it first')
}

/** Replaces NUL and lone surrogates, which no text of Plat can hold. */
export const toStorable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\ufffd')
