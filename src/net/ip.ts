// One IP address: its text, its value, its order and the fixed-width key it is stored under.

import { formatIpv4, parseIpv4 } from './ipv4-text.ts'
import { formatIpv6Groups, fromGroups, parseIpv6Groups, toGroups } from './ipv6-text.ts'

/** An IP version. */
export type Family = 4 | 6

/** An address: `value` is 0 to 2^32 - 1 for family 4, 0 to 2^128 - 1 for family 6. */
export type Ip = { readonly family: Family; readonly value: bigint }

const MAX_VALUE_4 = 0xffffffffn
const MAX_VALUE_6 = (1n << 128n) - 1n
const KEY = /^(?:s[0-9a-f]{4})?(?:4[0-9a-f]{8}|6[0-9a-f]{32})$/
/** The length of the key of a space that is not the default one. */
const SPACE_LENGTH = 5

/** The beginning of the storage keys of an address space: '' of the default one, else `s` and four hexadecimal digits. */
export type SpaceKey = '' | `s${string}`

/** The key of the default address space. */
export const DEFAULT_SPACE: SpaceKey = ''

declare const isIpKey: unique symbol
/** A storage key, made by `toIpKey`. */
export type IpKey = string & { readonly [isIpKey]: true }

/**
 * Address length of a family, in bits.
 *
 * @example
 * getAddressBits(4) // 32
 * getAddressBits(6) // 128
 */
export function getAddressBits(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128
}

/**
 * Returns the highest address value of a family.
 *
 * @example
 * getMaxValue(4) // 4294967295n
 */
export function getMaxValue(family: Family): bigint {
  return family === 4 ? MAX_VALUE_4 : MAX_VALUE_6
}

/**
 * Reads an address strictly: IPv4 as four decimal octets without leading zeros, IPv6 as in RFC 4291 section 2.2
 * without zone id or brackets. IPv4-mapped text (`::ffff:10.0.0.1`) stays family 6. No white space is trimmed.
 *
 * @returns undefined for anything that is not exactly one address
 * @example
 * parseIp('10.0.0.1') // { family: 4, value: 167772161n }
 * parseIp('2001:DB8::1') // { family: 6, value: 0x20010db8000000000000000000000001n }
 * parseIp('::ffff:10.0.0.1') // { family: 6, value: 0xffff0a000001n }
 * parseIp('10.0.0.01') // undefined
 * parseIp('fe80::1%eth0') // undefined
 */
export function parseIp(text: string): Ip | undefined {
  const number = parseIpv4(text)
  if (number !== undefined) return { family: 4, value: BigInt(number) }
  const groups = parseIpv6Groups(text)
  return groups === undefined ? undefined : { family: 6, value: fromGroups(groups) }
}

/**
 * Canonical text: dotted quad for IPv4, RFC 5952 for IPv6 (lower case, the longest run of two or more zero groups
 * as `::`, mixed notation for ::ffff:0:0/96).
 *
 * @example
 * formatIp({ family: 4, value: 167772161n }) // '10.0.0.1'
 * formatIp({ family: 6, value: 1n }) // '::1'
 * formatIp({ family: 6, value: 0xffff0a000001n }) // '::ffff:10.0.0.1'
 */
export function formatIp(ip: Ip): string {
  return ip.family === 4 ? formatIpv4(Number(ip.value)) : formatIpv6Groups(toGroups(ip.value))
}

/**
 * Canonical text of any accepted spelling of an address (see `parseIp`, `formatIp`).
 *
 * @returns undefined for anything that is not exactly one address
 * @example
 * normalizeIp('2001:DB8:0:0:0:0:0:1') // '2001:db8::1'
 * normalizeIp('10.0.0') // undefined
 */
export function normalizeIp(text: string): string | undefined {
  const ip = parseIp(text)
  return ip === undefined ? undefined : formatIp(ip)
}

/**
 * Storage key: the key of the address space, the family digit, then the value in lower-case hexadecimal, 8 digits for IPv4 and 32 for
 * IPv6. Within a space, byte-wise order of keys is the order of `compareIp`. A range between two keys of one space holds only keys of
 * that space.
 *
 * @example
 * toIpKey({ family: 4, value: 167772161n }, DEFAULT_SPACE) // '40a000001'
 * toIpKey({ family: 6, value: 1n }, DEFAULT_SPACE) // '600000000000000000000000000000001'
 * toIpKey({ family: 4, value: 167772161n }, 's001f') // 's001f40a000001'
 */
export function toIpKey(ip: Ip, space: SpaceKey): IpKey {
  return (
    ip.family === 4
      ? `${space}4${Number(ip.value).toString(16).padStart(8, '0')}`
      : `${space}6${ip.value.toString(16).padStart(32, '0')}`
  ) as IpKey // This is the form of one.
}

/**
 * Storage key of an address in text (see `toIpKey`). Of IPv4 it needs no `bigint`, because lists sort many addresses.
 *
 * @returns undefined for anything that is not exactly one address
 * @example
 * parseIpKey('10.0.0.1', DEFAULT_SPACE) // '40a000001'
 * parseIpKey('10.0.0', DEFAULT_SPACE) // undefined
 */
export function parseIpKey(text: string, space: SpaceKey): IpKey | undefined {
  const number = parseIpv4(text)
  if (number !== undefined) return `${space}4${number.toString(16).padStart(8, '0')}` as IpKey // This is the form of one.
  const ip = parseIp(text)
  return ip && toIpKey(ip, space)
}

/**
 * Storage key of an address in text (see `toIpKey`), for text that was validated before.
 *
 * @throws RangeError on text that is not exactly one address: that is a bug and not user input
 * @example
 * parseIpKeyOrThrow('10.0.0.1', 's001f') // 's001f40a000001'
 * parseIpKeyOrThrow('10.0.0', DEFAULT_SPACE) // throws RangeError
 */
export function parseIpKeyOrThrow(text: string, space: SpaceKey): IpKey {
  const key = parseIpKey(text, space)
  if (key === undefined) throw new RangeError(`Not an IP address: ${text.slice(0, 64)}`)
  return key
}

/**
 * Returns the key of the address space of a storage key, of an address or of a block of addresses.
 *
 * @example
 * getSpaceKey('s001f40a000001') // 's001f'
 * getSpaceKey('40a000001') // ''
 */
export function getSpaceKey(key: string): SpaceKey {
  // Only keys of spaces begin with this letter.
  return key.startsWith('s') ? (key.slice(0, SPACE_LENGTH) as SpaceKey) : DEFAULT_SPACE
}

/**
 * Returns the storage key of the same address in another space.
 *
 * @example
 * replaceSpace(parseIpKeyOrThrow('10.0.0.1', 's001f'), DEFAULT_SPACE) // '40a000001'
 */
export function replaceSpace(key: IpKey, space: SpaceKey): IpKey {
  return `${space}${key.slice(getSpaceKey(key).length)}` as IpKey // This is the form of one.
}

/**
 * Returns the address of a storage key made by `toIpKey`, in any space.
 *
 * @throws RangeError on any other text: keys come from our own storage, so that is a bug and not user input
 * @example
 * fromIpKey('40a000001') // { family: 4, value: 167772161n }
 * fromIpKey('s001f40a000001') // { family: 4, value: 167772161n }
 * fromIpKey('4A000001') // throws RangeError
 */
export function fromIpKey(key: string): Ip {
  if (!KEY.test(key)) throw new RangeError(`Not an IP key: ${key.slice(0, 64)}`)
  const own = key.startsWith('s') ? key.slice(SPACE_LENGTH) : key
  return { family: own.startsWith('4') ? 4 : 6, value: BigInt(`0x${own.slice(1)}`) }
}

/**
 * Orders addresses: all of IPv4 before all of IPv6, then by value. Negative, zero or positive, for `sort`.
 *
 * @example
 * compareIp({ family: 4, value: 9n }, { family: 6, value: 1n }) // -1
 * compareIp({ family: 4, value: 9n }, { family: 4, value: 1n }) // 1
 */
export function compareIp(a: Ip, b: Ip): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1
  if (a.value === b.value) return 0
  return a.value < b.value ? -1 : 1
}
