/** The filters that Plat adds to Liquid. Nothing in gives nothing out; text that a filter cannot read is an error. */
import { toValue } from 'liquidjs'
import { type Cidr, cidrContains, cidrHolds, getNetworkAndBroadcast, parseCidr, toCidr } from '../net/cidr.ts'
import { buildReverseName, buildReverseZoneName } from '../net/dns/reverse.ts'
import { formatIp, getMaxValue, parseIp } from '../net/ip.ts'
import { parseMac } from '../net/mac.ts'
import { toSlug } from '../net/slug.ts'

type Filter = (value: unknown, argument?: unknown) => unknown

/** Most characters of a wrong value in a message. */
const SHOWN = 64

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

const toText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error('takes text, and not a list or an object')
}

const shown = (text: string): string => JSON.stringify(text.slice(0, SHOWN))

const readCidr = (text: string): Cidr => {
  const cidr = parseCidr(text)
  if (cidr === undefined) throw new Error(`${shown(text)} is no network such as 10.0.0.0/24`)
  return cidr
}

const readAddress = (text: string) => {
  const ip = parseIp(text)
  if (ip === undefined) throw new Error(`${shown(text)} is no IP address`)
  return ip
}

const getNetmask = (text: string): string => {
  const { family, prefix } = readCidr(text)
  return formatIp({ family, value: toCidr({ family, value: getMaxValue(family) }, prefix).first })
}

const getNetworkAddress = (text: string): string => {
  const { family, first } = readCidr(text)
  return formatIp({ family, value: first })
}

/** IPv6, /31 and /32 have no broadcast address. */
const getBroadcast = (text: string): string | undefined => {
  const found = getNetworkAndBroadcast(readCidr(text))
  return found && formatIp(found.broadcast)
}

/** Tells if a block contains an address, or another block. */
const isInCidr = (text: string, argument: unknown): boolean => {
  const outer = readCidr(toText(argument ?? ''))
  return text.includes('/') ? cidrContains(outer, readCidr(text)) : cidrHolds(outer, readAddress(text))
}

const reverse = (text: string): string => {
  if (!text.includes('/')) return buildReverseName(readAddress(text))
  const cidr = readCidr(text)
  const zone = buildReverseZoneName(cidr)
  if (zone === undefined) throw new Error(`${shown(text)} has no reverse zone of one name`)
  return zone
}

const MAC_STYLES: Readonly<Record<string, (digits: string) => string>> = {
  cisco: (digits) => digits.replace(/.{4}(?=.)/g, '$&.'),
  dash: (digits) => digits.replace(/..(?=.)/g, '$&-'),
  colon: (digits) => digits.replace(/..(?=.)/g, '$&:'),
  bare: (digits) => digits,
}

const formatMac = (text: string, argument: unknown): string => {
  const canonical = parseMac(text)
  if (canonical === undefined) throw new Error(`${shown(text)} is no MAC address`)
  const name = toText(argument ?? 'colon')
  const style = Object.hasOwn(MAC_STYLES, name) ? MAC_STYLES[name] : undefined
  if (style === undefined) throw new Error(`${shown(name)} is none of ${Object.keys(MAC_STYLES).join(', ')}`)
  return style(canonical.replaceAll(':', ''))
}

/** POSIX.1-2024, XCU section 2.2.2: within single quotes only the quote itself has a meaning. */
const quoteForShell = (text: string): string => {
  if (text.includes('\0')) throw new Error('a word of the shell holds no NUL')
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Names the filter in its errors, and passes values on that are not given. */
const createFilter = (
  name: string,
  { run, nothing }: { run: (text: string, argument: unknown) => unknown; nothing?: unknown },
): Filter => {
  return (given, argument) => {
    const value: unknown = toValue(given)
    if (isNothing(value)) return nothing
    try {
      return run(toText(value), toValue(argument))
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

export const FILTERS: Readonly<Record<string, Filter>> = {
  netmask: createFilter('netmask', { run: getNetmask }),
  network_address: createFilter('network_address', { run: getNetworkAddress }),
  broadcast: createFilter('broadcast', { run: getBroadcast }),
  prefix_length: createFilter('prefix_length', { run: (text) => readCidr(text).prefix }),
  in_cidr: createFilter('in_cidr', { run: isInCidr, nothing: false }),
  reverse_name: createFilter('reverse_name', { run: reverse }),
  mac: createFilter('mac', { run: formatMac }),
  slug: createFilter('slug', { run: (text) => toSlug(text) }),
  shell: createFilter('shell', { run: quoteForShell, nothing: "''" }),
}
