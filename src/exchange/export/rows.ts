/** The rows of an exported document, in an order that only depends on names. */

import { sql } from 'kysely'
import type { z } from 'zod'
import { computeOnce } from '../../base/runtime/compute-once.ts'
import { toText } from '../../contract/unknown.ts'
import { isManagedBy } from '../../database/managed-by.ts'
import { FACTS, type Resource, toTableName } from '../../inventory/resources.ts'
import { computeSpaceBounds } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, type IpKey, replaceSpace, type SpaceKey } from '../../net/ip.ts'
import { toSortKey } from '../../net/name-order.ts'
import type { Document } from '../../record/history/kinds.ts'
import { getLabel, toSortColumn } from '../../resource/columns.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { findStoredDocuments } from '../apply/objects.ts'
import { getRules, type Level } from '../apply/resources.ts'
import { withPlaces } from './cable-ends.ts'
import type { CustomExport } from './custom.ts'
import type { Names } from './names.ts'

type Fields = Readonly<Record<string, unknown>>

const AT_ONCE = 250

type Key = { readonly id: string; readonly group: string }

/** Yields the ids of reservations by their addresses: first in the default space, then in the others by their names. */
async function* readReservationKeys({ db, store }: Ctx, owner: string | undefined): AsyncGenerator<Key[]> {
  const spaces = await db
    .selectFrom('spaces')
    .innerJoin('space_keys', 'space_keys.space_id', 'spaces.id')
    .select('space_key')
    .orderBy('name_order')
    .execute()
  const all = db.selectFrom('reservations').select(['id', 'ip_key']).orderBy('ip_key')
  const query = owner === undefined ? all : all.where(isManagedBy(owner))
  // The column only has the keys of spaces.
  for (const [rank, space] of ['', ...spaces.map(({ space_key }) => space_key)].entries()) {
    const { from, before } = computeSpaceBounds(space as SpaceKey)
    for await (const rows of store.stream(query.where('ip_key', '>=', from).where('ip_key', '<', before)))
      yield rows.map(({ id, ip_key }) => ({ id, group: replaceSpaceKey(ip_key, rank) }))
  }
}

/** Replaces the key of a space, which depends on when it was made, by its place among the names. */
const replaceSpaceKey = (key: IpKey, rank: number): string =>
  rank === 0 ? key : `s${String(rank).padStart(5, '0')}${replaceSpace(key, DEFAULT_SPACE)}`

/** Yields the ids of a resource in the order of names. The members of a group follow each other in any order. */
async function* readKeys(ctx: Ctx, resource: Resource, owner: string | undefined): AsyncGenerator<Key[]> {
  const { db, store } = ctx
  if (resource === 'reservations') {
    yield* readReservationKeys(ctx, owner)
    return
  }
  if (resource === 'relationships') {
    const all = db
      .selectFrom('relationships')
      .select(['parent_id', 'child_id', 'type'])
      .select((eb) =>
        eb
          .selectFrom('devices')
          .select('name_order')
          .whereRef('devices.id', '=', 'relationships.parent_id')
          .$asScalar()
          .$notNull()
          .as('group'),
      )
      .orderBy('group')
    const query = owner === undefined ? all : all.where(isManagedBy(owner))
    for await (const rows of store.stream(query))
      yield rows.map(({ parent_id, child_id, type, group }) => ({ id: `${parent_id} ${child_id} ${type}`, group }))
    return
  }
  if (resource === 'cables') {
    const all = db.selectFrom('cables').select(['id', 'label_order as group']).orderBy('label_order')
    yield* store.stream(owner === undefined ? all : all.where(isManagedBy(owner)))
    return
  }
  const order = toSortColumn(FACTS[resource], getLabel(FACTS[resource]))
  // A condition of a definition may name another one, so definitions with one come last.
  const group =
    resource === 'custom-fields'
      ? sql<string>`CASE WHEN only_for IS NULL THEN '0' ELSE '1' END || ${sql.ref(order)}`
      : sql.ref<string>(order)
  const all = selectFromTable(db, toTableName(resource))
    .select(['id', group.as('group')])
    .orderBy(group)
  yield* store.stream(owner === undefined ? all : all.where(isManagedBy(owner)))
}

/** Yields batches that do not divide a group. */
async function* collectGroups(keys: AsyncIterable<readonly Key[]>): AsyncGenerator<Key[]> {
  let open: Key[] = []
  for await (const chunk of keys)
    for (const key of chunk) {
      if (open.length >= AT_ONCE && open.at(-1)?.group !== key.group) {
        yield open
        open = []
      }
      open.push(key)
    }
  if (open.length > 0) yield open
}

/** No object has an empty text, null or `{}` in a field that a row must have. */
const isDefault = (value: unknown, standard: unknown): boolean =>
  value === null ||
  Bun.deepEquals(value, standard) ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)

type Standards = ReadonlyMap<string, unknown>

/** Returns the values that absent fields have. */
const getDefaults = computeOnce((schema: z.ZodObject): Standards => {
  const made = new Map<string, unknown>()
  // The shape of an object contains schemas of this library.
  for (const [field, one] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const absent = one.safeParse(undefined)
    if (absent.success && absent.data !== undefined) made.set(field, absent.data)
  }
  return made
})

/** Removes the fields of an address that equal the values that the contract of devices fills in. */
const removeDefaults = (item: Fields, filled: Fields): Fields =>
  Object.fromEntries(Object.entries(item).filter(([field, value]) => !Bun.deepEquals(filled[field], value)))

type Exporting = { readonly names: Names; readonly custom: CustomExport; readonly owner: string | undefined }

const replaceIds = (level: Level, item: Fields, names: Names): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(item)) {
    const reference = level.references.find((one) => one.field === field)
    const own = level.objects.find(([name]) => name === field)?.[1]
    // The schema of a field with references is that of an object.
    if (own && typeof value === 'object' && value !== null) row[field] = replaceIds(own, value as Fields, names)
    else if (!reference) row[field] = value
    else if (typeof value === 'string') row[reference.as] = names.reference(reference.resource, value, item)
    else row[reference.as] = value
  }
  return row
}

const toRow = (resource: Resource, id: string, document: Document, { names, custom, owner }: Exporting): Fields => {
  const { draft, level } = getRules(resource)
  const standard = getDefaults(draft)
  const { fields: apart, needsId } = names.distinction(resource, id)
  const row: Record<string, unknown> = {}
  if ('name' in document && 'name' in draft.shape) row.name = document.name
  if (needsId) row.id = id
  for (const field of Object.keys(draft.shape)) {
    const value = document[field]
    if (field === 'name' || field === 'id' || value === undefined) continue
    if (field === 'managed_by' && owner !== undefined) continue
    if (!apart.includes(field) && isDefault(value, standard.get(field) ?? '')) continue
    row[field] = value
  }
  for (const [field, inner] of level.lists) {
    const items = row[field]
    if (!Array.isArray(items)) continue
    row[field] = items.map((item: Fields) =>
      replaceIds(inner, removeFilled(draft, field, removeImpliedSpace(inner, item)), names),
    )
  }
  return custom.row(resource, replaceIds(level, row, names), { document, names })
}

/** Returns an address without its space, if its network or pool says it. */
const removeImpliedSpace = ({ isPlaced }: Level, item: Fields): Fields => {
  if (!isPlaced || !(item.network_id || item.pool_id)) return item
  const { space_id: _, ...others } = item
  return others
}

/** Returns an item without the fields that an apply would fill in with the same values. */
const removeFilled = (draft: z.ZodObject, field: string, item: Fields): Fields => {
  const required = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== ''))
  const filledWithout = (name: string): unknown => {
    const { [name]: _, ...others } = required
    // The shape of an object contains schemas of this library.
    const filled = (draft.shape[field] as z.ZodType).safeParse([others])
    return filled.success ? Reflect.get((filled.data as object[])[0] ?? {}, name) : undefined
  }
  return removeDefaults(item, Object.fromEntries(Object.keys(item).map((name) => [name, filledWithout(name)])))
}

const hasExpired = ({ expires_at }: Document, now: string): boolean =>
  typeof expires_at === 'string' && expires_at <= now

/** Returns the texts by which rows of a group are sorted. */
const buildSortTexts = (resource: Resource, id: string, document: Document, names: Names): string[] => {
  const parents = getRules(resource).level.references.map(({ field, resource: of }) =>
    toSortKey(names.nameOf(of, toText(document[field]))),
  )
  return [
    toText(document.name),
    ...parents,
    ...endTexts(document, names),
    toText(document.type),
    toText(document.resource),
    id,
  ]
}

/** Returns the names of the ends of a cable; none of other objects. */
const endTexts = ({ a, b }: Document, names: Names): string[] =>
  [a, b].flatMap((end) => {
    if (typeof end !== 'object' || end === null) return []
    const { device_id, port, side } = end as Fields
    return [toSortKey(names.nameOf('devices', toText(device_id))), toSortKey(toText(port)), toText(side)]
  })

const compare = (a: readonly string[], b: readonly string[]): number => {
  for (const [i, text] of a.entries()) {
    const other = b[i] ?? ''
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}

const listIds = (documents: readonly Document[], fields: readonly string[]): string[] =>
  documents.flatMap((document) => fields.map((field) => toText(document[field])).filter((id) => id !== ''))

/** Returns the ids of the devices that the fields of rows refer to. */
const listDeviceIds = (resource: Resource, documents: readonly Document[]): string[] => {
  if (resource === 'relationships') return listIds(documents, ['parent_id', 'child_id'])
  if (resource === 'ports') return listIds(documents, ['device_id'])
  if (resource !== 'cables') return []
  return listIds(
    documents.flatMap(({ a, b }) => [a, b] as Document[]),
    ['device_id'],
  )
}

/** Reads the names of the devices and ports that rows refer to. */
const readNames = async ({ names, custom }: Exporting, resource: Resource, documents: readonly Document[]) => {
  const devices = [...listDeviceIds(resource, documents), ...custom.devicesIn(resource, documents)]
  if (devices.length > 0) await names.readDevices(devices)
  if (resource === 'ports') await names.readPorts(listIds(documents, ['parent_id']))
}

/** Yields the rows of a resource in batches. @param owner only of this one */
export async function* exportRows(
  ctx: Ctx,
  resource: Resource,
  exporting: Exporting,
): AsyncGenerator<readonly Fields[]> {
  const { names, owner } = exporting
  const rules = getRules(resource)
  for await (const keys of collectGroups(readKeys(ctx, resource, owner))) {
    const stored = await findStoredDocuments(
      ctx,
      rules,
      keys.map(({ id }) => id),
    )
    const whole = new Map([...stored].map(([id, { document }]) => [id, document]))
    const documents = resource === 'cables' ? await withPlaces(ctx, whole) : whole
    await readNames(exporting, resource, [...documents.values()])
    const rows = keys.flatMap(({ id, group }) => {
      const document = documents.get(id)
      if (!document || hasExpired(document, ctx.now)) return []
      return [{ order: [group, ...buildSortTexts(resource, id, document, names)], id, document }]
    })
    rows.sort((a, b) => compare(a.order, b.order))
    yield rows.map(({ id, document }) => toRow(resource, id, document, exporting))
  }
}
