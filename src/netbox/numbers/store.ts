/** The queries of the numbers; the only writer of their table. Numbers are read again each time: another instance may have made them. */
import type { Kysely } from 'kysely'
import { preparedKeys, preparedRows, preparedTuples } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { FIRST_OWN_NUMBER, getRefResource, KIND_NAMES, type Kind, parseExternalId } from './kinds.ts'

/** The number of a key. */
export type Numbered = { readonly number: number; readonly key: string }

type ByKeys<Row> = (scope: StoreScope, keys: readonly string[]) => Promise<Row[]>

/** Prepares a query for each kind, which is a constant of it. */
const prepareByKind = <Row>(build: (kind: Kind) => ByKeys<Row>): Readonly<Record<Kind, ByKeys<Row>>> =>
  // One entry for each of the kinds.
  Object.fromEntries(KIND_NAMES.map((kind) => [kind, build(kind)])) as Record<Kind, ByKeys<Row>>

const byKeys = prepareByKind((kind) =>
  preparedKeys((db: Kysely<Tables>, keys) =>
    db
      .selectFrom('netbox_ids')
      .select(['number', 'key'])
      .where('kind', '=', kind)
      .where('key', 'in', keys)
      .$narrowType<{ key: string }>(),
  ),
)

/** Returns the numbers of keys that have one. */
export const findNumbers = (scope: StoreScope, kind: Kind, keys: readonly string[]): Promise<Numbered[]> =>
  byKeys[kind](scope, keys)

const byNumbers = preparedTuples(
  ['kind', 'number'],
  (db: Kysely<Tables>, numbers: { readonly kind: string; readonly number: number }[]) =>
    db
      .selectFrom('netbox_ids')
      .select(['number', 'key'])
      .where((eb) => eb.or(numbers.map((one) => eb.and(one)))),
)

/** Returns the rows of numbers. The key of one that names nothing any more is null. */
export const findByNumbers = (scope: StoreScope, kind: Kind, numbers: readonly number[]) =>
  byNumbers(
    scope,
    numbers.map((number) => ({ kind, number })),
  )

const refsOfObjects = prepareByKind((kind) =>
  preparedKeys((db: Kysely<Tables>, ids) =>
    db
      .selectFrom('refs')
      .select(['object_id', 'external_id'])
      .where('resource', '=', getRefResource(kind) ?? '')
      .where('source', '=', 'netbox')
      .where('object_id', 'in', ids),
  ),
)

/** Returns the numbers that NetBox gave to objects, by their keys. */
export const findGivenNumbers = async (
  scope: StoreScope,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  if (getRefResource(kind) === undefined) return new Map()
  const refs = await refsOfObjects[kind](scope, keys)
  return new Map(
    refs.flatMap(({ object_id, external_id }) => {
      const number = parseExternalId(kind, external_id)
      return number === undefined ? [] : [[object_id, number] as const]
    }),
  )
}

/** Returns the number that Plat gives next. To be called under the lock. */
export const findNextNumber = async ({ db }: DbScope, kind: Kind): Promise<number> => {
  const last = db
    .selectFrom('netbox_ids')
    .select('number')
    .where('kind', '=', kind)
    .where('number', '>=', FIRST_OWN_NUMBER)
  const row = await last.orderBy('number', 'desc').limit(1).executeTakeFirst()
  return row ? row.number + 1 : FIRST_OWN_NUMBER
}

const insertRows = preparedRows(
  ['kind', 'number', 'key'],
  (db: Kysely<Tables>, rows: { readonly kind: string; readonly number: number; readonly key: string }[]) =>
    db.insertInto('netbox_ids').values(rows),
)

export const insert = (ctx: Ctx, kind: Kind, rows: readonly Numbered[]): Promise<void> =>
  insertRows(
    ctx,
    rows.map((row) => ({ kind, ...row })),
  )

type Place = { readonly kind: Kind; readonly key: string }

/** Sets the attributes of a name; null for none. */
export const setAttributes = async (
  { db }: DbScope,
  { kind, key }: Place,
  attributes: string | null,
): Promise<void> => {
  await db.updateTable('netbox_ids').set({ attributes }).where('kind', '=', kind).where('key', '=', key).execute()
}

/** Gives the number of a key another key, or none. */
export const setKey = async ({ db }: DbScope, { kind, key }: Place, to: string | null): Promise<void> => {
  const update = db.updateTable('netbox_ids').set(to === null ? { key: to, attributes: null } : { key: to })
  await update.where('kind', '=', kind).where('key', '=', key).execute()
}

/** Returns the rows with attributes, by number. */
export const findAttributes = ({ db }: DbScope, kind: Kind) =>
  db
    .selectFrom('netbox_ids')
    .select(['number', 'key', 'attributes'])
    .where('kind', '=', kind)
    .where('attributes', 'is not', null)
    .orderBy('number')
    .$narrowType<{ key: string; attributes: string }>()
    .execute()
