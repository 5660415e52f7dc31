/**
 * The rule for free addresses of a pool. An address is `used` if any device has it. It is `reserved` if an active
 * reservation holds it, if it is the network or broadcast address of its IPv4 network, or if it belongs to a more specific network.
 * Otherwise it is available. Allocation builds on this rule.
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
import { listEndKeys } from '../../net/subnet-tree.ts'
import type { Network } from '../networks/api.ts'
import {
  type BlockCache,
  boundTakenIn,
  countAllTakenIn,
  getBlockCache,
  type KeyRange,
  walkFreeKeys,
} from '../used-addresses/used-addresses.ts'
import type { HeatmapEntry, NextIp, Pool } from './api.ts'
import { findInnerRanges, isInRanges, type PoolNetwork, walkOwnRanges } from './inner-networks.ts'
import * as store from './store.ts'
import type { PoolRow } from './table.ts'

/** The range of a pool, and the bounds of its network. */
export type PoolBounds = Pick<PoolRow, 'start_key' | 'end_key'> & PoolNetwork

/** The fields of a pool and its network that allocation needs. */
export type PoolRange = PoolBounds &
  Pick<Pool, 'id' | 'name' | 'network_id' | 'start_ip' | 'end_ip'> &
  Pick<Network, 'subnet'>

/** A larger heatmap could not be drawn. */
export const MAX_HEATMAP = 65_536

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

/** The addresses that a pool may give out. They are in its range, belong to its network, and are not in `never`. */
export type PoolSpace = {
  readonly range: KeyRange
  readonly never: ReadonlySet<IpKey>
  /** Undefined without more specific networks in it. */
  readonly network?: PoolNetwork | undefined
}

export const buildPoolSpace = (pool: PoolBounds): PoolSpace => ({
  range: { first: pool.start_key, last: pool.end_key },
  never: new Set(listEndKeys(pool)),
  network: pool.has_inner === 0 ? undefined : pool,
})

/** Yields available addresses as sortable keys, ascending. Expired reservations count until purged. */
export async function* walkAvailableKeys(
  ctx: Ctx,
  { range, never, network }: PoolSpace,
  cache: BlockCache = getBlockCache(ctx, true),
): AsyncGenerator<IpKey> {
  if (network === undefined) {
    for await (const key of walkFreeKeys(ctx, range, { cache })) if (!never.has(key)) yield key
    return
  }
  for await (const part of walkOwnRanges(ctx, network, range))
    for await (const key of walkFreeKeys(ctx, part, { cache, through: range.last })) if (!never.has(key)) yield key
}

/** Returns the addresses that the pool may give out while they are free. */
const filterGivenOut = ({ never, inner }: Pick<KnownSpace, 'never' | 'inner'>, keys: readonly IpKey[]): IpKey[] =>
  keys.filter((key) => !never.has(key) && !isInRanges(inner, key))

/** Returns addresses that only an expired reservation holds, ascending: the lowest `count` of them or more. */
const findExpired = async (ctx: Ctx, { range, never, network }: PoolSpace, count: number): Promise<IpKey[]> => {
  if (count === 1 && network === undefined) {
    const lowest = await store.findLowestExpired(ctx, range, never)
    return lowest === undefined ? [] : [lowest]
  }
  const keys = await store.findExpiredKeys(ctx, range)
  return keys.length === 0 ? [] : filterGivenOut({ never, inner: await findInnerRanges(ctx, network, range) }, keys)
}

type Known = {
  readonly cache?: BlockCache | undefined
  /** False if no reservation anywhere has expired and is not yet purged. */
  readonly hasExpired?: boolean | undefined
}

/** Returns the lowest available addresses, ascending; fewer than `count` if there are not enough. */
export const findLowestAvailable = async (
  ctx: Ctx,
  space: PoolSpace,
  count: number,
  { cache, hasExpired = true }: Known = {},
): Promise<IpKey[]> => {
  const findFree = async () => {
    const keys: IpKey[] = []
    for await (const key of walkAvailableKeys(ctx, space, cache)) if (keys.push(key) === count) break
    return keys
  }
  // An expired reservation frees its address at once, though it is purged later.
  const [free, expired] = await Promise.all([findFree(), hasExpired ? findExpired(ctx, space, count) : []])
  return expired.length === 0 ? free : [...free, ...expired].sort().slice(0, count)
}

/** Returns the lowest available addresses as `findLowestAvailable` does, as texts. */
export const listLowestAvailable = async (ctx: Ctx, space: PoolSpace, count: number): Promise<string[]> =>
  (await findLowestAvailable(ctx, space, count)).map((key) => formatIp(fromIpKey(key)))

/** Returns the answer of `next-ip`. @param ips at least one @param count as the caller gave it */
export const toNextIp = (ips: readonly [string, ...string[]], count: number | undefined): NextIp => ({
  ip: ips[0],
  ...(count !== undefined && { ips: [...ips] }),
})

/** @throws AppError IP_NOT_AVAILABLE */
export const findNextIp = async (ctx: Ctx, pool: PoolRange, count: number | undefined): Promise<NextIp> => {
  const [first, ...others] = await listLowestAvailable(ctx, buildPoolSpace(pool), count ?? 1)
  if (first === undefined) throw createNoneLeftError(ctx, pool)
  return toNextIp([first, ...others], count)
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

/** @throws AppError INVALID_INPUT for more than 65,536 addresses. */
export const buildHeatmap = async (
  ctx: Ctx,
  { range, never, network }: PoolSpace,
  noun: 'pool' | 'network',
): Promise<HeatmapEntry[]> => {
  const size = computeRangeSize(range)
  if (size > MAX_HEATMAP)
    throw new AppError('INVALID_INPUT', `A heatmap shows at most 65,536 addresses; this ${noun} has ${size}`)
  const used = new Map((await store.findUsedIn(ctx, range.first, range.last)).map((row) => [row.ip_key, row.device_id]))
  const reserved = new Set(never)
  for (const { ip_key } of await store.findReservedIn(ctx, range.first, range.last)) reserved.add(ip_key)
  const inner = await findInnerRanges(ctx, network, range)
  const { family, value: first } = fromIpKey(range.first)
  return Array.from({ length: Number(size) }, (_, i): HeatmapEntry => {
    const address = { family, value: first + BigInt(i) }
    const key = toIpKey(address, getSpaceKey(range.first))
    const ip = formatIp(address)
    const device_id = used.get(key)
    if (device_id !== undefined) return { ip, status: 'used', device_id }
    return { ip, status: reserved.has(key) || isInRanges(inner, key) ? 'reserved' : 'available' }
  })
}

/** A pool with the parts of its range that belong to more specific networks. */
export type KnownSpace = Omit<PoolSpace, 'network'> & { readonly inner: readonly KeyRange[] }

/** The number of addresses that a pool may give out, taken ones among them. */
export const countSpace = ({ range, inner }: Pick<KnownSpace, 'range' | 'inner'>): bigint =>
  inner.reduce((size, one) => size - computeRangeSize(one), computeRangeSize(range))

/** The number of addresses of a pool that are taken or kept by its network; an upper bound unless `isExact`. */
export type Marks = { readonly count: number; readonly isExact: boolean }

/** Counts by the bitmaps. @param least up to which a bound will do */
export const countMarks = async (ctx: Ctx, { range, never, inner }: KnownSpace, least: number): Promise<Marks> => {
  const kept = [...never].filter((key) => key >= range.first && key <= range.last && !isInRanges(inner, key))
  const bound = inner.length > 0 ? undefined : await boundTakenIn(ctx, range, least - kept.length)
  if (bound !== undefined) return { count: bound + kept.length, isExact: false }
  return { count: await countAllTakenIn(ctx, range, { kept, without: inner }), isExact: true }
}

/** How many addresses that the pool may give out only an expired reservation holds. */
export const countExpiredIn = async (ctx: Ctx, space: KnownSpace): Promise<number> =>
  space.inner.length > 0
    ? filterGivenOut(space, await store.findExpiredKeys(ctx, space.range)).length
    : store.countExpired(ctx, space.range, space.never)

/** Returns how many addresses are available; `Number.MAX_SAFE_INTEGER` means that many or more. */
export const countAvailable = async (ctx: Ctx, { range, never, network }: PoolSpace): Promise<number> => {
  const known = { range, never, inner: await findInnerRanges(ctx, network, range) }
  const [marks, expired] = await Promise.all([countMarks(ctx, known, 0), countExpiredIn(ctx, known)])
  return Math.min(Number(countSpace(known)) - marks.count + expired, Number.MAX_SAFE_INTEGER)
}
