// Address ranges: text, merge, subtract, and the exclude lists people type.

import { type Cidr, parseCidr } from './cidr.ts'
import { type Family, getAddressBits, type Ip, parseIp } from './ip.ts'
import { mergeSpans, splitSpan, subtractSpans } from './span.ts'

/** All addresses of one family from `first` to `last`, both included; `first <= last`. */
export type IpRange = { readonly family: Family; readonly first: bigint; readonly last: bigint }

/**
 * Reads an address, `first-last` (white space around the dash allowed) or a CIDR as a range. A CIDR counts whole,
 * network and broadcast included.
 *
 * @returns undefined for anything else, for ends of different families and for a first above the last
 * @example
 * parseRange('10.0.0.1 - 10.0.0.9') // { family: 4, first: 167772161n, last: 167772169n }
 * parseRange('10.0.0.1') // { family: 4, first: 167772161n, last: 167772161n }
 * parseRange('10.0.0.0/30') // { family: 4, first: 167772160n, last: 167772163n }
 * parseRange('10.0.0.9-10.0.0.1') // undefined
 */
export function parseRange(text: string): IpRange | undefined {
  const dash = text.indexOf('-')
  if (dash < 0) {
    const ip = parseIp(text)
    if (ip !== undefined) return { family: ip.family, first: ip.value, last: ip.value }
    const cidr = parseCidr(text)
    return cidr === undefined ? undefined : { family: cidr.family, first: cidr.first, last: cidr.last }
  }
  const first = parseIp(text.slice(0, dash).trimEnd())
  const last = parseIp(text.slice(dash + 1).trimStart())
  if (first === undefined || last === undefined) return undefined
  if (first.family !== last.family || first.value > last.value) return undefined
  return { family: first.family, first: first.value, last: last.value }
}

/**
 * How many addresses the range has.
 *
 * @example
 * computeRangeSize({ family: 4, first: 10n, last: 19n }) // 10n
 */
export function computeRangeSize(range: IpRange): bigint {
  return range.last - range.first + 1n
}

/**
 * True when the address is in the range.
 *
 * @example
 * rangeHolds({ family: 4, first: 10n, last: 19n }, { family: 4, value: 19n }) // true
 * rangeHolds({ family: 4, first: 10n, last: 19n }, { family: 6, value: 19n }) // false
 */
export function rangeHolds(range: IpRange, ip: Ip): boolean {
  return range.family === ip.family && range.first <= ip.value && ip.value <= range.last
}

/**
 * Returns the fewest CIDRs that together are exactly the range, in order: at most 62 for IPv4, 254 for IPv6.
 *
 * @example
 * splitRange({ family: 4, first: 1n, last: 2n })
 * // [{ family: 4, prefix: 32, first: 1n, last: 1n }, { family: 4, prefix: 32, first: 2n, last: 2n }]
 */
export function splitRange(range: IpRange): Cidr[] {
  const { family } = range
  return splitSpan(range, getAddressBits(family)).map(({ prefix, first, last }) => ({ family, prefix, first, last }))
}

/**
 * Returns the same addresses as the fewest ranges: overlapping and adjacent ones joined, IPv4 before IPv6, in order.
 *
 * @example
 * mergeRanges([{ family: 4, first: 5n, last: 9n }, { family: 4, first: 1n, last: 4n }])
 * // [{ family: 4, first: 1n, last: 9n }]
 */
export function mergeRanges(ranges: readonly IpRange[]): IpRange[] {
  return ([4, 6] as const).flatMap((family) =>
    mergeSpans(ranges.filter((range) => range.family === family)).map(({ first, last }) => ({ family, first, last })),
  )
}

/**
 * Returns `from` without the addresses of `minus`, as the fewest ranges, in order. `minus` may be unsorted,
 * overlapping, outside `from` or of the other family.
 *
 * @example
 * subtractRanges({ family: 4, first: 0n, last: 9n }, [{ family: 4, first: 0n, last: 5n }])
 * // [{ family: 4, first: 6n, last: 9n }]
 */
export function subtractRanges(from: IpRange, minus: readonly IpRange[]): IpRange[] {
  const { family } = from
  const holes = minus.filter((range) => range.family === family)
  return subtractSpans(from, holes).map(({ first, last }) => ({ family, first, last }))
}

/**
 * Reads a comma-separated list of addresses, ranges and CIDRs. White space around items and blank items (a trailing
 * comma) do not count.
 *
 * @returns `ranges` in the order written and not merged; `invalid` the items that are none of the three, as typed
 * @example
 * parseExcludes('10.0.0.8/31,') // { ranges: [{ family: 4, first: 167772168n, last: 167772169n }], invalid: [] }
 * parseExcludes('gateway, 10.0.0.256') // { ranges: [], invalid: ['gateway', '10.0.0.256'] }
 * parseExcludes('') // { ranges: [], invalid: [] }
 */
export function parseExcludes(text: string): { ranges: IpRange[]; invalid: string[] } {
  const ranges: IpRange[] = []
  const invalid: string[] = []
  for (const part of text.split(',')) {
    const item = part.trim()
    if (item === '') continue
    const range = parseRange(item)
    if (range === undefined) invalid.push(item)
    else ranges.push(range)
  }
  return { ranges, invalid }
}
