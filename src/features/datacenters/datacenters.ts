/** The rules of datacenters. */

import { AppError, orNotFound } from '../../platform/contract/errors.ts'
import { listRows } from '../../platform/contract/list.ts'
import { containsText } from '../../platform/db/contains.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { updateRefs, withChangedRefs } from '../../platform/operation/object-refs.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { listWithCustom } from '../custom-fields/row-lists.ts'
import { mergeCustom, rewriteCustom, withCustomOfNew } from '../custom-fields/rows.ts'
import { asRestored, type Restored } from '../restore-fields.ts'
import { type Datacenter, type DatacenterDraft, type DatacenterPatch, datacenters } from './api.ts'
import * as store from './store.ts'

/** @throws AppError NOT_FOUND */
export const getOrThrow = async (ctx: Ctx, id: string): Promise<Datacenter> =>
  orNotFound(await store.find(ctx, id), 'datacenter', id)

/** Returns the ids that are datacenters. Other features check their references with it. */
export const filterExistingDatacenters = store.filterExistingIds

const lockForChange = async (ctx: Ctx, id: string): Promise<Datacenter> => {
  const datacenter = orNotFound(await store.lock(ctx, id), 'datacenter', id)
  ctx.precondition(datacenter)
  return datacenter
}

export const create = async (ctx: Ctx, input: DatacenterDraft & Restored): Promise<Datacenter> => {
  const id = input.id ?? Bun.randomUUIDv7()
  await store.lockCustom(ctx)
  if (input.id !== undefined && (await store.find(ctx, id)))
    throw new AppError('ALREADY_EXISTS', `A datacenter with id "${id}" exists already`)
  const { name, location, description, managed_by, created_at = ctx.now } = input
  const refs = updateRefs({}, input.refs)
  const times = { created_at, updated_at: ctx.now }
  const bare: Datacenter = { id, name, location, description, refs, managed_by, ...times }
  const datacenter = await withCustomOfNew(ctx, 'datacenters', {
    object: bare,
    given: input.custom,
    ...asRestored(input),
  })
  await store.insert(ctx, datacenter)
  return datacenter
}

export const update = async (ctx: Ctx, { id, ...patch }: DatacenterPatch): Promise<Datacenter> => {
  await store.lockCustom(ctx)
  const before = await lockForChange(ctx, id)
  const merged = { before, patch: withChangedRefs(before, patch) }
  const { value, changes } = await mergeCustom(ctx, 'datacenters', merged)
  if (changes.length === 0) return before
  const datacenter = { ...value, updated_at: ctx.now }
  await store.update(ctx, before, datacenter)
  return datacenter
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await store.lockCustom(ctx)
  const datacenter = await lockForChange(ctx, id)
  await ctx.emit('datacenter.deleting', datacenter)
  await store.remove(ctx, datacenter)
  await ctx.emit('datacenter.deleted', datacenter)
}

export const feature: Feature = {
  operations: implement(datacenters, {
    list: async (ctx, { name, managed_by, custom, sort, ...page }) => {
      let query = store.query(ctx)
      if (name) query = query.where(containsText('name_key', name))
      if (managed_by) query = query.where(isManagedBy(managed_by))
      const wanted = { custom, sort }
      const row = store.objectOf
      return listWithCustom(ctx, { resource: 'datacenters', query, tables: ['datacenters'], wanted, page, row })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    devices: async (ctx, { id, ...page }) => {
      await getOrThrow(ctx, id)
      const revision = await ctx.store.revision(['devices'])
      const query = ctx.db
        .selectFrom('devices')
        .select('doc')
        .where('datacenter_id', '=', id)
        .orderBy('name_key')
        .orderBy('id')
      return listRows(ctx, { revision, query, page, row: ({ doc }) => doc })
    },
  }),
  reactions: rewriteCustom('datacenters', { lock: store.lockAll, update: store.update, rename: store.renameCustom }),
}
