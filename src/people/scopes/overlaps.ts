/**
 * Refuses networks and pools of scoped writes that overlap address space outside of the scope of their caller. Otherwise addresses would
 * leave the feeds and zones of hidden networks, and the ids of hidden devices would become readable as occupancy.
 */

import { AppError } from '../../contract/errors.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { listSubnetKeysAround } from '../../inventory/networks/membership.ts'
import type { SpaceChange } from '../../inventory/networks/move-to-space.ts'
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { ScopeSet } from '../../kernel/caller.ts'
import type { RecordedItem } from '../../kernel/changes/change-record.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { isInScopeSet } from '../../kernel/rights/access.ts'
import { cidrContains, parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { fromIpKey, getAddressBits } from '../../net/ip.ts'
import * as store from './overlap-store.ts'
import { areaUpdates } from './update-areas.ts'

const KINDS = ['network', 'pool'] as const
type OverlapKind = (typeof KINDS)[number]
const CHANGES = ['create', 'update'] as const

/** A changed network or pool that overlaps address space outside of the scope. */
export type Overlap = {
  readonly kind: OverlapKind
  readonly id: string
  /** The permission that the caller lacks there. */
  readonly permission: Permission
}

const RESOURCES = { network: 'networks', pool: 'pools' } as const satisfies Record<OverlapKind, string>

/** The fields that decide which addresses an object has. */
const FIELDS = { network: ['subnet'], pool: ['start_ip', 'end_ip'] } as const satisfies Record<OverlapKind, unknown>

/** Creates the refusal. Its words are the same for all reasons. @param opening text before the message */
export const createOverlapError = (
  { kind, permission }: Pick<Overlap, 'kind' | 'permission'>,
  opening = '',
): AppError => {
  const where = `outside of the part of the estate in which you have the permission ${permission}`
  const details = FIELDS[kind].map((field) => ({ field, message: `must overlap no address space ${where}` }))
  return new AppError('FORBIDDEN', `${opening}The ${kind} overlaps address space ${where}`, { details })
}

type NetworkBlock = store.Block & {
  readonly subnet: string
  /** The subnet before the change, in the same space. */
  readonly oldSubnet?: string | undefined
}

type PoolBlock = store.Block & { readonly network_area: number }

/** Loads the areas of a scope as the transaction sees them: it may have made new ones. */
const loadAreas = async ({ db }: StoreScope, scopeSet: ScopeSet): Promise<ReadonlySet<number>> => {
  const sets = await db.selectFrom('areas').selectAll().execute()
  return new Set(sets.flatMap(({ id, scopes }) => (isInScopeSet(scopeSet, scopes.split(' ')) ? [id] : [])))
}

/** Lists the keys of the subnets that contain the block of a network, the longest prefix first. */
const listKeysAround = ({ first_key, prefix }: NetworkBlock): string[] =>
  listSubnetKeysAround(first_key).slice(getAddressBits(fromIpKey(first_key).family) - prefix)

/** Lists the keys of the subnets that contain the first address of a pool, inside its network. */
const listKeysInside = ({ first_key, prefix }: PoolBlock): string[] =>
  listSubnetKeysAround(first_key).slice(0, getAddressBits(fromIpKey(first_key).family) - prefix)

type Holders = Awaited<ReturnType<typeof store.findBySubnetKeys>>

/** Returns true if a network outside of the areas holds the subnet. Networks of one subnet hold it together. */
const isHeldOutside = (block: NetworkBlock, holders: Holders, areas: ReadonlySet<number>): boolean => {
  for (const key of listKeysAround(block)) {
    const holding = (holders.get(key) ?? []).filter(({ id }) => id !== block.id)
    const [first] = holding
    if (!first) continue
    // A network that shrinks holds the new subnet itself.
    const old = block.oldSubnet === undefined ? undefined : parseCidrOrThrow(block.oldSubnet)
    if (old && old.prefix > first.prefix && cidrContains(old, parseCidrOrThrow(block.subnet))) return false
    return holding.some(({ area }) => !areas.has(area))
  }
  return false
}

/** Returns the ids of the networks that overlap anything outside of the areas. Runs all queries, so that the time does not tell the reason. */
const selectNetworks = async (
  scope: StoreScope,
  blocks: readonly NetworkBlock[],
  areas: ReadonlySet<number>,
): Promise<Set<string>> => {
  const holders = await store.findBySubnetKeys(scope, [...new Set(blocks.flatMap(listKeysAround))])
  const held = blocks.filter((one) => isHeldOutside(one, holders, areas)).map(({ id }) => id)
  const overNetworks = await store.selectOverNetworks(scope, blocks, areas)
  const overDevices = await store.selectOverDevices(scope, blocks, areas)
  return new Set([...held, ...overNetworks, ...overDevices])
}

/**
 * Selects pools like `selectNetworks`: networks that overlap the range count. A tag or a subnet of the scope may admit a pool in a
 * network outside of it. Devices count there too.
 */
const selectPools = async (
  scope: StoreScope,
  blocks: readonly PoolBlock[],
  areas: ReadonlySet<number>,
): Promise<Set<string>> => {
  const holders = await store.findBySubnetKeys(scope, [...new Set(blocks.flatMap(listKeysInside))])
  const isCut = (one: PoolBlock): boolean =>
    listKeysInside(one).some((key) => holders.get(key)?.some(({ area }) => !areas.has(area)))
  const cut = blocks.filter(isCut).map(({ id }) => id)
  const overNetworks = await store.selectOverNetworks(scope, blocks, areas)
  const admitted = blocks.filter(({ network_area }) => !areas.has(network_area))
  const overDevices = await store.selectOverDevices(scope, admitted, areas)
  return new Set([...cut, ...overNetworks, ...overDevices])
}

/** Finds the existing networks of these ids that overlap anything outside of a scope. */
export const findOverlapping = async (scope: StoreScope, ids: readonly string[], scopeSet: ScopeSet) => {
  const networks = await store.findNetworks(scope, ids)
  const found = await selectNetworks(scope, networks, await loadAreas(scope, scopeSet))
  return networks.filter(({ id }) => found.has(id))
}

type Before = ReadonlyMap<string, Readonly<Record<string, unknown>>>

const parseBefore = (items: readonly RecordedItem[]): Before =>
  // The stores write objects.
  new Map(items.map(({ id, before = '{}' }) => [id, JSON.parse(before) as Record<string, unknown>]))

/** Finds the blocks of networks with a changed subnet or space. */
const findNetworkBlocks = async (ctx: Ctx, before: Before): Promise<NetworkBlock[]> => {
  const rows = await store.findNetworks(ctx, [...before.keys()])
  return rows.flatMap((row) => {
    const { subnet, space_id = null } = before.get(row.id) ?? {}
    if (typeof subnet !== 'string' || space_id !== row.space_id) return [row]
    return subnet === row.subnet ? [] : [{ ...row, oldSubnet: subnet }]
  })
}

/** Finds the blocks of pools with a changed range. */
const findPoolBlocks = async (ctx: Ctx, before: Before): Promise<PoolBlock[]> => {
  const rows = await store.findPools(ctx, [...before.keys()])
  return rows.filter(({ id, start_ip, end_ip }) => {
    const was = before.get(id)
    return was?.start_ip !== start_ip || was.end_ip !== end_ip
  })
}

const SELECTIONS = {
  network: async (ctx: Ctx, before: Before) => {
    const blocks = await findNetworkBlocks(ctx, before)
    return { blocks, select: (areas: ReadonlySet<number>) => selectNetworks(ctx, blocks, areas) }
  },
  pool: async (ctx: Ctx, before: Before) => {
    const blocks = await findPoolBlocks(ctx, before)
    return { blocks, select: (areas: ReadonlySet<number>) => selectPools(ctx, blocks, areas) }
  },
} satisfies Record<OverlapKind, unknown>

/**
 * Lists the networks and pools that a scoped transaction has created or moved, and that overlap address space outside of the scope. The
 * areas of its objects must be stored.
 * @param since a `Ctx.changeCount`
 */
export const listOverlaps = async (ctx: Ctx, since = 0): Promise<Overlap[]> => {
  const { scopedPermissions } = ctx.caller
  if (!scopedPermissions) return []
  const items = await ctx.changedObjects(since)
  const overlaps: Overlap[] = []
  for (const kind of KINDS)
    for (const change of CHANGES) {
      const permission: Permission = `${RESOURCES[kind]}:${change}`
      // In a scoped call, the set of permissions also has permissions that count only in the scope.
      const scopeSet = scopedPermissions.get(permission)
      const own = items.filter((one) => one.kind === kind && one.change === change)
      if (!scopeSet || own.length === 0) continue
      const { blocks, select } = await SELECTIONS[kind](ctx, parseBefore(own))
      if (blocks.length === 0) continue
      for (const id of await select(await loadAreas(ctx, scopeSet))) overlaps.push({ kind, id, permission })
    }
  return overlaps
}

/** @throws AppError FORBIDDEN as `listOverlaps` */
export const refuseOverlaps = async (ctx: Ctx, since: number): Promise<void> => {
  const [first] = await listOverlaps(ctx, since)
  if (first) throw createOverlapError(first)
}

type Move = Pick<SpaceChange, 'before' | 'after'>

/** Returns true if anything in the subnet is outside of the scope, in the old space or in the new one. */
const isMoveOutside = async (ctx: Ctx, { before, after }: Move, scopeSet: ScopeSet): Promise<boolean> => {
  const areas = await loadAreas(ctx, scopeSet)
  const { id, subnet } = after
  const cidr = parseCidrOrThrow(subnet)
  const toBlock = async (network: Network): Promise<NetworkBlock> => {
    const { first: first_key, last: last_key } = toCidrKeys(cidr, await findSpaceKey(ctx, network))
    return { id, network_id: id, subnet, first_key, last_key, prefix: cidr.prefix }
  }
  const old = [await toBlock(before)]
  const left = [await store.selectOverNetworks(ctx, old, areas), await store.selectOverDevices(ctx, old, areas)]
  const entered = await selectNetworks(ctx, [await toBlock(after)], areas)
  return [...left, entered].some(({ size }) => size > 0)
}

/**
 * Checks the move of a network to another space before it is made. Addresses move along, and would bring hidden devices into a scope of
 * the new space. Errors of the move itself would tell of addresses there.
 * @throws AppError FORBIDDEN
 */
export const refuseMove = async (ctx: Ctx, move: Move): Promise<void> => {
  const permission: Permission = 'networks:update'
  const scopeSet = ctx.caller.scopedPermissions?.get(permission)
  if (!scopeSet || !(await isMoveOutside(ctx, move, scopeSet))) return
  // Objects that earlier steps of the transaction have made have no areas yet.
  await areaUpdates.updateAreas(ctx)
  if (await isMoveOutside(ctx, move, scopeSet)) throw createOverlapError({ kind: 'network', permission })
}
