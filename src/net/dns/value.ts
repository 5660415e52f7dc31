// Record values: presentation format to rdata and back, with names full, in lower case and without the last dot.

import { DnsFormatError } from './format-error.ts'
import {
  createAddressField,
  createHexField,
  createNameField,
  createNumberField,
  createQuotedField,
  encodeHex,
  type Field,
  InvalidDnsValue,
  parseHex,
  tagField,
  textField,
} from './value-fields.ts'
import { MESSAGE_MAX, WireReader, WireWriter } from './wire.ts'

type Layout = {
  readonly fields: readonly Field[]
  /** A value of this type, for messages. */
  readonly form: string
  /** Returns the error of fields that are valid each by itself. */
  readonly check?: (rdata: Uint8Array) => string | undefined
}

const preference = createNumberField('the preference', 2)

/** Bytes of a fingerprint by its type: SHA-1 (RFC 4255 section 3.1.2) and SHA-256 (RFC 6594 section 4.2). */
const FINGERPRINT_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 20],
  [2, 32],
])
const checkFingerprint = ([, type = 0, ...fingerprint]: Uint8Array): string | undefined => {
  const size = FINGERPRINT_BYTES.get(type)
  return size === undefined || size === fingerprint.length
    ? undefined
    : `a fingerprint of type ${type} must have ${2 * size} hexadecimal digits`
}

const LAYOUTS: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ['A', { fields: [createAddressField(4)], form: '192.0.2.1' }],
  ['AAAA', { fields: [createAddressField(6)], form: '2001:db8::1' }],
  ['CNAME', { fields: [createNameField('the target', 'any')], form: 'www.example.net' }],
  ['NS', { fields: [createNameField('the name server', 'host')], form: 'ns1.example.net' }],
  ['PTR', { fields: [createNameField('the target', 'any')], form: 'host.example.net' }],
  // RFC 7505: `0 .` accepts no mail.
  ['MX', { fields: [preference, createNameField('the mail server', 'host or root')], form: '10 mail.example.net' }],
  ['TXT', { fields: [textField], form: 'text' }],
  [
    'SRV',
    {
      fields: [
        ...[createNumberField('the priority', 2), createNumberField('the weight', 2), createNumberField('the port', 2)],
        // RFC 2782: the root means that the service is not offered.
        createNameField('the target', 'host or root'),
      ],
      form: '0 5 5060 sip.example.net',
    },
  ],
  [
    'CAA',
    {
      fields: [createNumberField('the flags', 1), tagField, createQuotedField('the value')],
      form: '0 issue "ca.example.net"',
    },
  ],
  [
    'SSHFP',
    {
      fields: [
        createNumberField('the algorithm', 1),
        createNumberField('the type', 1),
        createHexField('the fingerprint'),
      ],
      form: '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789',
      check: checkFingerprint,
    },
  ],
  [
    'SOA',
    {
      fields: [
        ...[createNameField('the name server', 'host or root'), createNameField('the mailbox', 'any')],
        ...['serial', 'refresh', 'retry', 'expire', 'minimum'].map((name) => createNumberField(`the ${name}`, 4)),
      ],
      form: 'ns1.example.net admin.example.net 1 7200 3600 1209600 300',
    },
  ],
])

/** RFC 3597 section 5. */
const GENERIC = /^\\#[ \t]+(\d{1,5})(?:[ \t]+([0-9a-f][0-9a-f \t]*))?$/i

const encodeGeneric = (text: string): Uint8Array => {
  const [, size = '', digits = ''] = GENERIC.exec(text) ?? []
  const bytes = parseHex(digits)
  if (size === '' || bytes?.length !== Number(size))
    throw new InvalidDnsValue('must have the form \\# 3 a1b2c3: the number of bytes, then their hexadecimal digits')
  return bytes
}

/** Cuts a value into its fields. The last one has the rest, blanks included. */
const split = (text: string, count: number): string[] | undefined => {
  if (count === 1) return [text]
  const words = text.trim().split(/[ \t]+/)
  if (words.length < count) return undefined
  const [, rest = ''] = new RegExp(`^(?:[^ \\t]+[ \\t]+){${count - 1}}(.*)$`).exec(text.trim()) ?? []
  return [...words.slice(0, count - 1), rest]
}

const encodeFields = ({ fields, form, check }: Layout, text: string): Uint8Array => {
  const parts = split(text, fields.length)
  if (parts === undefined) throw new InvalidDnsValue(`must have the form ${form}`)
  const writer = new WireWriter()
  for (const [index, field] of fields.entries()) writer.put(field.encode(parts[index] ?? ''))
  const rdata = writer.finish()
  const problem = check?.(rdata)
  if (problem !== undefined) throw new InvalidDnsValue(problem)
  return rdata
}

/** A message has further parts beside the value. */
const RDATA_MAX = MESSAGE_MAX - 1024

const encode = (type: string, text: string): Uint8Array => {
  // Bounds the work for hostile text: a byte takes at most four characters, as an escape.
  if (text.length > 4 * RDATA_MAX) throw new InvalidDnsValue('is too long')
  const layout = LAYOUTS.get(type)
  const rdata = layout ? encodeFields(layout, text) : encodeGeneric(text)
  if (rdata.length > RDATA_MAX) throw new InvalidDnsValue(`must have at most ${RDATA_MAX} bytes`)
  return rdata
}

const tryEncode = (type: string, text: string): Uint8Array | InvalidDnsValue => {
  try {
    return encode(type, text)
  } catch (error) {
    if (error instanceof InvalidDnsValue) return error
    throw error
  }
}

/**
 * Returns the error of a value in presentation format, to be shown behind the name of its field.
 *
 * @param type a type as in `parseTypeCode`; of types without a format here, values are `\# 3 a1b2c3` (RFC 3597 section 5)
 * @returns undefined for a valid value
 * @example
 * checkValue('MX', '10 mail.example.net') // undefined
 * checkValue('MX', 'mail.example.net') // 'must have the form 10 mail.example.net'
 * checkValue('A', '2001:db8::1') // 'must be an IPv4 address'
 */
export function checkValue(type: string, text: string): string | undefined {
  const rdata = tryEncode(type, text)
  return rdata instanceof InvalidDnsValue ? rdata.message : undefined
}

/**
 * Returns the rdata of a value that was validated before.
 *
 * @throws RangeError on a value that is not valid (see `checkValue`): that is a bug and not user input
 * @example
 * encodeValue('A', '192.0.2.1') // new Uint8Array([192, 0, 2, 1])
 * encodeValue('A', 'x') // throws RangeError
 */
export function encodeValue(type: string, text: string): Uint8Array {
  const rdata = tryEncode(type, text)
  if (rdata instanceof InvalidDnsValue) throw new RangeError(`Not a value of ${type}: ${rdata.message}`)
  return rdata
}

/**
 * Returns the canonical text of a value: one spelling for each rdata.
 *
 * @returns undefined for a value that is not valid (see `checkValue`)
 * @example
 * normalizeValue('MX', '010 Mail.Example.net.') // '10 mail.example.net'
 * normalizeValue('AAAA', '2001:DB8::0') // '2001:db8::'
 */
export function normalizeValue(type: string, text: string): string | undefined {
  const rdata = tryEncode(type, text)
  return rdata instanceof InvalidDnsValue ? undefined : formatValue(type, rdata)
}

/**
 * Formats the presentation format of rdata without compressed names. TXT is the bare text: its strings joined, bytes that are not UTF-8
 * replaced. Types without a format here are `\# 3 a1b2c3` (RFC 3597 section 5).
 *
 * @throws DnsFormatError on rdata that is not of this type
 * @example
 * formatValue('A', new Uint8Array([192, 0, 2, 1])) // '192.0.2.1'
 * formatValue('TYPE65534', new Uint8Array([10])) // '\\# 1 0a'
 * formatValue('A', new Uint8Array([192])) // throws DnsFormatError
 */
export function formatValue(type: string, rdata: Uint8Array): string {
  const layout = LAYOUTS.get(type)
  if (layout === undefined) return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${encodeHex(rdata)}`
  const reader = new WireReader(rdata)
  const text = layout.fields.map((field) => field.decode(reader)).join(' ')
  if (reader.left > 0) throw new DnsFormatError(`the value of a ${type} record is too long`)
  return text
}

/**
 * True when the rdata is exactly that of its presentation format. TXT of other servers may be cut into other strings,
 * and then no prerequisite with the text matches it (RFC 2136 section 2.4.2).
 *
 * @example
 * isExactValue('TXT', new Uint8Array([2, 97, 98])) // true
 * isExactValue('TXT', new Uint8Array([1, 97, 1, 98])) // false
 */
export function isExactValue(type: string, rdata: Uint8Array): boolean {
  const own = tryEncode(type, formatValue(type, rdata))
  return own instanceof Uint8Array && own.length === rdata.length && own.every((byte, index) => byte === rdata[index])
}
