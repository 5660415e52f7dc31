/** The queries of the numbers; the only writer of their table. Numbers are read again each time: another instance may have made them. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { FIRST_OWN_NUMBER, getRefResource, KIND_NAMES, type Kind, parseExternalId, toExternalId } from './kinds.ts'

/** The number of a key. */
export type Numbered = { readonly number: number; readonly key: string }

type ByKeys<Row> = (scope: StoreScope, keys: readonly string[]) => Promise<Row[]>

/** Prepares a query for each kind, which is a constant of it. */
const prepareByKind = <Row>(build: (kind: Kind) => ByKeys<Row>): Readonly<Record<Kind, ByKeys<Row>>> =>
  // One entry for each of the kinds.
  Object.fromEntries(KIND_NAMES.map((kind) => [kind, build(kind)])) as Record<Kind, ByKeys<Row>>

/** The only column of VALUES, by the name that both databases give it. */
const WANTED = sql<string>`wanted.column1`
const WANTED_NUMBER = sql<number>`CAST(${WANTED} AS INTEGER)`

/**
 * Selects from the wanted keys, each with subqueries. PostgreSQL without statistics expects few rows of a kind, and would read all of them for
 * `key IN (...)`: the numbers of 50,000 objects took two minutes.
 */
const selectEach = (db: Kysely<Tables>, keys: readonly string[]) =>
  db.selectFrom(sql<{ column1: string }>`(VALUES ${sql.join(keys.map((key) => sql`(${key})`))})`.as('wanted'))

const selectRows = (db: Kysely<Tables>, kind: Kind) => db.selectFrom('netbox_ids').where('kind', '=', kind)

const selectRefs = (db: Kysely<Tables>, kind: Kind) =>
  db
    .selectFrom('refs')
    .where('resource', '=', getRefResource(kind) ?? '')
    .where('source', '=', 'netbox')

const byKeys = prepareByKind((kind) =>
  preparedKeys((db: Kysely<Tables>, keys) =>
    selectEach(db, keys).select([
      'column1 as key',
      selectRows(db, kind).select('number').where('key', '=', WANTED).as('number'),
    ]),
  ),
)

/** Returns the numbers of keys that have one. */
export const findNumbers = async (scope: StoreScope, kind: Kind, keys: readonly string[]): Promise<Numbered[]> => {
  const rows = await byKeys[kind](scope, keys)
  return rows.flatMap(({ key, number }) => (number === null ? [] : [{ key, number }]))
}

const byNumbers = prepareByKind((kind) =>
  preparedKeys((db: Kysely<Tables>, numbers) => {
    const row = selectRows(db, kind).where('number', '=', WANTED_NUMBER)
    return selectEach(db, numbers).select([row.select('number').as('number'), row.select('key').as('key')])
  }),
)

/** Returns the rows of numbers. The key of one that names nothing any more is null. */
export const findByNumbers = async (scope: StoreScope, kind: Kind, numbers: readonly number[]) => {
  const rows = await byNumbers[kind](scope, numbers.map(String))
  return rows.flatMap(({ key, number }) => (number === null ? [] : [{ key, number }]))
}

const refsByObject = prepareByKind((kind) =>
  preparedKeys((db: Kysely<Tables>, ids) =>
    selectEach(db, ids).select([
      'column1 as key',
      selectRefs(db, kind).select('external_id').where('object_id', '=', WANTED).as('external_id'),
    ]),
  ),
)

/** Returns the numbers that NetBox gave to objects, by their keys. */
export const findGivenNumbers = async (
  scope: StoreScope,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  if (getRefResource(kind) === undefined) return new Map()
  const rows = await refsByObject[kind](scope, keys)
  return new Map(
    rows.flatMap(({ key, external_id }) => {
      const number = external_id === null ? undefined : parseExternalId(kind, external_id)
      return number === undefined ? [] : [[key, number] as const]
    }),
  )
}

const objectsByRef = prepareByKind((kind) =>
  preparedKeys((db: Kysely<Tables>, externalIds) =>
    selectEach(db, externalIds).select([
      'column1 as external_id',
      selectRefs(db, kind).select('object_id').where('external_id', '=', WANTED).as('key'),
    ]),
  ),
)

/** Returns the objects to which NetBox gave numbers. */
export const findGivenKeys = async (scope: StoreScope, kind: Kind, numbers: readonly number[]): Promise<Numbered[]> => {
  if (getRefResource(kind) === undefined) return []
  const rows = await objectsByRef[kind](
    scope,
    numbers.map((number) => toExternalId(kind, number)),
  )
  return rows.flatMap(({ key, external_id }) => {
    const number = parseExternalId(kind, external_id)
    return key === null || number === undefined ? [] : [{ key, number }]
  })
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

/** Prepares a statement for many names. Each has a row by its number, so that nothing is inserted. */
const updateAttributes = preparedRows(
  ['kind', 'number', 'key', 'attributes'],
  (db: Kysely<Tables>, rows: { kind: string; number: number; key: string; attributes: string }[]) =>
    db
      .insertInto('netbox_ids')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['kind', 'number']).doUpdateSet({ attributes: (eb) => eb.ref('excluded.attributes') }),
      ),
)

/** Sets the attributes of names that have numbers. */
export const setAllAttributes = (
  scope: StoreScope,
  kind: Kind,
  rows: readonly (Numbered & { readonly attributes: string })[],
): Promise<void> =>
  updateAttributes(
    scope,
    rows.map(({ number, key, attributes }) => ({ kind, number, key, attributes })),
  )

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

/** Returns the rows of names that have a number. */
export const findNamed = ({ db }: DbScope, kind: Kind) =>
  db
    .selectFrom('netbox_ids')
    .select(['number', 'key', 'attributes'])
    .where('kind', '=', kind)
    .where('key', 'is not', null)
    .$narrowType<{ key: string }>()
    .execute()

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
