/** The queries of references: they count the objects that name another object, by field. */
import { sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { toTableName } from '../resources.ts'
import type { Referenced } from './api.ts'

/** Returns the kind of an object of a kind, the resource of another one; undefined for an object that does not exist. */
export const findTarget = async ({ db }: DbScope, resource: Referenced, id: string): Promise<string | undefined> => {
  if (resource === 'objects')
    return (await db.selectFrom('objects').select('kind_id').where('id', '=', id).executeTakeFirst())?.kind_id
  const row = await selectFromTable(db, toTableName(resource)).select('id').where('id', '=', id).executeTakeFirst()
  return row && resource
}

/** The objects with a value of a custom field: all of them, and the addresses of devices among them. */
export type ValueCount = { readonly all: number; readonly addresses: number }

const selectHolders = ({ db }: DbScope, numbers: readonly number[], id: string) =>
  db.selectFrom('custom_values').where('field', 'in', numbers).where('value', '=', id)

/** The id of an address of a device has spaces. */
const OF_ADDRESS = '% %'

/** Counts the objects that have an id as a value, by the number of the field. The primary key finds them. */
export const countHolders = async (
  scope: DbScope,
  numbers: readonly number[],
  id: string,
): Promise<Map<number, ValueCount>> => {
  if (numbers.length === 0) return new Map()
  const rows = await selectHolders(scope, numbers, id)
    .select(['field', sql<number | string>`count(*)`.as('all')])
    .select(sql<number | string>`sum(CASE WHEN object_id LIKE ${OF_ADDRESS} THEN 1 ELSE 0 END)`.as('addresses'))
    .groupBy('field')
    .execute()
  return new Map(rows.map((row) => [row.field, { all: Number(row.all), addresses: Number(row.addresses) }]))
}

/** Returns the devices of the addresses that have an id as a value, one for each address, by the number of the field. */
export const findDevicesOfAddresses = async (
  scope: DbScope,
  numbers: readonly number[],
  id: string,
): Promise<Map<number, string[]>> => {
  if (numbers.length === 0) return new Map()
  const rows = selectHolders(scope, numbers, id).select(['field', 'object_id']).where('object_id', 'like', OF_ADDRESS)
  const devices = new Map<number, string[]>()
  for (const { field, object_id } of await rows.execute()) {
    const known = devices.get(field) ?? []
    known.push(object_id.slice(0, object_id.indexOf(' ')))
    devices.set(field, known)
  }
  return devices
}

/** Returns the ids of the devices that the scope shows. */
export const filterDevices = async ({ db }: DbScope, ids: readonly string[]): Promise<Set<string>> => {
  const found = new Set<string>()
  for (const batch of splitBatches([...new Set(ids)]))
    for (const row of await db.selectFrom('devices').select('id').where('id', 'in', batch).execute()) found.add(row.id)
  return found
}

/** Counts the objects of each kind that name an object in a built-in field. */
export const countByKind = async (
  { db }: DbScope,
  field: 'datacenter_id' | 'parent_id',
  id: string,
): Promise<{ kind_id: string; n: number }[]> => {
  const rows = await db
    .selectFrom('objects')
    .select(({ fn }) => ['kind_id', fn.countAll<number | string>().as('n')])
    .where(field, '=', id)
    .groupBy('kind_id')
    .execute()
  return rows.map(({ kind_id, n }) => ({ kind_id, n: Number(n) }))
}
