/** The addresses of hosts as fields of a contract. Browser-safe. */
import { z } from 'zod'
import { type Cidr, formatCidr, parseCidr, toCidr } from '../../net/cidr.ts'
import { getAddressBits, normalizeIp, parseIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { ruledText } from './fields.ts'
import { BLOCK_PATTERN, DNS_NAME, MAC, matchWhole } from './text-rules.ts'

/** An IPv4 or IPv6 address, converted to its canonical text (RFC 5952). */
export const IpAddress = z
  .string()
  .max(64)
  .meta({ exact: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] } })
  .transform((value, check) => {
    const canonical = normalizeIp(value)
    if (canonical !== undefined) return canonical
    check.addIssue('must be an IPv4 or IPv6 address')
    return z.NEVER
  })

const MAPPED_V4 = 0xffffn
const MAPPED_PREFIX = 96

/** Returns the IPv4 block of an IPv4-mapped one (RFC 4291 section 2.5.5.2), and any other block as it is. */
const unwrapMapped = (cidr: Cidr): Cidr =>
  cidr.family === 6 && cidr.prefix >= MAPPED_PREFIX && cidr.first >> 32n === MAPPED_V4
    ? toCidr({ family: 4, value: cidr.first & 0xffff_ffffn }, cidr.prefix - MAPPED_PREFIX)
    : cidr

const parseBlock = (text: string): Cidr | undefined => {
  const ip = parseIp(text)
  return ip ? toCidr(ip, getAddressBits(ip.family)) : parseCidr(text)
}

/** A CIDR, or an address as /32 or /128, converted to the canonical CIDR. */
export const AddressBlock = z
  .string()
  .max(64)
  .meta({ exact: { pattern: matchWhole(BLOCK_PATTERN) } })
  .transform((value, check) => {
    const block = parseBlock(value)
    if (block) return formatCidr(unwrapMapped(block))
    check.addIssue('must be an IPv4 or IPv6 address, or a network with a prefix length, like 10.0.0.0/24')
    return z.NEVER
  })

/** Optional. A MAC address in any notation, converted to lower case with colons. */
export const MacAddress = ruledText(17, MAC).transform((text) => parseMac(text) ?? '')

/** Optional. A name in the DNS, converted to lower case without a last dot. */
export const DnsName = ruledText(254, DNS_NAME).transform((text) => text.toLowerCase().replace(/\.$/, ''))
