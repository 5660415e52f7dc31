/** Drops old changes. */
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A change stays for this long after the history begins behind it, so that no read loses rows while it runs. */
const GRACE_MS = 60 * 60 * 1000

/** On SQLite all writes wait for the transaction of a batch, which takes longer in a larger file. */
const BATCH_MS = 15
const FEWEST_AT_ONCE = 50
const MOST_AT_ONCE = 500

/** Returns the size of the next batch, from the time that the last one took. */
const computeNextSize = (size: number, tookMs: number): number =>
  Math.max(FEWEST_AT_ONCE, Math.min(MOST_AT_ONCE, size * 2, Math.round((size * BATCH_MS) / tookMs)))

/** Moves the beginning of the history, and deletes the changes before it in short transactions. */
export const removeOld = async (ctx: Ctx, days: number): Promise<void> => {
  const nowMs = await store.readNowMs(ctx, Date.parse(ctx.now))
  const begunAt = await store.readBeginning(ctx)
  const beginsAt = Math.max(begunAt, nowMs - days * DAY_MS)
  // A statement on the table gives every list of the history another ETag, even if it matches no row.
  if (beginsAt > begunAt) await ctx.write((tx) => store.moveBeginning(tx, beginsAt))
  let removed = 0
  let size = FEWEST_AT_ONCE
  for (;;) {
    ctx.signal.throwIfAborted()
    const startedMs = performance.now()
    const { changes, isDone } = await ctx.write((tx) => store.removeSome(tx, beginsAt - GRACE_MS, size))
    removed += changes
    if (isDone) break
    // The time includes the commit, which takes longer than the deletion itself.
    size = computeNextSize(size, performance.now() - startedMs)
  }
  if (removed > 0) ctx.log.info('old changes deleted from the history', { removed, older_than_days: days })
}
