// Lines of a master file (RFC 1035 section 5).

import { encodeValue } from './value.ts'

/** Types with a name at the end of the value. */
const ENDS_WITH_NAME = new Set(['CNAME', 'NS', 'PTR', 'MX', 'SRV'])

const toAbsolute = (name: string): string => (name === '.' ? name : `${name}.`)

/** Formats the strings of a TXT record, each in quotes. */
const formatStrings = (rdata: Uint8Array): string => {
  const strings: string[] = []
  for (let at = 0; at < rdata.length; ) {
    const size = rdata[at] ?? 0
    let text = ''
    for (const byte of rdata.subarray(at + 1, at + 1 + size)) {
      if (byte < 0x20 || byte >= 0x7f) text += `\\${String(byte).padStart(3, '0')}`
      else text += byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte)
    }
    strings.push(`"${text}"`)
    at += 1 + size
  }
  return strings.join(' ')
}

/**
 * Returns the value of a record as a master file has it: names end with a dot, and text is in quotes.
 *
 * @param value a canonical value (see `normalizeValue`)
 * @example
 * formatFileValue('MX', '10 mail.example.net') // '10 mail.example.net.'
 * formatFileValue('TXT', 'a "b"') // '"a \\"b\\""'
 * formatFileValue('A', '192.0.2.1') // '192.0.2.1'
 */
export function formatFileValue(type: string, value: string): string {
  if (type === 'TXT') return formatStrings(encodeValue(type, value))
  if (!ENDS_WITH_NAME.has(type)) return value
  const at = value.lastIndexOf(' ') + 1
  return value.slice(0, at) + toAbsolute(value.slice(at))
}

/**
 * Returns the line of a record.
 *
 * @param name relative to the origin, or `@`
 * @example
 * formatFileLine({ name: 'www', ttl: 60, type: 'A', value: '192.0.2.1' }) // 'www\t60\tIN\tA\t192.0.2.1\n'
 */
export function formatFileLine(record: { name: string; ttl: number; type: string; value: string }): string {
  const { name, ttl, type, value } = record
  return `${name}\t${ttl}\tIN\t${type}\t${formatFileValue(type, value)}\n`
}

/**
 * Returns the name of a mailbox in a SOA record (RFC 1035 section 8): dots before the `@` are part of the first label.
 *
 * @example
 * toMailboxName('jane.doe@example.org') // 'jane\\.doe.example.org'
 */
export function toMailboxName(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, at).replaceAll('.', '\\.')}.${email.slice(at + 1)}`
}
