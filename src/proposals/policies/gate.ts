/** Refuses changes of protected objects by other calls than the merge of a proposal. */
import { AppError } from '../../contract/errors.ts'
import { recordChanges } from '../../dns/records/store.ts'
import type { Gated } from '../../kernel/changes/proposals.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findPlaces, NOWHERE } from '../review/places.ts'
import type { Policy } from './api.ts'
import { coversChange, DNS_RECORD, listApplied, type PlacedItem } from './applies.ts'
import { loadForTransaction } from './store.ts'

/** Returns the changes of the transaction, with places only if a policy needs them. */
const listChanged = async (ctx: Ctx, policies: readonly Policy[]): Promise<readonly PlacedItem[]> => {
  const objects = await ctx.changedObjects()
  const isPlaced = policies.some(
    (policy) => policy.scope_id !== null && objects.some((object) => coversChange(policy, object)),
  )
  const places = isPlaced ? await findPlaces(ctx, objects) : []
  return [
    ...objects.map(({ kind, change }, i) => ({ kind, change, places: places[i] ?? NOWHERE })),
    ...ctx.local(recordChanges).map((change) => ({ kind: DNS_RECORD, change, places: NOWHERE })),
  ]
}

/**
 * Called at the end of a transaction, before its change is recorded.
 * @throws AppError APPROVAL_REQUIRED that names the policies
 */
export const checkProtected = async (ctx: Ctx, { canBeProposed }: Gated): Promise<void> => {
  if (ctx.changeCount === 0 && ctx.local(recordChanges).length === 0) return
  const protecting = (await loadForTransaction(ctx)).filter(({ enabled, protect }) => enabled && protect)
  if (protecting.length === 0) return
  const items = await listChanged(ctx, protecting)
  const broken = protecting.filter((policy) => listApplied(policy, items).length > 0)
  if (broken.length === 0) return
  const names = broken.map(({ name: policy }) => `"${policy}"`).join(', ')
  const way = canBeProposed ? 'propose it with proposal=open' : 'propose the changes by calls that take proposal=open'
  throw new AppError('APPROVAL_REQUIRED', `Needs an approval by the policy ${names}: ${way}`, {
    details: broken.map((policy) => ({ field: policy.name, message: 'protects objects that this would change' })),
  })
}
