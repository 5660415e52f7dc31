/** The space of a network: its children and free blocks by address, and the subnets that are left. */
import { type Cidr, cidrContains, formatCidr, parseCidr } from '../../../src/net/cidr.ts'
import type { contracts, Out } from '../api/contracts.ts'

export type NetworkTree = Out<(typeof contracts)['networks']['tree']>
type Child = NetworkTree['children'][number]
type Free = NetworkTree['free'][number]

export type SpacePart = { readonly cidr: Cidr; readonly subnet: string } & (
  | { readonly kind: 'network'; readonly network: Child }
  | { readonly kind: 'free'; readonly block: Free }
)

const withCidr = <T extends { readonly subnet: string }>(one: T): (T & { readonly cidr: Cidr })[] => {
  const cidr = parseCidr(one.subnet)
  return cidr ? [{ ...one, cidr }] : []
}

/** Returns the children and the free blocks, by address. */
export const listSpaceParts = ({ children, free }: NetworkTree): SpacePart[] => {
  const parts: SpacePart[] = [
    ...children.flatMap(withCidr).map((one): SpacePart => ({ kind: 'network', network: one, ...one })),
    ...free.flatMap(withCidr).map((one): SpacePart => ({ kind: 'free', block: one, ...one })),
  ]
  return parts.sort((a, b) =>
    a.cidr.first < b.cidr.first ? -1 : a.cidr.first > b.cidr.first ? 1 : a.cidr.prefix - b.cidr.prefix,
  )
}

/** Returns the lengths of the subnets of a block. @param isWhole the block itself is one of them */
export const computeLengths = (subnet: string, isWhole: boolean): { readonly min: number; readonly max: number } => {
  const prefix = parseCidr(subnet)?.prefix ?? 0
  const max = subnet.includes(':') ? 128 : 32
  return { min: Math.min(max, isWhole ? prefix : prefix + 1), max }
}

/** Returns the lengths of the subnets that lie in one of some blocks. */
export const computeLengthsOfBlocks = (blocks: readonly string[]): { readonly min: number; readonly max: number } => {
  const all = blocks.map((block) => computeLengths(block, true))
  return { min: Math.min(...all.map(({ min }) => min)), max: Math.max(...all.map(({ max }) => max)) }
}

/** Returns the lowest subnet of a length in one of some blocks. */
export const findFirstSubnet = (blocks: readonly string[], length: number): string | undefined => {
  const block = blocks.find((one) => (parseCidr(one)?.prefix ?? 0) <= length)
  return block === undefined ? undefined : computeFirstSubnet(block, length)
}

/** Counts the subnets of a length in free blocks that hold no taken address and no pool; others may have more. */
export const countSubnetsLeft = (
  free: readonly Free[],
  length: number,
): { readonly count: number; readonly isLeast: boolean } => {
  let count = 0
  let isLeast = false
  for (const { subnet, used_ips, pools } of free) {
    const prefix = parseCidr(subnet)?.prefix ?? length + 1
    if (prefix > length) continue
    if (used_ips > 0 || pools.length > 0) isLeast = true
    else count += 2 ** (length - prefix)
  }
  return { count, isLeast }
}

/** Returns the first subnet of a length in a block. */
export const computeFirstSubnet = (subnet: string, length: number): string => {
  const cidr = parseCidr(subnet)
  return cidr ? formatCidr({ ...cidr, prefix: length }) : ''
}

/** Tells whether a block holds a subnet. */
export const hasSubnet = (subnet: string, inner: string | undefined): boolean => {
  const [outside, inside] = [parseCidr(subnet), parseCidr(inner ?? '')]
  return outside !== undefined && inside !== undefined && cidrContains(outside, inside)
}
