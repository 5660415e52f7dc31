/** The rules of the objects of kinds. */
import type { Kysely } from 'kysely'
import { AppError, invalidField, shorten } from '../../contract/errors.ts'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { runBulk } from '../../kernel/bulk/bulk-run.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import { resourceRules } from '../../resource/rules.ts'
import { objectStore } from '../../resource/store.ts'
import { findKind } from '../kinds/store.ts'
import { checkPlaceInTree } from '../tree-rules.ts'
import { ObjectDraft, type ObjectOfKind, ObjectPatch, objects } from './api.ts'
import { objectFacts } from './resource.ts'

const TABLE = 'objects'

const store = objectStore<typeof objectFacts, ObjectOfKind>(objectFacts)

const namesake = prepared((db: Kysely<Tables>, { kind, key }: { kind: string; key: string }) =>
  db.selectFrom(TABLE).select('id').where('kind_id', '=', kind).where('name_key', '=', key).orderBy('id').limit(2),
)

/** @throws AppError ALREADY_EXISTS on `name` */
const refuseTakenName = async (ctx: Ctx, { id, kind_id, name }: ObjectOfKind, singular: string): Promise<void> => {
  const key = toNameKey(name)
  await ctx.lock('objectNames', [`${kind_id} ${key}`])
  const others = (await namesake(ctx, { kind: kind_id, key })).filter((row) => row.id !== id)
  if (others.length === 0) return
  const message = `is the name of another ${singular}`
  throw new AppError('ALREADY_EXISTS', `A ${singular} "${shorten(name)}" exists already`, {
    details: [{ field: 'name', message }],
  })
}

/** @throws AppError VALIDATION_ERROR on `parent_id` */
const checkParent = async (ctx: Ctx, { id, kind_id, parent_id }: ObjectOfKind): Promise<void> => {
  if (parent_id === null) return
  // Two writers could make each object the parent of the other.
  await ctx.lock('objectTree', [kind_id])
  const parent = await store.find(ctx, parent_id)
  if (parent?.kind_id !== kind_id)
    throw invalidField('parent_id', `must be an object of the kind "${kind_id}", and not of "${parent?.kind_id}"`)
  await checkPlaceInTree(ctx, 'objects', { id, parent_id })
}

const rules = resourceRules<typeof objectFacts, ObjectOfKind>(store, {
  check: async (ctx, { before, after, changes }) => {
    if (!after) {
      if (before?.parent_id) await ctx.lock('objectTree', [before.kind_id])
      return
    }
    if (before && before.kind_id !== after.kind_id) throw invalidField('kind_id', 'cannot change')
    const kind = await findKind(ctx, after.kind_id)
    if (!kind) throw invalidField('kind_id', `there is no kind with id "${after.kind_id}"`)
    if (after.parent_id !== null && !kind.nested)
      throw invalidField('parent_id', `the kind "${kind.name}" is not nested: its objects have no parent`)
    if (after.datacenter_id !== null && !kind.located)
      throw invalidField('datacenter_id', `the kind "${kind.name}" is not located: its objects have no datacenter`)
    if (changes.includes('parent_id')) await checkParent(ctx, after)
    if (kind.unique_names && changes.includes('name')) await refuseTakenName(ctx, after, kind.singular.toLowerCase())
  },
})

/** For the import and estate documents. */
export const findDocuments = store.documents

/** For the templates of feeds: objects by name, and the object of a row. */
export const { query: selectObjects, fromRow: toObject } = store

export const feature: Feature = {
  operations: implement(objects, {
    ...rules.handlers,
    bulk: (ctx, input) =>
      runBulk(ctx, input, {
        noun: 'object',
        permissions: 'objects',
        create: { schema: ObjectDraft, run: rules.create },
        update: { schema: ObjectPatch, run: rules.update },
        remove: rules.remove,
      }),
  }),
  reactions: rules.reactions,
}
