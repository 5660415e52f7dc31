/** Closes the proposals of a user who is gone: a run needs the rights of its author. */
import type { Ctx } from '../../kernel/ctx.ts'
import { closeProposal } from '../operations/close.ts'
import * as store from '../store.ts'

export const withdrawProposals = async (ctx: Ctx, userId: string): Promise<void> => {
  const found = await ctx.db
    .selectFrom('proposals')
    .select('seq')
    .where('author_id', '=', userId)
    .where('state', 'in', ['draft', 'open'])
    .orderBy('seq')
    .execute()
  for (const { seq } of found) {
    const row = await store.lock(ctx, seq)
    // Another call may have merged it.
    if (row?.state !== 'draft' && row?.state !== 'open') continue
    await closeProposal(ctx, row, { reason: 'withdrawn', entry: 'closed', by: ctx.caller.username, text: '' })
  }
}
