/** Cuts the bytes of a JSON array, or of JSON lines, into its rows, so that no more than one row is parsed at a time. */
import { AppError } from '../errors.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const COMMA = 0x2c

const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

/** One row of the input; the first is 1. */
export type JsonRow = { readonly row: number; readonly text: string }

const decoder = new TextDecoder('utf-8', { fatal: true })

const broken = (row: number, why: string) => new AppError('INVALID_JSON', `row ${row}: ${why}`)

/** The index after the object that begins at `start`; undefined when it doesn't end. */
const endOfObject = (bytes: Uint8Array, start: number): number | undefined => {
  let depth = 0
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i++
      while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return i + 1
  }
  return undefined
}

const textOf = (bytes: Uint8Array, row: number): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw broken(row, 'is not UTF-8') // the decoder's own message says no more
  }
}

/**
 * The rows of `[{...}, {...}]`, or of `{...}` lines.
 * @throws AppError INVALID_JSON naming the row, for anything but objects
 * @example [...jsonRows(new TextEncoder().encode('[{"a":1}]'))] // [{ row: 1, text: '{"a":1}' }]
 */
export function* jsonRows(bytes: Uint8Array): Generator<JsonRow> {
  const skipSpace = (from: number): number => {
    let i = from
    while (i < bytes.length && isSpace(bytes[i] ?? 0)) i++
    return i
  }
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let i = skipSpace(hasBom ? 3 : 0)
  const isArray = bytes[i] === OPEN_BRACKET
  if (isArray) i = skipSpace(i + 1)
  for (let row = 1; i < bytes.length && bytes[i] !== CLOSE_BRACKET; row++) {
    if (bytes[i] !== OPEN_BRACE) throw broken(row, 'must be a JSON object')
    const end = endOfObject(bytes, i)
    if (end === undefined) throw broken(row, 'does not end')
    yield { row, text: textOf(bytes.subarray(i, end), row) }
    i = skipSpace(end)
    if (!isArray) continue
    if (bytes[i] === COMMA) i = skipSpace(i + 1)
    else if (bytes[i] !== CLOSE_BRACKET) throw broken(row, 'must be followed by a comma or the end of the list')
  }
  if (!isArray) return
  if (bytes[i] !== CLOSE_BRACKET) throw new AppError('INVALID_JSON', 'The list does not end')
  if (skipSpace(i + 1) < bytes.length) throw new AppError('INVALID_JSON', 'There is something behind the list')
}

/** How many rows there are, to tell progress by. @throws as `jsonRows` */
export const countRows = (bytes: Uint8Array): number => {
  let n = 0
  for (const _ of jsonRows(bytes)) n++
  return n
}
