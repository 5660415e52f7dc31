/** The queries of pools, their tags and their free addresses. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import { getCachedCounts } from '../../database/cache/query-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import { objectStore } from '../../resource/store.ts'
import { buildMovedKey, type Moved } from '../spaces/keys.ts'
import { findLastExpiry } from '../used-addresses/expiry.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import type { Pool } from './api.ts'
import { POOL_NETWORK, type PoolNetwork } from './inner-networks.ts'
import { clearPoolsOfNetwork } from './of-network.ts'
import { poolFacts } from './resource.ts'
import type { PoolRow } from './table.ts'

const selectTags = (db: Kysely<Tables>) =>
  db.selectFrom('pool_tags').select(['pool_id', 'tag']).orderBy('pool_id').orderBy('position')
const tagsByIds = preparedKeys((db: Kysely<Tables>, ids) => selectTags(db).where('pool_id', 'in', ids))

/** Returns the tags of some pools, or of all, in order. */
export const findTags = async (ctx: Ctx, ids: readonly string[] | 'all'): Promise<Map<string, string[]>> => {
  const tags = new Map<string, string[]>()
  const rows = await (ids === 'all' ? selectTags(ctx.db).execute() : tagsByIds(ctx, ids))
  for (const { pool_id, tag } of rows) tags.set(pool_id, [...(tags.get(pool_id) ?? []), tag])
  return tags
}

const deleteTags = async ({ db }: Ctx, ids: readonly string[]): Promise<void> => {
  for (const batch of splitBatches(ids)) await db.deleteFrom('pool_tags').where('pool_id', 'in', batch).execute()
}

type StoredRange = Pick<PoolRow, 'id' | 'name' | 'network_id' | 'start_ip' | 'end_ip' | 'start_key' | 'end_key'> &
  PoolNetwork & { readonly subnet: string }
const lastRange = lockScopedCache<StoredRange>()

export const store = objectStore<typeof poolFacts, Pool>(poolFacts, {
  columns: ['start_key', 'end_key'],
  elsewhere: ['tags'],
  readParts: async (ctx, ids) => {
    const tags = await findTags(ctx, ids)
    return (id) => ({ tags: tags.get(id) ?? [] })
  },
  writeParts: async (ctx, writes) => {
    for (const { before, after } of writes) {
      if (after === undefined || Bun.deepEquals(before?.tags, after.tags)) continue
      if (before) await deleteTags(ctx, [after.id])
      const rows = after.tags.map((tag, position) => ({ pool_id: after.id, position, tag }))
      if (rows.length > 0) await ctx.db.insertInto('pool_tags').values(rows).execute()
    }
  },
  removeParts: (ctx, pools) =>
    deleteTags(
      ctx,
      pools.map(({ id }) => id),
    ),
  onWrite: (ctx) => {
    lastRange.clear(ctx)
    clearPoolsOfNetwork(ctx)
  },
})

/** Returns the columns of the range of a pool. @param space of its network */
export const toRangeColumns = ({ start_ip, end_ip }: Pool, space: SpaceKey) => ({
  start_key: parseIpKeyOrThrow(start_ip, space),
  end_key: parseIpKeyOrThrow(end_ip, space),
})

/** Returns the networks and the ranges of all pools. */
export const findAllBounds = (ctx: Ctx): Promise<Pick<PoolRow, 'id' | 'network_id' | 'start_key' | 'end_key'>[]> =>
  boundsOfAll(ctx, {})

const boundsOfAll = prepared(
  (db: Kysely<Tables>) => db.selectFrom('pools').select(['id', 'network_id', 'start_key', 'end_key']),
  'many',
)

/** Locks pools by name until commit: a thousand callers then wait in memory, without writing row locks. */
export const lockPoolNames = (ctx: Ctx, ids: readonly string[]): Promise<void> => ctx.lock('pools', ids)

/** Returns the range of a pool and the subnet of its network, and locks the pool until commit. */
export const lockRange = async (ctx: Ctx, id: string): Promise<StoredRange | undefined> => {
  await lockPoolNames(ctx, [id])
  const { value: cached, set } = lastRange.get(ctx)
  if (cached?.id === id) return cached
  const [range] = await rangeById(ctx, { id })
  if (range) set(range)
  return range
}

/** Returns the range of a pool and the bounds of its network. */
export const findRange = async (ctx: Ctx, id: string): Promise<StoredRange | undefined> =>
  (await rangeById(ctx, { id }))[0]

const rangeById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db
    .selectFrom('pools')
    .innerJoin('networks', 'networks.id', 'pools.network_id')
    .select(['pools.id', 'pools.name', 'network_id', 'start_ip', 'end_ip', 'start_key', 'end_key', 'subnet'])
    .select([...POOL_NETWORK])
    .where('pools.id', '=', id),
)

/** Finds a pool, and locks it until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Pool | undefined> => {
  await lockPoolNames(ctx, [id])
  return store.find(ctx, id)
}

/** Returns the existing pools of these ids, and locks them until commit. */
export const lockPools = async (ctx: Ctx, ids: readonly string[]): Promise<Pool[]> => {
  await lockPoolNames(ctx, ids)
  return [...(await store.findAll(ctx, ids)).values()]
}

const findRowsByNetwork = (ctx: Ctx, networkId: string) =>
  store.query(ctx).where('network_id', '=', networkId).execute()

/** Returns the ids of the pools of a network, by name. */
export const findIdsByNetwork = async (ctx: Ctx, networkId: string): Promise<string[]> =>
  (await findRowsByNetwork(ctx, networkId)).map(({ id }) => id)

/** Returns the pools of a network, by name. */
export const findByNetwork = async (ctx: Ctx, networkId: string): Promise<Pool[]> => {
  const rows = await findRowsByNetwork(ctx, networkId)
  if (rows.length === 0) return []
  const tags = await findTags(ctx, 'all')
  return rows.map((row) => store.fromRow({ ...row, tags: tags.get(row.id) ?? [] }))
}

/** Returns the ids of the pools of some networks. */
export const findIdsInNetworks = async (ctx: Ctx, networkIds: readonly string[]): Promise<string[]> =>
  (await byNetworks(ctx, networkIds)).map(({ id }) => id)

const byNetworks = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('pools').select('id').where('network_id', 'in', ids),
)

/** Moves the pools of a network to another space. */
export const moveToSpace = async (ctx: Ctx, networkId: string, spaces: Moved): Promise<void> => {
  const keys = { start_key: buildMovedKey('start_key', spaces), end_key: buildMovedKey('end_key', spaces) }
  await store.setColumns(ctx, keys, sql<SqlBool>`network_id = ${networkId}`)
}

/** Returns the ranges of the existing ids. */
export const findRanges = async (ctx: Ctx, ids: readonly string[]) => {
  const rows = await rangesByIds(ctx, ids)
  return new Map(
    rows.map(({ id, start_key, end_key, network_id, space_id }) => [
      id,
      { first: start_key, last: end_key, network_id, space_id },
    ]),
  )
}

const rangesByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('pools')
    .innerJoin('networks', 'networks.id', 'pools.network_id')
    .select(['pools.id', 'start_key', 'end_key', 'network_id', 'space_id'])
    .where('pools.id', 'in', ids),
)

/** Returns every device address in a range, with the lowest id of its devices. */
export const findUsedIn = (ctx: Ctx, first: IpKey, last: IpKey) =>
  ctx.db
    .selectFrom('addresses')
    .select(({ fn }) => ['ip_key', fn.min('device_id').as('device_id')])
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .groupBy('ip_key')
    .execute()

/** Matches a reservation that still holds its address. */
const isLive = (now: string) => sql<SqlBool>`(reservations.expires_at IS NULL OR reservations.expires_at > ${now})`

/** Matches a reservation whose address no device has. */
const isUnused = sql<SqlBool>`NOT EXISTS (SELECT 1 FROM addresses WHERE addresses.ip_key = reservations.ip_key)`

/** Returns the active reservations in a range. */
export const findReservedIn = (ctx: Ctx, first: IpKey, last: IpKey) =>
  ctx.db
    .selectFrom('reservations')
    .select('ip_key')
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .where(isLive(ctx.now))
    .execute()

/** No address has it. */
const NO_KEY = '' as IpKey

/** Returns the lowest address in a range, except the addresses of `never`, that only an expired reservation holds. */
export const findLowestExpired = async (
  ctx: Ctx,
  { first, last }: KeyRange,
  never: ReadonlySet<IpKey>,
): Promise<IpKey | undefined> => {
  if ((await findLastExpiry(ctx)) === '') return undefined
  // A network reserves at most two of its addresses.
  const [network = NO_KEY, broadcast = NO_KEY] = never
  const [row] = await firstExpired(ctx, { first, last, now: ctx.now, network, broadcast })
  return row?.ip_key
}

type ExpiredIn = Readonly<Record<'first' | 'last' | 'network' | 'broadcast', IpKey>> & { readonly now: string }

const firstExpired = prepared((db: Kysely<Tables>, { first, last, now, network, broadcast }: ExpiredIn) =>
  db
    .selectFrom('reservations')
    .select('ip_key')
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    // Few reservations are expired and not yet purged. Searching by expiry avoids reading the whole range.
    .where('ip_key', 'in', (eb) =>
      eb.selectFrom('reservations as expired').select('expired.ip_key').where('expired.expires_at', '<=', now),
    )
    .where(isUnused)
    .where('ip_key', 'not in', [network, broadcast])
    .orderBy('ip_key')
    .limit(1),
)

/** How many addresses in a range, except the addresses of `never`, only an expired reservation holds. */
export const countExpired = async (ctx: Ctx, { first, last }: KeyRange, never: ReadonlySet<IpKey>): Promise<number> => {
  const [network = NO_KEY, broadcast = NO_KEY] = never
  const [row] = await expiredCount(ctx, { first, last, now: ctx.now, network, broadcast })
  return Number(row?.n ?? 0)
}

const expiredCount = prepared((db: Kysely<Tables>, { first, last, now, network, broadcast }: ExpiredIn) =>
  db
    .selectFrom('reservations')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    // As above: few have expired.
    .where('expires_at', '<=', now)
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .where(isUnused)
    .where('ip_key', 'not in', [network, broadcast]),
)

/** Returns the addresses in a range that only an expired reservation holds, ascending. */
export const findExpiredKeys = async (ctx: Ctx, { first, last }: KeyRange): Promise<IpKey[]> => {
  const query = ctx.db.selectFrom('reservations').select('ip_key').where('expires_at', '<=', ctx.now)
  const found = query.where('ip_key', '>=', first).where('ip_key', '<=', last).where(isUnused).orderBy('ip_key')
  return (await found.execute()).map(({ ip_key }) => ip_key)
}

/** A range that belongs to an object. */
export type OwnedRange = KeyRange & { readonly id: string }

/** Counts device addresses in the ranges of each object; objects without any are missing. */
export const countUsedIn = async ({ db }: Ctx, ranges: readonly OwnedRange[]): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (const batch of splitBatches(ranges)) {
    const values = sql.join(batch.map(({ id, first, last }) => sql`(${id}, ${first}, ${last})`))
    const { rows } = await sql<{ id: string; n: number | string }>`
      WITH owned (id, first_key, last_key) AS (VALUES ${values})
      SELECT o.id, count(DISTINCT a.ip_key) AS n
      FROM owned AS o JOIN addresses AS a ON a.ip_key >= o.first_key AND a.ip_key <= o.last_key
      GROUP BY o.id`.execute(db)
    for (const { id, n } of rows) counts.set(id, (counts.get(id) ?? 0) + Number(n))
  }
  return counts
}

/** Counts device addresses in the range of each pool, or of one; pools without any are missing. */
export const countUsed = async (ctx: Ctx, poolId?: string): Promise<Map<string, number>> => {
  let query = ctx.db
    .selectFrom('pools')
    .innerJoin('addresses', (join) =>
      join.onRef('addresses.ip_key', '>=', 'pools.start_key').onRef('addresses.ip_key', '<=', 'pools.end_key'),
    )
    .select(({ fn }) => ['pools.id', fn.count<number | string>('addresses.ip_key').distinct().as('n')])
    .groupBy('pools.id')
  if (poolId !== undefined) query = query.where('pools.id', '=', poolId)
  const count = async () => new Map((await query.execute()).map(({ id, n }) => [id, Number(n)]))
  if (poolId !== undefined) return count()
  // The count over all pools reads every address, so it is cached.
  return getCachedCounts(ctx, 'addresses', `used ${await ctx.store.revision(['pools'])}`, count)
}

/** Returns the addresses that only an active reservation holds, everywhere or in a range; ascending. */
export const findReservedKeys = async (ctx: Ctx, range?: KeyRange): Promise<IpKey[]> => {
  let query = ctx.db
    .selectFrom('reservations')
    .select('ip_key')
    .where(isLive(ctx.now))
    .where(isUnused)
    .orderBy('ip_key')
  if (range) query = query.where('ip_key', '>=', range.first).where('ip_key', '<=', range.last)
  return (await query.execute()).map(({ ip_key }) => ip_key)
}

/** Returns the addresses of a list that a device has. */
export const filterUsed = async (ctx: Ctx, keys: readonly IpKey[]): Promise<Set<string>> => {
  const used = new Set<string>()
  for (const batch of splitBatches(keys)) {
    const rows = await ctx.db.selectFrom('addresses').select('ip_key').where('ip_key', 'in', batch).execute()
    for (const { ip_key } of rows) used.add(ip_key)
  }
  return used
}

/** Returns the devices of a list of ids that the context shows. */
export const findDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select('id').where('id', 'in', ids),
)
