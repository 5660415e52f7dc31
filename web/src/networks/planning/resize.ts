/** The effect of another subnet or address space of a network: the networks and free blocks that come in and go out. */
import { type Cidr, cidrContains, formatCidr, parseCidr, subtractCidrs } from '../../../../src/net/cidr.ts'
import type { Network } from '../../api/contracts.ts'
import { buildNetworkTree, type TreeNode } from '../tree.ts'

/** The place of a network. The default space has no id. */
type Place = Pick<Network, 'subnet' | 'space_id'>
type Block = { readonly cidr: Cidr; readonly space_id: string | undefined }

/** A part of the address space, by address. */
export type Part = {
  /** The networks that no other of them contains, with the number of networks that each contains. */
  readonly networks: readonly { readonly network: Network; readonly nested: number }[]
  /** The fewest blocks that cover the addresses of no network. */
  readonly free: readonly string[]
}

export type Resize = { readonly comesIn: Part; readonly goesOut: Part }

const toBlock = ({ subnet, space_id }: Place): Block | undefined => {
  const cidr = parseCidr(subnet)
  return cidr && { cidr, space_id }
}

const contains = (outer: Block, inner: Block): boolean =>
  outer.space_id === inner.space_id && cidrContains(outer.cidr, inner.cidr)

const isIn = (inner: Block, outer: Block): boolean => contains(outer, inner) && outer.cidr.prefix < inner.cidr.prefix

const countNested = ({ children }: TreeNode): number => children.reduce((sum, child) => sum + 1 + countNested(child), 0)

type Placed = Block & { readonly network: Network }

/** Returns the part of `block` outside of `other`. */
const computePart = (all: readonly Placed[], block: Block, other: Block): Part => {
  const inside = all.filter((one) => isIn(one, block))
  const moved = inside.filter((one) => !isIn(one, other))
  const covered = other.space_id === block.space_id ? [...inside, other] : inside
  return {
    networks: buildNetworkTree(moved.map(({ network }) => network)).map((node) => ({
      network: node.network,
      nested: countNested(node),
    })),
    free: subtractCidrs(
      block.cidr,
      covered.map(({ cidr }) => cidr),
    ).map(formatCidr),
  }
}

/** Returns undefined if the network stays where it is, and for a text that is no subnet. */
export type Resizer = (place: Place) => Resize | undefined

/** Parses the list once, for each subnet that is typed. @param id of the network that is changed */
export const createResizer = (networks: readonly Network[], id: string): Resizer => {
  const network = networks.find((one) => one.id === id)
  const before = network && toBlock(network)
  let others: readonly Placed[] | undefined
  return (place) => {
    const after = toBlock(place)
    if (!before || !after || (contains(before, after) && contains(after, before))) return undefined
    others ??= networks.flatMap((one): Placed[] => {
      const block = one.id === id ? undefined : toBlock(one)
      return block ? [{ ...block, network: one }] : []
    })
    return { comesIn: computePart(others, after, before), goesOut: computePart(others, before, after) }
  }
}
