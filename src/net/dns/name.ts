// Domain names: their text (RFC 1035 section 5.1), in lower case and without the last dot, and their wire format.

import { DnsFormatError } from './format-error.ts'
import { TextWriter } from './text-writer.ts'

const LABEL_MAX = 63
const NAME_MAX = 255
/** A name has at most 127 labels and the root. Further pointers lead to pointers, and would cost time without an end. */
const POINTERS_MAX = 128
/** Each byte of a label as an escape of four characters. */
const TEXT_MAX = 4 * NAME_MAX
const DOT = 46
const BACKSLASH = 92
const BLANK = 32
const POINTER = 0xc0
/** 1 for characters that zone files read as something else (RFC 1035 section 5.1). */
const SPECIAL = Uint8Array.from({ length: 256 }, (_, code) => ('."();@$\\'.includes(String.fromCharCode(code)) ? 1 : 0))

const toLower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Reads the escape after a backslash: three digits, or one other printable character. */
function readEscape(text: string, at: number): { code: number; end: number } | undefined {
  const first = text.charCodeAt(at)
  if (!isDigit(first)) return first > 0x20 && first < 0x7f ? { code: first, end: at + 1 } : undefined
  const [second, third] = [text.charCodeAt(at + 1), text.charCodeAt(at + 2)]
  if (!isDigit(second) || !isDigit(third)) return undefined
  const code = 100 * (first - 48) + 10 * (second - 48) + (third - 48)
  return code <= 255 ? { code, end: at + 3 } : undefined
}

/**
 * Returns the wire format of a name (RFC 1035 section 3.1), in lower case (RFC 4343) and without compression. Any byte may be escaped as
 * `\.` or `\032`. One dot at the end is ignored; `.` is the root.
 *
 * @returns undefined for text that is not a name: labels of 1 to 63 bytes, 255 bytes in all, printable ASCII
 * @example
 * encodeName('A.b') // new Uint8Array([1, 97, 1, 98, 0])
 * encodeName('.') // new Uint8Array([0])
 * encodeName('a..b') // undefined
 */
export function encodeName(text: string): Uint8Array | undefined {
  if (text === '.') return new Uint8Array(1)
  if (text === '' || text.length > TEXT_MAX) return undefined
  const bytes = new Uint8Array(NAME_MAX)
  let labelStart = 0
  // Writes past the end have no effect; the length is checked at the end.
  let size = 1
  const closeLabel = (): boolean => {
    const length = size - labelStart - 1
    bytes[labelStart] = length
    labelStart = size++
    return length > 0 && length <= LABEL_MAX
  }
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at++)
    if (code === DOT) {
      if (!closeLabel()) return undefined
    } else if (code === BACKSLASH) {
      const escaped = readEscape(text, at)
      if (escaped === undefined) return undefined
      bytes[size++] = toLower(escaped.code)
      at = escaped.end
    } else {
      if (code <= 0x20 || code >= 0x7f) return undefined
      bytes[size++] = toLower(code)
    }
  }
  // After a last dot the open label is the empty one of the root.
  const isClosed = size === labelStart + 1
  if (!isClosed && !closeLabel()) return undefined
  return size <= NAME_MAX ? bytes.slice(0, size) : undefined
}

/**
 * Returns the wire format of a name (see `encodeName`) in text that was validated before.
 *
 * @throws RangeError on text that is not a name: that is a bug and not user input
 * @example
 * encodeNameOrThrow('a') // new Uint8Array([1, 97, 0])
 * encodeNameOrThrow('a..b') // throws RangeError
 */
export function encodeNameOrThrow(text: string): Uint8Array {
  const bytes = encodeName(text)
  if (bytes === undefined) throw new RangeError(`Not a DNS name: ${text.slice(0, 64)}`)
  return bytes
}

/** Returns the text of a name in wire format without compression, in lower case. */
function formatName(wire: Uint8Array): string {
  if (wire.length <= 1) return '.'
  const text = new TextWriter(4 * wire.length)
  let labelEnd = 0
  for (let at = 0; at < wire.length - 1; at++) {
    const code = wire[at] ?? 0
    if (at === labelEnd) {
      if (at > 0) text.put(DOT)
      labelEnd = at + 1 + code
    } else if (code === BLANK) text.escapeDigits(code)
    else text.escape(code, SPECIAL[code] === 1)
  }
  return text.finish()
}

/**
 * Reads a name from a message (RFC 1035 section 4.1.4) into its wire format without compression, in lower case. Each
 * compression pointer must lead to an earlier place than the one before, so reading ends.
 *
 * @returns the wire format, and the offset after the name
 * @throws DnsFormatError on a cut or long name, on a pointer that does not lead backwards, and beyond 128 pointers
 * @example
 * expandName(new Uint8Array([1, 65, 0, 0xc0, 0]), 3) // { wire: new Uint8Array([1, 97, 0]), end: 5 }
 */
export function expandName(bytes: Uint8Array, start: number): { wire: Uint8Array; end: number } {
  const wire = new Uint8Array(NAME_MAX)
  let [at, lowest, length, pointers] = [start, start, 0, 0]
  let end: number | undefined
  for (;;) {
    const size = bytes[at]
    if (size === undefined) throw new DnsFormatError('a name is cut off')
    if (size === 0) return { wire: wire.slice(0, length + 1), end: end ?? at + 1 }
    if (size >= POINTER) {
      const target = ((size & ~POINTER) << 8) | (bytes[at + 1] ?? 0)
      if (at + 1 >= bytes.length || target >= lowest || ++pointers > POINTERS_MAX)
        throw new DnsFormatError('a compressed name has no valid end')
      end ??= at + 2
      at = target
      lowest = target
      continue
    }
    const next = at + 1 + size
    // One byte is left for the root.
    if (size > LABEL_MAX || length + size + 1 >= NAME_MAX || next > bytes.length)
      throw new DnsFormatError('a name is not valid')
    wire[length++] = size
    for (let from = at + 1; from < next; from++) wire[length++] = toLower(bytes[from] ?? 0)
    at = next
  }
}

/**
 * Reads a name from a message as text (see `expandName`).
 *
 * @returns the name, and the offset after it
 * @throws DnsFormatError as `expandName`
 * @example
 * decodeName(new Uint8Array([1, 65, 0]), 0) // { name: 'a', end: 3 }
 * decodeName(new Uint8Array([0xc0, 0]), 0) // throws DnsFormatError
 */
export function decodeName(bytes: Uint8Array, start: number): { name: string; end: number } {
  const { wire, end } = expandName(bytes, start)
  return { name: formatName(wire), end }
}

/**
 * Returns the canonical text of a name: lower case, no last dot, only necessary escapes.
 *
 * @returns undefined for text that is not a name (see `encodeName`)
 * @example
 * normalizeName('WWW.Example.org.') // 'www.example.org'
 * normalizeName('a\\046b.c') // 'a\\.b.c'
 * normalizeName('a b') // undefined
 */
export function normalizeName(text: string): string | undefined {
  const bytes = encodeName(text)
  return bytes && formatName(bytes)
}

/**
 * Returns the labels of a canonical name, in order; of the root none.
 *
 * @example
 * splitLabels('www.example.org') // ['www', 'example', 'org']
 * splitLabels('a\\.b.c') // ['a\\.b', 'c']
 * splitLabels('.') // []
 */
export function splitLabels(name: string): string[] {
  return name === '.' ? [] : (name.match(/(?:\\.|[^.\\])+/g) ?? [])
}

/**
 * True when a canonical name is the zone's or below it.
 *
 * @example
 * isNameWithin('www.example.org', 'example.org') // true
 * isNameWithin('a\\.example.org', 'example.org') // false
 */
export function isNameWithin(name: string, zone: string): boolean {
  if (zone === '.' || name === zone) return true
  const dotAt = name.length - zone.length - 1
  if (dotAt < 0 || name.charCodeAt(dotAt) !== DOT || !name.endsWith(zone)) return false
  // An escaped dot is part of a label, unless its backslash is escaped too.
  let backslashes = 0
  while (name.charCodeAt(dotAt - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 0
}
