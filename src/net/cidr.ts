// CIDR blocks: text, containment, counts and the free space between them.

import { listEnclosingIpv4Texts, listEnclosingIpv6Texts } from './enclosing-texts.ts'
import {
  type Family,
  formatIp,
  getAddressBits,
  getMaxValue,
  type Ip,
  type IpKey,
  parseIp,
  type SpaceKey,
  toIpKey,
} from './ip.ts'
import { maskIpv4 } from './ipv4-text.ts'
import { IPV6_TEXT_MAX, toGroups } from './ipv6-text.ts'
import { type Span, splitSpan, subtractSpans } from './span.ts'

/** A block: `prefix` in bits (0 to 32 or 128), `first` and `last` the lowest and highest address value. */
export type Cidr = { readonly family: Family; readonly prefix: number; readonly first: bigint; readonly last: bigint }

const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/
const CIDR_TEXT_MAX = IPV6_TEXT_MAX + '/128'.length

/**
 * Reads `address/prefix` strictly (RFC 4632 section 3.1, RFC 4291 section 2.3). Host bits are masked off. The prefix
 * is required, decimal, in range, without sign or leading zeros.
 *
 * @returns undefined for anything that is not exactly one CIDR
 * @example
 * parseCidr('10.0.0.5/24') // { family: 4, prefix: 24, first: 167772160n, last: 167772415n }
 * parseCidr('10.0.0.0') // undefined
 * parseCidr('10.0.0.0/33') // undefined
 */
export function parseCidr(text: string): Cidr | undefined {
  if (text.length > CIDR_TEXT_MAX) return undefined
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const prefixText = text.slice(slash + 1)
  if (!PREFIX.test(prefixText)) return undefined
  const ip = parseIp(text.slice(0, slash))
  const prefix = Number(prefixText)
  return ip === undefined || prefix > getAddressBits(ip.family) ? undefined : toCidr(ip, prefix)
}

/**
 * Reads a block (see `parseCidr`) from text that was validated before, such as a stored subnet.
 *
 * @throws RangeError on text that is not exactly one CIDR: that is a bug and not user input
 * @example
 * parseCidrOrThrow('10.0.0.0/24').prefix // 24
 * parseCidrOrThrow('10.0.0.0') // throws RangeError
 */
export function parseCidrOrThrow(text: string): Cidr {
  const cidr = parseCidr(text)
  if (cidr === undefined) throw new RangeError(`Not a CIDR: ${text.slice(0, 64)}`)
  return cidr
}

/**
 * Returns the storage keys (see `toIpKey`) of the first and the last address of a block in an address space.
 *
 * @example
 * toCidrKeys(parseCidrOrThrow('10.0.0.0/24'), DEFAULT_SPACE) // { first: '40a000000', last: '40a0000ff' }
 */
export function toCidrKeys({ family, first, last }: Cidr, space: SpaceKey): { first: IpKey; last: IpKey } {
  return { first: toIpKey({ family, value: first }, space), last: toIpKey({ family, value: last }, space) }
}

/**
 * Canonical text of a block: the canonical text of its first address, a slash, the prefix.
 *
 * @example
 * formatCidr({ family: 4, prefix: 24, first: 167772160n, last: 167772415n }) // '10.0.0.0/24'
 */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp({ family: cidr.family, value: cidr.first })}/${cidr.prefix}`
}

/**
 * Returns the block of that prefix length that holds the address.
 *
 * @param prefix whole number, 0 to 32 for IPv4, 0 to 128 for IPv6
 * @throws RangeError when the prefix is not one of the family's
 * @example
 * toCidr({ family: 4, value: 167772165n }, 24) // { family: 4, prefix: 24, first: 167772160n, last: 167772415n }
 * toCidr({ family: 4, value: 167772165n }, 33) // throws RangeError
 */
export function toCidr(ip: Ip, prefix: number): Cidr {
  const { family, value } = ip
  const bits = getAddressBits(family)
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > bits)
    throw new RangeError(`Not an IPv${family} prefix: ${prefix}`)
  if (family === 4) {
    const first = maskIpv4(Number(value), prefix)
    return { family, prefix, first: BigInt(first), last: BigInt(first + 2 ** (32 - prefix) - 1) }
  }
  const hostMask = (1n << BigInt(bits - prefix)) - 1n
  return { family, prefix, first: value & (getMaxValue(family) ^ hostMask), last: value | hostMask }
}

/**
 * True when the address is in the block. An IPv4-mapped IPv6 address is never in an IPv4 block.
 *
 * @example
 * cidrHolds({ family: 4, prefix: 24, first: 167772160n, last: 167772415n }, { family: 4, value: 167772165n }) // true
 * cidrHolds({ family: 4, prefix: 24, first: 167772160n, last: 167772415n }, { family: 6, value: 167772165n }) // false
 */
export function cidrHolds(outer: Cidr, ip: Ip): boolean {
  return outer.family === ip.family && outer.first <= ip.value && ip.value <= outer.last
}

/**
 * True when all of `inner` is in `outer`; a block contains itself.
 *
 * @example
 * cidrContains({ family: 4, prefix: 0, first: 0n, last: 4294967295n }, { family: 4, prefix: 32, first: 1n, last: 1n })
 * // true
 */
export function cidrContains(outer: Cidr, inner: Cidr): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last
}

/**
 * How many addresses of a block a device can have. IPv4 up to /30 loses network and broadcast; /31 counts both
 * (RFC 3021) and /32 one. IPv6 counts all, capped at `Number.MAX_SAFE_INTEGER` (9007199254740991), which is to be
 * read as "that many or more".
 *
 * @example
 * countUsableAddresses({ family: 4, prefix: 24, first: 0n, last: 255n }) // 254
 * countUsableAddresses({ family: 4, prefix: 31, first: 0n, last: 1n }) // 2
 * countUsableAddresses({ family: 6, prefix: 64, first: 0n, last: 0xffffffffffffffffn }) // 9007199254740991
 */
export function countUsableAddresses(cidr: Cidr): number {
  const hostBits = getAddressBits(cidr.family) - cidr.prefix
  if (cidr.family === 4 && hostBits >= 2) return 2 ** hostBits - 2
  return Math.min(2 ** hostBits, Number.MAX_SAFE_INTEGER)
}

/**
 * Returns the two addresses of an IPv4 block that no device can have (RFC 1122 section 3.2.1.3).
 *
 * @returns undefined for IPv6, which has no broadcast, and for IPv4 /31 (RFC 3021) and /32
 * @example
 * getNetworkAndBroadcast({ family: 4, prefix: 30, first: 0n, last: 3n })
 * // { network: { family: 4, value: 0n }, broadcast: { family: 4, value: 3n } }
 * getNetworkAndBroadcast({ family: 4, prefix: 31, first: 0n, last: 1n }) // undefined
 */
export function getNetworkAndBroadcast(cidr: Cidr): { network: Ip; broadcast: Ip } | undefined {
  if (cidr.family === 6 || cidr.prefix > 30) return undefined
  return { network: { family: 4, value: cidr.first }, broadcast: { family: 4, value: cidr.last } }
}

/**
 * Returns the lowest and the highest address of a block that is given to a host without being asked for. IPv4 up to /30 loses
 * network and broadcast, IPv6 up to /126 the subnet-router anycast address (RFC 4291 section 2.6.1; a /127 has none, RFC 6164).
 *
 * @example
 * getHostSpan({ family: 4, prefix: 30, first: 0n, last: 3n }) // { first: 1n, last: 2n }
 * getHostSpan({ family: 6, prefix: 126, first: 0n, last: 3n }) // { first: 1n, last: 3n }
 * getHostSpan({ family: 6, prefix: 127, first: 0n, last: 1n }) // { first: 0n, last: 1n }
 */
export function getHostSpan({ family, prefix, first, last }: Cidr): Span {
  if (getAddressBits(family) - prefix < 2) return { first, last }
  return { first: first + 1n, last: family === 4 ? last - 1n : last }
}

/**
 * Canonical texts of all blocks that hold the address, most specific first: 33 for IPv4, 129 for IPv6. Made to be
 * looked up in an index of block texts.
 *
 * @example
 * listEnclosingCidrs({ family: 4, value: 167772161n }).slice(0, 2) // ['10.0.0.1/32', '10.0.0.0/31']
 * listEnclosingCidrs({ family: 6, value: 1n }).length // 129
 */
export function listEnclosingCidrs(ip: Ip): string[] {
  return ip.family === 4 ? listEnclosingIpv4Texts(Number(ip.value)) : listEnclosingIpv6Texts(toGroups(ip.value))
}

/**
 * Returns the free space of `outer`: the fewest blocks that cover exactly the addresses outside of all blocks of
 * `used`, in order. `used` may be unsorted, overlapping, outside `outer` or of the other family. Costs O(n log n) in
 * `used`, whatever the size of the space.
 *
 * @example
 * subtractCidrs({ family: 4, prefix: 30, first: 0n, last: 3n }, [{ family: 4, prefix: 31, first: 2n, last: 3n }])
 * // [{ family: 4, prefix: 31, first: 0n, last: 1n }]
 */
export function subtractCidrs(outer: Cidr, used: readonly Cidr[]): Cidr[] {
  const { family } = outer
  const gaps = subtractSpans(
    outer,
    used.filter((cidr) => cidr.family === family),
  )
  const bits = getAddressBits(family)
  return gaps.flatMap((gap) => splitSpan(gap, bits).map(({ prefix, first, last }) => ({ family, prefix, first, last })))
}
