/** The queries of ports. */

import { type Kysely, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedKeys, preparedTuples } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { sortByName, toNameKey, toSortKey } from '../../net/name-order.ts'
import { objectStore } from '../../resource/store.ts'
import type { Port } from './api.ts'
import { portFacts } from './resource.ts'
import type { PortRow } from './table.ts'

/** A port without the other ends of its cables. */
export type StoredPort = Omit<Port, 'peers'>

export const store = objectStore<typeof portFacts, StoredPort>(portFacts)
export const { find, findAll, write } = store
const { rows, fromRow } = store

/** In the SQL of queries, so that the planner sees that an index has the rows. */
export const USUAL_KIND = sql.lit<'network'>('network')
export const NO_MAC = sql.lit('')

/** Returns the values beside a document from which programs before 0074 read a past state. */
export const computeDerived = ({ name }: Readonly<Record<string, unknown>>) => ({
  sort: toSortKey(String(name)),
})

type NameKey = Pick<PortRow, 'device_id' | 'name_key'>

const byKeys = preparedTuples(['device_id', 'name_key'], (db: Kysely<Tables>, keys: NameKey[]) =>
  rows({ db }).where((eb) => eb.or(keys.map((key) => eb.and(key)))),
)

/** The name of a port in its device. */
export type Place = { readonly device_id: string; readonly name: string }

/** Ports of one place are the same. No id contains a space. */
export const buildNaturalKey = ({ device_id, name }: Place): string => `${device_id} ${toNameKey(name)}`

/** Returns the existing ports with these names, by `buildNaturalKey`. */
export const findByNames = async (ctx: Ctx, places: readonly Place[]): Promise<Map<string, StoredPort>> => {
  const keys = places.map(({ device_id, name }) => ({ device_id, name_key: toNameKey(name) }))
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

const ofDevices = preparedKeys((db: Kysely<Tables>, ids) => rows({ db }).where('device_id', 'in', ids))

/** Returns the ports of these devices, by device and name. */
export const findOfDevices = async (ctx: Ctx, deviceIds: readonly string[]): Promise<StoredPort[]> => {
  const found = (await ofDevices(ctx, deviceIds)).map(fromRow)
  const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
  found.sort((a, b) => order(a.device_id, b.device_id) || order(a.id, b.id))
  const byDevice = Map.groupBy(found, ({ device_id }) => device_id)
  return [...byDevice.values()].flatMap((ports) => sortByName(ports, ({ name }) => name))
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
 * Locks the rows of the existing devices among the ids until commit, and returns their names. Each write of ports and of new cables
 * locks the rows of all its devices first.
 */
export const lockDevices = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>()
  for (const batch of splitBatches([...new Set(ids)].sort())) {
    const query = ctx.db.selectFrom('devices').select(['id', 'name']).where('id', 'in', batch).orderBy('id')
    for (const { id, name } of await ctx.store.sql.lockRows(query).execute()) names.set(id, name)
  }
  return names
}
