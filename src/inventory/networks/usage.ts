/** The utilization of networks; of one that contains others also how much of it these cover and use. */

import { getCachedText } from '../../database/cache/query-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { countUsableAddresses, parseCidrOrThrow } from '../../net/cidr.ts'
import { buildSubnetTree, countAddresses, type TreeGroup, type TreeNode } from '../../net/subnet-tree.ts'
import type { Network, Utilization } from './api.ts'
import * as store from './store.ts'
import type { TreeRow } from './tree-store.ts'
import * as tree from './tree-store.ts'

export type Tree = ReadonlyMap<string, TreeNode<TreeRow>>

/** Returns a part as percent of a whole, with two decimals. */
const computePercent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100

const limitCount = (count: number): number => Math.min(count, Number.MAX_SAFE_INTEGER)

/** Returns the utilization without the fields of networks that contain others. */
export const buildUtilization = ({ id, subnet }: Pick<Network, 'id' | 'subnet'>, used: number): Utilization => {
  const total = countUsableAddresses(parseCidrOrThrow(subnet))
  return {
    network_id: id,
    total_ips: total,
    used_ips: used,
    // A device may have the network or broadcast address. It counts as used, but not as usable.
    available_ips: Math.max(0, total - used),
    utilization: computePercent(used, total),
  }
}

/** The fields of a network that contains others. */
export type Nested = Required<Pick<Utilization, 'children' | 'allocated_ips' | 'allocated' | 'nested_used_ips'>>

const buildNested = ({ block, children, covered }: TreeNode<TreeRow>, used: number): Nested => ({
  children,
  allocated_ips: limitCount(covered),
  allocated: computePercent(covered, countAddresses(block.first_key, block.prefix)),
  nested_used_ips: used,
})

/** Adds up the used addresses of the networks in each subnet. An address of several networks counts several times. */
const sumUsed = (nodes: Tree, used: ReadonlyMap<string, number>): Map<TreeGroup<TreeRow>, number> => {
  const inside = new Map<TreeGroup<TreeRow>, number>()
  // The networks in a subnet come after it.
  for (const node of [...nodes.values()].reverse()) {
    const { group, block } = node
    if (!group.outer) continue
    const own = used.get(block.id) ?? 0
    const nested = group.members[0] === node ? (inside.get(group) ?? 0) : 0
    inside.set(group.outer, (inside.get(group.outer) ?? 0) + own + nested)
  }
  return inside
}

/** Returns how often addresses count too much in the sum of a network, by its node. */
const countExcess = (nodes: Tree, shared: ReadonlyMap<string, readonly string[]>): Map<TreeNode<TreeRow>, number> => {
  const excess = new Map<TreeNode<TreeRow>, number>()
  for (const ids of shared.values()) {
    const counts = new Map<TreeGroup<TreeRow>, number>()
    for (const id of ids)
      for (let outer = nodes.get(id)?.group.outer; outer; outer = outer.outer)
        counts.set(outer, (counts.get(outer) ?? 0) + 1)
    for (const [group, inside] of counts)
      for (const member of group.members) {
        const times = inside + (ids.includes(member.block.id) ? 1 : 0)
        if (times > 1) excess.set(member, (excess.get(member) ?? 0) + times - 1)
      }
  }
  return excess
}

/** Returns the fields of the networks of a tree that contain others, by id. @param used distinct addresses by network */
const computeNestedFields = async (
  ctx: Ctx,
  nodes: Tree,
  used: ReadonlyMap<string, number>,
): Promise<Map<string, Nested>> => {
  const containers = [...nodes.values()].filter(({ children }) => children > 0)
  if (containers.length === 0) return new Map()
  const inside = sumUsed(nodes, used)
  const excess = countExcess(nodes, await tree.findSharedAddresses(ctx.unscoped))
  return new Map(
    containers.map((node) => {
      const all = (used.get(node.block.id) ?? 0) + (inside.get(node.group) ?? 0) - (excess.get(node) ?? 0)
      return [node.block.id, buildNested(node, all)]
    }),
  )
}

/** Returns the fields of all networks that contain others, by id. They are cached unless they are many. */
export const loadAllNested = async (ctx: Ctx, known?: Tree): Promise<ReadonlyMap<string, Nested>> => {
  const revision = await ctx.store.revision(['networks'])
  const text = await getCachedText(ctx, 'network_addresses', `\u0000nested ${revision}`, async () => {
    const nodes = known ?? buildSubnetTree(await tree.findAllRows(ctx))
    return JSON.stringify([...(await computeNestedFields(ctx, nodes, await store.countUsed(ctx.unscoped)))])
  })
  // The text is the JSON of a list of pairs, written above.
  return new Map(JSON.parse(text ?? '[]') as [string, Nested][])
}

/** Returns the utilization of a network. */
export const loadUtilization = async (ctx: Ctx, network: Network): Promise<Utilization> => {
  const { id } = network
  const used = (await store.countUsed(ctx.unscoped, id)).get(id) ?? 0
  const own = buildUtilization(network, used)
  const row = await tree.findRow(ctx.unscoped, id)
  const node = row && buildSubnetTree(await tree.findRowsIn(ctx, row)).get(id)
  return node && node.children > 0
    ? { ...own, ...buildNested(node, await tree.countNestedUsed(ctx, id, node.block)) }
    : own
}
