/** The rows of devices: made from devices, inserted, and updated in the columns that change. */
import type { Kysely } from 'kysely'
import { type PreparedScope, prepared } from '../../database/query/prepared.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { searchText } from './list/search-text.ts'
import type { Device } from './schema.ts'
import type { DeviceRow } from './table.ts'

type NewRow = Omit<DeviceRow, 'seq'>

/** The columns of indexes that an update may change. One that is set costs a change of its indexes, also by the same value. */
const toIndexedColumns = (device: Device) => ({
  name_key: device.name.toLowerCase(),
  hostname_key: device.hostname.toLowerCase(),
  status: device.status,
  datacenter_id: device.datacenter_id,
  managed_by: device.managed_by,
  rack_id: device.mount?.rack_id ?? null,
  device_type_id: device.device_type_id ?? null,
})

export const toRow = (device: Device, searchable: readonly string[]): NewRow => ({
  ...toIndexedColumns(device),
  id: device.id,
  name: device.name,
  description: device.description,
  make_model: device.make_model,
  os: device.os,
  username: device.username,
  location: device.location,
  created_at: device.created_at,
  updated_at: device.updated_at,
  search_text: searchText(device, searchable),
  doc: JSON.stringify(device),
})

const DEVICE_COLUMNS = [
  'id',
  'name',
  'name_key',
  'hostname_key',
  'description',
  'make_model',
  'os',
  'status',
  'datacenter_id',
  'username',
  'location',
  'managed_by',
  'rack_id',
  'device_type_id',
  'created_at',
  'updated_at',
  'search_text',
  'doc',
] as const satisfies readonly (keyof NewRow)[]
export const insertRows = preparedRows(DEVICE_COLUMNS, (db: Kysely<Tables>, rows: NewRow[]) =>
  db.insertInto('devices').values(rows),
)

/** The columns without an index, which each update sets. */
const PLAIN = [
  'name',
  'description',
  'make_model',
  'os',
  'username',
  'location',
  'updated_at',
  'search_text',
  'doc',
] as const satisfies readonly (keyof NewRow)[]

const prepareUpdate = (columns: readonly (keyof NewRow)[]) =>
  prepared((db: Kysely<Tables>, row: NewRow) =>
    db
      .updateTable('devices')
      .set(Object.fromEntries(columns.map((column) => [column, row[column]])))
      .where('id', '=', row.id),
  )

/** The updates so far, by the indexed columns that they set. */
const updates = new Map<string, ReturnType<typeof prepareUpdate>>()

/** Updates the row of a device. @param before the device as it is stored */
export const updateRow = async (scope: PreparedScope<Tables>, before: Device, row: NewRow): Promise<void> => {
  const changed = Object.entries(toIndexedColumns(before)).flatMap(([column, value]) =>
    // The names are those of columns.
    row[column as keyof NewRow] === value ? [] : [column as keyof NewRow],
  )
  const key = changed.join()
  const known = updates.get(key) ?? prepareUpdate([...changed, ...PLAIN])
  updates.set(key, known)
  await known(scope, row)
}
