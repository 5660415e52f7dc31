/** The queries of reservations. */
import { expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { objectStore } from '../../resource/store.ts'
import { buildMovedKey, type Moved } from '../spaces/keys.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import type { Reservation } from './api.ts'
import { reservationFacts } from './resource.ts'

export const store = objectStore<typeof reservationFacts, Reservation>(reservationFacts, {
  columns: ['ip_key'],
  lastFields: ['mac_address'],
})

const build = expressionBuilder<Tables, 'reservations'>()

/** Matches a reservation that still holds its address. */
export const isLive = (now: string) => sql<SqlBool>`(expires_at IS NULL OR expires_at > ${now})`

const selectLive = (ctx: Ctx) => store.rows(ctx).where(isLive(ctx.now))

/** Returns the active reservations in the order of lists. */
export const selectListed = (ctx: Ctx) => selectLive(ctx).orderBy('created_at', 'desc').orderBy('ip_key')

const fromFound = (row: object | undefined): Reservation | undefined => row && store.fromRow(row)

export const find = async (ctx: Ctx, id: string): Promise<Reservation | undefined> =>
  fromFound(await selectLive(ctx).where('id', '=', id).executeTakeFirst())

/** Finds a reservation, and locks its row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Reservation | undefined> =>
  fromFound(await ctx.store.sql.lockRows(selectLive(ctx).where('id', '=', id)).executeTakeFirst())

/** Returns the storage key of the address of a reservation. */
export const findKey = async (ctx: Ctx, id: string): Promise<IpKey | undefined> =>
  (await ctx.db.selectFrom('reservations').select('ip_key').where('id', '=', id).executeTakeFirst())?.ip_key

/** Returns the active reservation of an address, in any pool. */
export const findByKey = async (ctx: Ctx, key: IpKey): Promise<Reservation | undefined> =>
  fromFound(await selectLive(ctx).where('ip_key', '=', key).executeTakeFirst())

/** Deletes reservations by the keys of their addresses, which are unique. */
export const removeKeys = async (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => {
  for (const batch of splitBatches(keys)) await store.deleteWhere(ctx, build('ip_key', 'in', batch))
}

/** Deletes like `removeKeys`, but only expired reservations. */
export const removeExpired = async (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => {
  for (const batch of splitBatches(keys))
    await store.deleteWhere(ctx, build.and([build('ip_key', 'in', batch), build('expires_at', '<=', ctx.now)]))
}

export const findKeysInPools = async (ctx: Ctx, poolIds: readonly string[]): Promise<IpKey[]> =>
  (await ctx.db.selectFrom('reservations').select('ip_key').where('pool_id', 'in', poolIds).execute()).map(
    ({ ip_key }) => ip_key,
  )

/** Counts the active reservations of some pools. */
export const countLive = async (ctx: Ctx, poolIds: readonly string[]): Promise<number> => {
  let count = 0
  for (const batch of splitBatches(poolIds)) {
    const query = ctx.db.selectFrom('reservations').select(({ fn }) => fn.countAll<number | string>().as('n'))
    count += Number((await query.where('pool_id', 'in', batch).where(isLive(ctx.now)).executeTakeFirstOrThrow()).n)
  }
  return count
}

const isInNetwork = (networkId: string) =>
  build('pool_id', 'in', build.selectFrom('pools').select('id').where('network_id', '=', networkId))

/** Returns the keys of the reservations in the pools of a network. */
export const findKeysInNetwork = async (ctx: Ctx, networkId: string): Promise<IpKey[]> =>
  (await ctx.db.selectFrom('reservations').select('ip_key').where(isInNetwork(networkId)).execute()).map(
    ({ ip_key }) => ip_key,
  )

/** Moves the reservations in the pools of a network to another space. */
export const moveToSpace = (ctx: Ctx, networkId: string, spaces: Moved): Promise<void> =>
  store.setColumns(ctx, { ip_key: buildMovedKey('ip_key', spaces) }, isInNetwork(networkId))

/** Returns the first of the addresses that is reserved. */
export const findFirstReserved = async (ctx: Ctx, keys: readonly IpKey[]): Promise<string | undefined> => {
  const [first] = (await reservedAmong(ctx, keys)).map(({ ip_address }) => ip_address).sort()
  return first
}

const reservedAmong = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db.selectFrom('reservations').select('ip_address').where('ip_key', 'in', keys),
)

/** Returns the earliest expiry of all reservations; null if none expires. */
export const findFirstExpiry = async (ctx: Ctx): Promise<string | null> => (await minExpiry(ctx, {}))[0]?.at ?? null

const minExpiry = prepared((db: Kysely<Tables>) =>
  db.selectFrom('reservations').select(({ fn }) => fn.min('expires_at').as('at')),
)

/** Returns the addresses of expired reservations, in a range or anywhere. */
export const findExpiredKeys = async (ctx: Ctx, range?: KeyRange): Promise<IpKey[]> => {
  const expired = ctx.db.selectFrom('reservations').select('ip_key').where('expires_at', '<=', ctx.now)
  // Few reservations are expired and not yet purged. Searching by expiry avoids reading the whole range.
  const wanted = range
    ? ctx.db
        .selectFrom('reservations')
        .select('ip_key')
        .where('ip_key', 'in', expired)
        .where('ip_key', '>=', range.first)
        .where('ip_key', '<=', range.last)
    : expired
  return (await wanted.execute()).map(({ ip_key }) => ip_key)
}

/** Returns the active reservation of the pool with the lowest key outside of a range. */
export const findFirstOutside = (ctx: Ctx, poolId: string, { first, last }: KeyRange) =>
  ctx.db
    .selectFrom('reservations')
    .select(['ip_address', 'ip_key'])
    .where('pool_id', '=', poolId)
    .where(isLive(ctx.now))
    .where((eb) => eb.or([eb('ip_key', '<', first), eb('ip_key', '>', last)]))
    .orderBy('ip_key')
    .limit(1)
    .executeTakeFirst()
