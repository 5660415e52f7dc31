/** One network in the tree: the networks around it and in it, and the free blocks between them. */

import { orNotFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Cidr, formatCidr, parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { listFreeBlocks } from '../../net/free-blocks.ts'
import { fromIpKey, getAddressBits, getSpaceKey, type SpaceKey, toIpKey } from '../../net/ip.ts'
import { compareNames } from '../../net/name-order.ts'
import { countAddresses, findParent } from '../../net/subnet-tree.ts'
import type { Network } from './api.ts'
import { listSubnetKeysAround } from './membership.ts'
import { type FreeBlock, MAX_FREE, type NetworkTree } from './planning-api.ts'
import { findBySubnetKeys, store } from './store.ts'
import type { TreeRow } from './tree-store.ts'
import * as tree from './tree-store.ts'
import { loadUtilizations } from './usage/usage.ts'

/** Returns the networks that contain one, the outermost first. */
const findParents = async (ctx: Ctx, network: Network, { first_key, prefix }: TreeRow): Promise<Network[]> => {
  const bits = getAddressBits(fromIpKey(first_key).family)
  // The most specific comes first, with all bits.
  const wider = listSubnetKeysAround(first_key).slice(bits - prefix + 1)
  const found = await findBySubnetKeys(ctx, wider)
  const parents: Network[] = []
  for (const key of wider) {
    const parent = findParent(found.get(key) ?? [], parents[0] ?? network)
    if (parent) parents.unshift(parent)
  }
  return parents
}

/** Returns the subnets directly in a block, by address. */
const findSubnetsIn = async (ctx: Ctx, row: TreeRow): Promise<Cidr[]> => {
  const space = getSpaceKey(row.first_key)
  const { family, value: last } = fromIpKey(row.last_key)
  const found: Cidr[] = []
  for (let from = row.first_key; ; ) {
    const { spans, areAll } = await tree.findNextInside(ctx, row, from)
    found.push(...spans)
    const end = spans.at(-1)?.last ?? last
    if (areAll || end === last) return found
    from = toIpKey({ family, value: end + 1n }, space)
  }
}

const byName = (a: Network, b: Network): number => compareNames(a.name, b.name)

type Around = { readonly network: Network; readonly space: SpaceKey; readonly subnets: readonly Cidr[] }

/** Returns the children of the network with these subnets, with their utilization. */
const findChildren = async (ctx: Ctx, { network, space, subnets }: Around): Promise<NetworkTree['children']> => {
  if (subnets.length === 0) return []
  const own = `${space}${network.subnet}`
  const keys = subnets.map((subnet) => `${space}${formatCidr(subnet)}`)
  const found = await findBySubnetKeys(ctx, [own, ...keys])
  const equal = found.get(own) ?? []
  const computeUtilization = await loadUtilizations(ctx)
  return keys
    .flatMap((key) => (found.get(key) ?? []).sort(byName))
    .filter((child) => equal.length < 2 || findParent(equal, child)?.id === network.id)
    .map((child) => ({ ...child, utilization: computeUtilization(child) }))
}

type Found = {
  readonly space: SpaceKey
  readonly pools: Awaited<ReturnType<typeof tree.findPools>>
  readonly taken: ReadonlyMap<string, number>
}

const buildFreeBlock = (block: Cidr, { space, pools, taken }: Found): FreeBlock => {
  const { first, last } = toCidrKeys(block, space)
  return {
    subnet: formatCidr(block),
    total_ips: Math.min(countAddresses(first, block.prefix), Number.MAX_SAFE_INTEGER),
    used_ips: taken.get(first) ?? 0,
    pools: pools
      .filter(({ start_key, end_key }) => start_key <= last && end_key >= first)
      .map(({ id, name, start_ip, end_ip }) => ({ id, name, start_ip, end_ip })),
  }
}

/** Returns the free blocks, one more than are shown if there are more. */
const listFree = ({ network, subnets }: Around): Cidr[] => {
  const free: Cidr[] = []
  for (const one of listFreeBlocks(parseCidrOrThrow(network.subnet), subnets)) if (free.push(one) > MAX_FREE) break
  return free
}

/** @throws AppError NOT_FOUND */
const loadAround = async (ctx: Ctx, id: string): Promise<Around & { readonly row: TreeRow }> => {
  const network = orNotFound(await store.find(ctx.unscoped, id), 'network', id)
  const row = orNotFound(await tree.findRow(ctx.unscoped, id), 'network', id)
  return { network, row, space: getSpaceKey(row.first_key), subnets: await findSubnetsIn(ctx, row) }
}

/** Returns the first free blocks of a network. @throws AppError NOT_FOUND */
export const findFreeBlocks = async (ctx: Ctx, id: string): Promise<readonly Cidr[]> =>
  listFree(await loadAround(ctx, id)).slice(0, MAX_FREE)

/** @throws AppError NOT_FOUND */
export const loadTree = async (ctx: Ctx, id: string): Promise<NetworkTree> => {
  const around = await loadAround(ctx, id)
  const { network, row, space } = around
  const free = listFree(around)
  const shown = free.slice(0, MAX_FREE)
  const [parents, children, pools, taken] = await Promise.all([
    findParents(ctx, network, row),
    findChildren(ctx, around),
    tree.findPools(ctx, id),
    tree.countTaken(
      ctx.unscoped,
      shown.map((block) => toCidrKeys(block, space)),
    ),
  ])
  return {
    network,
    parents,
    children,
    free: shown.map((block) => buildFreeBlock(block, { space, pools, taken })),
    more: free.length > MAX_FREE,
  }
}
