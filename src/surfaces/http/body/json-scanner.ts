/** Reads the structure of JSON in UTF-8, piece by piece, and stops at values that no valid request has. */
import { AppError, invalidField } from '../../../contract/errors.ts'
import { formatFieldName } from '../../../contract/validate.ts'
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.ts'

/** Maximum nesting. No valid request is deeper, and recursion over deeper values exhausts the stack. */
export const MAX_DEPTH = 64
/** Maximum number of fields of one object. The largest valid object has 200. */
export const MAX_FIELDS = 1000
/** The number of bytes of a name that an error quotes. */
const MAX_NAME_BYTES = 260

/** Called with the position of a structural byte at depth 1 or 2. */
export type OuterStructure = {
  readonly opened: (at: number, depth: number) => void
  readonly separated: (at: number, depth: number) => void
  readonly closed: (at: number, depth: number) => void
}

export const invalidJson = (cause?: unknown): AppError =>
  new AppError('INVALID_JSON', 'The body is not valid JSON', { cause })

export class JsonScanner {
  readonly #bytes: Uint8Array
  readonly #outer: OuterStructure | undefined
  #isInString = false
  #isEscaped = false
  #expectsName = false
  #depth = 0
  #values = 0
  #containers = 0
  // State by depth: the kind of the value, its commas, and where the name of its current field begins.
  readonly #isObject = new Uint8Array(MAX_DEPTH + 1)
  readonly #commas = new Int32Array(MAX_DEPTH + 1)
  readonly #namesAt = new Int32Array(MAX_DEPTH + 1)

  constructor(bytes: Uint8Array, outer?: OuterStructure) {
    this.#bytes = bytes
    this.#outer = outer
  }

  get depth(): number {
    return this.#depth
  }

  /** The number of commas, lists and objects so far, which is about that of the values. */
  get values(): number {
    return this.#values
  }

  /** The number of lists and objects so far. */
  get containers(): number {
    return this.#containers
  }

  isObject(depth: number): boolean {
    return this.#isObject[depth] === 1
  }

  /** Returns the place of the current value, as errors name it. @example 'devices[3].custom' */
  getPlace(): string {
    const parts: PropertyKey[] = []
    for (let depth = 1; depth <= this.#depth; depth++)
      parts.push(this.isObject(depth) ? this.#getName(depth) : (this.#commas[depth] ?? 0))
    return formatFieldName(parts) || 'body'
  }

  #getName(depth: number): string {
    const from = this.#namesAt[depth] ?? 0
    const bytes = this.#bytes.subarray(from, from + MAX_NAME_BYTES)
    const end = bytes.indexOf(QUOTE)
    return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end))
  }

  /** @throws AppError INVALID_JSON or VALIDATION_ERROR */
  scan(from: number, to: number): void {
    const bytes = this.#bytes
    let isInString = this.#isInString
    let isEscaped = this.#isEscaped
    for (let i = from; i < to; i++) {
      const byte = bytes[i]
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (byte === QUOTE) {
        isInString = true
        if (this.#expectsName) this.#namesAt[this.#depth] = i + 1
        this.#expectsName = false
      } else if (byte === COMMA) this.#separate(i)
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#open(i, byte === OPEN_BRACE)
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#close(i, byte === CLOSE_BRACE)
    }
    this.#isInString = isInString
    this.#isEscaped = isEscaped
  }

  #separate(at: number): void {
    const depth = this.#depth
    this.#values++
    const commas = (this.#commas[depth] ?? 0) + 1
    this.#commas[depth] = commas
    if (this.#isObject[depth] === 1) {
      this.#expectsName = true
      if (commas >= MAX_FIELDS) throw this.#tooManyFields()
    }
    if (depth <= 2) this.#outer?.separated(at, depth)
  }

  #tooManyFields(): AppError {
    // The place of the object itself, without that of its field.
    this.#depth--
    return invalidField(this.getPlace(), `has more than ${MAX_FIELDS} fields`)
  }

  #open(at: number, isObject: boolean): void {
    this.#values++
    this.#containers++
    const depth = ++this.#depth
    if (depth > MAX_DEPTH) throw new AppError('INVALID_JSON', `The body is nested deeper than ${MAX_DEPTH} levels`)
    this.#isObject[depth] = isObject ? 1 : 0
    this.#commas[depth] = 0
    this.#expectsName = isObject
    if (depth <= 2) this.#outer?.opened(at, depth)
  }

  #close(at: number, isObject: boolean): void {
    const depth = this.#depth
    if (depth === 0 || this.isObject(depth) !== isObject) throw invalidJson()
    if (depth <= 2) this.#outer?.closed(at, depth)
    this.#expectsName = false
    this.#depth = depth - 1
  }
}
