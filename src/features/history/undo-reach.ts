/** The objects that a caller with a part of the estate may touch by an undo. */
import { AppError } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import { INVERSE, type Kind } from './kind-names.ts'
import { outOfReach, type Touched } from './reach.ts'
import type { Plan } from './undo-plan.ts'

/** @throws AppError FORBIDDEN for an object that the caller may not change so where it is, or was last */
const requireReach = async (ctx: Ctx, touched: readonly Touched[]): Promise<void> => {
  if ((await outOfReach(ctx, touched)).length > 0)
    throw new AppError(
      'FORBIDDEN',
      'The change has objects outside of the part of the estate in which you have the permissions to undo it',
    )
}

/** Checks all objects of a change before its undo. @throws AppError FORBIDDEN */
export const requirePlanned = async (ctx: Ctx, { scope }: Plan): Promise<void> => {
  if (!ctx.caller.reach) return
  const touched = [...scope].map(([key, done]) => {
    const end = key.indexOf(' ')
    const change = INVERSE[typeof done === 'string' ? done : 'update']
    // The keys are those of `keyOf`.
    return { kind: key.slice(0, end) as Kind, id: key.slice(end + 1), change }
  })
  await requireReach(ctx, touched)
}

/** Checks all objects that an undo has made or changed. @throws AppError FORBIDDEN */
export const requireDone = async (ctx: Ctx): Promise<void> => {
  if (!ctx.caller.reach) return
  const touched = (await ctx.changedItems()).filter(({ change }) => change !== 'delete')
  // The kinds are those that the stores declare.
  await requireReach(ctx, touched as readonly Touched[])
}
