/** The rules of address spaces. */
import { AppError, orNotFound } from '../../platform/contract/errors.ts'
import { containsText } from '../../platform/db/contains.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { updateRefs, withChangedRefs } from '../../platform/operation/object-refs.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { listWithCustom } from '../custom-fields/row-lists.ts'
import { mergeCustom, rewriteCustom, withCustomOfNew } from '../custom-fields/rows.ts'
import { lockPlacement } from '../placement-lock.ts'
import { asRestored, type Restored } from '../restore-fields.ts'
import { type Space, type SpaceDraft, type SpacePatch, spaces } from './api.ts'
import * as store from './store.ts'

const getOrThrow = async (ctx: Ctx, id: string): Promise<Space> => orNotFound(await store.find(ctx, id), 'space', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<Space> => {
  const space = orNotFound(await store.lock(ctx, id), 'space', id)
  ctx.precondition(space)
  return space
}

/** Another space has the name, in any case. @throws AppError ALREADY_EXISTS */
const refuseTaken = async (ctx: Ctx, { id, name }: Pick<Space, 'id' | 'name'>): Promise<void> => {
  const same = store.query(ctx).where('name_key', '=', name.toLowerCase()).where('id', '!=', id)
  if (await same.executeTakeFirst()) throw new AppError('ALREADY_EXISTS', `A space "${name}" exists already`)
}

export const create = async (ctx: Ctx, input: SpaceDraft & Restored): Promise<Space> => {
  const { id = Bun.randomUUIDv7(), name, description, reachable, managed_by, created_at = ctx.now } = input
  const refs = updateRefs({}, input.refs)
  const bare: Space = { id, name, description, reachable, refs, managed_by, created_at, updated_at: ctx.now }
  await store.lockCustom(ctx)
  // The second of two concurrently created spaces takes the next key.
  await lockPlacement(ctx)
  if (input.id !== undefined && (await store.find(ctx, id)))
    throw new AppError('ALREADY_EXISTS', `A space with id "${id}" exists already`)
  // First: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, refs)
  await refuseTaken(ctx, bare)
  const space = await withCustomOfNew(ctx, 'spaces', { object: bare, given: input.custom, ...asRestored(input) })
  if (!(await store.giveKey(ctx, id))) throw new AppError('LIMIT_REACHED', 'At most 65,535 spaces can ever be created')
  await store.insert(ctx, space)
  return space
}

export const update = async (ctx: Ctx, { id, ...patch }: SpacePatch): Promise<Space> => {
  await store.lockCustom(ctx)
  const before = await lockForChange(ctx, id)
  const merged = { before, patch: withChangedRefs(before, patch) }
  const { value, changes } = await mergeCustom(ctx, 'spaces', merged)
  if (changes.length === 0) return before
  const space = { ...value, updated_at: ctx.now }
  await refuseTaken(ctx, space)
  await store.update(ctx, before, space)
  return space
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await store.lockCustom(ctx)
  // Excludes networks and addresses that are placed in it at the same time.
  await lockPlacement(ctx)
  const space = await lockForChange(ctx, id)
  const first = await store.findFirstIn(ctx, id)
  if (first !== undefined) throw new AppError('IN_USE', `The space "${space.name}" is in use by ${first}`)
  await ctx.emit('space.deleting', space)
  await store.remove(ctx, space)
  await ctx.emit('space.deleted', space)
}

export const feature: Feature = {
  operations: implement(spaces, {
    list: async (ctx, { name, managed_by, custom, sort, ...page }) => {
      let query = store.query(ctx)
      if (name) query = query.where(containsText('name_key', name))
      if (managed_by) query = query.where(isManagedBy(managed_by))
      const wanted = { custom, sort }
      return listWithCustom(ctx, { resource: 'spaces', query, tables: ['spaces'], wanted, page, row: store.objectOf })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  reactions: rewriteCustom('spaces', { lock: store.lockAll, update: store.update, rename: store.renameCustom }),
}
