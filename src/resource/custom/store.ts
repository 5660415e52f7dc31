/** The queries of custom fields, and of their values, which it writes. */

import { type Kysely, type SqlBool, sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { withRefs } from '../../contract/fields/external-fields.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys, toNameKey } from '../../net/name-order.ts'
import { selectFromTable, toCustomTable } from '../named-tables.ts'
import { isKindResource, type ReferenceTarget } from './fields.ts'
import type { CustomField, OnlyFor } from './schema.ts'
import type { CustomFieldRow, CustomValueRow } from './table.ts'

/** A definition with the key of its values. */
export type StoredField = CustomField & { readonly number: number }

/** @example naturalKey({ resource: 'devices', name: 'owner' }) // 'devices owner' */
export const naturalKey = ({ resource, name }: Pick<CustomField, 'resource' | 'name'>): string => `${resource} ${name}`

/** Returns the values beside a document from which a past state is read. */
export const getDerived = (document: Readonly<Record<string, unknown>>) => ({
  default: JSON.stringify(document.default ?? null),
  group: toNameKey(String(document.group)),
})

const formatBound = (bound: number | null): string | null => (bound === null ? null : String(bound))

export const toRow = ({ number, ...field }: StoredField): CustomFieldRow => ({
  ...field,
  number,
  ...buildNameKeys(field.name),
  multiple: Number(field.multiple),
  choices: JSON.stringify(field.choices),
  required: Number(field.required),
  unique: Number(field.unique),
  default: JSON.stringify(field.default),
  minimum: formatBound(field.minimum),
  maximum: formatBound(field.maximum),
  searchable: Number(field.searchable),
  group_key: toNameKey(field.group),
  only_for: field.only_for ? JSON.stringify(field.only_for) : null,
  refs: JSON.stringify(field.refs),
})

const parseBound = (bound: string | null): number | null => (bound === null ? null : Number(bound))

/** Returns the definition of a row, with its fields in the order of the contract. */
export const toStored = (row: CustomFieldRow): StoredField => {
  const { id, resource, name, label, type, pattern, description, group, position, managed_by } = row
  return {
    // The columns hold the texts of `toRow`.
    ...({ id, resource, name, label, type } as Pick<CustomField, 'id' | 'resource' | 'name' | 'label' | 'type'>),
    multiple: row.multiple === 1,
    choices: JSON.parse(row.choices) as string[],
    reference_to: row.reference_to as CustomField['reference_to'],
    required: row.required === 1,
    unique: row.unique === 1,
    default: JSON.parse(row.default) as CustomField['default'],
    pattern,
    minimum: parseBound(row.minimum),
    maximum: parseBound(row.maximum),
    searchable: row.searchable === 1,
    ...{ description, group, position },
    ...(row.only_for !== null && { only_for: JSON.parse(row.only_for) as OnlyFor }),
    refs: withRefs(row).refs,
    ...{ managed_by, created_at: row.created_at, updated_at: row.updated_at },
    number: row.number,
  }
}

/** Returns a definition as it is sent. */
export const toField = ({ number: _, ...field }: StoredField): CustomField => field

const selectRows = ({ db }: DbScope) => db.selectFrom('custom_fields').selectAll()

export const query = (ctx: DbScope) =>
  selectRows(ctx).orderBy('resource').orderBy('group_key').orderBy('position').orderBy('name_order').orderBy('id')

const everyRow = prepared((db: Kysely<Tables>) => query({ db }))

/** Returns all definitions, in the order of lists. */
export const findAll = async (scope: StoreScope): Promise<StoredField[]> => (await everyRow(scope, {})).map(toStored)

/** Returns the definition of a name. */
export const findByName = async (
  ctx: Ctx,
  { resource, name }: Pick<CustomField, 'resource' | 'name'>,
): Promise<StoredField | undefined> => {
  const row = await selectRows(ctx).where('resource', '=', resource).where('name', '=', name).executeTakeFirst()
  return row && toStored(row)
}

const byNames = preparedKeys((db: Kysely<Tables>, names) =>
  db.selectFrom('custom_fields').select(['id', 'resource', 'name']).where('name', 'in', names),
)

/** Returns the ids of the definitions with these natural keys, by key. */
export const idsOfKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> => {
  const names = [...new Set(keys.map((key) => key.slice(key.indexOf(' ') + 1)))]
  const found = (await byNames(ctx, names)).map(({ id, ...row }) => [`${row.resource} ${row.name}`, id] as const)
  return new Map(found.filter(([key]) => keys.includes(key)))
}

/** Returns a number that no value has. Called under the lock of all definitions. */
export const findNextNumber = async ({ db }: Ctx): Promise<number> => {
  const last = await db
    .selectFrom('custom_fields')
    .select('number')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (last?.number ?? 0) + 1
}

/** Returns those of the ids that are objects of a resource to which references may lead. */
export const filterExistingIds = async (
  ctx: Ctx,
  target: ReferenceTarget,
  ids: readonly string[],
): Promise<Set<string>> => {
  const there = new Set<string>()
  for (const batch of splitBatches(ids)) {
    const all = selectFromTable(ctx.db, toCustomTable(target)).select('id').where('id', 'in', batch)
    const rows = isKindResource(target) ? all.where('kind_id', '=', target) : all
    for (const { id } of await rows.execute()) there.add(id)
  }
  return there
}

const kindsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('kinds').select('id').where('id', 'in', ids))

/** True for the id of a kind that exists. */
export const isKind = async (scope: StoreScope, id: string): Promise<boolean> =>
  (await kindsAmong(scope, [id])).length > 0

/** Returns the ids of all kinds, in their order. */
export const findKindIds = async ({ db }: DbScope): Promise<string[]> => {
  const query = db.selectFrom('kinds').select('id').orderBy('position').orderBy('name_order').orderBy('id')
  return (await query.execute()).map(({ id }) => id)
}

const insertRows = preparedRows(['field', 'value', 'object_id'], (db: Kysely<Tables>, values: CustomValueRow[]) =>
  db.insertInto('custom_values').values(values),
)

export const insertValues = (ctx: Ctx, values: readonly CustomValueRow[]): Promise<void> => insertRows(ctx, values)

export const removeValues = async (ctx: Ctx, values: readonly CustomValueRow[]): Promise<void> => {
  for (const batch of splitBatches(values)) {
    const tuples = batch.map(({ field, value, object_id }) => sql`(CAST(${field} AS INTEGER), ${value}, ${object_id})`)
    const isOne = sql<SqlBool>`(field, value, object_id) IN (VALUES ${sql.join(tuples)})`
    await ctx.db.deleteFrom('custom_values').where(isOne).execute()
  }
}

/** The number of rows that are read or deleted before the event loop runs again. */
const ROWS_AT_ONCE = 2000

/** Returns the next rows of a field after a row, in the order of the key. */
const findNextRows = async (
  { db }: DbScope,
  number: number,
  last: CustomValueRow | undefined,
): Promise<CustomValueRow[]> => {
  const all = db.selectFrom('custom_values').selectAll().where('field', '=', number)
  const isLater = last && sql<SqlBool>`(value, object_id) > (${last.value}, ${last.object_id})`
  const rest = isLater ? all.where(isLater) : all
  return rest.orderBy('value').orderBy('object_id').limit(ROWS_AT_ONCE).execute()
}

/** Deletes all values of a field, in portions. Each begins where the one before ended: deleted rows stay until commit. */
export const removeFieldValues = async (scope: Ctx, number: number): Promise<void> => {
  let rows = await findNextRows(scope, number, undefined)
  while (rows.length > 0) {
    await removeValues(scope, rows)
    await pause()
    rows = await findNextRows(scope, number, rows.at(-1))
  }
}

/** Deletes the values of a field with these keys. */
export const removeValuesWithKeys = async ({ db }: Ctx, number: number, keys: readonly string[]): Promise<void> => {
  for (const batch of splitBatches(keys))
    await db.deleteFrom('custom_values').where('field', '=', number).where('value', 'in', batch).execute()
}

export const hasValues = async ({ db }: DbScope, number: number): Promise<boolean> => {
  const one = db.selectFrom('custom_values').select('field').where('field', '=', number).limit(1)
  return (await one.executeTakeFirst()) !== undefined
}

const selectValues = ({ db }: DbScope, number: number) => db.selectFrom('custom_values').where('field', '=', number)

/** Returns the number of objects with a value of the field, or with these keys. */
export const countObjects = async (scope: DbScope, number: number, keys?: readonly string[]): Promise<number> => {
  const all = selectValues(scope, number).select(({ fn }) => fn.count<number | string>('object_id').distinct().as('n'))
  const { n } = await (keys ? all.where('value', 'in', keys) : all).executeTakeFirstOrThrow()
  return Number(n)
}

/** Returns the number of objects with a value of each field, by its number. */
export const countAll = async ({ db }: DbScope): Promise<Map<string, number>> => {
  const counts = db
    .selectFrom('custom_values')
    .select(({ fn }) => ['field', fn.count<number | string>('object_id').distinct().as('n')])
    .groupBy('field')
  return new Map((await counts.execute()).map(({ field, n }) => [String(field), Number(n)]))
}

/** Returns the ids of the objects with a value of the field, by id. They are read in portions. */
export const findIdsWithValue = async (scope: DbScope, number: number): Promise<string[]> => {
  const ids = new Set<string>()
  let rows = await findNextRows(scope, number, undefined)
  while (rows.length > 0) {
    for (const { object_id } of rows) ids.add(object_id)
    await pause()
    rows = await findNextRows(scope, number, rows.at(-1))
  }
  return [...ids].sort()
}

/** Returns the ids of the objects with one of the keys. */
export const findIdsWithKeys = async (scope: DbScope, number: number, keys: readonly string[]): Promise<string[]> => {
  const ids = new Set<string>()
  for (const batch of splitBatches(keys))
    for (const { object_id } of await selectValues(scope, number)
      .select('object_id')
      .where('value', 'in', batch)
      .execute())
      ids.add(object_id)
  return [...ids]
}

/** Returns the ids of the first objects with a key. */
export const findIdsWithKey = async (
  scope: DbScope,
  number: number,
  { key, most }: { readonly key: string; readonly most: number },
): Promise<string[]> => {
  const rows = selectValues(scope, number).select('object_id').where('value', '=', key)
  return (await rows.orderBy('object_id').limit(most).execute()).map(({ object_id }) => object_id)
}

type Between = { readonly first: string; readonly last: string }

const selectBetween = (scope: DbScope, number: number, { first, last }: Between) =>
  selectValues(scope, number).where('value', '>=', first).where('value', '<=', last)

/** Returns the number of values of a field with keys between these two, inclusive. */
export const countKeysBetween = async (scope: DbScope, number: number, between: Between): Promise<number> => {
  const counted = selectBetween(scope, number, between).select(({ fn }) => fn.countAll<number | string>().as('n'))
  return Number((await counted.executeTakeFirstOrThrow()).n)
}

/** Returns the first keys of a field between these two, inclusive. */
export const findKeysBetween = async (
  scope: DbScope,
  number: number,
  { most, ...between }: Between & { readonly most: number },
): Promise<string[]> => {
  const rows = selectBetween(scope, number, between).select('value').orderBy('value').limit(most)
  return (await rows.execute()).map(({ value }) => value)
}

/** Returns the rows of a field with these keys. */
export const findRowsWithKeys = async (
  scope: DbScope,
  number: number,
  keys: readonly string[],
): Promise<Pick<CustomValueRow, 'value' | 'object_id'>[]> => {
  const found: Pick<CustomValueRow, 'value' | 'object_id'>[] = []
  for (const batch of splitBatches(keys))
    found.push(
      ...(await selectValues(scope, number).select(['value', 'object_id']).where('value', 'in', batch).execute()),
    )
  return found
}

/** Returns the keys of a field that several objects have. */
export const findSharedKeys = async (scope: DbScope, number: number): Promise<string[]> => {
  const shared = selectValues(scope, number)
    .select('value')
    .groupBy('value')
    .having((eb) => eb(eb.fn.countAll(), '>', 1))
    .orderBy('value')
  return (await shared.execute()).map(({ value }) => value)
}
