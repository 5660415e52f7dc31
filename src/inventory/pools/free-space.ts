/**
 * The rule for free addresses of a pool. An address is `used` if any device has it. It is `reserved` if an active
 * reservation holds it, or if it is the network or broadcast address of its IPv4 network. Otherwise it is available.
 * Allocation builds on this rule.
 */

import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getNetworkAndBroadcast, parseCidrOrThrow } from '../../net/cidr.ts'
import {
  formatIp,
  fromIpKey,
  getSpaceKey,
  type IpKey,
  parseIpKeyOrThrow,
  type SpaceKey,
  toIpKey,
} from '../../net/ip.ts'
import type { Network } from '../networks/api.ts'
import type { Block } from '../networks/networks.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import {
  type BlockCache,
  boundTakenIn,
  countAllTakenIn,
  type KeyRange,
  walkFreeKeys,
} from '../used-addresses/used-addresses.ts'
import type { HeatmapEntry, Pool, PoolUtilization } from './api.ts'
import * as store from './store.ts'

/** A larger heatmap could not be drawn. */
export const MAX_HEATMAP = 65_536

/** Returns the revision of data that depends on reservations: an expiry changes it without a write. */
export const getExpiringRevision = async (ctx: Ctx, tables: Parameters<Ctx['store']['revision']>[0]): Promise<string> =>
  `${await ctx.store.revision(tables)} ${await store.findLastExpiry(ctx)}`

/** @param space of its network */
export const toKeyRange = (pool: Pick<Pool, 'start_ip' | 'end_ip'>, space: SpaceKey): KeyRange => ({
  first: parseIpKeyOrThrow(pool.start_ip, space),
  last: parseIpKeyOrThrow(pool.end_ip, space),
})

export const computeRangeSize = ({ first, last }: KeyRange): bigint =>
  fromIpKey(last).value - fromIpKey(first).value + 1n

/** Returns the keys that are never allocated in a network: its network and broadcast address (IPv4 up to /30). */
export const listNeverFree = ({ subnet }: Pick<Network, 'subnet'>, space: SpaceKey): ReadonlySet<IpKey> => {
  const ends = getNetworkAndBroadcast(parseCidrOrThrow(subnet))
  return new Set(ends ? [toIpKey(ends.network, space), toIpKey(ends.broadcast, space)] : [])
}

/** Yields available addresses as sortable keys, ascending. Expired reservations count until purged. */
export async function* walkAvailableKeys(
  ctx: Ctx,
  range: KeyRange,
  never: ReadonlySet<IpKey>,
  cache?: BlockCache,
): AsyncGenerator<IpKey> {
  for await (const key of walkFreeKeys(ctx, range, cache)) if (!never.has(key)) yield key
}

const pickLowest = (keys: readonly (IpKey | undefined)[]): IpKey | undefined =>
  keys.filter((key) => key !== undefined).sort()[0]

/** @throws AppError IP_NOT_AVAILABLE */
export const findNextIp = async (ctx: Ctx, pool: Pool, network: Network): Promise<string> => {
  const space = await findSpaceKey(ctx, network)
  const range = toKeyRange(pool, space)
  const never = listNeverFree(network, space)
  const [{ value: free }, expired] = await Promise.all([
    walkAvailableKeys(ctx, range, never).next(),
    // An expired reservation frees its address at once, though it is purged later.
    store.findLowestExpired(ctx, range, never),
  ])
  const key = pickLowest([free ?? undefined, expired])
  if (key === undefined) throw createNoneLeftError(ctx, pool)
  return formatIp(fromIpKey(key))
}

/** Names a pool in an error, unless the caller may not list pools. */
export const formatPoolName = (ctx: Pick<Ctx, 'canListAll'>, { name }: Pick<Pool, 'name'>): string =>
  ctx.canListAll('pools') ? `The pool "${name}"` : 'The pool'

export const createNoneLeftError = (
  ctx: Pick<Ctx, 'canListAll'>,
  { name, start_ip, end_ip }: Pick<Pool, 'name' | 'start_ip' | 'end_ip'>,
): AppError => {
  const range = ctx.canListAll('pools') ? ` (${start_ip} - ${end_ip})` : ''
  return new AppError('IP_NOT_AVAILABLE', `${formatPoolName(ctx, { name })}${range} has no free address left`)
}

/** @throws AppError INVALID_INPUT for a pool of more than 65,536 addresses. */
export const buildHeatmap = async (ctx: Ctx, pool: Pool, network: Network): Promise<HeatmapEntry[]> => {
  const space = await findSpaceKey(ctx, network)
  const range = toKeyRange(pool, space)
  const size = computeRangeSize(range)
  if (size > MAX_HEATMAP)
    throw new AppError('INVALID_INPUT', `A heatmap shows at most 65,536 addresses; this pool has ${size}`)
  const used = new Map((await store.findUsedIn(ctx, range.first, range.last)).map((row) => [row.ip_key, row.device_id]))
  const reserved = new Set(listNeverFree(network, space))
  for (const { ip_key } of await store.findReservedIn(ctx, range.first, range.last)) reserved.add(ip_key)
  const { family, value: first } = fromIpKey(range.first)
  return Array.from({ length: Number(size) }, (_, i): HeatmapEntry => {
    const address = { family, value: first + BigInt(i) }
    const key = toIpKey(address, space)
    const ip = formatIp(address)
    const device_id = used.get(key)
    if (device_id !== undefined) return { ip, status: 'used', device_id }
    return { ip, status: reserved.has(key) ? 'reserved' : 'available' }
  })
}

const toSafeNumber = (n: bigint): number => (n > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(n))

export const computePercent = (part: bigint, whole: bigint): number =>
  Math.round((Number(part) / Number(whole)) * 10_000) / 100

/** The number of addresses of a range that are taken or kept by the network; an upper bound unless `isExact`. */
export type Marks = { readonly count: number; readonly isExact: boolean }

/** Counts by the bitmaps. @param never as of `listNeverFree` @param least up to which a bound will do */
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
const filterWithin = (sorted: readonly string[], { first, last }: KeyRange): string[] => {
  const from = findLowerBound(sorted, first)
  const to = findLowerBound(sorted, last)
  return sorted.slice(from, sorted[to] === last ? to + 1 : to)
}

/** Counts by the rule of the heatmap, for ranges of any size. @param blocks of the networks, by their ids */
export const loadUtilizations = async (
  ctx: Ctx,
  blocks: ReadonlyMap<string, Block>,
  only?: Pool,
): Promise<(pool: Pool) => PoolUtilization> => {
  const getSpace = ({ network_id }: Pool): SpaceKey => getSpaceKey(blocks.get(network_id)?.first_key ?? '')
  const ends = new Map([...blocks].map(([id, block]) => [id, [...listNeverFree(block, getSpaceKey(block.first_key))]]))
  const [used, reservedKeys, usedEnds] = await Promise.all([
    store.countUsed(ctx, only?.id),
    store.findReservedKeys(ctx, only && toKeyRange(only, getSpace(only))),
    store.filterUsed(ctx, [...ends.values()].flat()),
  ])
  return (pool) => {
    const range = toKeyRange(pool, getSpace(pool))
    const own = (ends.get(pool.network_id) ?? []).filter((key) => key >= range.first && key <= range.last)
    const reserved = new Set([...filterWithin(reservedKeys, range), ...own.filter((key) => !usedEnds.has(key))])
    const size = computeRangeSize(range)
    const taken = BigInt((used.get(pool.id) ?? 0) + reserved.size)
    return {
      pool_id: pool.id,
      total_ips: toSafeNumber(size),
      used_ips: used.get(pool.id) ?? 0,
      reserved_ips: reserved.size,
      available_ips: toSafeNumber(size - taken),
      utilization: computePercent(taken, size),
    }
  }
}
