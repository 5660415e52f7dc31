/** Ends a proposal. */
import type { Ctx } from '../../kernel/ctx.ts'
import { getActor, noteEntry } from '../entry-store.ts'
import type { CloseReason } from '../schema.ts'
import * as store from '../store.ts'

type End = {
  readonly reason: Exclude<CloseReason, ''>
  readonly text?: string
  /** The change of a merge. */
  readonly change_id?: string | null
}

/** Merges or closes a draft or an open proposal, of which the row is locked. */
export const endProposal = async (
  tx: Ctx,
  before: Pick<store.StoredProposal, 'seq' | 'state'>,
  { reason, text = '', change_id = null }: End,
): Promise<store.StoredProposal> => {
  const state = reason === 'merged' ? 'merged' : 'closed'
  const row = await store.update(tx, before.seq, {
    ...{ state, close_reason: reason, closed_by: getActor(tx), closed_at: tx.now, updated_at: tx.now, change_id },
  })
  const type = reason === 'rejected' ? 'rejected' : state
  await noteEntry(tx, `proposal.${state}`, row, { type, text }, before.state)
  return row
}

/** Closes a draft or an open proposal, unless another call has ended it since. */
export const closeUnfinished = async (
  tx: Ctx,
  seq: store.StoredProposal['seq'],
  reason: 'expired' | 'withdrawn',
  isDue = (_: store.StoredProposal): boolean => true,
): Promise<void> => {
  const row = await store.lock(tx, seq)
  if ((row?.state === 'draft' || row?.state === 'open') && isDue(row)) await endProposal(tx, row, { reason })
}
