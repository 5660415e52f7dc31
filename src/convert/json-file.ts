/** Reads a large JSON file element by element, so that only the kept parts are in memory. Names the byte of an error. */
import { createFileError } from './converter.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The deepest nesting, so that recursion over a value ends. */
const MAX_DEPTH = 100
/** The largest value that is read at once. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

export type JsonMember = { readonly key: string; readonly at: number }

export class JsonFile {
  readonly #bytes: Buffer
  /** The value with the last found end, because its reader asks for it twice. */
  #last = { at: -1, end: -1 }

  /** @param bytes valid UTF-8 */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Returns the position of the outermost value. */
  get start(): number {
    return this.#afterSpace(0)
  }

  isArray(at: number): boolean {
    return this.#bytes[at] === OPEN_BRACKET
  }

  isObject(at: number): boolean {
    return this.#bytes[at] === OPEN_BRACE
  }

  /** @throws AppError if anything but white space follows the value */
  checkEnd(at: number): void {
    const rest = this.#afterSpace(this.end(at))
    if (rest < this.#bytes.length) throw createFileError(`byte ${rest}`, 'stands behind the end of the JSON value')
  }

  /** Returns the value at a position. */
  value(at: number): unknown {
    const end = this.end(at)
    if (end - at > MAX_VALUE_BYTES)
      throw createFileError(`byte ${at}`, `has a value of more than ${MAX_VALUE_BYTES} bytes`)
    const text = this.#bytes.toString('utf8', at, end)
    try {
      return JSON.parse(text)
    } catch (error) {
      throw createFileError(`byte ${at}`, `is not valid JSON: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** Yields the position of each element of the array at a position. */
  *elements(at: number): Generator<number> {
    yield* this.#items(at, CLOSE_BRACKET)
  }

  /** Yields the members of the object at a position. */
  *members(at: number): Generator<JsonMember> {
    for (const start of this.#items(at, CLOSE_BRACE)) {
      if (this.#bytes[start] !== QUOTE) throw createFileError(`byte ${start}`, 'is not valid JSON: expected a key')
      yield { key: String(this.value(start)), at: this.#afterColon(this.end(start)) }
    }
  }

  /** Returns the position behind the value at a position. */
  end(at: number): number {
    if (this.#last.at !== at) this.#last = { at, end: this.#findEnd(at) }
    return this.#last.end
  }

  #findEnd(at: number): number {
    const bytes = this.#bytes
    let depth = 0
    for (let i = at; i < bytes.length; i++) {
      const byte = bytes[i]
      if (byte === QUOTE) {
        i = this.#quoteAfter(i)
        if (depth === 0) return i + 1
      } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        if (++depth > MAX_DEPTH) throw createFileError(`byte ${i}`, `is nested deeper than ${MAX_DEPTH} levels`)
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        if (depth <= 1) return depth === 0 ? i : i + 1
        depth--
      } else if (depth === 0 && (byte === COMMA || byte === COLON || isSpace(byte))) return i
    }
    if (depth > 0 || at >= bytes.length) throw this.#cutOff()
    return bytes.length
  }

  *#items(at: number, close: number): Generator<number> {
    let i = this.#afterSpace(at + 1)
    if (this.#bytes[i] === close) return
    for (;;) {
      const start = i
      yield start
      i = this.#afterSpace(this.end(start))
      if (close === CLOSE_BRACE) i = this.#afterSpace(this.end(this.#afterColon(i)))
      const byte = this.#bytes[i]
      if (byte === close) return
      if (byte === undefined) throw this.#cutOff()
      if (byte !== COMMA) throw createFileError(`byte ${i}`, 'is not valid JSON: expected a comma')
      i = this.#afterSpace(i + 1)
    }
  }

  #afterColon(at: number): number {
    const colon = this.#afterSpace(at)
    if (colon >= this.#bytes.length) throw this.#cutOff()
    if (this.#bytes[colon] !== COLON) throw createFileError(`byte ${colon}`, 'is not valid JSON: expected a colon')
    return this.#afterSpace(colon + 1)
  }

  /** Returns the position of the closing quote. */
  #quoteAfter(open: number): number {
    for (let at = open; ; ) {
      at = this.#bytes.indexOf(QUOTE, at + 1)
      if (at < 0) throw this.#cutOff()
      let slashes = 0
      while (this.#bytes[at - 1 - slashes] === BACKSLASH && at - 1 - slashes > open) slashes++
      if (slashes % 2 === 0) return at
    }
  }

  #afterSpace(at: number): number {
    let i = at
    while (isSpace(this.#bytes[i])) i++
    return i
  }

  #cutOff() {
    return createFileError(`byte ${this.#bytes.length}`, 'the file ends inside a JSON value')
  }
}
