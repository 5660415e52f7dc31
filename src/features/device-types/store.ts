/** The queries of device types; the only writer of their table. */
import type { Kysely } from 'kysely'
import { type Refs, withRefs } from '../../platform/contract/external-fields.ts'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import { createObjectRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import type { DeviceType, TypePort } from './api.ts'
import type { DeviceTypeRow } from './table.ts'

const columns = [
  'id',
  'name',
  'manufacturer',
  'model',
  'slug',
  'part_number',
  'height',
  'full_depth',
  'power_w',
  'description',
  'ports',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
] as const

type Row = Pick<DeviceTypeRow, (typeof columns)[number]>

const ofTypes = createObjectRefs('device-types', 'device-type', 'name')

/** @example buildNaturalKey({ manufacturer: 'Cisco', model: 'C9300' }) // 'cisco\nc9300' */
export const buildNaturalKey = ({ manufacturer, model }: Pick<DeviceType, 'manufacturer' | 'model'>): string =>
  `${manufacturer}\n${model}`.toLowerCase()

const toRow = ({ refs, ports, full_depth, ...type }: DeviceType): DeviceTypeRow => ({
  ...type,
  full_depth: Number(full_depth),
  ports: JSON.stringify(ports),
  refs: JSON.stringify(refs),
  name_key: type.name.toLowerCase(),
  natural_key: buildNaturalKey(type),
})

/** Returns the object of a row. */
export const fromRow = (row: Row): DeviceType & { refs: Refs } => ({
  ...withRefs(row),
  full_depth: row.full_depth === 1,
  // As `toRow` writes them.
  ports: JSON.parse(row.ports) as TypePort[],
})

const rows = (ctx: Ctx) => ctx.db.selectFrom('device_types').select(columns)

export const query = (ctx: Ctx) => rows(ctx).orderBy('name_key').orderBy('id')

const found = (row: Row | undefined): DeviceType | undefined => row && fromRow(row)

export const find = async (ctx: Ctx, id: string): Promise<DeviceType | undefined> =>
  found(await rows(ctx).where('id', '=', id).executeTakeFirst())

/** As `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<DeviceType | undefined> =>
  found(await ctx.store.sql.lockRows(rows(ctx).where('id', '=', id)).executeTakeFirst())

const idsAmong = preparedKeys((db: Kysely<Tables>, keys) =>
  db.selectFrom('device_types').select(['id', 'natural_key']).where('natural_key', 'in', keys),
)

/** Returns the ids of the device types with these natural keys, by key. */
export const findIdsByKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> =>
  new Map((await idsAmong(ctx, keys)).map(({ id, natural_key }) => [natural_key, id]))

/** Writers of these natural keys wait for each other until commit. */
export const lockKeys = (ctx: Ctx, keys: readonly string[]): Promise<void> =>
  ctx.store.sql.lockNames(
    ctx.db,
    [...new Set(keys)].map((key) => `device type ${key}`),
  )

const byIdRows = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('device_types').select(columns).where('id', 'in', ids),
)

/** Returns the existing device types of those ids, by id. */
export const findByIds = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, DeviceType>> => {
  if (ids.length === 0) return new Map()
  return new Map((await byIdRows(ctx, [...new Set(ids)])).map((row) => [row.id, fromRow(row)]))
}

/** Returns the existing device types of those ids, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map([...(await findByIds(ctx, ids))].map(([id, type]) => [id, JSON.stringify(type)]))

/** Locks the refs of a new device type until commit. @throws RefTakenError */
export const claimRefs = ofTypes.claim

export const insert = async (ctx: Ctx, type: DeviceType): Promise<void> => {
  await ctx.db.insertInto('device_types').values(toRow(type)).execute()
  await ofTypes.insert(ctx, [type])
  ctx.changed('device-type', { id: type.id, after: JSON.stringify(type) })
}

export const updateRow = async (ctx: Ctx, before: DeviceType, type: DeviceType): Promise<void> => {
  const { id } = type
  await ctx.db.updateTable('device_types').set(toRow(type)).where('id', '=', id).execute()
  await ofTypes.update(ctx, before, type)
  ctx.changed('device-type', { id, before: JSON.stringify(before), after: JSON.stringify(type) })
}

export const deleteRow = async (ctx: Ctx, type: DeviceType): Promise<void> => {
  await ctx.db.deleteFrom('device_types').where('id', '=', type.id).execute()
  await ofTypes.remove(ctx, [type])
  ctx.changed('device-type', { id: type.id, before: JSON.stringify(type) })
}

/** Returns the ids of the devices of a type. */
export const findDeviceIds = async ({ db }: Ctx, id: string): Promise<string[]> =>
  (await db.selectFrom('devices').select('id').where('device_type_id', '=', id).orderBy('id').execute()).map(
    (row) => row.id,
  )
