/** Subnets as spreadsheets have them: the network address and its mask in one text or in two. Browser-safe. */
import { parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'

const LENGTH = /^\/?(\d{1,3})$/
const IPV4_BITS = 32

/**
 * Reads a netmask: dotted, or as a prefix length.
 *
 * @returns undefined for anything else, also for a mask with a hole
 * @example
 * parsePrefixLength('255.255.255.0') // 24
 * parsePrefixLength('/24') // 24
 * parsePrefixLength('255.0.255.0') // undefined
 */
export function parsePrefixLength(text: string): number | undefined {
  const digits = LENGTH.exec(text)?.[1]
  if (digits !== undefined) return Number(digits) <= 128 ? Number(digits) : undefined
  const ip = parseIp(text)
  if (ip?.family !== 4) return undefined
  const bits = ip.value.toString(2).padStart(IPV4_BITS, '0')
  return /^1*0*$/.test(bits) ? (bits.indexOf('0') === -1 ? IPV4_BITS : bits.indexOf('0')) : undefined
}

/**
 * Joins a network address and its mask.
 *
 * @returns the subnet; undefined if one of them is none
 * @example
 * joinMask('192.0.2.0', '255.255.255.0') // '192.0.2.0/24'
 * joinMask('192.0.2.0/24', '255.255.255.0') // '192.0.2.0/24'
 * joinMask('192.0.2.0/24', '255.255.0.0') // undefined
 */
export function joinMask(address: string, mask: string): string | undefined {
  const length = parsePrefixLength(mask)
  if (length === undefined) return undefined
  const own = parseCidr(address)
  if (own) return own.prefix === length ? address : undefined
  const joined = `${address}/${length}`
  return parseCidr(joined) ? joined : undefined
}

/** True for a subnet with its prefix length, or with its mask: `192.0.2.0/255.255.255.0`. */
export function isCidrText(text: string): boolean {
  return parseCidr(normalizeSubnetText(text)) !== undefined
}

/** True for a netmask or a prefix length. */
export function isMaskText(text: string): boolean {
  return parsePrefixLength(text.trim()) !== undefined
}

/** Returns a subnet with its prefix length in the place of a mask, and any other text as it is. */
export function normalizeSubnetText(text: string): string {
  const [, address, mask] = /^\s*([0-9a-f.:]+)\s*(?:\/|\s)\s*([0-9./]+)\s*$/i.exec(text) ?? []
  return (address !== undefined && mask !== undefined ? joinMask(address, mask) : undefined) ?? text.trim()
}
