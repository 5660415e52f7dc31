/** The utilization of networks; of one that contains others also how much of it these cover and use. */

import { getCachedText } from '../../../database/cache/query-cache.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { countUsableAddresses, parseCidrOrThrow } from '../../../net/cidr.ts'
import {
  buildSubnetTree,
  countAddresses,
  listEndKeys,
  type TreeGroup,
  type TreeNode,
} from '../../../net/subnet-tree.ts'
import { getExpiringRevision } from '../../used-addresses/expiry.ts'
import { type Counts, computeFigures, computePercent } from '../../used-addresses/utilization.ts'
import type { Network, Utilization } from '../api.ts'
import type { TreeRow } from '../tree-store.ts'
import * as tree from '../tree-store.ts'
import { countReserved, isEndOf, type Tree } from './reserved.ts'
import * as store from './store.ts'

const limitCount = (count: number): number => Math.min(count, Number.MAX_SAFE_INTEGER)

type Taken = Omit<Counts, 'total'>

/** Returns the utilization without the fields of networks that contain others. */
const buildUtilization = ({ id, subnet }: Pick<Network, 'id' | 'subnet'>, { used, reserved }: Taken): Utilization => {
  const total = countUsableAddresses(parseCidrOrThrow(subnet))
  const { total_ips, used_ips, reserved_ips, available_ips, utilization } = computeFigures({ total, used, reserved })
  // Lists build thousands of these: an object with spread parts takes longer.
  return { network_id: id, total_ips, used_ips, reserved_ips, available_ips, utilization }
}

/** The fields of a network that contains others. */
type Nested = Required<
  Pick<Utilization, 'children' | 'allocated_ips' | 'allocated' | 'nested_used_ips' | 'nested_reserved_ips'>
>

const buildNested = ({ block, children, covered }: TreeNode<TreeRow>, { used, reserved }: Taken): Nested => ({
  children,
  allocated_ips: limitCount(covered),
  allocated: computePercent(covered, countAddresses(block.first_key, block.prefix)),
  nested_used_ips: used,
  nested_reserved_ips: reserved,
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

/** Returns the networks, of one or two addresses each, that have the network or broadcast address of a network around them. */
const listOnOuterEnds = (nodes: Tree): Map<string, string> => {
  const found = new Map<string, string>()
  for (const { block, group } of nodes.values()) {
    if (listEndKeys(block).length > 0) continue
    for (let { outer } = group; outer; outer = outer.outer) {
      const [first] = outer.members
      const key = first && [block.first_key, block.last_key].find((one) => isEndOf(first.block, one))
      if (key !== undefined) found.set(block.id, key)
    }
  }
  return found
}

/** Returns the networks of the addresses that count too often in sums, by address. */
const findUneven = async (ctx: Ctx, nodes: Tree): Promise<Map<string, readonly string[]>> => {
  const uneven = await store.findSharedAddresses(ctx)
  const ends = listOnOuterEnds(nodes)
  if (ends.size === 0) return uneven
  for (const { network_id, ip_key } of await store.findUsedKeys(ctx, [...ends.keys()]))
    if (ip_key === ends.get(network_id) && !uneven.has(ip_key)) uneven.set(ip_key, [network_id])
  return uneven
}

/**
 * Returns how often addresses count too much in the sum of a network, by its node: an address of several networks counts once, the
 * network and broadcast address of the network never.
 */
const countExcess = (nodes: Tree, uneven: ReadonlyMap<string, readonly string[]>): Map<TreeNode<TreeRow>, number> => {
  const excess = new Map<TreeNode<TreeRow>, number>()
  for (const [key, all] of uneven) {
    const ids = all.filter((id) => {
      const node = nodes.get(id)
      return node && !isEndOf(node.block, key)
    })
    const counts = new Map<TreeGroup<TreeRow>, number>()
    for (const id of ids)
      for (let outer = nodes.get(id)?.group.outer; outer; outer = outer.outer)
        counts.set(outer, (counts.get(outer) ?? 0) + 1)
    for (const [group, inside] of counts)
      for (const member of group.members) {
        const times = inside + (ids.includes(member.block.id) ? 1 : 0)
        const wanted = isEndOf(member.block, key) ? 0 : 1
        if (times > wanted) excess.set(member, (excess.get(member) ?? 0) + times - wanted)
      }
  }
  return excess
}

/** Returns the fields of the networks of a tree that contain others, by id. @param taken distinct addresses by network */
const computeNestedFields = async (
  ctx: Ctx,
  nodes: Tree,
  taken: Record<keyof Taken, ReadonlyMap<string, number>>,
): Promise<Map<string, Nested>> => {
  const containers = [...nodes.values()].filter(({ children }) => children > 0)
  if (containers.length === 0) return new Map()
  const inside = sumUsed(nodes, taken.used)
  const excess = countExcess(nodes, await findUneven(ctx.unscoped, nodes))
  return new Map(
    containers.map((node) => {
      const { id } = node.block
      const used = (taken.used.get(id) ?? 0) + (inside.get(node.group) ?? 0) - (excess.get(node) ?? 0)
      return [id, buildNested(node, { used, reserved: taken.reserved.get(id) ?? 0 })]
    }),
  )
}

/** The reserved addresses of networks, and the fields of networks that contain others. */
type Extras = { readonly reserved: ReadonlyMap<string, number>; readonly nested: ReadonlyMap<string, Nested> }

/** Cached unless they are many. */
const loadExtras = async (ctx: Ctx, used: ReadonlyMap<string, number>, known: Tree | undefined): Promise<Extras> => {
  const revision = await getExpiringRevision(ctx.unscoped, ['networks', 'reservations'])
  const text = await getCachedText(ctx, 'network_addresses', `\u0000extras ${revision}`, async () => {
    const visible = known ?? buildSubnetTree(await tree.findAllRows(ctx))
    const rows = await store.findReserved(ctx.unscoped)
    const whole =
      rows.length === 0 || ctx.unscoped === ctx ? visible : buildSubnetTree(await tree.findAllRows(ctx.unscoped))
    const { own, nested: reserved } = countReserved({ whole, visible }, rows)
    return JSON.stringify([[...own], [...(await computeNestedFields(ctx, visible, { used, reserved }))]])
  })
  // The text is the JSON of two lists of pairs, written above.
  const [reserved, nested] = JSON.parse(text ?? '[[], []]') as [[string, number][], [string, Nested][]]
  return { reserved: new Map(reserved), nested: new Map(nested) }
}

/** Returns the function that computes the utilization of each network, also of hidden devices. @param known the tree, if it is known */
export const loadUtilizations = async (
  ctx: Ctx,
  known?: Tree,
): Promise<(network: Pick<Network, 'id' | 'subnet'>) => Utilization> => {
  const used = await store.countUsed(ctx.unscoped)
  const { reserved, nested } = await loadExtras(ctx, used, known)
  return (network) => {
    const { id } = network
    const own = buildUtilization(network, { used: used.get(id) ?? 0, reserved: reserved.get(id) ?? 0 })
    const inside = nested.get(id)
    return inside ? { ...own, ...inside } : own
  }
}

/** Returns the utilization of a network. */
export const loadUtilization = async (ctx: Ctx, network: Network): Promise<Utilization> => {
  const { unscoped } = ctx
  const { id } = network
  const row = await tree.findRow(unscoped, id)
  if (!row) return buildUtilization(network, { used: 0, reserved: 0 })
  const range = { first: row.first_key, last: row.last_key }
  const used = await store.countUsedOfOne(unscoped, row)
  const visible = buildSubnetTree(await tree.findRowsIn(ctx, row))
  const rows = await store.findReserved(unscoped, range)
  const whole = rows.length === 0 || unscoped === ctx ? visible : buildSubnetTree(await tree.findRowsIn(unscoped, row))
  const reserved = countReserved({ whole, visible }, rows)
  const own = buildUtilization(network, { used, reserved: reserved.own.get(id) ?? 0 })
  const node = visible.get(id)
  if (!node || node.children === 0) return own
  const nestedUsed = await store.countNestedUsed(ctx, id, node.block)
  return { ...own, ...buildNested(node, { used: nestedUsed, reserved: reserved.nested.get(id) ?? 0 }) }
}
