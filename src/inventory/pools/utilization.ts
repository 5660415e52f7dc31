/** The utilization of pools, by the rule of the heatmap, for ranges of any size. */
import { getCachedCounts } from '../../database/cache/query-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { listEndKeys } from '../../net/subnet-tree.ts'
import { findAllRows } from '../networks/tree-store.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import { computeFigures } from '../used-addresses/utilization.ts'
import type { PoolUtilization } from './api.ts'
import { countSpace, type PoolRange } from './free-space.ts'
import { clipRanges, findInnerRanges, isInRanges, mapInnerRanges } from './inner-networks.ts'
import * as store from './store.ts'

/** Where the addresses of a pool are. */
type Place = {
  readonly range: KeyRange
  /** The parts of the range that belong to more specific networks. */
  readonly inner: readonly KeyRange[]
  /** The network and broadcast address of its network, in the range and outside of these parts. */
  readonly ends: readonly IpKey[]
}

const createPlace = (range: KeyRange, inner: readonly KeyRange[], ends: readonly IpKey[]): Place => ({
  range,
  inner,
  ends: ends.filter((key) => key >= range.first && key <= range.last && !isInRanges(inner, key)),
})

/** Returns the index of the first key that is not lower. */
const findLowerBound = (sorted: readonly string[], key: string): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the keys within a range of any size. */
const filterWithin = (sorted: readonly IpKey[], { first, last }: KeyRange): IpKey[] => {
  const from = findLowerBound(sorted, first)
  const to = findLowerBound(sorted, last)
  return sorted.slice(from, sorted[to] === last ? to + 1 : to)
}

type Taken = {
  /** Device addresses in the range and outside of the inner networks. */
  readonly used: number
  /** The keys of reservations that no device has, ascending. */
  readonly reservedKeys: readonly IpKey[]
  /** The ends that a device has. */
  readonly usedEnds: ReadonlySet<string>
}

const buildUtilization = (
  id: string,
  { range, inner, ends }: Place,
  { used, reservedKeys, usedEnds }: Taken,
): PoolUtilization => {
  const reserved = new Set([
    ...filterWithin(reservedKeys, range).filter((key) => !isInRanges(inner, key)),
    ...ends.filter((key) => !usedEnds.has(key)),
  ])
  return {
    pool_id: id,
    ...computeFigures({ total: Number(countSpace({ range, inner })), used, reserved: reserved.size }),
  }
}

/** Returns the parts of pools that belong to more specific networks. */
const listInner = (places: ReadonlyMap<string, Place>): store.OwnedRange[] =>
  [...places].flatMap(([id, { inner }]) => inner.map((range) => ({ id, ...range })))

/** Returns the function that returns the utilization of each pool. */
export const loadUtilizations = async (ctx: Ctx): Promise<(poolId: string) => PoolUtilization> => {
  const revision = await ctx.store.revision(['pools', 'networks'])
  const rows = await findAllRows(ctx)
  const inner = mapInnerRanges(rows)
  const networks = new Map(rows.map((row) => [row.id, row]))
  const places = new Map<string, Place>()
  for (const { id, network_id, start_key, end_key } of await store.findAllBounds(ctx)) {
    const range = { first: start_key, last: end_key }
    const network = networks.get(network_id)
    places.set(
      id,
      createPlace(range, clipRanges(inner.get(network_id) ?? [], range), network ? listEndKeys(network) : []),
    )
  }
  const [used, without, reservedKeys, usedEnds] = await Promise.all([
    store.countUsed(ctx),
    // The counts read every address, so they are cached.
    getCachedCounts(ctx, 'addresses', `inner ${revision}`, () => store.countUsedIn(ctx, listInner(places))),
    store.findReservedKeys(ctx),
    store.filterUsed(
      ctx,
      [...places.values()].flatMap(({ ends }) => ends),
    ),
  ])
  return (id) => {
    const place = places.get(id)
    if (!place) throw new Error(`the pool "${id}" has no range`)
    return buildUtilization(id, place, { used: (used.get(id) ?? 0) - (without.get(id) ?? 0), reservedKeys, usedEnds })
  }
}

/** Returns the utilization of one pool. */
export const loadUtilization = async (ctx: Ctx, pool: PoolRange): Promise<PoolUtilization> => {
  const { id } = pool
  const range = { first: pool.start_key, last: pool.end_key }
  const place = createPlace(range, await findInnerRanges(ctx, pool, range), listEndKeys(pool))
  const [used, without, reservedKeys, usedEnds] = await Promise.all([
    store.countUsed(ctx, id),
    store.countUsedIn(ctx, listInner(new Map([[id, place]]))),
    store.findReservedKeys(ctx, range),
    store.filterUsed(ctx, place.ends),
  ])
  return buildUtilization(id, place, { used: (used.get(id) ?? 0) - (without.get(id) ?? 0), reservedKeys, usedEnds })
}
