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

/**
 * Ends the links of a source. `delete` deletes the objects that it has made, if nothing else goes along; of the others it clears
 * the owner. Called in the transaction that deletes the source.
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
    const deletions: { change: PlannedChange }[] = []
    for (const resource of DELETE_ORDER)
      for (const change of await planOwn(ctx, resource, owner, { change: 'delete', document: {} })) {
        ctx.require(`${resource}:delete`)
        deletions.push({ change })
      }
    await deleteMade({ ctx, means, source: { id: sourceId } }, deletions)
  }
  const left: PlannedChange[] = []
  for (const resource of INVENTORY)
    left.push(...(await planOwn(ctx, resource, owner, { change: 'update', document: { managed_by: '' } })))
  if (left.length > 0) await runPlan({ ctx, means, total: left.length, isAtomic: false }, left)
}
