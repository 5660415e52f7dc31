// The tree of subnets: which block lies in which, found in one pass with a stack.

import { getSpaceKey } from './ip.ts'

/** A subnet by its storage keys (see `toIpKey`), with what decides between equal subnets. */
export type TreeBlock = {
  readonly id: string
  readonly first_key: string
  readonly last_key: string
  readonly prefix: number
  readonly datacenter_id: string | null
}

/** The place of a block in the tree. */
export type TreeNode<B extends TreeBlock> = {
  readonly block: B
  /** The most specific block that strictly contains it; undefined at the top. */
  readonly parent: TreeNode<B> | undefined
  /** All blocks with this subnet. */
  readonly group: TreeGroup<B>
  /** 0 at the top. */
  readonly depth: number
  /** The number of direct children. */
  children: number
  /** The number of addresses that direct children cover. Exact up to 2^53. */
  covered: number
}

/** The blocks of one subnet. */
export type TreeGroup<B extends TreeBlock> = {
  readonly members: TreeNode<B>[]
  /** The blocks of the most specific subnet that strictly contains it. */
  readonly outer: TreeGroup<B> | undefined
}

/**
 * Returns the number of addresses of a subnet; exact up to 2^53.
 *
 * @param key a storage key of one of its addresses
 * @example
 * countAddresses('40a000000', 24) // 256
 */
export function countAddresses(key: string, prefix: number): number {
  return 2 ** ((key[getSpaceKey(key).length] === '4' ? 32 : 128) - prefix)
}

/**
 * Returns the storage keys of the two addresses of a subnet that no device can have: its network and broadcast address.
 *
 * @returns nothing for IPv6, and for IPv4 /31 (RFC 3021) and /32
 * @example
 * listEndKeys({ first_key: '40a000000', last_key: '40a0000ff', prefix: 24 }) // ['40a000000', '40a0000ff']
 */
export function listEndKeys<Key extends string>(subnet: {
  readonly first_key: Key
  readonly last_key: Key
  readonly prefix: number
}): readonly Key[] {
  const { first_key, last_key, prefix } = subnet
  return prefix > 30 || first_key[getSpaceKey(first_key).length] !== '4' ? [] : [first_key, last_key]
}

/**
 * Returns the parent among several blocks with one subnet: the block of the same datacenter, else the block with the lowest id.
 *
 * @example
 * findParent([{ id: 'a', datacenter_id: null }, { id: 'b', datacenter_id: 'dc' }], { datacenter_id: 'dc' })
 * // { id: 'b', datacenter_id: 'dc' }
 */
export function findParent<B extends Pick<TreeBlock, 'id' | 'datacenter_id'>>(
  blocks: readonly B[],
  { datacenter_id }: Pick<TreeBlock, 'datacenter_id'>,
): B | undefined {
  let best: B | undefined
  const isOwn = (block: B) => block.datacenter_id === datacenter_id
  for (const block of blocks)
    if (!best || (isOwn(block) === isOwn(best) ? block.id < best.id : isOwn(block))) best = block
  return best
}

/**
 * Returns the tree of blocks by id, in their order. Blocks of other address spaces are never in each other.
 *
 * @param sorted by `first_key`, then by `prefix`
 * @example
 * buildSubnetTree([{ id: 'a', first_key: '40a000000', last_key: '40a0000ff', prefix: 24, datacenter_id: null }]).get('a')?.depth
 * // 0
 */
export function buildSubnetTree<B extends TreeBlock>(sorted: Iterable<B>): Map<string, TreeNode<B>> {
  const nodes = new Map<string, TreeNode<B>>()
  const stack: { readonly group: TreeGroup<B>; readonly subnet: B }[] = []
  for (const block of sorted) {
    let top = stack.at(-1)
    while (top && top.subnet.last_key < block.last_key) {
      stack.pop()
      top = stack.at(-1)
    }
    if (!top || top.subnet.prefix !== block.prefix || top.subnet.first_key !== block.first_key) {
      top = { group: { members: [], outer: top?.group }, subnet: block }
      stack.push(top)
    }
    const { group } = top
    const parent = group.outer && getParentNode(group.outer, block)
    if (parent) {
      parent.children++
      // An equal subnet in the same parent covers no further address.
      if (!group.members.some((member) => member.parent === parent))
        parent.covered += countAddresses(block.first_key, block.prefix)
    }
    const node = { block, parent, group, depth: stack.length - 1, children: 0, covered: 0 }
    group.members.push(node)
    nodes.set(block.id, node)
  }
  return nodes
}

function getParentNode<B extends TreeBlock>({ members }: TreeGroup<B>, block: B): TreeNode<B> | undefined {
  if (members.length === 1) return members[0]
  const parent = findParent(
    members.map((member) => member.block),
    block,
  )
  return members.find((member) => member.block === parent)
}
