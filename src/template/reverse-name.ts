/** Names in the reverse tree of DNS (RFC 1035 section 3.5, RFC 3596 section 2.5). */
import type { Cidr } from '../net/cidr.ts'
import type { Ip } from '../net/ip.ts'

const LABELS = {
  4: { count: 4, bits: 8, root: 'in-addr.arpa' },
  6: { count: 32, bits: 4, root: 'ip6.arpa' },
} as const

const labelsOf = ({ family, value }: Ip): string[] =>
  family === 4
    ? [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn))
    : [...value.toString(16).padStart(32, '0')]

/**
 * Returns the name of an address, without the last dot.
 *
 * @example
 * reverseName({ family: 4, value: 167772161n }) // '1.0.0.10.in-addr.arpa'
 */
export const reverseName = (ip: Ip): string => `${labelsOf(ip).reverse().join('.')}.${LABELS[ip.family].root}`

/**
 * Returns the name of the zone of a block, whose prefix must end at a label.
 *
 * @returns undefined for a prefix inside a label, such as /25
 * @example
 * reverseZone(cidrOfText('10.1.0.0/16')) // '1.10.in-addr.arpa'
 */
export const reverseZone = ({ family, prefix, first }: Cidr): string | undefined => {
  const { bits, root } = LABELS[family]
  if (prefix % bits !== 0) return undefined
  const labels = labelsOf({ family, value: first }).slice(0, prefix / bits)
  return [...labels.reverse(), root].join('.')
}
