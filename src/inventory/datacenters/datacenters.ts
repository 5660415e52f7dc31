/** The rules of datacenters. */

import { findAbove, findBelow, isOneOf } from '../../database/query/below.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { resourceRules } from '../../resource/rules.ts'
import { objectStore } from '../../resource/store.ts'
import { checkPlaceInTree } from '../tree-rules.ts'
import { type Datacenter, datacenters } from './api.ts'
import type { DatacenterMoved } from './events.ts'
import { datacenterFacts } from './resource.ts'

const store = objectStore<typeof datacenterFacts, Datacenter>(datacenterFacts)

const TABLE = 'datacenters'

/** Returns a datacenter and all below it. Where a datacenter is a filter, it takes these. */
export const findDatacentersBelow = (ctx: Ctx, id: string): Promise<string[]> => findBelow(ctx, { table: TABLE, id })

/** Returns the datacenters above a datacenter, the nearest first. */
export const findDatacentersAbove = (ctx: Ctx, id: string): Promise<string[]> => findAbove(ctx, { table: TABLE, id })

const rules = resourceRules<typeof datacenterFacts, Datacenter>(store, {
  check: async (ctx, { after, changes }) => {
    if (after && changes.includes('parent_id')) await checkPlaceInTree(ctx, 'datacenters', after)
  },
  follow: async (ctx, { before, after, changes }) => {
    const parent = after?.parent_id ?? before?.parent_id
    if (!parent || (after && !changes.includes('parent_id'))) return
    const moved: DatacenterMoved = { before, after }
    await ctx.emit('datacenter.moved', moved)
  },
})

/** Returns the existing ids. Other features check their references with it. */
export const filterExistingDatacenters = store.filterExisting

export const findDocuments = store.documents

/** Locks the tree until commit, if a write may change it: all writers of scopes, and of objects in them, wait for it. */
const lockTree = async (ctx: Ctx, id: string | undefined, parentId: string | null | undefined): Promise<void> => {
  if (parentId) return ctx.lock('datacenterTree')
  if (id === undefined) return
  const has = async (column: 'id' | 'parent_id') => {
    const query = ctx.db.selectFrom(TABLE).select('id').where(column, '=', id).where('parent_id', 'is not', null)
    return (await query.limit(1).executeTakeFirst()) !== undefined
  }
  const isInTree = parentId === undefined ? (await has('id')) || (await has('parent_id')) : await has('id')
  if (isInTree) await ctx.lock('datacenterTree')
}

export const feature: Feature = {
  operations: implement(datacenters, {
    ...rules.handlers,
    create: async (ctx, input) => {
      await lockTree(ctx, undefined, input.parent_id)
      return rules.handlers.create(ctx, input)
    },
    update: async (ctx, input) => {
      if (input.parent_id !== undefined) await lockTree(ctx, input.id, input.parent_id)
      return rules.handlers.update(ctx, input)
    },
    delete: async (ctx, { id }) => {
      await lockTree(ctx, id, undefined)
      await rules.handlers.delete(ctx, { id })
    },
    devices: async (ctx, { id, ...page }) => {
      await rules.getOrThrow(ctx.unscoped, id)
      const revision = await ctx.store.revision(['devices', 'datacenters'])
      const query = ctx.db
        .selectFrom('devices')
        .select('doc')
        .where(isOneOf('devices.datacenter_id', await findDatacentersBelow(ctx, id)))
        .orderBy('name_order')
        .orderBy('id')
      return listRows(ctx, { revision, query, page, row: ({ doc }) => doc })
    },
  }),
  reactions: rules.reactions,
}
