/** Records the change of a transaction and its events, once, after the policies have let it pass. */

import { waitForAll } from '../../base/runtime/wait-for-all.ts'
import type { ChangeDetails, ChangedObject } from '../changes/change-record.ts'
import type { History } from '../changes/history.ts'
import type { Proposals } from '../changes/proposals.ts'
import type { Feature, KernelCtx } from '../context.ts'
import type { EventRecorder } from '../event-recorder.ts'
import type { Call, FollowChanges, Transaction } from './transaction.ts'

type Options<Tables> = {
  readonly history: History<Tables>
  readonly events: EventRecorder<Tables>
  readonly proposals: Proposals<Tables>
  readonly features: readonly Pick<Feature<Tables>, 'onObjectsChanged'>[]
  readonly follow: FollowChanges<Tables>
}

/** True for a call that policies let pass: a rolled back one, or one of the server itself. */
const isFree = ({ isDry = false, isTrial = false, request: { caller } }: Call): boolean =>
  isDry || isTrial || caller.via === 'job' || caller.via === 'guest'

/** @returns the id of the change; '' if nothing has changed */
export type RecordChange<Tables> = (
  ctx: KernelCtx<Tables>,
  tx: Transaction<Tables>,
  details: ChangeDetails,
) => Promise<string>

export const createRecordChange = <Tables>({
  history,
  events,
  proposals,
  features,
  follow,
}: Options<Tables>): RecordChange<Tables> => {
  /** Writes the events of changed objects, and the events announced so far. */
  const recordEvents = async (
    ctx: KernelCtx<Tables>,
    tx: Transaction<Tables>,
    items: readonly ChangedObject[],
  ): Promise<void> => {
    const announced = tx.announced.splice(0)
    if (items.length === 0 && announced.length === 0) return
    // More of them than a call takes arguments.
    for (const name of await events.record(ctx, items, announced)) tx.events.push(name)
  }

  return async (ctx, tx, own) => {
    if (tx.recorded !== undefined) {
      await recordEvents(ctx, tx, [])
      return tx.recorded
    }
    const { root } = tx
    await follow(ctx, tx)
    const items = tx.record.length === 0 ? [] : await tx.record.items()
    const { undoes = null, defaultNote = '', proposalId = '' } = { ...own, ...tx.details }
    // Also without items: some protected objects have no history. A merge requires its approvals itself.
    if (!isFree(root) && proposalId === '') await proposals.gate(ctx, { canBeProposed: root.canBeProposed === true })
    tx.recorded = items.length === 0 ? '' : tx.changeId
    const { tool = '' } = root.request
    const origin = { id: tx.changeId, operation: root.name, tool, note: root.note || defaultNote, undoes, proposalId }
    if (items.length === 0) await recordEvents(ctx, tx, items)
    else
      await waitForAll([
        ...features.map(({ onObjectsChanged }) => onObjectsChanged?.(ctx, items)),
        recordEvents(ctx, tx, items),
        history.record(ctx, origin, items),
      ])
    return tx.recorded
  }
}
