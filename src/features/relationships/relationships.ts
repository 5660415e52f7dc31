/** The rules of relationships. */
import { AppError, invalidField, notFound } from '../../platform/errors.ts'
import { etagOf } from '../../platform/etag.ts'
import { listRows } from '../../platform/list.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { existing, mustExist } from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import { type Relationship, type RelationshipDraft, relationships } from './api.ts'
import * as store from './store.ts'

const describe = ({ parent_id, type, child_id }: store.Triple) => `${parent_id} ${type} ${child_id}`

/** For whoever reads relationships beside other things. */
export const { names } = store

/** @returns the relationship that there is already between two devices, which are checked */
const judge = async (ctx: Ctx, { device_id: parent_id, child_id, type }: RelationshipDraft) => {
  const [devices, known] = await Promise.all([
    existing(ctx, [parent_id, child_id]),
    store.find(ctx, { parent_id, child_id, type }),
  ])
  if (!devices.has(parent_id)) throw notFound('device', parent_id)
  if (child_id === parent_id) throw invalidField('child_id', 'must be another device')
  if (!devices.has(child_id)) throw invalidField('child_id', `there is no device with id "${child_id}"`)
  return known
}

const record = async (ctx: Ctx, draft: RelationshipDraft): Promise<Relationship> => {
  const { device_id: parent_id, child_id, type, notes } = draft
  const relationship: Relationship = { parent_id, child_id, type, notes, created_at: ctx.now }
  await store.insert(ctx, relationship)
  await ctx.emit('relationship.created', relationship)
  return relationship
}

export const create = async (ctx: Ctx, draft: RelationshipDraft): Promise<Relationship> => {
  if (await judge(ctx, draft))
    throw new AppError(
      'ALREADY_EXISTS',
      `The relationship ${describe({ ...draft, parent_id: draft.device_id })} exists already`,
    )
  return record(ctx, draft)
}

/** Makes a relationship, or gives the one there is new notes. */
export const upsert = async (ctx: Ctx, draft: RelationshipDraft): Promise<'created' | 'updated' | 'unchanged'> => {
  const known = await judge(ctx, draft)
  if (!known) {
    await record(ctx, draft)
    return 'created'
  }
  if (known.notes === draft.notes) return 'unchanged'
  await store.setNotes(ctx, { ...known, type: draft.type, notes: draft.notes })
  return 'updated'
}

const remove = async (ctx: Ctx, triple: store.Triple): Promise<void> => {
  const relationship = await store.find(ctx, triple)
  if (relationship) ctx.precondition(etagOf(JSON.stringify(relationship)))
  if (!(await store.remove(ctx, triple)))
    throw new AppError('NOT_FOUND', `There is no relationship ${describe(triple)}`)
  await ctx.emit('relationship.deleted', triple)
}

// The column holds what the contract let in.
const sendRow = (row: Omit<Relationship, 'type'> & { type: string }): Relationship => row as Relationship

export const feature: Feature = {
  operations: implement(relationships, {
    all: async (ctx, page) => {
      const revision = await ctx.store.revision(['relationships'])
      return listRows(ctx, { revision, query: store.query(ctx), page, row: sendRow })
    },
    list: async (ctx, { device_id, include, ...page }) => {
      await mustExist(ctx, device_id)
      const revision = await ctx.store.revision(include ? ['relationships', 'devices'] : ['relationships'])
      if (include) return listRows(ctx, { revision, query: store.namedQueryOf(ctx, device_id), page, row: sendRow })
      return listRows(ctx, { revision, query: store.queryOf(ctx, device_id), page, row: sendRow })
    },
    create: async (ctx, draft) => {
      await create(ctx, draft)
      return { status: 'created' as const }
    },
    related: async (ctx, { device_id, type, ...page }) => {
      await mustExist(ctx, device_id)
      const revision = await ctx.store.revision(['relationships', 'devices'])
      return listRows(ctx, { revision, query: store.relatedQuery(ctx, device_id, type), page, row: ({ doc }) => doc })
    },
    delete: async (ctx, { device_id, child_id, type }) => remove(ctx, { parent_id: device_id, child_id, type }),
  }),
  reactions: {
    'device.deleting': (ctx, { id }: Device) => store.removeAllOf(ctx, id),
  },
}
