/** Networks as they lie in each other, with the gaps between them. */
import { type Cidr, cidrContains, formatCidr, parseCidr } from '../../../src/net/cidr.ts'
import { formatIp } from '../../../src/net/ip.ts'
import { computeRangeSize, type IpRange, splitRange } from '../../../src/net/range.ts'
import type { Network } from '../api/contracts.ts'
import { plural } from '../ui/format.ts'
import { buildSubnetKey } from './subnet-key.ts'

export type TreeNode = { readonly network: Network; readonly cidr: Cidr; readonly children: TreeNode[] }

export type TreeRow =
  | {
      readonly kind: 'network'
      readonly id: string
      readonly network: Network
      readonly level: number
      readonly children: number
      readonly isExpanded: boolean | undefined
    }
  | {
      readonly kind: 'space'
      readonly id: string
      /** Undefined for the default space. */
      readonly spaceId: string | undefined
      readonly name: string
      readonly level: number
      readonly children: number
      readonly isExpanded: boolean
    }
  | {
      readonly kind: 'gap'
      readonly id: string
      readonly range: IpRange
      readonly level: number
      readonly parent: Network
    }

export type Gap = Extract<TreeRow, { kind: 'gap' }>

/** Returns the roots: networks that lie in no other of their address space. The same subnet twice stands side by side. */
export const buildNetworkTree = (networks: readonly Network[]): TreeNode[] => {
  const nodes = networks
    .flatMap((network): TreeNode[] => {
      const cidr = parseCidr(network.subnet)
      return cidr ? [{ network, cidr, children: [] }] : []
    })
    .map((node) => ({ node, key: `${node.network.space_id ?? ''} ${buildSubnetKey(node.network.subnet)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ node }) => node)
  const roots: TreeNode[] = []
  const open: TreeNode[] = []
  for (const node of nodes) {
    const isIn = (outer: TreeNode) =>
      outer.network.space_id === node.network.space_id &&
      cidrContains(outer.cidr, node.cidr) &&
      outer.cidr.prefix < node.cidr.prefix
    while (open.length > 0 && !open.slice(-1).some(isIn)) open.pop()
    const parent = open.at(-1)
    ;(parent ? parent.children : roots).push(node)
    open.push(node)
  }
  return roots
}

/** Returns the free space between the children of a network; none where nothing is in it yet, for then all of it is free. */
const listGaps = ({ network, cidr, children }: TreeNode, level: number): Gap[] => {
  if (children.length === 0) return []
  const gaps: Gap[] = []
  let first = cidr.first
  const add = (last: bigint) => {
    if (first > last) return
    const range = { family: cidr.family, first, last }
    gaps.push({ kind: 'gap', id: `gap ${network.id} ${formatFirst(range)}`, range, level, parent: network })
  }
  // They are in the order of their addresses.
  for (const child of children) {
    add(child.cidr.first - 1n)
    if (child.cidr.last >= first) first = child.cidr.last + 1n
  }
  add(cidr.last)
  return gaps
}

export const formatFirst = ({ family, first }: IpRange): string => formatIp({ family, value: first })

/** @example '10.10.0.0 – 10.10.99.255' */
export const formatRange = (range: IpRange): string =>
  `${formatFirst(range)} – ${formatIp({ family: range.family, value: range.last })}`

/** @example '25,600 addresses' */
export const formatRangeSize = (range: IpRange): string => {
  const size = computeRangeSize(range)
  if (size <= Number.MAX_SAFE_INTEGER) return plural(Number(size), 'address', 'addresses')
  const bits = size.toString(2).length - 1
  return `${size === 2n ** BigInt(bits) ? '' : 'more than '}2^${bits} addresses`
}

export const isInGap = ({ family, first, last }: IpRange, subnet: string | undefined): boolean => {
  const cidr = parseCidr(subnet ?? '')
  return cidr?.family === family && first <= cidr.first && cidr.last <= last
}

/** Returns the blocks of a gap, by address. */
export const listBlocks = (range: IpRange): string[] => splitRange(range).map(formatCidr)

/** Returns the most specific network of a space that contains a subnet, or is the same. */
export const findAround = (
  networks: readonly Network[],
  subnet: string,
  space_id: string | null | undefined,
): Network | undefined => {
  const inner = parseCidr(subnet)
  let found: { readonly network: Network; readonly prefix: number } | undefined
  for (const network of networks) {
    const cidr = inner && (network.space_id ?? '') === (space_id ?? '') ? parseCidr(network.subnet) : undefined
    if (inner && cidr && cidrContains(cidr, inner) && cidr.prefix >= (found?.prefix ?? 0))
      found = { network, prefix: cidr.prefix }
  }
  return found?.network
}

/** Finds a network in the tree, with the one that it lies in. */
export const findNode = (
  nodes: readonly TreeNode[],
  id: string,
  parent?: TreeNode,
): { readonly node: TreeNode; readonly parent: TreeNode | undefined } | undefined => {
  for (const node of nodes) {
    const found = node.network.id === id ? { node, parent } : findNode(node.children, id, node)
    if (found) return found
  }
  return undefined
}

type Shown = { readonly isExpanded: (id: string) => boolean; readonly hasGaps: boolean }

/** Returns the rows of the tree as they are seen, from the top. */
export const listTreeRows = (nodes: readonly TreeNode[], shown: Shown, level = 1): TreeRow[] =>
  nodes.flatMap((node): TreeRow[] => {
    const { network, children } = node
    const isExpanded = children.length === 0 ? undefined : shown.isExpanded(network.id)
    const own: TreeRow = {
      kind: 'network',
      id: network.id,
      network,
      level,
      children: children.length,
      isExpanded,
    }
    if (isExpanded !== true) return [own]
    const gaps = shown.hasGaps ? listGaps(node, level + 1) : []
    const parts = [
      ...gaps.map((gap) => ({ first: gap.range.first, rows: [gap] })),
      ...children.map((child) => ({ first: child.cidr.first, rows: listTreeRows([child], shown, level + 1) })),
    ]
    parts.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))
    return [own, ...parts.flatMap(({ rows }) => rows)]
  })

/** The default space has no id. */
export type TreeSpace = { readonly id: string | undefined; readonly name: string }

/** Returns the id of the row of a space. */
export const buildSpaceRowId = (id: string | undefined): string => `space ${id ?? ''}`

/** Like `listTreeRows`, below a row for each space with networks. */
export const listSpaceRows = (nodes: readonly TreeNode[], spaces: readonly TreeSpace[], shown: Shown): TreeRow[] =>
  spaces.flatMap(({ id: space_id, name }): TreeRow[] => {
    const own = nodes.filter(({ network }) => network.space_id === space_id)
    if (own.length === 0) return []
    const id = buildSpaceRowId(space_id)
    const isExpanded = shown.isExpanded(id)
    const head: TreeRow = { kind: 'space', id, spaceId: space_id, name, level: 1, children: own.length, isExpanded }
    return isExpanded ? [head, ...listTreeRows(own, shown, 2)] : [head]
  })
