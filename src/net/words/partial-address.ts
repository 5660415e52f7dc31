// The beginning of the text of an address, as somebody types it: which addresses can follow.

import { type Cidr, parseCidr, toCidr } from '../cidr.ts'
import { type Family, getAddressBits, parseIp } from '../ip.ts'
import type { Span } from '../span.ts'

/** The addresses that a text can mean: one address, a block, or all addresses with a text that begins so. */
export type Meant = { readonly family: Family; readonly spans: readonly Span[] }

const IPV4 = /^(?:\d{1,3}\.){1,3}(?:\d{1,3})?$/
const IPV6 = /^(?:[0-9a-f]{1,4}:){1,7}(?:[0-9a-f]{1,4})?$/i

type Notation = { readonly family: Family; readonly base: 10 | 16; readonly groupBits: 8 | 16 }
const DOTTED: Notation = { family: 4, base: 10, groupBits: 8 }
const COLONS: Notation = { family: 6, base: 16, groupBits: 16 }

/**
 * Returns the numbers with a text that begins with these digits, without leading zeros, up to a maximum.
 *
 * @example
 * listNumbersBeginning('25', 10, 255n) // [{ first: 25n, last: 25n }, { first: 250n, last: 255n }]
 * listNumbersBeginning('0', 10, 255n) // [{ first: 0n, last: 0n }]
 */
export function listNumbersBeginning(digits: string, base: 10 | 16, max: bigint): Span[] {
  const spans: Span[] = []
  let [first, size] = [BigInt(Number.parseInt(digits, base)), 1n]
  while (first <= max) {
    const last = first + size - 1n
    spans.push({ first, last: last < max ? last : max })
    if (first === 0n) break
    first *= BigInt(base)
    size *= BigInt(base)
  }
  return spans
}

/** Returns undefined for a group that is too large, or has a leading zero, which no canonical text has. */
const listSpans = (groups: readonly string[], { family, base, groupBits }: Notation): Span[] | undefined => {
  const max = (1n << BigInt(groupBits)) - 1n
  const whole = groups.slice(0, -1)
  const isGroup = (text: string) =>
    (text === '0' || !text.startsWith('0')) && Number.parseInt(text, base) <= Number(max)
  if (!whole.every(isGroup)) return undefined
  const head = whole.reduce((sum, text) => (sum << BigInt(groupBits)) | BigInt(Number.parseInt(text, base)), 0n)
  const begun = groups.at(-1) ?? ''
  if (begun !== '' && !isGroup(begun)) return undefined
  const free = BigInt(getAddressBits(family) - groups.length * groupBits)
  const last = begun === '' ? [{ first: 0n, last: max }] : listNumbersBeginning(begun, base, max)
  return last.map((span) => {
    const first = ((head << BigInt(groupBits)) | span.first) << free
    return { first, last: first + ((span.last - span.first + 1n) << free) - 1n }
  })
}

const toMeant = ({ family, first, last }: Cidr): Meant => ({ family, spans: [{ first, last }] })

/**
 * Returns the addresses that a text means or begins. A text of only digits may be a name, and means none.
 *
 * @returns undefined for a text that begins no address
 * @example
 * parsePartialAddress('10.0.0.5') // { family: 4, spans: [{ first: 167772165n, last: 167772165n }] }
 * parsePartialAddress('10.0.0.0/30') // { family: 4, spans: [{ first: 167772160n, last: 167772163n }] }
 * parsePartialAddress('10.0.0.') // { family: 4, spans: [{ first: 167772160n, last: 167772415n }] }
 * parsePartialAddress('web') // undefined
 */
export function parsePartialAddress(text: string): Meant | undefined {
  const ip = parseIp(text)
  if (ip) return toMeant(toCidr(ip, getAddressBits(ip.family)))
  const cidr = parseCidr(text)
  if (cidr) return toMeant(cidr)
  const notation = IPV4.test(text) ? DOTTED : IPV6.test(text) ? COLONS : undefined
  if (!notation) return undefined
  const spans = listSpans(text.split(notation === DOTTED ? '.' : ':'), notation)
  return spans && { family: notation.family, spans }
}
