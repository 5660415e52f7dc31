/** Documented devices by address, their locks and relationships. The only writer of the locks. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Address, Device } from '../../inventory/devices/schema.ts'
import { findSpaceKeys } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey, SpaceKey } from '../../net/ip.ts'
import { recordDocuments } from '../../resource/record.ts'
import type { FieldLock, LockableField } from '../schema.ts'

const membersByAddress = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db
    .selectFrom('addresses')
    .innerJoin('network_addresses', (join) =>
      join
        .onRef('network_addresses.device_id', '=', 'addresses.device_id')
        .onRef('network_addresses.ip_key', '=', 'addresses.ip_key'),
    )
    .select(['network_addresses.network_id', 'addresses.ip_key', 'addresses.device_id'])
    .where('addresses.ip_key', 'in', keys),
)

/** Returns the documented device at each address of a network, by the key of the address; of several the first by id. */
export const findDevicesAt = async (
  ctx: Ctx,
  networkId: string,
  ipKeys: readonly IpKey[],
  except?: ReadonlySet<string>,
): Promise<Map<IpKey, string>> => {
  const found = new Map<IpKey, string>()
  for (const { network_id, ip_key, device_id } of await membersByAddress(ctx, ipKeys)) {
    if (network_id !== networkId || except?.has(device_id)) continue
    const known = found.get(ip_key)
    if (known === undefined || device_id < known) found.set(ip_key, device_id)
  }
  return found
}

const docsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', ids),
)

export const findDevicesByIds = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, Device>> =>
  // The stored document is a device.
  new Map((await docsByIds(ctx, ids)).map(({ id, doc }) => [id, JSON.parse(doc) as Device]))

/** Returns a test for the addresses of these devices that are in a space. */
export const loadSpaceFilter = async (
  ctx: Ctx,
  space: SpaceKey,
  devices: Iterable<Device>,
): Promise<(address: Address) => boolean> => {
  const getSpaceKey = await findSpaceKeys(
    ctx,
    [...devices].flatMap(({ addresses }) => addresses),
  )
  return (address) => getSpaceKey(address) === space
}

const locksByDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovery_locks').select(['device_id', 'field']).where('device_id', 'in', ids),
)

export const findLocks = async (ctx: Ctx, deviceIds: readonly string[]): Promise<Map<string, Set<string>>> => {
  const rows = Map.groupBy(await locksByDevices(ctx, deviceIds), ({ device_id }) => device_id)
  return new Map([...rows].map(([id, all]) => [id, new Set(all.map(({ field }) => field))]))
}

/** Finds the devices that one is connected to, whichever of the two is the parent. */
export const findConnectedIds = async (ctx: Ctx, deviceId: string): Promise<Set<string>> => {
  const rows = await ctx.db
    .selectFrom('relationships')
    .select(['parent_id', 'child_id'])
    .where('type', '=', 'connected_to')
    .where((eb) => eb.or([eb('parent_id', '=', deviceId), eb('child_id', '=', deviceId)]))
    .execute()
  return new Set(rows.map(({ parent_id, child_id }) => (parent_id === deviceId ? child_id : parent_id)))
}

/** Finds the discovered devices that a change of documented ones concerns: matched with them by now, or at their addresses. */
export const findDiscovered = async (ctx: Ctx, deviceIds: readonly string[]): Promise<string[]> => {
  const found = await Promise.all([matchedWith(ctx, deviceIds), findAtAddresses(ctx, deviceIds)])
  return [...new Set(found.flat().map(({ id }) => id))]
}

/** Finds the discovered devices at the addresses of documented ones. */
export const findDiscoveredAt = async (ctx: Ctx, deviceIds: readonly string[]): Promise<string[]> => [
  ...new Set((await findAtAddresses(ctx, deviceIds)).map(({ id }) => id)),
]

/** Finds the documented devices with an address in a network. */
export const findDeviceIdsIn = async (ctx: Ctx, networkId: string): Promise<string[]> => {
  const all = ctx.db.selectFrom('network_addresses').select('device_id').distinct()
  return (await all.where('network_id', '=', networkId).execute()).map(({ device_id }) => device_id)
}

const matchedWith = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select('id').where('matched_device_id', 'in', ids),
)
const findAtAddresses = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('network_addresses')
    .innerJoin('discovered_addresses', (join) =>
      join.on(
        'discovered_addresses.place',
        '=',
        sql<string>`network_addresses.network_id || ' ' || network_addresses.ip_key`,
      ),
    )
    .select('discovered_addresses.device_id as id')
    .where('network_addresses.device_id', 'in', ids),
)

const lockColumns = ['device_id', 'field', 'created_by', 'created_at'] as const

/** Newest first. */
export const lockQuery = (ctx: Ctx) =>
  ctx.db
    .selectFrom('discovery_locks')
    .select(lockColumns)
    .orderBy('created_at', 'desc')
    .orderBy('device_id')
    .orderBy('field')

export const insertLock = async (ctx: Ctx, lock: FieldLock): Promise<void> => {
  await ctx.db.insertInto('discovery_locks').values(lock).execute()
  recordDocuments(ctx, 'discovery-lock', [{ id: buildLockId(lock), after: lockDocument(lock) }])
}

/** Returns the id of a lock in the history. No id contains a space. */
const buildLockId = ({ device_id, field }: Pick<FieldLock, 'device_id' | 'field'>): string => `${device_id} ${field}`

const lockDocument = ({ device_id, field }: Pick<FieldLock, 'device_id' | 'field'>): string =>
  JSON.stringify({ device_id, field })

/** Returns the existing locks of these ids in the history, as JSON text by id. */
export const lockDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await locksByDevices(ctx, [...new Set(ids.map((id) => id.slice(0, id.indexOf(' '))))])
  const wanted = new Set(ids)
  return new Map(rows.map((lock) => [buildLockId(lock), lockDocument(lock)] as const).filter(([id]) => wanted.has(id)))
}

export const findLock = (ctx: Ctx, deviceId: string, field: string): Promise<FieldLock | undefined> =>
  ctx.db
    .selectFrom('discovery_locks')
    .select(lockColumns)
    .where('device_id', '=', deviceId)
    // A text that names no field locks nothing.
    .where('field', '=', field as LockableField)
    .executeTakeFirst()

export const removeLock = async (ctx: Ctx, { device_id, field }: FieldLock): Promise<void> => {
  await ctx.db.deleteFrom('discovery_locks').where('device_id', '=', device_id).where('field', '=', field).execute()
  lockRemoved(ctx, { device_id, field })
}

const lockRemoved = (ctx: Ctx, lock: Pick<FieldLock, 'device_id' | 'field'>): void =>
  recordDocuments(ctx, 'discovery-lock', [{ id: buildLockId(lock), before: lockDocument(lock) }])

export const removeLocksByDevices = async (ctx: Ctx, deviceIds: readonly string[]): Promise<void> => {
  const query = ctx.db.deleteFrom('discovery_locks').where('device_id', 'in', deviceIds)
  for (const lock of await query.returning(['device_id', 'field']).execute()) lockRemoved(ctx, lock)
}
