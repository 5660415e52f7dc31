// Parsers for the texts of settings. A parser returns a value or throws InvalidValue. It knows neither the variable's
// name nor the source of the text.
import { type Cidr, parseCidr, toCidr } from '../../net/cidr.ts'
import { formatIp, getAddressBits, parseIp } from '../../net/ip.ts'

/** The reason why a setting's text is rejected. The message never repeats the text: it may be a secret. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue'
}

export type Parser<Value> = (text: string) => Value

/** The address to listen on; without a hostname all addresses, with port 0 any free port. */
export type ListenAddress = { readonly hostname?: string; readonly port: number }

/** Returns the text unchanged. */
export const parseText: Parser<string> = (value) => value

/** Parses a setting without a default: undefined unless it is set. */
export function createOptionalParser<Value>(parse: Parser<Value>): Parser<Value | undefined> {
  return (value) => (value === '' ? undefined : parse(value))
}

/** Comma-separated values; spaces around them and empty ones are ignored. */
export function list<Value>(parse: Parser<Value>): Parser<readonly Value[]> {
  return (value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(parse)
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

export const parseBoolean: Parser<boolean> = (value) => {
  const parsed = BOOLEANS.get(value.toLowerCase())
  if (parsed === undefined) throw new InvalidValue('must be true or false')
  return parsed
}

/** Parses a whole number between two inclusive bounds. */
export function createIntegerParser(min: number, max: number): Parser<number> {
  return (value) => {
    const parsed = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(parsed >= min && parsed <= max)) throw new InvalidValue(`must be a whole number from ${min} to ${max}`)
    return parsed
  }
}

/** One of a few words, in any case. */
export function createChoiceParser<Word extends string>(words: readonly Word[]): Parser<Word> {
  return (value) => {
    const parsed = words.find((word) => word === value.toLowerCase())
    if (parsed === undefined) throw new InvalidValue(`must be one of: ${words.join(', ')}`)
    return parsed
  }
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/**
 * Parses a length of time above zero, in milliseconds. A bare number is rejected, because its unit is unknown.
 *
 * @param max the maximum, in the same form
 * @example createDurationParser('24h')('90s') // 90000
 */
export function createDurationParser(max = '3650d', min = '1ms'): Parser<number> {
  const [minMs, maxMs] = [parseDurationMs(min), parseDurationMs(max)]
  return (value) => {
    const parsed = parseDurationMs(value)
    if (Number.isNaN(parsed)) throw new InvalidValue('must be a duration like 500ms, 30s, 5m, 24h or 30d')
    if (parsed === 0) throw new InvalidValue('must be longer than zero')
    if (parsed < minMs) throw new InvalidValue(`must not be shorter than ${min}`)
    if (parsed > maxMs) throw new InvalidValue(`must not be longer than ${max}`)
    return parsed
  }
}

/** Parses like `createDurationParser`, and `0` for none. */
export function createOptionalDurationParser(max?: string): Parser<number> {
  const parse = createDurationParser(max)
  return (value) => (value === '0' ? 0 : parse(value))
}

function parseDurationMs(value: string): number {
  const [, amount, unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(value) ?? []
  return Number(amount) * (UNIT_MS.get(unit) ?? Number.NaN)
}

const LISTEN_FORMS = 'must have the form :8080, host:8080 or [v6]:8080, with a port from 0 to 65535'

export const listenAddress: Parser<ListenAddress> = (value) => {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(value)
  const [, v6, host = '', portText] = match ?? []
  const port = Number(portText)
  if (!match || port > 65_535) throw new InvalidValue(LISTEN_FORMS)
  if (v6 !== undefined) {
    if (parseIp(v6)?.family !== 6) throw new InvalidValue('must have an IPv6 address between its brackets')
    return { hostname: v6, port }
  }
  if (host === '') return { port }
  if (!isHost(host)) throw new InvalidValue('must name an IPv4 address or a host before its port')
  return { hostname: host, port }
}

function isHost(host: string): boolean {
  return /^[\d.]+$/.test(host) ? parseIp(host) !== undefined : /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(host)
}

/** Parses an IP address, as a block of one address, or a CIDR. */
export const parseAddressOrCidr: Parser<Cidr> = (value) => {
  const ip = parseIp(value)
  const cidr = ip ? toCidr(ip, getAddressBits(ip.family)) : parseCidr(value)
  if (!cidr) throw new InvalidValue('must be a comma-separated list of IP addresses and CIDRs')
  return unwrapMapped(cidr)
}

/** Converts IPv4-mapped blocks to IPv4: peers are compared in that form, so a mapped block would never match. */
function unwrapMapped(cidr: Cidr): Cidr {
  if (cidr.family === 4 || cidr.prefix < 96 || cidr.first >> 32n !== 0xffffn) return cidr
  return toCidr({ family: 4, value: cidr.first & 0xffff_ffffn }, cidr.prefix - 96)
}

const MOST_PORTS = 65_535

/** Ports and port ranges, without duplicates, in order. */
export const parsePorts: Parser<readonly number[]> = (value) => {
  const ports = new Set<number>()
  for (const part of value.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const [, from = '', to = from] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (!(first >= 1 && last >= first && last <= MOST_PORTS))
      throw new InvalidValue('must be a comma-separated list of ports and ranges, like 22,80,8000-8100')
    for (let port = first; port <= last; port++) ports.add(port)
  }
  return [...ports].sort((a, b) => a - b)
}

/** Parses a 256-bit key as 64 hexadecimal digits, in lower case. */
export const parseHexKey: Parser<string> = (value) => {
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new InvalidValue('must be exactly 64 hexadecimal digits')
  return value.toLowerCase()
}

/** Parses a URL of one of the given schemes, as text. */
export function createUrlParser(...schemes: readonly string[]): Parser<string> {
  return (value) => {
    const isKnown = schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3)
    if (!isKnown) throw new InvalidValue(`must start with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
    return value
  }
}

/** Parses an OAuth issuer (RFC 8414 section 2) without trailing slash; clients compare it byte for byte. */
export const parseIssuerUrl: Parser<string> = (value) => {
  const isPlain = /^https?:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/i.test(value)
  if (!isPlain || !URL.canParse(value)) {
    throw new InvalidValue('must be an absolute http or https URL without user, query or fragment')
  }
  const url = value.replace(/\/+$/, '')
  if (url.split('/').length > 3) {
    // The cookies of `__Host-` and the addresses of the page are those of a whole host (RFC 6265bis 4.1.3.2).
    throw new InvalidValue('must have no path: Plat needs its own host name, such as https://plat.example.com')
  }
  return url
}

/** Parses the name of a header that holds one address or a list of them, in lower case. */
export const parseForwardingHeader: Parser<string> = (value) => {
  // Field names are tokens (RFC 9110 5.6.2).
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(value)) throw new InvalidValue('must be the name of a header')
  // The entries of Forwarded have another form (RFC 7239): `for=192.0.2.60;proto=http`.
  if (value.toLowerCase() === 'forwarded')
    throw new InvalidValue('must name a header that holds addresses alone, such as X-Forwarded-For or X-Real-IP')
  return value.toLowerCase()
}

/**
 * Parses a host as in a URL, without its port, in lower case: a name, an IPv4 address, or an IPv6 address with or without brackets.
 */
export const parseHostName: Parser<string> = (value) => {
  const v6 = parseIp(value.replace(/^\[(.*)\]$/, '$1'))
  if (v6?.family === 6) return `[${formatIp(v6)}]`
  if (!isHost(value))
    throw new InvalidValue('must be a comma-separated list of host names and IP addresses, without ports')
  return value.toLowerCase()
}
