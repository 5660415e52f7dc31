/** Finds the objects that have an address as a value of a custom field. An address of such a value is not in use by it. */
import { containsText } from '../../database/query/contains.ts'
import { FACTS, type Resource, toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, parseIpKeyOrThrow } from '../../net/ip.ts'
import { getLabel } from '../../resource/columns.ts'
import { loadFieldsOfType } from '../../resource/custom/definitions.ts'
import { type Custom, isKindResource, toObjectResource } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as values from '../../resource/custom/store.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { type LookupObject, MAX_OF_EACH } from './api.ts'

/** The number of objects with the value that are read of one field, also objects that the caller may not list. */
const MAX_READ = 1000

/** With the columns that a query names. */
type Row = Readonly<Record<string, unknown>> & { readonly id: string }
type Holder = { readonly custom?: Custom }
type Document = Holder & { readonly addresses: readonly Holder[] }

/** The objects of one resource that may have the value of a field. */
type Place = { readonly field: StoredField; readonly resource: Resource; readonly isInAddress: boolean }

const listPlaces = (field: StoredField): Place[] =>
  field.resource === 'addresses'
    ? [
        { field, resource: 'devices', isInAddress: true },
        { field, resource: 'reservations', isInAddress: false },
      ]
    : [{ field, resource: toObjectResource(field.resource), isInAddress: false }]

const holds = ({ custom = {} }: Holder, { name }: StoredField, ip: string): boolean =>
  Object.hasOwn(custom, name) && [custom[name] ?? []].flat().includes(ip)

/** Both columns hold the JSON of their stores. */
const isHolding = (row: Row, { field, resource, isInAddress }: Place, ip: string): boolean => {
  if (resource !== 'devices') return holds({ custom: JSON.parse(String(row.custom ?? '{}')) as Custom }, field, ip)
  const device = JSON.parse(String(row.doc)) as Document
  return isInAddress ? device.addresses.some((address) => holds(address, field, ip)) : holds(device, field, ip)
}

/** Returns the rows of the past: other tables have the values of the present. */
const findPastRows = async (ctx: Ctx, place: Place, ip: string): Promise<Row[]> => {
  const { field, resource } = place
  const column = resource === 'devices' ? 'doc' : 'custom'
  const label = getLabel(FACTS[resource])
  const all = selectFromTable(ctx.db, toTableName(resource)).select(['id', label, column])
  // Another kind may have a field of this name.
  const ofKind = isKindResource(field.resource) ? all.where('kind_id', '=', field.resource) : all
  const rows = await ofKind
    .where(containsText(column, JSON.stringify(ip)))
    .orderBy('id')
    .limit(MAX_READ)
    .execute()
  return (rows as unknown as readonly Row[]).filter((row) => isHolding(row, place, ip))
}

const findRows = async (ctx: Ctx, { resource }: Place, ids: readonly string[]): Promise<Row[]> => {
  if (ids.length === 0) return []
  const label = getLabel(FACTS[resource])
  return (await selectFromTable(ctx.db, toTableName(resource))
    .select(['id', label])
    .where('id', 'in', ids)
    .orderBy('id')
    .limit(MAX_OF_EACH + 1)
    .execute()) as unknown as Row[]
}

/** An address of a device is named by the id of the device, a space and the position. */
const toObjectId = (id: string): string => id.split(' ')[0] ?? id

/** Returns at most one object more than an answer shows. @param ip in its canonical form */
export const findValueHolders = async (ctx: Ctx, ip: string): Promise<LookupObject[]> => {
  const found: LookupObject[] = []
  const key = parseIpKeyOrThrow(ip, DEFAULT_SPACE)
  for (const field of await loadFieldsOfType(ctx, 'ip')) {
    const places = listPlaces(field).filter(({ resource }) => ctx.caller.permissions.has(`${resource}:list`))
    if (places.length === 0) continue
    const ids = ctx.isPast ? [] : await values.findIdsWithKey(ctx, field.number, { key, most: MAX_READ })
    const objectIds = [...new Set(ids.map(toObjectId))]
    for (const place of places) {
      const { resource, isInAddress } = place
      const rows = ctx.isPast ? await findPastRows(ctx, place, ip) : await findRows(ctx, place, objectIds)
      const label = getLabel(FACTS[resource])
      const path = `${isInAddress ? 'addresses.' : ''}custom.${field.name}`
      // The definitions of objects of a kind have its id.
      const kind_id = isKindResource(field.resource) ? field.resource : null
      for (const row of rows) found.push({ resource, kind_id, id: row.id, name: String(row[label]), field: path })
      if (found.length > MAX_OF_EACH) return found.slice(0, MAX_OF_EACH + 1)
    }
  }
  return found
}
