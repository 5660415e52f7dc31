/** Parses a large JSON object item by item, so that the event loop never waits for all of it. */

import { createBreathe } from '../../../base/runtime/pause.ts'
import { AppError, invalidField } from '../../../contract/errors.ts'
import { refuseProto } from '../../../contract/own.ts'
import { invalidJson, JsonScanner, type OuterStructure } from './json-scanner.ts'

/** Maximum size of an item of a list, or of an object, in bytes: the same as of any other request's body. */
export const MAX_ITEM_BYTES = 1024 * 1024
/** Maximum number of values of an item; the largest valid device has 8,200. */
export const MAX_ITEM_VALUES = 20_000
/** Maximum size of a text in the outermost object, in bytes. */
const MAX_TEXT_BYTES = 20 * 1024 * 1024
/** Maximum number of values of a whole body: each takes up to 100 bytes of memory. */
export const MAX_BODY_VALUES = 5_000_000
/** Maximum number of lists and objects in it. Their collection takes the most time. The largest valid document has 1,400,000. */
export const MAX_BODY_CONTAINERS = 2_000_000

/** The number of bytes that are read between two checks of the clock: well under a millisecond. */
const PIECE_BYTES = 64 * 1024
/** The number of bytes of items that are parsed together. */
const BATCH_BYTES = 64 * 1024

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Returns the position behind the byte order mark. */
export const skipMark = (bytes: Uint8Array): number =>
  BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws AppError INVALID_JSON unless the bytes are UTF-8 */
export const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new AppError('INVALID_JSON', 'The body is not UTF-8', { cause })
  }
}

/** @throws AppError INVALID_JSON */
const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidJson(cause)
  }
}

/** The outermost object while it is read. Each field is parsed whole, except for lists, which are parsed in batches of items. */
class OutermostObject implements OuterStructure {
  readonly #bytes: Uint8Array
  readonly #fields = new Map<string, unknown>()
  readonly #scanner: JsonScanner
  /** The beginning of the current field, and of the current item: of a list, or of the field. */
  #fieldAt = 0
  #itemAt = 0
  #valuesBefore = 0
  /** The list that is read with its name, and the beginning of its items that are not parsed yet. */
  #list: unknown[] | undefined
  #listName = ''
  #batchAt = 0
  /** The position behind the value of a field that was a list. */
  #listEnd: number | undefined
  #end: number | undefined

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#scanner = new JsonScanner(bytes, this)
  }

  read(from: number, to: number): void {
    this.#scanner.scan(from, to)
    this.#checkSize(to)
  }

  finish(): object {
    if (this.#end === undefined || !this.#isBlank(this.#end, this.#bytes.length)) throw invalidJson()
    return Object.fromEntries(this.#fields)
  }

  #checkSize(to: number): void {
    const { depth, values, containers } = this.#scanner
    if (values > MAX_BODY_VALUES) throw invalidField('body', `holds more than ${MAX_BODY_VALUES} values`)
    if (containers > MAX_BODY_CONTAINERS)
      throw invalidField('body', `holds more than ${MAX_BODY_CONTAINERS} lists and objects`)
    const size = to - this.#itemAt
    if (depth < 2 && size > MAX_TEXT_BYTES)
      throw invalidField(this.#scanner.getPlace(), `is larger than ${MAX_TEXT_BYTES} bytes`)
    if (depth < 2) return
    if (size > MAX_ITEM_BYTES) throw invalidField(this.#getItem(), `is larger than ${MAX_ITEM_BYTES} bytes`)
    if (values - this.#valuesBefore > MAX_ITEM_VALUES)
      throw invalidField(this.#getItem(), `holds more than ${MAX_ITEM_VALUES} values`)
  }

  /** Returns the place of the current item. */
  #getItem(): string {
    const [item = ''] = /^[^[.]*(\[\d+\])?/.exec(this.#scanner.getPlace()) ?? []
    return item || 'body'
  }

  opened(at: number, depth: number): void {
    if (depth === 1) {
      if (this.#end !== undefined || !this.#isBlank(skipMark(this.#bytes), at)) throw invalidJson()
      if (!this.#scanner.isObject(1)) throw new AppError('INVALID_JSON', 'The body must be a JSON object')
      this.#beginField(at + 1)
      return
    }
    if (this.#listEnd !== undefined) throw invalidJson()
    if (this.#scanner.isObject(2)) return
    const text = `{${this.#getText(this.#fieldAt, at)}[]}`
    const object = parseText(text) as object
    refuseProto(object, text)
    const [name] = Object.keys(object)
    if (name === undefined) throw invalidJson()
    this.#list = []
    this.#listName = name
    this.#fields.set(name, this.#list)
    this.#batchAt = at + 1
    this.#beginItem(at + 1)
  }

  separated(at: number, depth: number): void {
    if (depth === 1) this.#endField(at, false)
    else if (depth === 2 && this.#list) {
      if (at - this.#batchAt >= BATCH_BYTES) this.#parseItems(this.#list, at, false)
      this.#beginItem(at + 1)
    }
  }

  closed(at: number, depth: number): void {
    if (depth === 1) {
      this.#endField(at, true)
      this.#end = at + 1
    } else if (this.#list) {
      this.#parseItems(this.#list, at, true)
      this.#list = undefined
      this.#listEnd = at + 1
    }
  }

  #beginField(at: number): void {
    this.#fieldAt = at
    this.#beginItem(at)
  }

  #beginItem(at: number): void {
    this.#itemAt = at
    this.#valuesBefore = this.#scanner.values
  }

  /** @param isLast true for the items before the end of the list: it may have none */
  #parseItems(list: unknown[], end: number, isLast: boolean): void {
    const text = this.#getText(this.#batchAt, end)
    const items = parseText(`[${text}]`) as unknown[]
    if (items.length === 0 && !(isLast && list.length === 0)) throw invalidJson()
    // The items at their places in the list, so that an error names the place.
    const placed: unknown[] = []
    for (const item of items) {
      placed[list.length] = item
      list.push(item)
    }
    refuseProto({ [this.#listName]: placed }, text)
    this.#batchAt = end + 1
  }

  #endField(end: number, isLast: boolean): void {
    const listEnd = this.#listEnd
    if (listEnd !== undefined) {
      if (!this.#isBlank(listEnd, end)) throw invalidJson()
      this.#listEnd = undefined
    } else {
      const text = this.#getText(this.#fieldAt, end)
      const object = parseText(`{${text}}`) as object
      refuseProto(object, text)
      const fields = Object.entries(object)
      if (fields.length === 0 && !(isLast && this.#fields.size === 0)) throw invalidJson()
      for (const [name, value] of fields) this.#fields.set(name, value)
    }
    this.#beginField(end + 1)
  }

  #getText(from: number, to: number): string {
    return decode(this.#bytes.subarray(from, to))
  }

  #isBlank(from: number, to: number): boolean {
    for (let i = from; i < to; i++) {
      const byte = this.#bytes[i]
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false
    }
    return true
  }
}

/** Returns the object of a large body. @throws AppError INVALID_JSON, or VALIDATION_ERROR that names what is too large */
export const parseLargeObject = async (bytes: Uint8Array): Promise<object> => {
  const object = new OutermostObject(bytes)
  const breathe = createBreathe()
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    object.read(at, Math.min(at + PIECE_BYTES, bytes.length))
    await breathe()
  }
  return object.finish()
}
