/** Cuts the bytes of a JSON array, or of JSON lines, into rows as they arrive, so that only one row is in memory. */
import { AppError } from '../../../contract/errors.ts'
import { MAX_ITEM_BYTES, MAX_ITEM_VALUES } from './json-body.ts'
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.ts'
import { MAX_DEPTH } from './json-scanner.ts'

/** Maximum size of one row in bytes. */
export const MAX_ROW_BYTES = MAX_ITEM_BYTES
/** Maximum number of commas outside of strings in one row. */
export const MAX_ROW_VALUES = MAX_ITEM_VALUES

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

const skipSpace = (bytes: Uint8Array, at: number): number => {
  let i = at
  while (i < bytes.length && isSpace(bytes[i] ?? 0)) i++
  return i
}

/** One row of the input; the first is 1. */
export type JsonRow = {
  readonly row: number
  readonly text: string
  /** Commas outside of strings: one less than the number of values. */
  readonly values: number
}

const decoder = new TextDecoder('utf-8', { fatal: true })

const createRowError = (row: number, why: string) => new AppError('INVALID_JSON', `row ${row}: ${why}`)

const decodeRow = (bytes: Uint8Array, row: number): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw createRowError(row, 'is not UTF-8') // the decoder's message has no more details
  }
}

/** The position of the next byte: before the first, before a row, in it, after it, after the list. */
type State = 'start' | 'row' | 'object' | 'next' | 'end'

/**
 * Accepts the pieces of `[{...}, {...}]`, or of `{...}` lines. Without `onRow` it only counts the rows and checks their
 * form. It finds the end of a row but does not check that the row is valid JSON.
 * @example
 * const cutter = new RowCutter(({ row, text }) => console.log(row, text))
 * cutter.push(new TextEncoder().encode('[{"a":1}]')) // 1 {"a":1}
 * cutter.end()
 */
export class RowCutter {
  readonly #onRow: ((row: JsonRow) => void) | undefined
  #state: State = 'start'
  #isList = false
  /** The number of complete rows. */
  #rows = 0
  #marked = 0
  // State of the current row:
  #depth = 0
  #values = 0
  #size = 0
  #isInString = false
  #isEscaped = false
  #parts: Uint8Array[] = []

  constructor(onRow?: (row: JsonRow) => void) {
    this.#onRow = onRow
  }

  get rows(): number {
    return this.#rows
  }

  /** @throws AppError INVALID_JSON or INVALID_INPUT that names the row, unless it is an object of a permitted size */
  push(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; ) i = this.#state === 'object' ? this.#inside(bytes, i) : this.#between(bytes, i)
  }

  /** Ends the input. @throws AppError INVALID_JSON if it is incomplete */
  end(): void {
    if (this.#state === 'object') throw createRowError(this.#rows + 1, 'does not end')
    if (this.#marked % BYTE_ORDER_MARK.length !== 0) throw createRowError(1, 'must be a JSON object')
    if (!this.#isList || this.#state === 'end') return
    if (this.#state === 'next') throw this.#notFollowed()
    throw new AppError('INVALID_JSON', 'The list does not end')
  }

  #notFollowed(): AppError {
    return createRowError(this.#rows, 'must be followed by a comma or the end of the list')
  }

  /** Reads one byte outside of rows. @returns the index of the next byte */
  #between(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    if (this.#state === 'start' && byte === BYTE_ORDER_MARK[this.#marked]) {
      this.#marked++
      return at + 1
    }
    const hasPartOfMark = this.#marked % BYTE_ORDER_MARK.length !== 0
    if (isSpace(byte) && !hasPartOfMark) return skipSpace(bytes, at)
    if (this.#state === 'end') throw new AppError('INVALID_JSON', 'There is something behind the list')
    if (this.#state === 'next') {
      if (byte !== COMMA && byte !== CLOSE_BRACKET) throw this.#notFollowed()
      this.#state = byte === COMMA ? 'row' : 'end'
      return at + 1
    }
    const isFirst = this.#state === 'start'
    this.#state = 'row'
    if (byte === OPEN_BRACKET && isFirst && !hasPartOfMark) {
      this.#isList = true
      return at + 1
    }
    if (byte === CLOSE_BRACKET && this.#isList) {
      this.#state = 'end'
      return at + 1
    }
    if (byte !== OPEN_BRACE || hasPartOfMark) throw createRowError(this.#rows + 1, 'must be a JSON object')
    this.#state = 'object'
    this.#depth = 0
    this.#values = 0
    this.#size = 0
    return at
  }

  /** Reads a row to its end or to that of the piece. Brackets are only counted; `JSON.parse` matches them. */
  #inside(bytes: Uint8Array, from: number): number {
    let isInString = this.#isInString
    let isEscaped = this.#isEscaped
    let depth = this.#depth
    let values = this.#values
    let i = from
    do {
      const byte = bytes[i++]
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (byte === QUOTE) isInString = true
      else if (byte === COMMA) values++
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++depth > MAX_DEPTH) throw createRowError(this.#rows + 1, `is nested deeper than ${MAX_DEPTH} levels`)
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    } while (depth > 0 && i < bytes.length)
    this.#isInString = isInString
    this.#isEscaped = isEscaped
    this.#depth = depth
    this.#values = values
    this.#take(bytes.subarray(from, i))
    return i
  }

  /** Adds a piece of a row; the last one has depth 0. */
  #take(piece: Uint8Array): void {
    this.#size += piece.length
    const row = this.#rows + 1
    if (this.#size > MAX_ROW_BYTES)
      throw new AppError('INVALID_INPUT', `row ${row}: is larger than ${MAX_ROW_BYTES} bytes`)
    if (this.#values > MAX_ROW_VALUES)
      throw new AppError('INVALID_INPUT', `row ${row}: holds more than ${MAX_ROW_VALUES} values`)
    if (this.#depth > 0) {
      // A copy, because the caller may reuse its buffer.
      if (this.#onRow) this.#parts.push(piece.slice())
      return
    }
    this.#rows = row
    this.#state = this.#isList ? 'next' : 'row'
    if (!this.#onRow) return
    const whole = this.#parts.length === 0 ? piece : Buffer.concat([...this.#parts, piece])
    this.#parts = []
    this.#onRow({ row, text: decodeRow(whole, row), values: this.#values })
  }
}
