/** The queries of ports; the only writer of their table. */
import { type Kysely, sql } from 'kysely'
import { type Refs, withRefs } from '../../platform/contract/external-fields.ts'
import { splitBatches } from '../../platform/db/batches.ts'
import { preparedKeys, preparedRows, preparedTuples } from '../../platform/db/query/prepared-lists.ts'
import { createObjectRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx } from '../ctx.ts'
import { recordCustom } from '../custom-fields/engine.ts'
import { formatCustom, withCustomOfRow } from '../custom-fields/rows.ts'
import type { Tables } from '../tables.ts'
import type { Port } from './api.ts'
import { sortKey } from './sort-key.ts'
import type { PortRow } from './table.ts'

/** A port without the other ends of its cables. */
export type StoredPort = Omit<Port, 'peers'>

export const columns = [
  'id',
  'device_id',
  'name',
  'kind',
  'type',
  'speed_mbps',
  'mac_address',
  'enabled',
  'parent_id',
  'pass_through',
  'vlan_id',
  'tagged_vlan_ids',
  'description',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
  'custom',
] as const
const ALL_COLUMNS = [...columns, 'name_key', 'sort_key'] as const
export type Row = Pick<PortRow, (typeof columns)[number]>

/** In the SQL of queries, so that the planner sees that an index has the rows. */
export const USUAL_KIND = sql.lit<'network'>('network')
export const NO_MAC = sql.lit('')

const ofPorts = createObjectRefs('ports', 'port', 'name')

const toRow = ({ refs, enabled, pass_through, tagged_vlan_ids, ...port }: StoredPort): PortRow => ({
  ...port,
  enabled: Number(enabled),
  pass_through: Number(pass_through),
  tagged_vlan_ids: JSON.stringify(tagged_vlan_ids),
  refs: JSON.stringify(refs),
  custom: formatCustom(port),
  name_key: port.name.toLowerCase(),
  sort_key: sortKey(port.name),
})

/** Returns the values beside a document from which a past state is read. */
export const computeDerived = ({ name }: Readonly<Record<string, unknown>>) => ({ sort: sortKey(String(name)) })

/** Returns the object of a row. */
export const fromRow = (row: Row): StoredPort & { refs: Refs } => ({
  ...withCustomOfRow(withRefs(row)),
  enabled: row.enabled === 1,
  pass_through: row.pass_through === 1,
  // Written by `toRow`.
  tagged_vlan_ids: JSON.parse(row.tagged_vlan_ids) as number[],
})

const rows = (ctx: Ctx) => ctx.db.selectFrom('ports').select(columns)

export const query = (ctx: Ctx) => rows(ctx).orderBy('device_id').orderBy('sort_key').orderBy('id')

const byIds = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('ports').select(columns).where('id', 'in', ids))

/** Returns the existing ports of those ids, by id. */
export const findAll = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, StoredPort>> =>
  new Map((await byIds(ctx, ids)).map((row) => [row.id, fromRow(row)]))

export const find = async (ctx: Ctx, id: string): Promise<StoredPort | undefined> => (await findAll(ctx, [id])).get(id)

/** Returns the existing ports of those ids, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await byIds(ctx, ids)).map((row) => [row.id, JSON.stringify(fromRow(row))]))

type NameKey = Pick<PortRow, 'device_id' | 'name_key'>

const byKeys = preparedTuples(['device_id', 'name_key'], (db: Kysely<Tables>, keys: NameKey[]) =>
  db
    .selectFrom('ports')
    .select(columns)
    .where((eb) => eb.or(keys.map((key) => eb.and(key)))),
)

/** The name of a port in its device. */
export type Place = { readonly device_id: string; readonly name: string }

/** Ports of one place are the same. No id contains a space. */
export const buildNaturalKey = ({ device_id, name }: Place): string => `${device_id} ${name.toLowerCase()}`

/** Returns the existing ports with these names, by `buildNaturalKey`. */
export const findByNames = async (ctx: Ctx, places: readonly Place[]): Promise<Map<string, StoredPort>> => {
  const keys = places.map(({ device_id, name }) => ({ device_id, name_key: name.toLowerCase() }))
  return new Map((await byKeys(ctx, keys)).map((row) => [buildNaturalKey(row), fromRow(row)]))
}

/** Returns the ids of the ports of these places, by `buildNaturalKey`. */
export const findIdsByKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> => {
  const places = keys.map((key) => {
    const at = key.indexOf(' ')
    return { device_id: key.slice(0, at), name: key.slice(at + 1) }
  })
  return new Map([...(await findByNames(ctx, places))].map(([key, { id }]) => [key, id]))
}

const ofDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('ports').select(columns).where('device_id', 'in', ids),
)

/** Returns the ports of these devices, by device and name. */
export const findOfDevices = async (ctx: Ctx, deviceIds: readonly string[]): Promise<StoredPort[]> => {
  const found = (await ofDevices(ctx, deviceIds)).map((row) => ({ port: fromRow(row), key: sortKey(row.name) }))
  const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
  found.sort((a, b) => order(a.port.device_id, b.port.device_id) || order(a.key, b.key) || order(a.port.id, b.port.id))
  return found.map(({ port }) => port)
}

/** Returns the devices that have the MAC at one of their ports: the first by id. */
export const findDeviceIdsByMac = async (
  { db }: Pick<Ctx, 'db'>,
  { mac, limit }: { readonly mac: string; readonly limit: number },
): Promise<string[]> => {
  const having = db.selectFrom('ports').select('device_id').distinct().where('mac_address', '=', mac)
  const rows = await having.where('mac_address', '<>', NO_MAC).orderBy('device_id').limit(limit).execute()
  return rows.map(({ device_id }) => device_id)
}

/** Returns the number of ports of a device. */
export const countPorts = async (ctx: Ctx, deviceId: string): Promise<number> => {
  const counted = ctx.db.selectFrom('ports').select(sql<number | string>`count(*)`.as('n'))
  return Number((await counted.where('device_id', '=', deviceId).executeTakeFirstOrThrow()).n)
}

/** Returns the ports that are parts of this one. */
export const findChildren = async (ctx: Ctx, id: string): Promise<StoredPort[]> =>
  (await rows(ctx).where('parent_id', '=', id).orderBy('id').execute()).map(fromRow)

/**
 * Locks the rows of the existing devices among those ids until commit, and returns their names. Each write of ports and of new cables
 * locks those of all its devices first.
 */
export const lockDevices = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>()
  for (const batch of splitBatches([...new Set(ids)].sort())) {
    const query = ctx.db.selectFrom('devices').select(['id', 'name']).where('id', 'in', batch).orderBy('id')
    for (const { id, name } of await ctx.store.sql.lockRows(query).execute()) names.set(id, name)
  }
  return names
}

/** Locks the refs of a new port until commit. @throws RefTakenError */
export const claimRefs = ofPorts.claim

const insertPortRows = preparedRows(ALL_COLUMNS, (db: Kysely<Tables>, all: PortRow[]) =>
  db.insertInto('ports').values(all),
)

export const insertRows = async (ctx: Ctx, ports: readonly StoredPort[]): Promise<void> => {
  await insertPortRows(ctx, ports.map(toRow))
  await ofPorts.insert(ctx, ports)
  await recordCustom(
    ctx,
    'ports',
    ports.map(({ id, custom }) => ({ id, after: custom })),
  )
  for (const port of ports) ctx.changed('port', { id: port.id, after: JSON.stringify(port) })
}

export const updateRow = async (ctx: Ctx, before: StoredPort, port: StoredPort): Promise<void> => {
  const { id } = port
  await ctx.db.updateTable('ports').set(toRow(port)).where('id', '=', id).execute()
  await ofPorts.update(ctx, before, port)
  await recordCustom(ctx, 'ports', [{ id, before: before.custom, after: port.custom }])
  ctx.changed('port', { id, before: JSON.stringify(before), after: JSON.stringify(port) })
}

/** Locks ports until commit. */
export const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<StoredPort[]> => {
  const some = rows(ctx).where('id', 'in', ids).orderBy('id')
  return (await ctx.store.sql.lockRows(some).execute()).map(fromRow)
}

/** Stores the values of custom fields alone, which is no change of the port. */
export const renameCustom = async (ctx: Ctx, port: StoredPort): Promise<void> => {
  await ctx.db
    .updateTable('ports')
    .set({ custom: formatCustom(port) })
    .where('id', '=', port.id)
    .execute()
}

export const removeAll = async (ctx: Ctx, ports: readonly StoredPort[]): Promise<void> => {
  for (const batch of splitBatches(ports.map(({ id }) => id)))
    await ctx.db.deleteFrom('ports').where('id', 'in', batch).execute()
  await ofPorts.remove(ctx, ports)
  await recordCustom(
    ctx,
    'ports',
    ports.map(({ id, custom }) => ({ id, before: custom })),
  )
  for (const port of ports) ctx.changed('port', { id: port.id, before: JSON.stringify(port) })
}
