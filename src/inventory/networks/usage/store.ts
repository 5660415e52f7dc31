/** The queries of the utilization of networks, which read and never write. */
import { sql } from 'kysely'
import { getCachedCount, getCachedCounts, getCachedText } from '../../../database/cache/query-cache.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { IpKey } from '../../../net/ip.ts'
import { listEndKeys } from '../../../net/subnet-tree.ts'
import type { NetworkRow } from '../table.ts'
import type { KeyRange, TreeRow } from '../tree-store.ts'

/** Matches a network and broadcast address by the columns of its network. Keys of IPv6 addresses have at least 33 characters. */
const isEnd = sql<boolean>`(networks.prefix <= 30 AND length(networks.first_key) < 16
  AND network_addresses.ip_key IN (networks.first_key, networks.last_key))`

const selectUsed = (ctx: Ctx) =>
  ctx.db
    .selectFrom('network_addresses')
    .select(({ fn }) => ['network_addresses.network_id', fn.count<number | string>('ip_key').distinct().as('n')])
    .groupBy('network_addresses.network_id')

type Count = { readonly network_id: string; readonly n: number | string }

/** Returns the distinct addresses in use by network, without network and broadcast addresses. Networks without any are missing or 0. */
export const countUsed = async (ctx: Ctx): Promise<Map<string, number>> =>
  // The count reads every address, so it is cached.
  getCachedCounts(ctx, 'network_addresses', `used ${await ctx.store.revision(['networks'])}`, async () => {
    const ends = selectUsed(ctx).innerJoin('networks', 'networks.id', 'network_addresses.network_id').where(isEnd)
    const [all, without] = [(await selectUsed(ctx).execute()) as Count[], (await ends.execute()) as Count[]]
    const counts = new Map(all.map(({ network_id, n }) => [network_id, Number(n)]))
    for (const { network_id, n } of without) counts.set(network_id, (counts.get(network_id) ?? 0) - Number(n))
    return counts
  })

/** Counts like `countUsed`, for one network. */
export const countUsedOfOne = async (ctx: Ctx, row: TreeRow): Promise<number> => {
  let query = ctx.db
    .selectFrom('network_addresses')
    .select(({ fn }) => fn.count<number | string>('ip_key').distinct().as('n'))
    .where('network_id', '=', row.id)
  const ends = listEndKeys(row)
  if (ends.length > 0) query = query.where('ip_key', 'not in', ends)
  return Number((await query.executeTakeFirstOrThrow()).n)
}

type Bounds = Pick<NetworkRow, 'first_key' | 'last_key' | 'prefix'>

/**
 * Returns the distinct addresses of a network and of its subnets, also of hidden devices. The network and broadcast addresses of each
 * do not count.
 */
export const countNestedUsed = async (ctx: Ctx, id: string, bounds: Bounds): Promise<number> =>
  getCachedCount(ctx, 'network_addresses', `nested ${id} ${await ctx.store.revision(['networks'])}`, async () => {
    const { first_key, last_key, prefix } = bounds
    const networks = ctx.db
      .selectFrom('networks')
      .select('id')
      .where(({ or, and, eb: is }) =>
        or([
          is('id', '=', id),
          and([is('first_key', '>=', first_key), is('first_key', '<=', last_key), is('prefix', '>', prefix)]),
        ]),
      )
    const seen = ctx.unscoped === ctx ? networks : (await networks.execute()).map((row) => row.id)
    let query = ctx.unscoped.db
      .selectFrom('network_addresses')
      .innerJoin('networks', 'networks.id', 'network_addresses.network_id')
      .select(({ fn }) => fn.count<number | string>('ip_key').distinct().as('n'))
      .where('network_addresses.network_id', 'in', seen)
      .where(({ not }) => not(isEnd))
    const ends = listEndKeys(bounds)
    if (ends.length > 0) query = query.where('ip_key', 'not in', ends)
    return Number((await query.executeTakeFirstOrThrow()).n)
  })

/** Returns the networks of each address that belongs to several. */
export const findSharedAddresses = async (ctx: Ctx): Promise<Map<string, readonly string[]>> => {
  const text = await getCachedText(ctx, 'network_addresses', '\u0000shared', async () => {
    const found = await ctx.db
      .selectFrom('network_addresses')
      .select(['ip_key', 'network_id'])
      .distinct()
      .where('ip_key', 'in', (eb) =>
        eb
          .selectFrom('network_addresses')
          .select('ip_key')
          .groupBy('ip_key')
          .having(({ fn }) => sql<boolean>`${fn.count('network_id').distinct()} > 1`),
      )
      .execute()
    const networks = new Map<string, string[]>()
    for (const { ip_key, network_id } of found) networks.set(ip_key, [...(networks.get(ip_key) ?? []), network_id])
    return JSON.stringify([...networks])
  })
  // As it was written.
  return new Map(JSON.parse(text ?? '[]') as [string, string[]][])
}

/** Returns the addresses in use of some networks. */
export const findUsedKeys = async (ctx: Ctx, networkIds: readonly string[]) => {
  const found: { network_id: string; ip_key: string }[] = []
  for (const batch of splitBatches(networkIds)) {
    const query = ctx.db.selectFrom('network_addresses').select(['network_id', 'ip_key']).distinct()
    found.push(...(await query.where('network_id', 'in', batch).execute()))
  }
  return found
}

/** A reserved address, with a device that has it: `device_id` is null without one, `network_id` if the device names no network. */
export type ReservedRow = {
  readonly ip_key: IpKey
  readonly device_id: string | null
  readonly network_id: string | null
}

/** Returns the addresses of live reservations with all devices that have them, everywhere or in a range; ascending. */
export const findReserved = async (ctx: Ctx, range?: KeyRange): Promise<ReservedRow[]> => {
  let query = ctx.db
    .selectFrom('reservations')
    .leftJoin('addresses', 'addresses.ip_key', 'reservations.ip_key')
    .select(['reservations.ip_key', 'addresses.device_id', 'addresses.network_id'])
    .where(({ or, eb }) => or([eb('reservations.expires_at', 'is', null), eb('reservations.expires_at', '>', ctx.now)]))
    .orderBy('reservations.ip_key')
  if (range)
    query = query.where('reservations.ip_key', '>=', range.first).where('reservations.ip_key', '<=', range.last)
  return query.execute()
}
