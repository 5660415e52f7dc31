/**
 * The rule for free addresses of a pool. An address is `used` if any device has it. It is `reserved` if an active
 * reservation holds it, or if it is the network or broadcast address of its IPv4 network. Otherwise it is available.
 * Allocation builds on this rule.
 */
import { cidrOfText, networkAndBroadcast } from '../../net/cidr.ts'
import { formatIp, type IpKey, ipFromKey, ipKey, ipKeyOf, type SpaceKey, spaceOfKey } from '../../net/ip.ts'
import { AppError } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import type { Network } from '../networks/api.ts'
import type { Block } from '../networks/networks.ts'
import { type BlockCache, boundTakenIn, countAllTakenIn, freeKeys, type KeyRange } from '../occupancy/occupancy.ts'
import { spaceKeyOf } from '../spaces/keys.ts'
import type { HeatmapEntry, Pool, PoolUtilization } from './api.ts'
import * as store from './store.ts'

/** A larger heatmap could not be drawn. */
export const MAX_HEATMAP = 65_536

/** Returns the revision of data that depends on reservations: an expiry changes it without a write. */
export const expiringRevision = async (ctx: Ctx, tables: Parameters<Ctx['store']['revision']>[0]): Promise<string> =>
  `${await ctx.store.revision(tables)} ${await store.lastExpiry(ctx)}`

/** @param space of its network */
export const rangeOf = (pool: Pick<Pool, 'start_ip' | 'end_ip'>, space: SpaceKey): KeyRange => ({
  first: ipKeyOf(pool.start_ip, space),
  last: ipKeyOf(pool.end_ip, space),
})

export const sizeOf = ({ first, last }: KeyRange): bigint => ipFromKey(last).value - ipFromKey(first).value + 1n

/** Returns the keys that are never allocated in a network: its network and broadcast address (IPv4 up to /30). */
export const neverFree = ({ subnet }: Pick<Network, 'subnet'>, space: SpaceKey): ReadonlySet<IpKey> => {
  const ends = networkAndBroadcast(cidrOfText(subnet))
  return new Set(ends ? [ipKey(ends.network, space), ipKey(ends.broadcast, space)] : [])
}

/** Yields available addresses as sortable keys, ascending. Expired reservations count until purged. */
export async function* availableKeys(
  ctx: Ctx,
  range: KeyRange,
  never: ReadonlySet<IpKey>,
  cache?: BlockCache,
): AsyncGenerator<IpKey> {
  for await (const key of freeKeys(ctx, range, cache)) if (!never.has(key)) yield key
}

const lowest = (keys: readonly (IpKey | undefined)[]): IpKey | undefined =>
  keys.filter((key) => key !== undefined).sort()[0]

/** @throws AppError IP_NOT_AVAILABLE */
export const nextIp = async (ctx: Ctx, pool: Pool, network: Network): Promise<string> => {
  const space = await spaceKeyOf(ctx, network)
  const range = rangeOf(pool, space)
  const never = neverFree(network, space)
  const [{ value: free }, expired] = await Promise.all([
    availableKeys(ctx, range, never).next(),
    // An expired reservation frees its address at once, though it is purged later.
    store.lowestExpired(ctx, range, never),
  ])
  const key = lowest([free ?? undefined, expired])
  if (key === undefined) throw noneLeft(ctx, pool)
  return formatIp(ipFromKey(key))
}

/** Names a pool in an error, unless the caller may not list pools. */
export const poolName = (ctx: Pick<Ctx, 'mayName'>, { name }: Pick<Pool, 'name'>): string =>
  ctx.mayName('pools') ? `The pool "${name}"` : 'The pool'

export const noneLeft = (
  ctx: Pick<Ctx, 'mayName'>,
  { name, start_ip, end_ip }: Pick<Pool, 'name' | 'start_ip' | 'end_ip'>,
): AppError => {
  const range = ctx.mayName('pools') ? ` (${start_ip} - ${end_ip})` : ''
  return new AppError('IP_NOT_AVAILABLE', `${poolName(ctx, { name })}${range} has no free address left`)
}

/** @throws AppError INVALID_INPUT for a pool of more than 65,536 addresses. */
export const heatmap = async (ctx: Ctx, pool: Pool, network: Network): Promise<HeatmapEntry[]> => {
  const space = await spaceKeyOf(ctx, network)
  const range = rangeOf(pool, space)
  const size = sizeOf(range)
  if (size > MAX_HEATMAP)
    throw new AppError('INVALID_INPUT', `A heatmap shows at most 65,536 addresses; this pool has ${size}`)
  const used = new Map((await store.usedIn(ctx, range.first, range.last)).map((row) => [row.ip_key, row.device_id]))
  const reserved = new Set(neverFree(network, space))
  for (const { ip_key } of await store.reservedIn(ctx, range.first, range.last)) reserved.add(ip_key)
  const { family, value: first } = ipFromKey(range.first)
  return Array.from({ length: Number(size) }, (_, i): HeatmapEntry => {
    const address = { family, value: first + BigInt(i) }
    const key = ipKey(address, space)
    const ip = formatIp(address)
    const device_id = used.get(key)
    if (device_id !== undefined) return { ip, status: 'used', device_id }
    return { ip, status: reserved.has(key) ? 'reserved' : 'available' }
  })
}

const capped = (n: bigint): number => (n > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(n))

export const percentOf = (part: bigint, whole: bigint): number =>
  Math.round((Number(part) / Number(whole)) * 10_000) / 100

/** How many addresses of a range are taken, or are those that its network keeps; an upper bound unless `isExact`. */
export type Marks = { readonly count: number; readonly isExact: boolean }

/** Counts by the bitmaps. @param never as of `neverFree` @param least up to which a bound will do */
export const countMarks = async (
  ctx: Ctx,
  range: KeyRange,
  { never, least }: { readonly never: ReadonlySet<IpKey>; readonly least: number },
): Promise<Marks> => {
  const kept = [...never].filter((key) => key >= range.first && key <= range.last)
  const bound = await boundTakenIn(ctx, range, least - kept.length)
  if (bound !== undefined) return { count: bound + kept.length, isExact: false }
  return { count: await countAllTakenIn(ctx, range, kept), isExact: true }
}

export const countExpired = store.countExpired

/** Returns the index of the first key that is not lower. */
const placeOf = (sorted: readonly string[], key: string): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the keys within a range of any size. */
const within = (sorted: readonly string[], { first, last }: KeyRange): string[] => {
  const from = placeOf(sorted, first)
  const to = placeOf(sorted, last)
  return sorted.slice(from, sorted[to] === last ? to + 1 : to)
}

/** Counts by the rule of the heatmap, for ranges of any size. @param blocks of the networks, by their ids */
export const utilizations = async (
  ctx: Ctx,
  blocks: ReadonlyMap<string, Block>,
  only?: Pool,
): Promise<(pool: Pool) => PoolUtilization> => {
  const spaceOf = ({ network_id }: Pool): SpaceKey => spaceOfKey(blocks.get(network_id)?.first_key ?? '')
  const ends = new Map([...blocks].map(([id, block]) => [id, [...neverFree(block, spaceOfKey(block.first_key))]]))
  const [used, reservedKeys, usedEnds] = await Promise.all([
    store.usedCounts(ctx, only?.id),
    store.reservedKeys(ctx, only && rangeOf(only, spaceOf(only))),
    store.usedAmong(ctx, [...ends.values()].flat()),
  ])
  return (pool) => {
    const range = rangeOf(pool, spaceOf(pool))
    const own = (ends.get(pool.network_id) ?? []).filter((key) => key >= range.first && key <= range.last)
    const reserved = new Set([...within(reservedKeys, range), ...own.filter((key) => !usedEnds.has(key))])
    const size = sizeOf(range)
    const taken = BigInt((used.get(pool.id) ?? 0) + reserved.size)
    return {
      pool_id: pool.id,
      total_ips: capped(size),
      used_ips: used.get(pool.id) ?? 0,
      reserved_ips: reserved.size,
      available_ips: capped(size - taken),
      utilization: percentOf(taken, size),
    }
  }
}
