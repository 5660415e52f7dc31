/** One network in the tree: the networks around it and in it, and the free blocks between them. */
import { type Cidr, cidrKeys, cidrOfText, formatCidr } from '../../net/cidr.ts'
import { freeBlocks } from '../../net/free-blocks.ts'
import { bitsOf, ipFromKey, type SpaceKey, spaceOfKey } from '../../net/ip.ts'
import { addressCount, parentAmong, subnetTree, type TreeNode } from '../../net/subnet-tree.ts'
import { orNotFound } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import type { Network } from './api.ts'
import { subnetKeysAround } from './membership.ts'
import { type FreeBlock, MAX_FREE, type NetworkTree } from './planning-api.ts'
import * as store from './store.ts'
import type { TreeRow } from './tree-store.ts'
import * as tree from './tree-store.ts'
import { nestedFields, type Tree, utilizationOf } from './usage.ts'

/** Returns the networks that contain one, the outermost first. */
const parentsOf = async (ctx: Ctx, network: Network, { first_key, prefix }: TreeRow): Promise<Network[]> => {
  const bits = bitsOf(ipFromKey(first_key).family)
  // The most specific comes first, with all bits.
  const wider = subnetKeysAround(first_key).slice(bits - prefix + 1)
  const found = await store.findBySubnetKeys(ctx, wider)
  const parents: Network[] = []
  for (const key of wider) {
    const parent = parentAmong(found.get(key) ?? [], parents[0] ?? network)
    if (parent) parents.unshift(parent)
  }
  return parents
}

/** Orders networks by address, and equal subnets by name. */
const byAddress = (a: Child, b: Child): number => {
  if (a.block.first_key !== b.block.first_key) return a.block.first_key < b.block.first_key ? -1 : 1
  if (a.block.prefix !== b.block.prefix) return a.block.prefix - b.block.prefix
  return a.network.name.toLowerCase() < b.network.name.toLowerCase() ? -1 : 1
}

type Child = { readonly block: TreeRow; readonly network: Network }

const childrenOf = async (ctx: Ctx, nodes: Tree, node: TreeNode<TreeRow>): Promise<NetworkTree['children']> => {
  const blocks = [...nodes.values()].flatMap(({ parent, block }) => (parent === node ? [block] : []))
  if (blocks.length === 0) return []
  const networks = await store.findAll(
    ctx,
    blocks.map(({ id }) => id),
  )
  const used = await store.usedCounts(ctx)
  const nested = await nestedFields(ctx, nodes, used)
  const children = blocks.flatMap((block): Child[] => {
    const network = networks.get(block.id)
    return network ? [{ block, network }] : []
  })
  return children.sort(byAddress).map(({ network }) => ({
    ...network,
    utilization: { ...utilizationOf(network, used.get(network.id) ?? 0), ...nested.get(network.id) },
  }))
}

type Found = {
  readonly space: SpaceKey
  readonly pools: Awaited<ReturnType<typeof tree.poolsOf>>
  readonly taken: ReadonlyMap<string, number>
}

const freeBlockOf = (block: Cidr, { space, pools, taken }: Found): FreeBlock => {
  const { first, last } = cidrKeys(block, space)
  return {
    subnet: formatCidr(block),
    total_ips: Math.min(addressCount(first, block.prefix), Number.MAX_SAFE_INTEGER),
    used_ips: taken.get(first) ?? 0,
    pools: pools
      .filter(({ start_key, end_key }) => start_key <= last && end_key >= first)
      .map(({ id, name, start_ip, end_ip }) => ({ id, name, start_ip, end_ip })),
  }
}

/** Returns the free blocks, one more than are shown if there are more. */
const freeIn = ({ group }: TreeNode<TreeRow>, nodes: Tree, network: Network): Cidr[] => {
  const inside = [...nodes.values()].filter((node) => node.group.outer === group)
  const spans = inside.map((node) => ({
    first: ipFromKey(node.block.first_key).value,
    last: ipFromKey(node.block.last_key).value,
  }))
  const free: Cidr[] = []
  for (const one of freeBlocks(cidrOfText(network.subnet), spans)) if (free.push(one) > MAX_FREE) break
  return free
}

/** @throws AppError NOT_FOUND */
export const treeOf = async (ctx: Ctx, id: string): Promise<NetworkTree> => {
  const network = orNotFound(await store.find(ctx, id), 'network', id)
  const row = orNotFound(await tree.rowOf(ctx, id), 'network', id)
  const nodes = subnetTree(await tree.rowsIn(ctx, row))
  const node = orNotFound(nodes.get(id), 'network', id)
  const space = spaceOfKey(row.first_key)
  const free = freeIn(node, nodes, network)
  const shown = free.slice(0, MAX_FREE)
  const [parents, children, pools, taken] = await Promise.all([
    parentsOf(ctx, network, row),
    childrenOf(ctx, nodes, node),
    tree.poolsOf(ctx, id),
    tree.takenCounts(
      ctx,
      shown.map((block) => cidrKeys(block, space)),
    ),
  ])
  return {
    network,
    parents,
    children,
    free: shown.map((block) => freeBlockOf(block, { space, pools, taken })),
    more: free.length > MAX_FREE,
  }
}
