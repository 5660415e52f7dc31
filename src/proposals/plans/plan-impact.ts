/** Counts the devices that would stop after the deletions of a plan. */
import { z } from 'zod'
import { impact } from '../../answers/impact/api.ts'
import { countNamedImpact } from '../../answers/impact/impact.ts'
import type { ImpactCounts } from '../../contract/impact-summary.ts'
import type { Tables } from '../../database/tables.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Request } from '../../kernel/request.ts'
import { holdsAnywhere } from '../../kernel/rights/access.ts'

const ids = z.array(z.string())

/** The preview for as many objects as a plan may delete. It answers only the numbers. */
const COUNT: Bound<Tables> = {
  op: { ...impact.preview, input: z.object({ device_ids: ids, datacenter_ids: ids, network_ids: ids }) },
  handler: countNamedImpact,
}

/**
 * Returns the number of devices that follow the deleted devices, datacenters and networks, as far as the caller sees them. Undefined for a
 * plan that deletes none, and for a caller who may list no relationships.
 */
export const countPlannedImpact = async (
  kernel: Kernel<Tables>,
  request: Request,
  changes: readonly PlannedItem[],
): Promise<ImpactCounts | undefined> => {
  if (!holdsAnywhere(request.caller, 'relationships:list')) return undefined
  const listDeleted = (noun: string) =>
    changes.flatMap(({ change, kind, id }) => (change === 'delete' && kind === noun ? [id] : []))
  const input = {
    device_ids: listDeleted('device'),
    datacenter_ids: listDeleted('datacenter'),
    network_ids: listDeleted('network'),
  }
  if (Object.values(input).every((some) => some.length === 0)) return undefined
  // The handler of `COUNT` returns them.
  return (await kernel.run(COUNT, { ...request, input })) as ImpactCounts
}
