/** Ends a proposal that is not merged. */
import type { Ctx } from '../../kernel/ctx.ts'
import { addEntry } from '../entry-store.ts'
import { announceProposal } from '../events.ts'
import type { CloseReason } from '../schema.ts'
import * as store from '../store.ts'

export type Closing = {
  readonly reason: Exclude<CloseReason, '' | 'merged'>
  /** The name of a user; '' for the server. */
  readonly by: string
  readonly text?: string
}

/** Closes a draft or an open proposal, of which the row is locked. */
export const closeProposal = async (
  tx: Ctx,
  before: Pick<store.StoredProposal, 'seq' | 'state'>,
  { reason, by, text = '' }: Closing,
): Promise<store.StoredProposal> => {
  const row = await store.update(tx, before.seq, {
    ...{ state: 'closed', close_reason: reason, closed_by: by, closed_at: tx.now, updated_at: tx.now },
  })
  await addEntry(tx, row, { type: reason === 'rejected' ? 'rejected' : 'closed', text })
  if (before.state === 'open') announceProposal(tx, 'proposal.closed', row, { username: by, text })
  return row
}
