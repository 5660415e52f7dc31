/** The queries of relationships; the only writer of their table. */
import type { ExpressionBuilder, Kysely } from 'kysely'
import { preparedRows, preparedTuples } from '../../platform/db/query/prepared-lists.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import type { Relationship } from './api.ts'

const columns = ['parent_id', 'child_id', 'type', 'notes', 'created_at'] as const

export type Triple = Pick<Relationship, 'parent_id' | 'child_id'> & { readonly type: string }

/** Newest first. */
export const query = (ctx: Ctx) =>
  ctx.db
    .selectFrom('relationships')
    .select(columns)
    .orderBy('created_at', 'desc')
    .orderBy('parent_id')
    .orderBy('child_id')
    .orderBy('type')

export const queryOf = (ctx: Ctx, deviceId: string) =>
  query(ctx).where((eb) => eb.or([eb('parent_id', '=', deviceId), eb('child_id', '=', deviceId)]))

/** Returns the names of both devices, to select together with a relationship. */
export const names = (eb: ExpressionBuilder<Tables, 'relationships'>) => {
  const nameOf = (end: 'parent_id' | 'child_id') =>
    eb.selectFrom('devices').select('name').whereRef('devices.id', '=', `relationships.${end}`).$asScalar().$notNull()
  return [nameOf('parent_id').as('parent_name'), nameOf('child_id').as('child_name')] as const
}

/** As `queryOf`, with the names of both devices. */
export const namedQueryOf = (ctx: Ctx, deviceId: string) => queryOf(ctx, deviceId).select(names)

export const find = (ctx: Ctx, { parent_id, child_id, type }: Triple) =>
  ctx.db
    .selectFrom('relationships')
    .select(columns)
    .where('parent_id', '=', parent_id)
    .where('child_id', '=', child_id)
    .where('type', '=', type)
    .executeTakeFirst()

/** Returns the existing relationships of these devices and types. */
export const findAll = preparedTuples(['parent_id', 'child_id', 'type'], (db: Kysely<Tables>, triples: Triple[]) =>
  db
    .selectFrom('relationships')
    .select(columns)
    .where((eb) => eb.or(triples.map((triple) => eb.and(triple)))),
)

export const insertAll = preparedRows(columns, (db: Kysely<Tables>, rows: Tables['relationships'][]) =>
  db.insertInto('relationships').values(rows),
)

/** Stores the notes of existing relationships. An upsert, because one statement then takes many of them. */
export const setNotes = preparedRows(columns, (db: Kysely<Tables>, rows: Tables['relationships'][]) =>
  db
    .insertInto('relationships')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['parent_id', 'child_id', 'type']).doUpdateSet(({ ref }) => ({ notes: ref('excluded.notes') })),
    ),
)

/** Returns false if the relationship did not exist. */
export const remove = async (ctx: Ctx, { parent_id, child_id, type }: Triple): Promise<boolean> => {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('relationships')
    .where('parent_id', '=', parent_id)
    .where('child_id', '=', child_id)
    .where('type', '=', type)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const removeAllOf = async (ctx: Ctx, deviceId: string): Promise<void> => {
  await ctx.db
    .deleteFrom('relationships')
    .where((eb) => eb.or([eb('parent_id', '=', deviceId), eb('child_id', '=', deviceId)]))
    .execute()
}

/** Returns the devices at the other end, as documents, by name. */
export const relatedQuery = (ctx: Ctx, deviceId: string, type: string | undefined) => {
  const children = ctx.db.selectFrom('relationships').select('child_id as id').where('parent_id', '=', deviceId)
  const parents = ctx.db.selectFrom('relationships').select('parent_id as id').where('child_id', '=', deviceId)
  const ends = type
    ? children.where('type', '=', type).union(parents.where('type', '=', type))
    : children.union(parents)
  return ctx.db.selectFrom('devices').select('doc').where('id', 'in', ends).orderBy('name_key').orderBy('id')
}
