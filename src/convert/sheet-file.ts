/** Reads the cells of a file with columns. */
import { type Cells, parseCells } from '../base/csv/csv.ts'
import { createFileError } from './converter.ts'
import { checkUnpacked, toBuffer, toStorable } from './file-text.ts'

/** The share of NUL bytes at even or odd places that only UTF-16 has. */
const UTF16_SHARE = 0.3
const SAMPLE_BYTES = 4096

const countNuls = (bytes: Buffer, from: number): number => {
  let count = 0
  for (let at = from; at < bytes.length; at += 2) if (bytes[at] === 0) count++
  return count
}

/** Returns the form of UTF-16 of a text, with or without a byte order mark. */
const detectUtf16 = (bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const [even, odd] = [countNuls(sample, 0), countNuls(sample, 1)]
  const least = (sample.length / 2) * UTF16_SHARE
  if (odd > least && even === 0) return 'utf-16le'
  return even > least && odd === 0 ? 'utf-16be' : undefined
}

/** Spreadsheets save as UTF-8, as UTF-16 or as Windows-1252. */
const decodeText = (bytes: Uint8Array): string => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  const utf16 = detectUtf16(buffer)
  if (utf16) return toStorable(new TextDecoder(utf16).decode(buffer))
  try {
    return toStorable(new TextDecoder('utf-8', { fatal: true }).decode(buffer))
  } catch {
    return toStorable(new TextDecoder('windows-1252').decode(buffer))
  }
}

/** @throws AppError VALIDATION_ERROR on `file` */
export const readSheetFile = (bytes: Uint8Array): Cells => {
  const text = decodeText(bytes)
  try {
    return parseCells(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw createFileError('the file', error.message)
    throw error
  }
}
