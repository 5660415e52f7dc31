/** Finds the ports and relationships of devices among the rows of a source. */
import { createBreathe } from '../../../base/runtime/pause.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Ctx, DbScope } from '../../../kernel/ctx.ts'
import { formatKey, type ObjectKey, type StoredObject } from '../object-reads.ts'
import { listTargets } from '../own-references.ts'
import { type JudgedSource, parseFields } from '../row.ts'

const RESOURCES = ['ports', 'relationships'] as const

/** True for a row that refers to one of these rows. */
const refersTo = (row: Pick<StoredObject, 'resource' | 'row'>, ref: string, keys: ReadonlySet<string>): boolean =>
  listTargets(row.resource, parseFields(row.row), ref).some((target) => keys.has(formatKey(target)))

type Among = { readonly rows: readonly StoredObject[]; readonly keys: ReadonlySet<string> }

/** Returns the rows among these that belong to some devices. */
export const filterDependents = async (
  { signal }: Pick<Ctx, 'signal'>,
  { ref }: JudgedSource,
  { rows, keys }: Among,
): Promise<StoredObject[]> => {
  const breathe = createBreathe(signal)
  const found: StoredObject[] = []
  for (const row of rows) {
    if (RESOURCES.some((one) => one === row.resource) && refersTo(row, ref, keys)) found.push(row)
    await breathe()
  }
  return found
}

/** Devices of which the rows are read at once. */
const DEVICES_AT_ONCE = 100
/** The character after the blank that ends the key of a device. */
const AFTER_BLANK = '!'

/** Returns the ports and relationships of devices that are not missing. */
export const findDependents = async (
  { db }: DbScope,
  { id, ref }: JudgedSource,
  devices: readonly ObjectKey[],
): Promise<ObjectKey[]> => {
  if (devices.length === 0) return []
  const keys = new Set(devices.map(formatKey))
  const found: ObjectKey[] = []
  const add = (
    resource: (typeof RESOURCES)[number],
    rows: readonly { readonly key: string; readonly row: string }[],
  ) => {
    for (const { key, row } of rows) if (refersTo({ resource, row }, ref, keys)) found.push({ resource, key })
  }
  const select = (resource: string) =>
    db
      .selectFrom('source_objects')
      .select(['key', 'row'])
      .where('source_id', '=', id)
      .where('resource', '=', resource)
      .where('missing_since', 'is', null)
  for (const batch of splitBatches(devices, DEVICES_AT_ONCE)) {
    const query = select('ports').where(({ eb, or, and }) =>
      or(batch.map(({ key }) => and([eb('key', '>', `${key} `), eb('key', '<', `${key}${AFTER_BLANK}`)]))),
    )
    add('ports', await query.execute())
  }
  add('relationships', await select('relationships').execute())
  return found
}
