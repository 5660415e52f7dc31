// Reverse names: the names under in-addr.arpa and ip6.arpa of addresses and of subnets.

import type { Cidr } from '../cidr.ts'
import { formatIp, type Ip } from '../ip.ts'

const toNibbles = (value: bigint): string[] => Array.from(value.toString(16).padStart(32, '0'))

/**
 * Returns the name of the PTR record of an address (RFC 1035 section 3.5, RFC 3596 section 2.5).
 *
 * @example
 * buildReverseName({ family: 4, value: 0xc0000205n }) // '5.2.0.192.in-addr.arpa'
 * buildReverseName({ family: 6, value: 1n }).slice(0, 8) // '1.0.0.0.'
 */
export function buildReverseName(ip: Ip): string {
  if (ip.family === 4) return `${formatIp(ip).split('.').reverse().join('.')}.in-addr.arpa`
  return `${toNibbles(ip.value).reverse().join('.')}.ip6.arpa`
}

/**
 * Returns the name of the reverse zone of a subnet: IPv4 of /8, /16 and /24, longer ones as RFC 2317 section 4 has it, IPv6 of a
 * multiple of four bits.
 *
 * @returns undefined for other lengths, which no single zone can have
 * @example
 * buildReverseZoneName({ family: 4, prefix: 24, first: 0xc0000200n, last: 0xc00002ffn }) // '2.0.192.in-addr.arpa'
 * buildReverseZoneName({ family: 4, prefix: 26, first: 0xc0000200n, last: 0xc000023fn }) // '0/26.2.0.192.in-addr.arpa'
 * buildReverseZoneName({ family: 4, prefix: 22, first: 0xc0000000n, last: 0xc00003ffn }) // undefined
 * buildReverseZoneName({ family: 6, prefix: 8, first: 0x20n << 120n, last: (0x21n << 120n) - 1n }) // '0.2.ip6.arpa'
 */
export function buildReverseZoneName({ family, prefix, first }: Cidr): string | undefined {
  if (prefix === 0) return undefined
  if (family === 6) {
    if (prefix % 4 !== 0) return undefined
    const nibbles = toNibbles(first).slice(0, prefix / 4)
    return `${nibbles.reverse().join('.')}.ip6.arpa`
  }
  if (prefix < 24 && prefix % 8 !== 0) return undefined
  const octets = formatIp({ family, value: first }).split('.')
  const parent = octets
    .slice(0, Math.min(prefix / 8, 3))
    .reverse()
    .join('.')
  return prefix > 24 ? `${octets[3]}/${prefix}.${parent}.in-addr.arpa` : `${parent}.in-addr.arpa`
}

/**
 * Returns the name of the PTR record of an address in the zone of a subnet. It differs from `buildReverseName` in zones of RFC 2317,
 * where the last octet stands in front of the zone's name, whichever that is.
 *
 * @param ip an address of the subnet
 * @example
 * buildReverseNameInZone({ prefix: 26, name: '0/26.2.0.192.in-addr.arpa' }, { family: 4, value: 0xc0000205n })
 * // '5.0/26.2.0.192.in-addr.arpa'
 */
export function buildReverseNameInZone(zone: { readonly prefix: number; readonly name: string }, ip: Ip): string {
  if (ip.family === 6 || zone.prefix <= 24) return buildReverseName(ip)
  return `${ip.value & 0xffn}.${zone.name}`
}
