/** The rules of address spaces. */
import { AppError } from '../../contract/errors.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { resourceRules } from '../../resource/rules.ts'
import { lockPlacement } from '../placement-lock.ts'
import { type Space, spaces } from './api.ts'
import type { spaceFacts } from './resource.ts'
import { findFirstIn, giveKey, isNameTaken, store } from './store.ts'

/** @throws AppError ALREADY_EXISTS if another space has the name, in any case */
const refuseTaken = async (ctx: Ctx, space: Space): Promise<void> => {
  if (await isNameTaken(ctx, space)) throw new AppError('ALREADY_EXISTS', `A space "${space.name}" exists already`)
}

/** @throws AppError IN_USE */
const refuseUsed = async (ctx: Ctx, { id, name }: Space): Promise<void> => {
  const first = await findFirstIn(ctx, id)
  if (first !== undefined) throw new AppError('IN_USE', `The space "${name}" is in use by ${first}`)
}

const rules = resourceRules<typeof spaceFacts, Space>(store, {
  // Excludes networks and addresses that are placed in a deleted space at the same time. Of two new spaces, the second takes the next key.
  lock: async (ctx, verb) => {
    if (verb !== 'update') await lockPlacement(ctx)
  },
  check: async (ctx, { before, after }) => (after ? refuseTaken(ctx, after) : refuseUsed(ctx, before)),
  follow: async (ctx, { before, after }) => {
    if (before || (await giveKey(ctx, after.id))) return
    throw new AppError('LIMIT_REACHED', 'At most 65,535 spaces can ever be created')
  },
  deleted: (ctx, space) => ctx.emit('space.deleted', space),
})

export const feature: Feature = { operations: implement(spaces, rules.handlers), reactions: rules.reactions }
