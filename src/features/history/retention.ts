/** Drops old changes. */
import type { Ctx } from '../ctx.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A change stays for this long after the history begins behind it, so that no read loses rows while it runs. */
const GRACE_MS = 60 * 60 * 1000

/** Moves the beginning of the history, and deletes the changes before it in short transactions. */
export const removeOld = async (ctx: Ctx, days: number): Promise<void> => {
  const nowMs = await store.nowMs(ctx, Date.parse(ctx.now))
  const begunAt = await store.beginsAt(ctx)
  const beginsAt = Math.max(begunAt, nowMs - days * DAY_MS)
  // A statement on the table gives every list of the history another ETag, even if it matches no row.
  if (beginsAt > begunAt) await ctx.write((tx) => store.moveBeginning(tx, beginsAt))
  let removed = 0
  for (;;) {
    ctx.signal.throwIfAborted()
    const { changes, isDone } = await ctx.write((tx) => store.removeSome(tx, beginsAt - GRACE_MS))
    removed += changes
    if (isDone) break
  }
  if (removed > 0) ctx.log.info('old changes deleted from the history', { removed, older_than_days: days })
}
