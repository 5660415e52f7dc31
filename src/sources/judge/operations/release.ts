/** Releases the objects of a source that is deleted, or deletes them. */

import { splitBatches } from '../../../database/query/batches.ts'
import { findStoredDocuments } from '../../../exchange/apply/objects.ts'
import { getRules } from '../../../exchange/apply/resources.ts'
import type { PlannedChange } from '../../../exchange/apply/row.ts'
import { runPlan } from '../../../exchange/apply/run-plan.ts'
import { formatRowName } from '../../../exchange/plan/context.ts'
import { findIdsByOwner } from '../../../exchange/plan/plan.ts'
import { INVENTORY, type Resource } from '../../../inventory/resources.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Means } from '../../../record/history/kinds.ts'
import { DELETE_ORDER, deleteMade } from '../apply-judgment.ts'
import { findLinks } from '../object-reads.ts'
import { removeAll } from '../object-store.ts'
import { buildOwner } from '../row.ts'

const AT_ONCE = 400

/** Plans the same change of each object that the source has made. */
const planOwn = async (
  ctx: Ctx,
  resource: Resource,
  owner: string,
  change: Pick<PlannedChange, 'change' | 'document'>,
): Promise<PlannedChange[]> => {
  const planned: PlannedChange[] = []
  for (const ids of splitBatches(await findIdsByOwner(ctx, resource, owner), AT_ONCE)) {
    const stored = await findStoredDocuments(ctx, getRules(resource), ids)
    for (const id of ids) {
      const one = stored.get(id)
      if (one) planned.push({ ...change, resource, id, name: formatRowName(resource, one.document), before: one.json })
    }
  }
  return planned
}

const SPACES: readonly Resource[] = ['spaces']

/** Plans the deletion of the objects that a source has made and no other source says. @throws AppError FORBIDDEN */
const planDeletions = async (ctx: Ctx, resource: Resource, owner: string): Promise<PlannedChange[]> => {
  const planned = await planOwn(ctx, resource, owner, { change: 'delete', document: {} })
  const links = await findLinks(
    ctx,
    planned.map(({ id }) => id),
  )
  const isSaid = (id: string) =>
    (links.get(id) ?? []).some((link) => link.resource === resource && link.missing_since === null)
  const unsaid = planned.filter(({ id }) => !isSaid(id))
  if (unsaid.length > 0) ctx.require(`${resource}:delete`)
  return unsaid
}

/**
 * Ends the links of a source. `delete` deletes the objects that it has made, if nothing else goes along and no other source says
 * them; of the others it clears the owner. Called in the transaction that deletes the source.
 * @throws AppError FORBIDDEN without the right to delete an object
 */
export const releaseObjects = async (
  ctx: Ctx,
  means: Means,
  { sourceId, objects }: { readonly sourceId: string; readonly objects: 'keep' | 'delete' },
): Promise<void> => {
  await ctx.lock('apply')
  const owner = buildOwner(sourceId)
  await removeAll(ctx, sourceId)
  if (objects === 'delete') {
    // A space in use must not make the deletion of all other objects slow.
    for (const resources of [DELETE_ORDER, SPACES]) {
      const deletions: { change: PlannedChange }[] = []
      for (const resource of resources)
        for (const change of await planDeletions(ctx, resource, owner)) deletions.push({ change })
      await deleteMade({ ctx, means, source: { id: sourceId } }, deletions, resources)
    }
  }
  const left: PlannedChange[] = []
  for (const resource of INVENTORY)
    left.push(...(await planOwn(ctx, resource, owner, { change: 'update', document: { managed_by: '' } })))
  if (left.length > 0) await runPlan({ ctx, means, total: left.length, isAtomic: false }, left)
}
