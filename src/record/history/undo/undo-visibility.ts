/** The objects that a caller with a part of the estate may touch by an undo. */
import { AppError } from '../../../contract/errors.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { listOverlaps } from '../../../people/scopes/overlaps.ts'
import { areaUpdates } from '../../../people/scopes/update-areas.ts'
import { INVERSE, type Kind } from '../kind-names.ts'
import type { Refused } from '../steps.ts'
import { filterForbidden, type Touched } from '../visibility.ts'
import type { Plan } from './undo-plan.ts'

const createReachError = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'The change has objects outside of the part of the estate in which you have the permissions to undo it',
  )

/** @throws AppError FORBIDDEN for an object that the caller may not change so where it is, or was last */
const requireReach = async (ctx: Ctx, touched: readonly Touched[]): Promise<void> => {
  if ((await filterForbidden(ctx, touched)).length > 0) throw createReachError()
}

/** Checks all objects of a change before its undo. @throws AppError FORBIDDEN */
export const requirePlanned = async (ctx: Ctx, { scope }: Plan): Promise<void> => {
  if (!ctx.caller.scopedPermissions) return
  const touched = [...scope].map(([key, done]) => {
    const end = key.indexOf(' ')
    const change = INVERSE[typeof done === 'string' ? done : 'update']
    // The keys come from `buildKey`.
    return { kind: key.slice(0, end) as Kind, id: key.slice(end + 1), change }
  })
  await requireReach(ctx, touched)
}

/** @throws AppError FORBIDDEN for a step that the caller lacks the rights for: it is no obstacle, which the answer would describe */
export const requireAllowed = (refused: readonly Refused[]): void => {
  if (refused.some(({ error }) => error.code === 'FORBIDDEN')) throw createReachError()
}

/** Checks all objects that an undo has made or changed, and the address space of its networks and pools. @throws AppError FORBIDDEN */
export const requireDone = async (ctx: Ctx): Promise<void> => {
  if (!ctx.caller.scopedPermissions) return
  const touched = (await ctx.changedObjects()).filter(({ change }) => change !== 'delete')
  // The stores declare the kinds.
  await requireReach(ctx, touched as readonly Touched[])
  if (!touched.some(({ kind }) => kind === 'network' || kind === 'pool')) return
  await areaUpdates.updateAreas(ctx)
  if ((await listOverlaps(ctx)).length > 0) throw createReachError()
}
