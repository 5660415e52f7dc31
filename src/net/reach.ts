// Classifies addresses by their reach from inside a network, for a server that is asked to connect to one.

import { type Cidr, cidrHolds, parseCidr } from './cidr.ts'
import type { Ip } from './ip.ts'

/**
 * `public`: may be connected to. `private`: an internal address, to which only some installations may connect.
 * `blocked`: this machine, the link, multicast or reserved; never connected to.
 */
export type Reach = 'public' | 'private' | 'blocked'

const parseBlocks = (...texts: string[]): readonly Cidr[] =>
  texts.map((text) => {
    const cidr = parseCidr(text)
    if (!cidr) throw new RangeError(`${text} is no CIDR`)
    return cidr
  })

/** RFC 6890, RFC 1122 section 3.2.1.3, RFC 3927, RFC 5771, RFC 4291 sections 2.5.2, 2.5.3, 2.5.6 and 2.7. */
const BLOCKED = parseBlocks(
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
)

/** RFC 1918, RFC 6598, RFC 6890, RFC 2544, RFC 4193, RFC 3879, RFC 8215. */
const PRIVATE = parseBlocks(
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '192.0.0.0/24', '198.18.0.0/15'],
  ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
)

const LOW_32 = 0xffffffffn

/**
 * IPv6 blocks with embedded IPv4 addresses, and the bits by which these are shifted: mapped and compatible (RFC 4291 section 2.5.5),
 * translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056), and both ends of Teredo (RFC 4380).
 */
const EMBEDDING: readonly { readonly block: Cidr; readonly read: (value: bigint) => readonly bigint[] }[] = [
  ...parseBlocks('::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96').map((block) => ({
    block,
    read: (value: bigint) => [value & LOW_32],
  })),
  ...parseBlocks('2002::/16').map((block) => ({ block, read: (value: bigint) => [(value >> 80n) & LOW_32] })),
  ...parseBlocks('2001::/32').map((block) => ({
    block,
    read: (value: bigint) => [(value >> 64n) & LOW_32, ~value & LOW_32],
  })),
]

/** Interface identifiers of ISATAP: RFC 5214 section 6.1. */
const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfcffffffn) === 0x00005efen

/**
 * Returns the IPv4 addresses that an IPv6 address stands for: none, one, or the two of Teredo.
 *
 * @example
 * listEmbeddedIpv4(0xffff7f000001n) // [0x7f000001n]
 */
export function listEmbeddedIpv4(value: bigint): readonly bigint[] {
  const found = EMBEDDING.find(({ block }) => cidrHolds(block, { family: 6, value }))
  if (found) return found.read(value)
  return isIsatap(value) ? [value & LOW_32] : []
}

const selectWorst = (reaches: readonly Reach[]): Reach =>
  reaches.includes('blocked') ? 'blocked' : reaches.includes('private') ? 'private' : 'public'

const hasIp = (list: readonly Cidr[], ip: Ip): boolean => list.some((cidr) => cidrHolds(cidr, ip))

/**
 * How far an address reaches. An IPv6 address that stands for an IPv4 one reaches no further than that: the prefixes
 * themselves are public, since on a network with DNS64 public names have such addresses.
 *
 * @example
 * computeReach({ family: 4, value: 0x7f000001n }) // 'blocked'
 * computeReach({ family: 4, value: 0x0a000001n }) // 'private'
 * computeReach({ family: 4, value: 0x5db8d70en }) // 'public'
 * computeReach({ family: 6, value: 0xffff7f000001n }) // 'blocked'
 */
export function computeReach(ip: Ip): Reach {
  const own: Reach = hasIp(BLOCKED, ip) ? 'blocked' : hasIp(PRIVATE, ip) ? 'private' : 'public'
  if (ip.family === 4 || own === 'blocked') return own
  return selectWorst([own, ...listEmbeddedIpv4(ip.value).map((value) => computeReach({ family: 4, value }))])
}
