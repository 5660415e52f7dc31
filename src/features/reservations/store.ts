/** The queries of reservations; the only writer of their table. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { type IpKey, parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import { type Refs, withRefs } from '../../platform/contract/external-fields.ts'
import { filterGivenTexts } from '../../platform/contract/fields.ts'
import { splitBatches } from '../../platform/db/batches.ts'
import { prepared } from '../../platform/db/query/prepared.ts'
import { preparedKeys, preparedRows } from '../../platform/db/query/prepared-lists.ts'
import { createObjectRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx } from '../ctx.ts'
import { recordCustom } from '../custom-fields/engine.ts'
import { formatCustom, withCustomOfRow } from '../custom-fields/rows.ts'
import { buildMovedKey, type Moved } from '../spaces/keys.ts'
import type { Tables } from '../tables.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import type { Reservation } from './api.ts'
import type { ReservationRow } from './table.ts'

export const columns = [
  'id',
  'pool_id',
  'ip_address',
  'hostname',
  'mac_address',
  'purpose',
  'notes',
  'expires_at',
  'created_by',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
  'custom',
] as const

/** Matches a reservation that still holds its address. */
export const isLive = (now: string) => sql<SqlBool>`(expires_at IS NULL OR expires_at > ${now})`

export const query = (ctx: Ctx) =>
  ctx.db
    .selectFrom('reservations')
    .select(columns)
    .where(isLive(ctx.now))
    .orderBy('created_at', 'desc')
    .orderBy('ip_key')

const selectById = (ctx: Ctx, id: string) =>
  ctx.db.selectFrom('reservations').select(columns).where('id', '=', id).where(isLive(ctx.now))

type Row = Omit<ReservationRow, 'ip_key'>

/** Returns the object of a row. */
export const fromRow = ({ mac_address, ...row }: Row): Reservation => {
  const { custom, ...fields } = withCustomOfRow(withRefs(row))
  return { ...fields, ...filterGivenTexts({ mac_address }), ...(custom && { custom }) }
}

const found = (row: Row | undefined): Reservation | undefined => row && fromRow(row)

export const find = async (ctx: Ctx, id: string): Promise<Reservation | undefined> =>
  found(await selectById(ctx, id).executeTakeFirst())

/** As `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Reservation | undefined> =>
  found(await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst())

/** Returns the storage key of the address of a reservation. */
export const findKey = async (ctx: Ctx, id: string): Promise<IpKey | undefined> =>
  (await ctx.db.selectFrom('reservations').select('ip_key').where('id', '=', id).executeTakeFirst())?.ip_key

/** Returns the active reservation of an address, in any pool. */
export const findByKey = async (ctx: Ctx, key: IpKey): Promise<Reservation | undefined> => {
  const all = ctx.db.selectFrom('reservations').select(columns)
  return found(await all.where('ip_key', '=', key).where(isLive(ctx.now)).executeTakeFirst())
}

const refs = createObjectRefs('reservations', 'reservation', 'ip_address')

const toRow = (reservation: Reservation): Row => ({
  ...reservation,
  mac_address: reservation.mac_address ?? '',
  refs: JSON.stringify(reservation.refs),
  custom: formatCustom(reservation),
})

const insertRows = preparedRows([...columns, 'ip_key'], (db: Kysely<Tables>, rows: ReservationRow[]) =>
  db.insertInto('reservations').values(rows),
)

/** Locks the refs of a new reservation. @throws RefTakenError */
export const claimRefs = (ctx: Ctx, claimed: Refs): Promise<void> => refs.claim(ctx, claimed)

/** @param space of the network of their pool */
export const insert = async (ctx: Ctx, reservations: readonly Reservation[], space: SpaceKey): Promise<void> => {
  const rows = reservations.map((reservation) => ({
    ...toRow(reservation),
    ip_key: parseIpKeyOrThrow(reservation.ip_address, space),
  }))
  await insertRows(ctx, rows)
  await refs.insert(ctx, reservations)
  await recordCustom(
    ctx,
    'addresses',
    reservations.map(({ id, custom }) => ({ id, after: custom })),
  )
  for (const one of reservations) ctx.changed('reservation', { id: one.id, after: JSON.stringify(one) })
}

export const updateRow = async (ctx: Ctx, before: Reservation, reservation: Reservation): Promise<void> => {
  const { id, ...fields } = toRow(reservation)
  await ctx.db.updateTable('reservations').set(fields).where('id', '=', id).execute()
  await refs.update(ctx, before, reservation)
  await recordCustom(ctx, 'addresses', [{ id, before: before.custom, after: reservation.custom }])
  ctx.changed('reservation', { id, before: JSON.stringify(before), after: JSON.stringify(reservation) })
}

/** Locks reservations until commit. */
export const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<Reservation[]> => {
  const some = ctx.db.selectFrom('reservations').select(columns).where('id', 'in', ids).orderBy('id')
  return (await ctx.store.sql.lockRows(some).execute()).map(fromRow)
}

/** Stores the values of custom fields alone, which is no change of the reservation. */
export const renameCustom = async (ctx: Ctx, reservation: Reservation): Promise<void> => {
  const set = { custom: formatCustom(reservation) }
  await ctx.db.updateTable('reservations').set(set).where('id', '=', reservation.id).execute()
}

const recordRemoved = async (ctx: Ctx, rows: readonly Row[]): Promise<void> => {
  const reservations = rows.map(fromRow)
  await refs.remove(ctx, reservations)
  await recordCustom(
    ctx,
    'addresses',
    reservations.map(({ id, custom }) => ({ id, before: custom })),
  )
  for (const one of reservations) ctx.changed('reservation', { id: one.id, before: JSON.stringify(one) })
}

/** Deletes reservations by the keys of their addresses, which are unique. */
export const removeKeys = async (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => {
  for (const batch of splitBatches(keys))
    await recordRemoved(
      ctx,
      await ctx.db.deleteFrom('reservations').where('ip_key', 'in', batch).returning(columns).execute(),
    )
}

/** As `removeKeys`, for expired reservations only. */
export const removeExpired = async (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => {
  for (const batch of splitBatches(keys)) {
    const expired = ctx.db.deleteFrom('reservations').where('ip_key', 'in', batch).where('expires_at', '<=', ctx.now)
    await recordRemoved(ctx, await expired.returning(columns).execute())
  }
}

/** Returns the stored reservations of those ids, expired ones as well, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await byIds(ctx, ids)
  return new Map(rows.map((row) => [row.id, JSON.stringify(fromRow(row))]))
}

const byIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('reservations').select(columns).where('id', 'in', ids),
)

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

/** Returns the keys of the reservations in the pools of a network. */
export const findKeysInNetwork = async (ctx: Ctx, networkId: string): Promise<IpKey[]> =>
  (
    await ctx.db
      .selectFrom('reservations')
      .select('ip_key')
      .where('pool_id', 'in', (eb) => eb.selectFrom('pools').select('id').where('network_id', '=', networkId))
      .execute()
  ).map(({ ip_key }) => ip_key)

/** Moves the reservations in the pools of a network to another space. */
export const moveToSpace = async (ctx: Ctx, networkId: string, spaces: Moved): Promise<void> => {
  await ctx.db
    .updateTable('reservations')
    .set({ ip_key: buildMovedKey('ip_key', spaces) })
    .where('pool_id', 'in', (eb) => eb.selectFrom('pools').select('id').where('network_id', '=', networkId))
    .execute()
}

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
