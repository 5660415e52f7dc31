/** Networks as they lie in each other, with the gaps between them. */
import { type Cidr, cidrContains, formatCidr, parseCidr, subtractCidrs } from '../../../src/net/cidr.ts'
import type { Network } from '../api/contracts.ts'
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
      readonly name: string
      readonly level: number
      readonly children: number
      readonly isExpanded: boolean
    }
  | {
      readonly kind: 'gap'
      readonly id: string
      readonly subnet: string
      readonly level: number
      readonly parent: Network
    }

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

/** Gaps of one network that are shown; an IPv6 network has more than anybody reads. */
const MOST_GAPS = 64

/** Returns the free blocks of a network, as large as they come; none where nothing is in it yet, for then all of it is free. */
const listGaps = ({ network, cidr, children }: TreeNode, level: number): { cidr: Cidr; row: TreeRow }[] => {
  if (children.length === 0) return []
  const free = subtractCidrs(
    cidr,
    children.map((child) => child.cidr),
  )
  return free.slice(0, MOST_GAPS).map((gap) => {
    const subnet = formatCidr(gap)
    return { cidr: gap, row: { kind: 'gap', id: `gap ${network.id} ${subnet}`, subnet, level, parent: network } }
  })
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
      ...gaps.map(({ cidr, row }) => ({ first: cidr.first, rows: [row] })),
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
    const head: TreeRow = { kind: 'space', id, name, level: 1, children: own.length, isExpanded }
    return isExpanded ? [head, ...listTreeRows(own, shown, 2)] : [head]
  })
