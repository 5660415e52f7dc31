/** The queries of relationships. */
import { type ExpressionBuilder, expressionBuilder, type Kysely } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedTuples } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import type { Relationship } from './api.ts'
import { relationshipFacts } from './resource.ts'
import type { RelationshipRow } from './table.ts'

const columns = ['parent_id', 'child_id', 'type', 'notes', 'managed_by', 'created_at'] as const

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

export const selectByDevice = (ctx: Ctx, deviceId: string) =>
  query(ctx).where((eb) => eb.or([eb('parent_id', '=', deviceId), eb('child_id', '=', deviceId)]))

/** Returns the names of both devices, to select together with a relationship. */
export const selectNames = (eb: ExpressionBuilder<Tables, 'relationships'>) => {
  const selectName = (end: 'parent_id' | 'child_id') =>
    eb.selectFrom('devices').select('name').whereRef('devices.id', '=', `relationships.${end}`).$asScalar()
  return [selectName('parent_id').as('parent_name'), selectName('child_id').as('child_name')] as const
}

/** As `selectByDevice`, with the names of both devices. */
export const selectNamedByDevice = (ctx: Ctx, deviceId: string) => selectByDevice(ctx, deviceId).select(selectNames)

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

/** The id of a relationship in the history. No id contains a space. */
const buildId = ({ parent_id, child_id, type }: Triple): string => `${parent_id} ${child_id} ${type}`

/** Reads an id of the history. */
export const parseId = (id: string): Triple => {
  const [parent_id = '', child_id = '', type = ''] = id.split(' ')
  return { parent_id, child_id, type }
}

export const store = objectStore<typeof relationshipFacts, RelationshipRow>(relationshipFacts, {
  key: { columns: ['parent_id', 'child_id', 'type'], buildId, parseId },
  rows: { columns, toRows: (_, all) => all, fromRow: (row: RelationshipRow) => row },
})

/** Returns false if the relationship did not exist. */
export const deleteRow = async (ctx: Ctx, triple: Triple): Promise<boolean> =>
  (await store.deleteWhere(ctx, expressionBuilder<Tables, 'relationships'>().and(triple))).length > 0

export const removeAllByDevices = async (ctx: Ctx, deviceIds: readonly string[]): Promise<void> => {
  const eb = expressionBuilder<Tables, 'relationships'>()
  for (const ids of splitBatches(deviceIds))
    await store.deleteWhere(ctx, eb.or([eb('parent_id', 'in', ids), eb('child_id', 'in', ids)]))
}

/** Returns the devices at the other end, as documents, by name. */
export const selectRelated = (ctx: Ctx, deviceId: string, type: string | undefined) => {
  const children = ctx.db.selectFrom('relationships').select('child_id as id').where('parent_id', '=', deviceId)
  const parents = ctx.db.selectFrom('relationships').select('parent_id as id').where('child_id', '=', deviceId)
  const ends = type
    ? children.where('type', '=', type).union(parents.where('type', '=', type))
    : children.union(parents)
  return ctx.db.selectFrom('devices').select('doc').where('id', 'in', ends).orderBy('name_order').orderBy('id')
}
