// The fields of record values: each in presentation format (RFC 1035 section 5.1) and in wire format.

import { explainName, isHostname } from '../dns-name.ts'
import { formatIp, parseIp } from '../ip.ts'
import { encodeName, normalizeName } from './name.ts'
import { TextWriter } from './text-writer.ts'
import { type WireReader, WireWriter } from './wire.ts'

/** A value that its record type does not permit. The message is for users, and begins in lower case. */
export class InvalidDnsValue extends Error {
  override readonly name = 'InvalidDnsValue'
}

/** One field of a value. */
export type Field = {
  /** @throws InvalidDnsValue */
  readonly encode: (text: string) => Uint8Array
  /** Reads from the start of the field, to the end of the rdata at most. @throws DnsFormatError */
  readonly decode: (rdata: WireReader) => string
}

const refuse = (message: string): never => {
  throw new InvalidDnsValue(message)
}

/** Parses a whole number of one, two or four bytes. */
export function createNumberField(label: string, bytes: 1 | 2 | 4): Field {
  const max = 2 ** (8 * bytes) - 1
  return {
    encode: (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
      if (!(value <= max)) refuse(`${label} must be a whole number from 0 to ${max}`)
      const writer = new WireWriter()
      return (bytes === 1 ? writer.u8(value) : bytes === 2 ? writer.u16(value) : writer.u32(value)).finish()
    },
    decode: (rdata) => String(bytes === 1 ? rdata.u8() : bytes === 2 ? rdata.u16() : rdata.u32()),
  }
}

export type NameRule = 'any' | 'host' | 'host or root'

const isPermitted = (name: string, rule: NameRule): boolean =>
  name === '.' ? rule === 'host or root' : rule === 'any' || isHostname(name)

/** Parses a name, by the rule for its place: BIND refuses name servers and mail servers that are not host names. */
export function createNameField(label: string, rule: NameRule): Field {
  return {
    encode: (text) => {
      const name = normalizeName(text)
      const wire = name !== undefined && isPermitted(name, rule) ? encodeName(name) : undefined
      return wire ?? refuse(`${label} ${explainName(text, rule === 'any' ? 'a domain name' : 'a host name')}`)
    },
    decode: (rdata) => rdata.name(),
  }
}

/** Parses an address of one family (RFC 1035 section 3.4.1, RFC 3596 section 2.2). */
export function createAddressField(family: 4 | 6): Field {
  const size = family === 4 ? 4 : 16
  return {
    encode: (text) => {
      const ip = parseIp(text)
      if (ip?.family !== family) return refuse(`must be an IPv${family} address`)
      return decodeHex(ip.value.toString(16).padStart(2 * size, '0'))
    },
    decode: (rdata) => formatIp({ family, value: BigInt(`0x${encodeHex(rdata.take(size))}`) }),
  }
}

const decodeHex = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  )

const HEX_DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/**
 * Bytes as lower-case hexadecimal digits.
 *
 * @example
 * encodeHex(new Uint8Array([1, 171])) // '01ab'
 */
export function encodeHex(bytes: Uint8Array): string {
  const text = new TextWriter(2 * bytes.length)
  for (const byte of bytes) text.put(HEX_DIGITS[byte >> 4] ?? 0).put(HEX_DIGITS[byte & 15] ?? 0)
  return text.finish()
}

/**
 * Returns the bytes of hexadecimal digits; blanks between them are ignored.
 *
 * @returns undefined for other text, and for half a byte
 * @example
 * parseHex('01 AB') // new Uint8Array([1, 171])
 * parseHex('1') // undefined
 */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/[ \t]+/g, '')
  return /^(?:[0-9a-f]{2})*$/i.test(digits) ? decodeHex(digits) : undefined
}

/** Hexadecimal digits, to the end of the value. */
export function createHexField(label: string): Field {
  return {
    encode: (text) => {
      const bytes = parseHex(text)
      return bytes?.length ? bytes : refuse(`${label} must be hexadecimal digits`)
    },
    decode: (rdata) => encodeHex(rdata.take(rdata.left)),
  }
}

const TEXT_BYTES_MAX = 4096
const STRING_MAX = 255

/** The bare text of a TXT record (RFC 1035 section 3.3.14) in UTF-8, cut into strings of 255 bytes. */
export const textField: Field = {
  encode: (text) => {
    // UTF-8 has no form of lone surrogates.
    if (!text.isWellFormed()) return refuse('must be Unicode text')
    const bytes = new TextEncoder().encode(text)
    if (bytes.length > TEXT_BYTES_MAX) return refuse(`must be at most ${TEXT_BYTES_MAX} bytes`)
    const writer = new WireWriter()
    let at = 0
    do {
      const part = bytes.subarray(at, at + STRING_MAX)
      writer.u8(part.length).put(part)
      at += STRING_MAX
    } while (at < bytes.length)
    return writer.finish()
  },
  decode: (rdata) => {
    const writer = new WireWriter()
    do writer.put(rdata.take(rdata.u8()))
    while (rdata.left > 0)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(writer.finish())
  },
}

/** The property of a CAA record (RFC 8659 section 4.1): its length, then letters and digits. */
export const tagField: Field = {
  encode: (text) => {
    if (!/^[a-z0-9]{1,15}$/i.test(text)) return refuse('the tag must be 1 to 15 letters and digits')
    const tag = new TextEncoder().encode(text.toLowerCase())
    return new WireWriter().u8(tag.length).put(tag).finish()
  },
  decode: (rdata) => escapeText(rdata.take(rdata.u8())).toLowerCase(),
}

/** Text as in a quoted string (RFC 1035 section 5.1). */
const escapeText = (bytes: Uint8Array): string => {
  const text = new TextWriter(4 * bytes.length)
  for (const byte of bytes) text.escape(byte, byte === 0x22 || byte === 0x5c)
  return text.finish()
}

const QUOTED = /^"((?:[ !#-[\]-~]|\\[ -/:-~]|\\[01]\d\d|\\2[0-4]\d|\\25[0-5])*)"$/
const BARE = /^[!#-[\]-~]+$/

/** Parses a string in quotes, or one word without them, to the end of the value. */
export function createQuotedField(label: string): Field {
  return {
    encode: (text) => {
      const inner = QUOTED.exec(text)?.[1] ?? BARE.exec(text)?.[0]
      if (inner === undefined) return refuse(`${label} must be one word, or ASCII text in "double quotes"`)
      const unescaped = inner.replace(/\\(\d{3}|.)/g, (_, code: string) =>
        code.length === 3 ? String.fromCharCode(Number(code)) : code,
      )
      return Uint8Array.from(unescaped, (character) => character.charCodeAt(0))
    },
    decode: (rdata) => `"${escapeText(rdata.take(rdata.left))}"`,
  }
}
