/** The addresses of a scan: the usable ones of a subnet, less the excluded ones. Pure; browser-safe. */
import { type Cidr, formatCidr, getNetworkAndBroadcast, parseCidr } from '../net/cidr.ts'
import { type Family, formatIp, type Ip, parseIp } from '../net/ip.ts'
import { formatIpv4 } from '../net/ipv4-text.ts'
import { findLocalRange } from '../net/local.ts'
import { computeRangeSize, type IpRange, mergeRanges, parseRange, subtractRanges } from '../net/range.ts'

/** The shortest prefixes that a scan accepts: 65,536 addresses. */
export const WIDEST_PREFIX: Readonly<Record<Family, number>> = { 4: 16, 6: 112 }

/** RFC 5771: IPv4 multicast. RFC 1112 section 4: reserved addresses, with the limited broadcast. */
const NEVER = ['224.0.0.0/4', '240.0.0.0/4', 'ff00::/8']

/** A plan that cannot be carried out; the message names the field. */
export class PlanError extends Error {}

/** An address of a scan goes by its index: its distance from the first address of the block. */
export type Targets = {
  readonly family: Family
  readonly block: Cidr
  /** Addresses of the block, whether they are targets or not; a power of two. */
  readonly size: number
  /** Number of targets. */
  readonly total: number
  readonly has: (index: number) => boolean
  readonly formatAddress: (index: number) => string
  /** Undefined for an address that nothing may be sent to. */
  readonly indexOf: (ip: string) => number | undefined
  /** Takes any address, in the block or not. True if nothing may be sent to it or reported of it. */
  readonly isExcluded: (ip: string) => boolean
}

const parseSubnet = (subnet: string): Cidr => {
  const block = parseCidr(subnet)
  if (block === undefined) throw new PlanError(`subnet: ${JSON.stringify(subnet.slice(0, 64))} is no CIDR`)
  const widest = WIDEST_PREFIX[block.family]
  if (block.prefix < widest) throw new PlanError(`subnet: ${subnet} is wider than /${widest}`)
  return block
}

/** @throws PlanError for a block that overlaps a local range, which only this machine uses */
export const refuseLocal = (block: Cidr): void => {
  const range = findLocalRange(block)
  if (range !== undefined) throw new PlanError(`subnet: ${formatCidr(block)} overlaps the local range ${range}`)
}

const parseRangeOrThrow = (text: string): IpRange => {
  const range = parseRange(text)
  if (range === undefined)
    throw new PlanError(`excludes: ${JSON.stringify(text.slice(0, 96))} is no address, range or CIDR`)
  return range
}

const single = ({ family, value }: Ip): IpRange => ({ family, first: value, last: value })

/** Ranges that are never probed. */
const listReservedRanges = (block: Cidr): IpRange[] => {
  const ends = getNetworkAndBroadcast(block)
  return [...NEVER.map(parseRangeOrThrow), ...(ends ? [single(ends.network), single(ends.broadcast)] : [])]
}

const listTargetRanges = (subnet: string, excludes: readonly string[]): { block: Cidr; ranges: IpRange[] } => {
  const block = parseSubnet(subnet)
  const { family, first, last } = block
  return {
    block,
    ranges: subtractRanges({ family, first, last }, [...listReservedRanges(block), ...excludes.map(parseRangeOrThrow)]),
  }
}

/** Addresses that a scan probes: 254 of a /24, two of a /31 (RFC 3021). @throws PlanError */
export const countTargets = (subnet: string, excludes: readonly string[]): number =>
  Number(listTargetRanges(subnet, excludes).ranges.reduce((sum, range) => sum + computeRangeSize(range), 0n))

/** @throws PlanError when the subnet is wider than a scan takes, or a text is none */
export const openTargets = (subnet: string, excludes: readonly string[]): Targets => {
  const { block, ranges } = listTargetRanges(subnet, excludes)
  const { family, first } = block
  const size = Number(block.last - first) + 1
  const bits = new Uint8Array(Math.ceil(size / 8))
  let total = 0
  for (const range of ranges)
    for (let index = Number(range.first - first); index <= Number(range.last - first); index++) {
      bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
      total++
    }

  const has = (index: number): boolean => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0
  const excluded = mergeRanges(excludes.map(parseRangeOrThrow))
  const holds = (ip: Ip): boolean => {
    let [low, high] = [0, excluded.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const range = excluded[middle]
      if (range === undefined) return false
      // Merged ranges are in the order of `compareIp`: IPv4 first.
      if (ip.family < range.family || (ip.family === range.family && ip.value < range.first)) high = middle - 1
      else if (ip.family > range.family || ip.value > range.last) low = middle + 1
      else return true
    }
    return false
  }

  return {
    family,
    block,
    size,
    total,
    has,
    formatAddress:
      family === 4
        ? (index) => formatIpv4(Number(first) + index)
        : (index) => formatIp({ family, value: first + BigInt(index) }),
    indexOf: (text) => {
      const ip = parseIp(text)
      if (ip === undefined || ip.family !== family || ip.value < first || ip.value > block.last) return undefined
      const index = Number(ip.value - first)
      return has(index) ? index : undefined
    },
    isExcluded: (text) => {
      const ip = parseIp(text)
      return ip !== undefined && holds(ip)
    },
  }
}
