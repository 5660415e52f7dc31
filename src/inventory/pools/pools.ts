/** The rules of pools. */

import { type FieldIssue, invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listValues } from '../../kernel/list.ts'
import { cidrHolds, parseCidr } from '../../net/cidr.ts'
import { compareIp, DEFAULT_SPACE, fromIpKey, parseIp, parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import { lockAllDefinitions } from '../../resource/custom/definitions.ts'
import { emitDeleted, emitDeleting } from '../../resource/deleting.ts'
import { type AnyQuery, createList, type ListInput } from '../../resource/list.ts'
import type { Restored } from '../../resource/restore-fields.ts'
import { resourceRules, rewriteStored } from '../../resource/rules.ts'
import type { Network } from '../networks/api.ts'
import { type ContentsMove, getTarget } from '../networks/contents.ts'
import type { SpaceChange } from '../networks/move-to-space.ts'
import * as networks from '../networks/networks.ts'
import { findSpaceKey, matchSpace } from '../spaces/keys.ts'
import { getExpiringRevision } from '../used-addresses/expiry.ts'
import { type HeatmapEntry, type Pool, type PoolDraft, type PoolPatch, type PoolUtilization, pools } from './api.ts'
import { buildHeatmap, buildPoolSpace, findNextIp, type PoolRange } from './free-space.ts'
import { poolFacts } from './resource.ts'
import {
  findByNetwork,
  findDevices,
  findIdsByNetwork,
  findIdsInNetworks,
  findRange,
  findRanges,
  findTags,
  lock,
  lockPoolNames,
  lockPools,
  lockRange,
  moveToSpace,
  store,
  toRangeColumns,
} from './store.ts'
import type { PoolRow } from './table.ts'
import { loadUtilization, loadUtilizations } from './utilization.ts'
import { findInnerPoolWarnings } from './warnings.ts'

/** The data of `pool.changing-range`: a feature with addresses inside the pool refuses by adding an issue. */
export type RangeChange = {
  readonly before: Pool
  readonly after: Pool
  /** The space of its network. */
  readonly space: SpaceKey
  readonly issues: FieldIssue[]
  /** Devices that later steps of the transaction change, by id: their addresses may be outside until then. */
  readonly moving: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** @throws AppError VALIDATION_ERROR for an address or a reservation of the pool that is outside its range */
export const requireInside = async (ctx: Ctx, id: string): Promise<void> => {
  const pool = await getPoolOrThrow(ctx, id)
  const space = await findSpaceKey(ctx, await networks.getNetworkOrThrow(ctx, pool.network_id))
  const change: RangeChange = { before: pool, after: pool, space, issues: [], moving: NONE }
  await ctx.emit('pool.changing-range', change)
  rejectIssues(change.issues)
}

const rules = resourceRules<typeof poolFacts, Pool>(store)

/** @throws AppError NOT_FOUND */
export const getPoolOrThrow = rules.getOrThrow

/** @throws AppError NOT_FOUND */
export const getPoolRangeOrThrow = async (ctx: Ctx, id: string): Promise<PoolRange> =>
  orNotFound(await findRange(ctx, id), 'pool', id)

/** Locks the pool until commit. @throws AppError NOT_FOUND */
export const lockPoolRangeOrThrow = async (ctx: Ctx, id: string): Promise<PoolRange> =>
  orNotFound(await lockRange(ctx, id), 'pool', id)

/** Finds like `getPoolOrThrow`, and locks the pool until commit. */
const lockPoolOrThrow = async (ctx: Ctx, id: string): Promise<Pool> => orNotFound(await lock(ctx, id), 'pool', id)

/** Returns the ranges of the existing ids. Other features check their references with it. */
export const findPoolRanges = findRanges

/** Returns the tags of pools, by their ids. */
export const findPoolTags = findTags

/** For the history. */
export const findDocuments = store.documents

/** Locks pools until commit. To prevent a deadlock, lock pools before their addresses. */
export { lockPoolNames }

const toIpValue = (ip: string): bigint => fromIpKey(parseIpKeyOrThrow(ip, DEFAULT_SPACE)).value

const validateRange = ({ start_ip, end_ip }: Pick<Pool, 'start_ip' | 'end_ip'>, { subnet }: Network): FieldIssue[] => {
  const cidr = parseCidr(subnet)
  const start = parseIp(start_ip)
  const end = parseIp(end_ip)
  if (!cidr || !start || !end) return []
  const issues: FieldIssue[] = []
  if (!cidrHolds(cidr, start)) issues.push({ field: 'start_ip', message: `is outside of the network ${subnet}` })
  if (!cidrHolds(cidr, end)) issues.push({ field: 'end_ip', message: `is outside of the network ${subnet}` })
  if (issues.length === 0 && compareIp(start, end) > 0)
    issues.push({ field: 'end_ip', message: 'must not be lower than start_ip' })
  return issues
}

/** @throws AppError VALIDATION_ERROR, which does not name the network where it may be hidden */
const checkRange = (ctx: Ctx, pool: Pick<Pool, 'start_ip' | 'end_ip'>, network: Network): void => {
  const issues = validateRange(pool, network)
  const unnamed = () => issues.map((one) => ({ ...one, message: one.message.replace(` ${network.subnet}`, '') }))
  rejectIssues(ctx.canListAll('networks') ? issues : unnamed())
}

export const create = async (ctx: Ctx, input: PoolDraft & Restored): Promise<Pool> => {
  await store.lockCustom(ctx)
  const network = await networks.lockNetworkOrThrow(ctx, input.network_id)
  checkRange(ctx, input, network)
  await rules.steps.checkNewId(ctx, input.id)
  const pool = await rules.steps.build(ctx, input)
  await store.write(ctx, [{ after: pool, columns: toRangeColumns(pool, await findSpaceKey(ctx, network)) }])
  return pool
}

const lockForChange = async (ctx: Ctx, id: string): Promise<Pool> => {
  await lockAllDefinitions(ctx)
  const pool = await lockPoolOrThrow(ctx, id)
  ctx.precondition(pool)
  return pool
}

export const update = async (ctx: Ctx, patch: PoolPatch): Promise<Pool> => {
  const before = await lockForChange(ctx, patch.id)
  if (patch.network_id && patch.network_id !== before.network_id)
    throw invalidField('network_id', "can't change; create a pool in the other network")
  return change(ctx, before, { patch, moving: NONE })
}

/**
 * Updates like `update` for the history, which also moves a pool back to another network. @param moving as in `RangeChange`; the caller
 * checks them by `requireInside` at the end
 */
export const restore = async (ctx: Ctx, patch: PoolPatch, moving: ReadonlySet<string>): Promise<Pool> =>
  change(ctx, await lockForChange(ctx, patch.id), { patch, moving })

type Change = { readonly patch: PoolPatch; readonly moving: ReadonlySet<string> }

const change = async (ctx: Ctx, before: Pool, { patch: { id: _, ...given }, moving }: Change): Promise<Pool> => {
  const patch = { ...given, network_id: given.network_id || before.network_id }
  const { value, changes } = await rules.steps.merge(ctx, before, patch)
  if (changes.length === 0) return before
  const network = await networks.getNetworkOrThrow(ctx, value.network_id)
  checkRange(ctx, value, network)
  const space = await findSpaceKey(ctx, network)
  const pool = { ...value, updated_at: ctx.now }
  if (changes.includes('start_ip') || changes.includes('end_ip')) {
    const change: RangeChange = { before, after: pool, space, issues: [], moving }
    await ctx.emit('pool.changing-range', change)
    rejectIssues(change.issues)
  }
  await store.write(ctx, [{ before, after: pool, columns: toRangeColumns(pool, space) }])
  return pool
}

const removeAll = async (ctx: Ctx, gone: readonly Pool[]): Promise<void> => {
  if (gone.length === 0) return
  const ids = gone.map(({ id }) => id)
  await ctx.emit('pools.deleting', ids)
  await emitDeleting(ctx, { resource: 'pools', objects: gone })
  await store.write(
    ctx,
    gone.map((before) => ({ before })),
  )
  await emitDeleted(ctx, { resource: 'pools', ids })
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => removeAll(ctx, [await lockForChange(ctx, id)])

/** Names a pool, which may be hidden from the caller. */
const formatPool = (ctx: Ctx, { name, start_ip, end_ip }: Pool): string =>
  ctx.canListAll('pools') ? `the pool "${name}" (${start_ip} - ${end_ip})` : 'a pool'

/** Moves pools to the networks that hold them. */
const moveAll = async (ctx: Ctx, move: ContentsMove): Promise<void> => {
  const ids: string[] = []
  for (const { id } of move.from)
    for (const before of await findByNetwork(ctx, id)) {
      const [first, last] = [toIpValue(before.start_ip), toIpValue(before.end_ip)]
      const target = getTarget(move, { first, last })
      if (target) {
        const pool = { ...before, network_id: target.network.id, updated_at: ctx.now }
        const columns = toRangeColumns(pool, await findSpaceKey(ctx, target.network))
        await store.write(ctx, [{ before, after: pool, columns }])
        ids.push(pool.id)
      } else if (move.targets.some((one) => one.first <= last && first <= one.last)) {
        move.issues.push({ field: 'prefix_length', message: `would cut ${formatPool(ctx, before)}` })
      }
    }
  move.moved.pools += ids.length
  await ctx.emit('pools.moved', { ids, moved: move.moved } satisfies PoolsMoved)
}

/** The data of `pools.moved`: pools that are in another network now. The feature of reservations adds theirs to the count. */
export type PoolsMoved = { readonly ids: readonly string[]; readonly moved: ContentsMove['moved'] }

/** The ids of the pools of a network. */
export const findPoolIds = findIdsByNetwork

type PoolListInput = ListInput & {
  readonly network_id?: string
  readonly tags?: readonly string[] | undefined
  readonly space_id?: string | undefined
  readonly include?: 'utilization' | undefined
}

/** @param all pools */
const filterPools = (_: Ctx, all: AnyQuery, { network_id, tags = [], space_id }: PoolListInput): AnyQuery => {
  let query = all as object as ReturnType<typeof store.query>
  if (space_id !== undefined)
    query = query.where('network_id', 'in', (eb) => eb.selectFrom('networks').select('id').where(matchSpace(space_id)))
  if (network_id !== undefined) query = query.where('network_id', '=', network_id)
  for (const tag of tags)
    query = query.where('id', 'in', (eb) => eb.selectFrom('pool_tags').select('pool_id').where('tag', '=', tag))
  return query as object as AnyQuery
}

const list = createList<Pool, PoolListInput>(poolFacts, store.query, {
  filter: filterPools,
  tables: ({ include, space_id }) => {
    if (include) return ['pool_tags', 'networks', 'addresses', 'reservations']
    return space_id === undefined ? ['pool_tags'] : ['pool_tags', 'networks']
  },
  revision: async (ctx, { include }, tables) =>
    include ? getExpiringRevision(ctx, tables) : ctx.store.revision(tables),
  createRow: async (ctx, { include }) => {
    const tags = await findTags(ctx, 'all')
    const computeUtilization = include && (await loadUtilizations(ctx.unscoped))
    return (row) => {
      // The row of a pool has its id.
      const pool = store.fromRow({ ...row, tags: tags.get((row as PoolRow).id) ?? [] })
      return computeUtilization ? { ...pool, utilization: computeUtilization(pool.id) } : pool
    }
  },
})

/** @throws AppError NOT_FOUND */
export const getUtilizationOrThrow = async (ctx: Ctx, id: string): Promise<PoolUtilization> =>
  loadUtilization(ctx, await getPoolRangeOrThrow(ctx, id))

/** Returns the utilization of every pool, without tags. */
export const findAllUtilization = async (ctx: Ctx): Promise<{ pool: Pool; utilization: PoolUtilization }[]> => {
  const computeUtilization = await loadUtilizations(ctx.unscoped)
  const all = (await store.query(ctx).execute()).map((row) => store.fromRow({ ...row, tags: [] }))
  return all.map((pool) => ({ pool, utilization: computeUtilization(pool.id) }))
}

/** Returns the entries without the devices that the context does not show; their addresses stay used. */
export const withoutHidden = async (ctx: Ctx, entries: readonly HeatmapEntry[]): Promise<HeatmapEntry[]> => {
  const ids = [...new Set(entries.flatMap(({ device_id }) => device_id ?? []))]
  const visible = new Set((await findDevices(ctx, ids)).map(({ id }) => id))
  return entries.map(({ device_id, ...entry }) =>
    device_id !== undefined && visible.has(device_id) ? { ...entry, device_id } : entry,
  )
}

export const feature: Feature = {
  operations: implement(pools, {
    all: list,
    list: async (ctx, input) => {
      await networks.getNetworkOrThrow(ctx, input.network_id)
      return list(ctx, input)
    },
    create,
    get: rules.handlers.get,
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    nextIp: async (ctx, { id, count }) => findNextIp(ctx, await getPoolRangeOrThrow(ctx, id), count),
    heatmap: async (ctx, { id, ...page }) => {
      const { unscoped } = ctx
      const entries = await buildHeatmap(unscoped, buildPoolSpace(await getPoolRangeOrThrow(unscoped, id)), 'pool')
      return listValues(unscoped === ctx ? entries : await withoutHidden(ctx, entries), page)
    },
  }),
  warnings: findInnerPoolWarnings,
  reactions: {
    'network.changed-space': (ctx, { after, ...spaces }: SpaceChange) => moveToSpace(ctx, after.id, spaces),
    'networks.locking-contents': async (ctx, networkIds: readonly string[]) =>
      lockPoolNames(ctx, await findIdsInNetworks(ctx, networkIds)),
    'networks.moving-contents': moveAll,
    ...rewriteStored(store, lockPools),
    'network.deleting': async (ctx, { id }: Network) => removeAll(ctx, await findByNetwork(ctx, id)),
    'network.changing-subnet': async (ctx, { after, issues, moving }: networks.SubnetChange) => {
      for (const pool of await findByNetwork(ctx, after.id)) {
        if (moving.has(pool.id) || validateRange(pool, after).length === 0) continue
        issues.push({ field: 'subnet', message: `would leave ${formatPool(ctx, pool)} outside` })
        return
      }
    },
  },
}
