/** The more specific networks inside the network of a pool. Their addresses belong to them, and are not given out for the pool. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { fromIpKey, getAddressBits, getMaxValue, getSpaceKey, type IpKey, toIpKey } from '../../net/ip.ts'
import { listSubnetKeysAround } from '../networks/membership.ts'
import { findIdsBySubnetKey } from '../networks/store.ts'
import type { NetworkRow } from '../networks/table.ts'
import { findNextInside, type TreeRow } from '../networks/tree-store.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'

/** The bounds of the network of a pool. `has_inner` is 1 if there are more specific networks in it, else 0. */
export type PoolNetwork = Pick<NetworkRow, 'first_key' | 'last_key' | 'prefix'> & { readonly has_inner: number }

/** The columns of `PoolNetwork`, of the table `networks`. The index of first addresses answers it by one row. */
export const POOL_NETWORK = [
  'networks.first_key',
  'networks.last_key',
  'networks.prefix',
  sql<number>`CASE WHEN EXISTS (SELECT 1 FROM networks AS c WHERE c.first_key >= networks.first_key
    AND c.first_key <= networks.last_key AND c.prefix > networks.prefix) THEN 1 ELSE 0 END`.as('has_inner'),
] as const

const toRange = (subnetKey: string): KeyRange => {
  const space = getSpaceKey(subnetKey)
  return toCidrKeys(parseCidrOrThrow(subnetKey.slice(space.length)), space)
}

/** Returns the key of the next address; undefined behind the last one. */
const getNextKey = (key: IpKey): IpKey | undefined => {
  const { family, value } = fromIpKey(key)
  return value === getMaxValue(family) ? undefined : toIpKey({ family, value: value + 1n }, getSpaceKey(key))
}

const getPreviousKey = (key: IpKey): IpKey => {
  const { family, value } = fromIpKey(key)
  return toIpKey({ family, value: value - 1n }, getSpaceKey(key))
}

/** Returns the keys of the subnets in a network that hold an address, the most specific first. */
const listInnerSubnetKeys = ({ prefix }: PoolNetwork, key: IpKey): string[] =>
  listSubnetKeysAround(key).slice(0, getAddressBits(fromIpKey(key).family) - prefix)

/** Returns the range of the widest network inside that holds an address. */
const findWidestAround = async (ctx: Ctx, network: PoolNetwork, key: IpKey): Promise<KeyRange | undefined> => {
  const inside = listInnerSubnetKeys(network, key)
  const known = await findIdsBySubnetKey(ctx, inside)
  const widest = inside.findLast((subnetKey) => (known.get(subnetKey) ?? []).length > 0)
  return widest === undefined ? undefined : toRange(widest)
}

const clip = ({ first, last }: KeyRange, to: KeyRange): KeyRange => ({
  first: first < to.first ? to.first : first,
  last: last > to.last ? to.last : last,
})

/** Returns the networks inside that hold an address, the most specific first. */
export const findInnerNetworks = async (ctx: Ctx, network: PoolNetwork, key: IpKey) => {
  if (network.has_inner === 0) return []
  const rows = await bySubnetKeys(ctx.unscoped, listInnerSubnetKeys(network, key))
  return rows.toSorted((a, b) => b.prefix - a.prefix || (a.id < b.id ? -1 : 1))
}

const bySubnetKeys = preparedKeys((db: Kysely<Tables>, subnetKeys) =>
  db
    .selectFrom('networks')
    .select(['id', 'name', 'subnet', 'first_key', 'last_key', 'prefix'])
    .where('subnet_key', 'in', subnetKeys),
)

/** Yields the parts of a range that belong to more specific networks, ascending and on demand. None overlaps another. */
async function* walkInnerRanges(ctx: Ctx, network: PoolNetwork, range: KeyRange): AsyncGenerator<KeyRange> {
  const around = await findWidestAround(ctx, network, range.first)
  if (around) yield clip(around, range)
  let next = around ? getNextKey(around.last) : range.first
  while (next !== undefined && next <= range.last) {
    const { spans, areAll } = await findNextInside(ctx, { ...network, last_key: range.last }, next)
    for (const span of spans) yield clip(toCidrKeys(span, getSpaceKey(range.first)), range)
    const last = spans.at(-1)
    if (areAll || !last) return
    next = getNextKey(toCidrKeys(last, getSpaceKey(range.first)).last)
  }
}

/** @param network undefined without more specific networks in it */
export const findInnerRanges = async (
  ctx: Ctx,
  network: PoolNetwork | undefined,
  range: KeyRange,
): Promise<KeyRange[]> =>
  network === undefined || network.has_inner === 0 ? [] : Array.fromAsync(walkInnerRanges(ctx.unscoped, network, range))

/** Yields the parts of a range that belong to no more specific network, ascending and on demand. */
export async function* walkOwnRanges(ctx: Ctx, network: PoolNetwork, range: KeyRange): AsyncGenerator<KeyRange> {
  let first: IpKey | undefined = range.first
  for await (const inner of walkInnerRanges(ctx.unscoped, network, range)) {
    if (first < inner.first) yield { first, last: getPreviousKey(inner.first) }
    first = getNextKey(inner.last)
    if (first === undefined || first > range.last) return
  }
  yield { first, last: range.last }
}

/**
 * Returns the ranges of the networks directly in each network, by its id and ascending.
 * @param sorted by `first_key`, then by `prefix`
 */
export const mapInnerRanges = (sorted: readonly TreeRow[]): ReadonlyMap<string, readonly KeyRange[]> => {
  const inner = new Map<string, KeyRange[]>()
  const open: { readonly row: TreeRow; readonly ranges: KeyRange[] }[] = []
  for (const row of sorted) {
    while ((open.at(-1)?.row.last_key ?? row.first_key) < row.first_key) open.pop()
    let top = open.at(-1)
    if (!top || top.row.prefix !== row.prefix || top.row.first_key !== row.first_key) {
      top?.ranges.push({ first: row.first_key, last: row.last_key })
      top = { row, ranges: [] }
      open.push(top)
    }
    inner.set(row.id, top.ranges)
  }
  return inner
}

/** Returns the index of the first range that ends at the key or behind it. */
const findFrom = (ranges: readonly KeyRange[], key: IpKey): number => {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.last ?? key) < key) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the parts of a range that these ranges cover. @param ranges ascending; none overlaps another */
export const clipRanges = (ranges: readonly KeyRange[], range: KeyRange): KeyRange[] => {
  const clipped: KeyRange[] = []
  for (let at = findFrom(ranges, range.first); at < ranges.length; at++) {
    const one = ranges[at]
    if (!one || one.first > range.last) break
    clipped.push(clip(one, range))
  }
  return clipped
}

/** Tells whether one of the ranges holds an address. @param ranges ascending; none overlaps another */
export const isInRanges = (ranges: readonly KeyRange[], key: IpKey): boolean =>
  (ranges[findFrom(ranges, key)]?.first ?? '~') <= key

/** Returns the ranges in ascending order; overlapping ones are joined. */
export const mergeKeyRanges = (ranges: readonly KeyRange[]): KeyRange[] => {
  const merged: KeyRange[] = []
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const open = merged.at(-1)
    if (open && range.first <= open.last)
      merged[merged.length - 1] = { first: open.first, last: range.last > open.last ? range.last : open.last }
    else merged.push(range)
  }
  return merged
}
