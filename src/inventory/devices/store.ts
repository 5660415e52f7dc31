/** The queries of devices. */

import type { Kysely } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { getCachedText } from '../../database/cache/query-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { toNameKey } from '../../net/name-order.ts'
import { deviceStore } from './row-store.ts'
import type { Device } from './schema.ts'

/** Returns one device as the JSON text that is sent. */
export const findDoc = async (ctx: Ctx, id: string): Promise<string | undefined> => {
  return getCachedText(ctx, 'devices', id, async () => (await docsById(ctx, { id }))[0]?.doc)
}

const docsById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db.selectFrom('devices').select('doc').where('id', '=', id),
)

/** As `findDoc`, and locks the row until commit. */
export const lockDoc = async (ctx: Ctx, id: string): Promise<string | undefined> =>
  (await ctx.store.sql.lockRows(ctx.db.selectFrom('devices').select('doc').where('id', '=', id)).executeTakeFirst())
    ?.doc

/** As `lockDoc`, for several; returns the documents by id. */
export const lockDocs = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const docs = new Map<string, string>()
  for (const batch of splitBatches(ids)) {
    const query = ctx.db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', batch).orderBy('id')
    for (const { id, doc } of await ctx.store.sql.lockRows(query).execute()) docs.set(id, doc)
  }
  return docs
}

export const hasId = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await ctx.db.selectFrom('devices').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

export const filterExistingIds = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await idsAmong(ctx, ids)
  return new Set(rows.map(({ id }) => id))
}

const idsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('devices').select('id').where('id', 'in', ids))

export const findIdsByName = async (ctx: Ctx, names: readonly string[]): Promise<Map<string, string[]>> => {
  const ids = new Map<string, string[]>()
  const keys = new Set(names.map((name) => toNameKey(name.trim())))
  for (const batch of splitBatches([...keys])) {
    const rows = await ctx.db.selectFrom('devices').select(['id', 'name_key']).where('name_key', 'in', batch).execute()
    for (const { id, name_key } of rows) ids.set(name_key, [...(ids.get(name_key) ?? []), id])
  }
  return ids
}

/** Returns the existing devices of those ids, as JSON text by id. */
export const findDocs = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await docsByIds(ctx, ids)
  return new Map(rows.map(({ id, doc }) => [id, doc]))
}

/** Returns the names of the existing devices of the given ids, by id. */
export const findNames = async ({ db }: DbScope, ids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>()
  for (const batch of splitBatches(ids)) {
    const rows = await db.selectFrom('devices').select(['id', 'name']).where('id', 'in', batch).execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}

const docsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', ids),
)

/** The number of devices that are rewritten before the event loop runs again; each takes a quarter of a millisecond. */
const REWRITTEN_AT_ONCE = 50

/** Locks devices in portions, changes each portion, and stores it by `write`. */
const rewriteBatches = async (
  ctx: Ctx,
  ids: readonly string[],
  write: (all: readonly Device[]) => Promise<void>,
): Promise<void> => {
  for (const batch of splitBatches(ids, REWRITTEN_AT_ONCE)) {
    await write(await deviceStore.lockAll(ctx, batch))
    await pause()
  }
}

/**
 * Rewrites devices that lose a reference or whose addresses have lost or changed a place. A device that `change` returns as it is
 * stays unchanged.
 */
export const rewrite = (ctx: Ctx, ids: readonly string[], change: (device: Device) => Device): Promise<void> =>
  rewriteBatches(ctx, ids, (all) => {
    const writes = all.flatMap((before) => {
      const after = change(before)
      return after === before ? [] : [{ before, after: { ...after, updated_at: ctx.now } }]
    })
    return deviceStore.write(ctx, writes)
  })

/** Rewrites the values of custom fields of devices. @param isChange true if their history records it */
export const rewriteValues = (
  ctx: Ctx,
  ids: readonly string[],
  { change, isChange }: { readonly change: (device: Device) => Device; readonly isChange: boolean },
): Promise<void> =>
  isChange
    ? rewriteBatches(ctx, ids, (all) =>
        deviceStore.write(
          ctx,
          all.map((before) => ({ before, after: { ...change(before), updated_at: ctx.now } })),
        ),
      )
    : rewriteBatches(ctx, ids, (all) => deviceStore.writeSilently(ctx, all.map(change)))

export const findIdsInDatacenter = async (ctx: Ctx, datacenterId: string): Promise<string[]> =>
  (await ctx.db.selectFrom('devices').select('id').where('datacenter_id', '=', datacenterId).execute()).map(
    ({ id }) => id,
  )

/** Returns the devices in a rack, or of a device type. */
export const findIdsByColumn = async (ctx: Ctx, column: 'rack_id' | 'device_type_id', id: string): Promise<string[]> =>
  (await ctx.db.selectFrom('devices').select('id').where(column, '=', id).execute()).map((row) => row.id)

/** Returns the devices with an address that names one of these pools or this network. */
export const findIdsReferringTo = async (
  ctx: Ctx,
  to: { poolIds: readonly string[] } | { networkId: string },
): Promise<string[]> => {
  const query = ctx.db.selectFrom('addresses').select('device_id').distinct()
  const rows = await ('networkId' in to
    ? query.where('network_id', '=', to.networkId)
    : query.where('pool_id', 'in', to.poolIds)
  ).execute()
  return rows.map(({ device_id }) => device_id)
}

type Bounds = {
  readonly column: 'network_id' | 'pool_id'
  readonly id: string
  readonly first: IpKey
  readonly last: IpKey
  /** Devices that are passed over. */
  readonly except: ReadonlySet<string>
}

/** Returns the first address, by key, that names the network or pool and is outside the range. */
export const findFirstOutside = async (ctx: Ctx, of: Bounds) => {
  const query = ctx.db
    .selectFrom('addresses')
    .select(['device_id', 'ip', 'ip_key'])
    .where(of.column, '=', of.id)
    .where((eb) => eb.or([eb('ip_key', '<', of.first), eb('ip_key', '>', of.last)]))
    .orderBy('ip_key')
  if (of.except.size === 0) return query.limit(1).executeTakeFirst()
  return (await query.execute()).find(({ device_id }) => !of.except.has(device_id))
}

/** Returns the pool addresses (`pool_id` and key) that another device has, with that device. */
export const findTakenInPools = async (
  ctx: Ctx,
  wanted: readonly { readonly pool_id: string; readonly ip_key: IpKey; readonly device_id: string }[],
): Promise<{ pool_id: string; ip_key: IpKey; device_id: string }[]> => {
  const taken: { pool_id: string; ip_key: IpKey; device_id: string }[] = []
  for (const batch of splitBatches(wanted)) {
    const rows = await holders(
      ctx,
      batch.map(({ ip_key }) => ip_key),
    )
    for (const { pool_id, ip_key, device_id } of rows)
      if (batch.some((one) => one.pool_id === pool_id && one.ip_key === ip_key && one.device_id !== device_id))
        taken.push({ pool_id: pool_id ?? '', ip_key, device_id })
  }
  return taken
}

/** Returns the devices with one of the addresses. */
export const findHolders = (ctx: Ctx, keys: readonly IpKey[]) => holders(ctx, keys)

// Searches by address alone, which an index serves. Pairs of pool and address would need as many look-ups.
const holders = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db.selectFrom('addresses').select(['pool_id', 'ip', 'ip_key', 'device_id']).where('ip_key', 'in', keys),
)
