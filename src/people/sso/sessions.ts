/** Ends sessions that began at an identity provider. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { SessionsOptions } from '../sessions/sessions.ts'
import * as store from './flow/flow-store.ts'

export type SessionEnding = Pick<SessionsOptions, 'sessions'>

/** Sessions elsewhere are ended at once, because a transaction contains only SQL. @returns the rest, for a transaction */
export const endSessions = async (
  ctx: Ctx,
  { sessions }: SessionEnding,
  of: store.SessionsOf,
): Promise<(tx: Ctx) => Promise<void>> => {
  if (!sessions.isInDatabase) {
    await ctx.confirmRightsFinally()
    for (const id of await store.findSessionIds(ctx, of)) await sessions.remove(id)
  }
  return async (tx) => {
    for (const id of await store.findSessionIds(tx, of)) {
      if (sessions.isInDatabase) await sessions.remove(id, tx.db)
      await store.removeSession(tx, id)
      await tx.emit('session.ended', { id })
    }
  }
}
