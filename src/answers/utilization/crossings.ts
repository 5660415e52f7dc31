/** Emits `pool.utilization_high` in the transaction of the change that takes a pool across the threshold. */

import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { Network } from '../../inventory/networks/api.ts'
import * as networks from '../../inventory/networks/networks.ts'
import type { Pool } from '../../inventory/pools/api.ts'
import {
  buildPoolSpace,
  computeRangeSize,
  countExpiredIn,
  countMarks,
  countSpace,
  listNeverFree,
  type Marks,
  type PoolSpace,
} from '../../inventory/pools/free-space.ts'
import { findInnerRanges, isInRanges } from '../../inventory/pools/inner-networks.ts'
import { createPoolFinder, type PoolRangeRow } from '../../inventory/pools/pool-finder.ts'
import * as pools from '../../inventory/pools/pools.ts'
import { findPoolIdsAround } from '../../inventory/pools/range-store.ts'
import type { KeyRange, Marked } from '../../inventory/used-addresses/used-addresses.ts'
import { computePercent } from '../../inventory/used-addresses/utilization.ts'
import type { ChangedObject } from '../../kernel/changes/change-record.ts'
import type { AtEnd } from '../../kernel/context.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { getSpaceKey, type IpKey } from '../../net/ip.ts'
import { differsIn, readChanges } from '../../resource/read-changes.ts'
import * as store from './store.ts'

/** Data of `pool.utilization_high`. */
export type HighUtilization = {
  readonly pool_id: string
  readonly pool_name: string
  readonly network_id: string
  readonly utilization: number
  readonly threshold: number
}

/** A pool is reported again only after its utilization was this much below the threshold: percent. */
const HYSTERESIS = 5
/** Only the hourly job compares pools that cross with more addresses than this: a count of so many takes milliseconds. */
const MOST_COUNTED = 2 ** 20
/** Pools that are counted at once: on a remote database each count is a round trip. */
const AT_ONCE = 16

/** A pool by its id, with its range where it was found by addresses. */
type Found = { readonly id: string } | PoolRangeRow
type Change = { readonly pools: readonly Found[] | Promise<readonly Found[]>; readonly marked?: Marked }
type Utilization = { readonly after: number; readonly before: number }

const toKeyRange = ({ start_key, end_key }: PoolRangeRow): KeyRange => ({ first: start_key, last: end_key })

/**
 * How many more addresses of a range are taken than before these changes.
 * @param isCounted whether a change counts
 */
const computeGrowth = (
  { first, last }: KeyRange,
  changes: readonly Change[],
  isCounted: (marked: Marked, key: IpKey) => boolean,
): number => {
  let sum = 0
  for (const { marked } of changes) {
    if (!marked) continue
    const count = marked.changed.filter((key) => key >= first && key <= last && isCounted(marked, key)).length
    sum += marked.taken ? count : -count
  }
  return sum
}

/** Returns true unless all changed addresses of a pool belong to more specific networks than its own. */
const hasOwnChange = async (ctx: Ctx, { range, network }: PoolSpace, changes: readonly Change[]): Promise<boolean> => {
  if (network === undefined || changes.some(({ marked }) => marked === undefined)) return true
  const changed = changes.flatMap(({ marked }) => marked?.changed ?? [])
  const keys = changed.filter((key) => key >= range.first && key <= range.last).sort()
  const [first, last] = [keys[0], keys.at(-1)]
  if (first === undefined || last === undefined) return false
  const inner = await findInnerRanges(ctx, network, { first, last })
  return keys.some((key) => !isInRanges(inner, key))
}

/** A pool, and its addresses as the transaction has left them. */
type CountedPool = Marks & { readonly pool: store.PoolState }

/** Counted for the range and the subnet that a pool had before its lock was held. */
type EarlyCount = Marks & PoolRangeRow

/**
 * Keyed by pool id. While the transaction holds the locks of the pools, no other one commits a change of them, so later calls add to
 * these counts.
 */
const lastCounts = lockScopedCache<Map<string, CountedPool>>()

/** Deletes the samples and the alarms of deleted objects. */
const forgetDeleted = (ctx: Ctx, changes: readonly ChangedObject[]): Promise<void> =>
  store.forget(
    ctx,
    changes.flatMap(({ id, change }) => (change === 'delete' ? [id] : [])),
  )

export type Crossings = Required<Pick<Feature, 'reactions' | 'follows'>> & {
  /** Compares every pool with its alarm, for crossings without a change: by the clock, or by another threshold since the last start. */
  readonly compareAll: (ctx: Ctx) => Promise<void>
}

/** @param threshold percent */
export const createCrossings = (threshold: number): Crossings => {
  const finder = createPoolFinder()

  // No utilization is below 0: a threshold within the hysteresis has half of itself as its limit.
  const low = threshold > HYSTERESIS ? threshold - HYSTERESIS : threshold / 2
  const isLow = (percent: number): boolean => percent < low

  /** Emits what the change has crossed. @returns the pool with its new alarm */
  const updateAlarm = async (
    ctx: Ctx,
    pool: store.PoolState,
    { after, before }: Utilization,
  ): Promise<store.PoolState> => {
    // An alarm is stale if only the clock has made room: expired reservations count no more, and no change has cleared it.
    const isRaised = pool.raised_at !== null && !isLow(before)
    if (after >= threshold && !isRaised) {
      await store.raise(ctx, pool.id)
      const { id: pool_id, name: pool_name, network_id } = pool
      const high: HighUtilization = { pool_id, pool_name, network_id, utilization: after, threshold }
      await ctx.emit('pool.utilization_high', high)
      return { ...pool, raised_at: ctx.now }
    }
    if (pool.raised_at === null || (isRaised && !isLow(after))) return pool
    await store.clear(ctx, pool.id)
    return { ...pool, raised_at: null }
  }

  /**
   * Returns the number of taken addresses from which on a pool may cross. Rounding of the percentage can make up for half a hundredth.
   */
  const computeNeeded = (size: bigint): number => Math.floor((Number(size) * (threshold - 0.01)) / 100)

  const isTooLarge = (range: KeyRange): boolean => computeNeeded(computeRangeSize(range)) > MOST_COUNTED

  /** Counts pools without an alarm beside the query for their alarms, where that saves a round trip. Their locks must be held. */
  const countEarly = async (ctx: Ctx, pools: readonly Found[]): Promise<EarlyCount[]> => {
    if (pools.length > AT_ONCE) return []
    const counts = ctx.store.sql.ahead(() =>
      Promise.all(
        pools
          .filter((pool) => 'subnet' in pool)
          .filter((pool) => !isTooLarge(toKeyRange(pool)))
          .map(async (pool) => {
            const [range, never] = [toKeyRange(pool), listNeverFree(pool, getSpaceKey(pool.start_key))]
            const least = computeNeeded(computeRangeSize(range))
            return { ...pool, ...(await countMarks(ctx, { range, never, inner: [] }, least)) }
          }),
      ),
    )
    return (await counts) ?? []
  }

  type Known = {
    readonly changes: readonly Change[]
    /** The counts of the same transaction, before these changes. */
    readonly known: CountedPool | undefined
    readonly early: readonly EarlyCount[]
  }

  const compare = async (
    ctx: Ctx,
    pool: store.PoolState,
    { changes, known, early }: Known,
  ): Promise<CountedPool | undefined> => {
    const place = buildPoolSpace(pool)
    const { range, never, network } = place
    if (isTooLarge(range)) return undefined
    if (network && !(await hasOwnChange(ctx, place, changes))) return known
    const inner = network ? await findInnerRanges(ctx, network, range) : []
    const space = { range, never, inner }
    const size = countSpace(space)
    const needed = computeNeeded(size)
    const isOwn = (key: IpKey) => !never.has(key) && !isInRanges(inner, key)
    const least = pool.raised_at === null ? needed : 0
    const isEnough = ({ count, isExact }: Marks) => isExact || count < least
    const followed = known && {
      count: known.count + computeGrowth(range, changes, (_, key) => isOwn(key)),
      isExact: known.isExact,
    }
    // Another transaction may have resized the pool or its network before the lock was held.
    const isSame = ({ id, start_key, end_key, subnet }: PoolRangeRow) =>
      inner.length === 0 &&
      id === pool.id &&
      start_key === pool.start_key &&
      end_key === pool.end_key &&
      subnet === pool.subnet
    const marks: Marks =
      [followed, early.find(isSame)].find((marks) => marks && isEnough(marks)) ?? (await countMarks(ctx, space, least))
    const { count, isExact } = marks
    if (count < least) return { pool, count, isExact }
    const taken = count - (await countExpiredIn(ctx, space))
    // Expired reservations did not count before either.
    const earlier = taken - computeGrowth(range, changes, ({ hadExpired }, key) => !hadExpired && isOwn(key))
    const percent = (part: number) => computePercent(part, Number(size))
    return { pool: await updateAlarm(ctx, pool, { after: percent(taken), before: percent(earlier) }), count, isExact }
  }

  const compareChanged: AtEnd<Tables, Change> = async (ctx, changes) => {
    const found = await Promise.all(changes.map(async (change) => ({ ...change, pools: await change.pools })))
    const byId = new Map(found.flatMap(({ pools }) => pools.map((pool) => [pool.id, pool])))
    const ids = [...byId.keys()]
    if (ids.length === 0) return
    await store.lockAlarms(ctx, ids)
    const { value: counted = new Map<string, CountedPool>(), set } = lastCounts.get(ctx)
    // A pool with a changed range or network is read again.
    for (const { marked, pools } of found) if (!marked) for (const { id } of pools) counted.delete(id)
    const others = [...byId.values()].filter(({ id }) => !counted.has(id))
    const [states, early] = await Promise.all([
      store.findStates(
        ctx,
        others.map(({ id }) => id),
      ),
      countEarly(ctx, others),
    ])
    const all = [...states, ...ids.flatMap((id) => counted.get(id)?.pool ?? [])]
    for (const some of splitBatches(all, AT_ONCE)) {
      const done = await Promise.all(
        some.map((pool) => compare(ctx, pool, { changes, known: counted.get(pool.id), early })),
      )
      for (const one of done) if (one) counted.set(one.pool.id, one)
    }
    set(counted)
  }

  const marked = (ctx: Ctx, change: Marked): void => {
    const found = finder.find(ctx, change.keys)
    // Where it is a query, its answer is awaited at the end, and its failure thrown there.
    if (found instanceof Promise) found.catch(() => {})
    else if (found.length === 0) return
    ctx.atEnd(compareChanged, { pools: found, marked: change })
  }

  return {
    reactions: {
      // Sent beside the queries of the blocks, it costs no round trip.
      'occupancy.locked': async (ctx, keys: readonly string[]) => finder.prefetch(ctx, keys),
      'occupancy.marked': async (ctx, change: Marked) => marked(ctx, change),
    },
    follows: {
      pool: async (ctx, changes) => {
        await forgetDeleted(ctx, changes)
        const all = await readChanges<Pool>(ctx, changes, pools.findDocuments)
        // The network and broadcast addresses of another network are others.
        const moved = all.filter((states) => differsIn(states, ['start_ip', 'end_ip', 'network_id']))
        ctx.atEnd(compareChanged, { pools: moved.flatMap(({ after }) => after ?? []) })
      },
      // The network and broadcast addresses of a subnet are never free, and its addresses not for the pools of networks around it.
      network: async (ctx, changes) => {
        await forgetDeleted(ctx, changes)
        const all = await readChanges<Network>(ctx, changes, networks.findDocuments)
        const moved = all.filter((states) => differsIn(states, ['subnet', 'space_id']))
        const ids = await findPoolIdsAround(
          ctx,
          moved.flatMap(({ before, after }) => [before ?? [], after ?? []].flat()),
        )
        for (const { before, after } of moved)
          if (before && after) ids.push(...(await pools.findPoolIds(ctx, after.id)))
        if (ids.length > 0) ctx.atEnd(compareChanged, { pools: ids.map((id) => ({ id })) })
      },
    },
    compareAll: async (ctx) => {
      const raised = await store.findAlarms(ctx)
      for (const { pool, utilization: now } of await pools.findAllUtilization(ctx)) {
        const hasAlarm = raised.has(pool.id)
        if (hasAlarm ? !isLow(now.utilization) : now.utilization < threshold) continue
        await ctx.write(async (inner) => {
          await store.lockAlarms(inner, [pool.id])
          const [state] = await store.findStates(inner, [pool.id])
          if (!state) return
          const { utilization: after } = await pools.getUtilizationOrThrow(inner, pool.id)
          await updateAlarm(inner, state, { after, before: after })
        })
      }
    },
  }
}
