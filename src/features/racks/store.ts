/** The queries of racks; the only writer of their table. Which devices a rack has stands in the devices. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import type { Ctx, DbScope } from '../ctx.ts'
import type { Device } from '../devices/schema.ts'
import { createNamedStore } from '../named-store.ts'
import type { Tables } from '../tables.ts'
import { Rack } from './api.ts'
import type { Mount } from './mount.ts'

const own = createNamedStore('racks', Rack)
export const { claimRefs, query, objectOf, find, lock, lockAll, lockCustom, insert, update, renameCustom, remove } = own

/** Writers of the places in these racks wait for each other until commit. Called before rows are locked. */
export const lockPositions = (ctx: Ctx, ids: readonly string[]): Promise<void> =>
  ids.length === 0
    ? Promise.resolve()
    : ctx.store.sql.lockNames(
        ctx.db,
        [...new Set(ids)].map((id) => `rack ${id}`),
      )

/** Returns the existing racks of those ids, by id. */
export const findRacks = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, Rack>> => {
  const found = ids.length === 0 ? new Map<string, string>() : await own.documents(ctx, [...new Set(ids)])
  // As `documents` writes them.
  return new Map([...found].map(([id, document]) => [id, JSON.parse(document) as Rack]))
}

/** Returns the existing ids. */
export const filterExistingIds = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await idsAmong(ctx, ids)
  return new Set(rows.map(({ id }) => id))
}

const idsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('racks').select('id').where('id', 'in', ids))

export type MountedIn = Device & { readonly mount: Mount }

/** Returns the devices in these racks, by name. */
export const findMountedIn = async ({ db }: DbScope, ids: readonly string[]): Promise<MountedIn[]> => {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('devices').select('doc').where('rack_id', 'in', ids).orderBy('name_key').execute()
  // The column holds the JSON of a device, which has a place where it has a rack.
  return rows.map(({ doc }) => JSON.parse(doc) as MountedIn)
}

/** Returns the devices in any rack. */
export const findAllMounted = async ({ db }: DbScope): Promise<MountedIn[]> => {
  const rows = await db.selectFrom('devices').select('doc').where('rack_id', 'is not', null).execute()
  // As above.
  return rows.map(({ doc }) => JSON.parse(doc) as MountedIn)
}

/** Matches racks: the type of their queries does not know their own columns. */
export const matchDatacenter = (id: string) => sql<SqlBool>`datacenter_id = ${id}`

/** Locks the racks of a datacenter until commit. */
export const lockOfDatacenter = async (ctx: Ctx, datacenterId: string): Promise<Rack[]> => {
  const of = query(ctx).where(matchDatacenter(datacenterId))
  return (await ctx.store.sql.lockRows(of).execute()).map((row) => objectOf(row))
}
