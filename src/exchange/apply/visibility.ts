/** The changes of a plan that a caller with a part of the estate may not make. */
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { listOverlaps } from '../../people/scopes/overlaps.ts'
import { areaUpdates } from '../../people/scopes/update-areas.ts'
import { filterForbidden } from '../../record/history/visibility.ts'
import { MAX_ERRORS } from '../estate/api.ts'
import { getPermission } from './answer.ts'
import { getRules } from './resources.ts'
import type { PlannedChange } from './row.ts'

/** Returns the changes of objects that are not where the caller may make them. */
export const findOutside = async (ctx: Ctx, changes: readonly PlannedChange[]): Promise<PlannedChange[]> => {
  const touched = changes.map((own) => ({ kind: getRules(own.resource).kind, id: own.id, change: own.change, own }))
  return (await filterForbidden(ctx, touched)).map(({ own }) => own)
}

/** Finds the changes of networks and pools that overlap address space outside of the scope of the caller. None of them do before they are made. */
export const findOverlapping = async (ctx: Ctx, changes: readonly PlannedChange[]): Promise<PlannedChange[]> => {
  if (!ctx.caller.scopedPermissions || ctx.changeCount === 0) return []
  if (!changes.some(({ resource }) => resource === 'networks' || resource === 'pools')) return []
  await areaUpdates.updateAreas(ctx)
  const ids = new Set((await listOverlaps(ctx)).map(({ id }) => id))
  return changes.filter(({ id }) => ids.has(id))
}

/** Returns the refusal of changes outside of the part. */
export const createOutsideError = (outside: readonly PlannedChange[]): AppError => {
  const details = outside.slice(0, MAX_ERRORS).map((one) => ({
    field: one.row !== undefined ? `${one.resource}[${one.row}]` : one.change === 'delete' ? 'prune' : 'packs',
    message: `the ${getRules(one.resource).noun} "${one.name}" is outside of the part of the estate in which you have ${getPermission(one)}`,
  }))
  const [first] = details
  return new AppError('FORBIDDEN', `Nothing is applied: ${first?.field}: ${first?.message}`, { details })
}
