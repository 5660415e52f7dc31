/** Adapts the batch size of transactions to their measured duration, so that the one writer is never held for long. */
import type { WriteOptions } from '../../database/database.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** Target duration of a transaction, without its disk write. Some take several times as long; none should take over 20 ms. */
const HOLD_MS = 4
/** Concurrent writers (PostgreSQL) make the round trip dominate, so batches are larger. */
const HOLD_BESIDE_OTHERS_MS = 50
/** Initial size. Small, because the first transactions also build queries and compile code. */
const FIRST = 8
const LEAST = 4
const MOST_BESIDE_OTHERS = 256
/** Limit with one writer: building larger prepared inserts takes longer than a transaction should. */
const MOST = 48
/** Sizes are multiples of these, because each length needs a prepared query. */
const STEPS = [64, 16, 4] as const
/** Weight of a faster measurement in the moving average. */
const EASE = 0.2

export type AdaptiveBatch = {
  /** Number of items for the next transaction. */
  readonly size: () => number
  /** Records the duration of a transaction, in milliseconds. */
  readonly took: (count: number, ms: number) => void
}

const rounded = (size: number): number => {
  const step = STEPS.find((one) => size >= one) ?? LEAST
  return Math.floor(size / step) * step
}

export const createAdaptiveBatch = (holdMs: number, most: number): AdaptiveBatch => {
  let eachMs = holdMs / FIRST
  return {
    size: () => rounded(Math.min(most, Math.max(LEAST, holdMs / eachMs))),
    took: (count, ms) => {
      if (count === 0) return
      const now = Math.max(ms / count, Number.EPSILON)
      // Shrinks at once and grows slowly: one fast transaction may be luck.
      eachMs = now > eachMs ? now : eachMs + (now - eachMs) * EASE
    },
  }
}

export const createAdaptiveBatchFor = ({ store }: Pick<Ctx, 'store'>): AdaptiveBatch =>
  store.sql.hasOneWriter
    ? createAdaptiveBatch(HOLD_MS, MOST)
    : createAdaptiveBatch(HOLD_BESIDE_OTHERS_MS, MOST_BESIDE_OTHERS)

type BatchedWork<T> = {
  readonly items: readonly T[]
  readonly batch: AdaptiveBatch
  readonly options?: WriteOptions
}

/** Processes items in transactions of adaptive size. @param work false stops @returns true if all were processed */
export const processInBatches = async <T>(
  ctx: Ctx,
  { items, batch, options = {} }: BatchedWork<T>,
  work: (tx: Ctx, some: readonly T[], isLast: boolean) => Promise<boolean>,
): Promise<boolean> => {
  let from = 0
  do {
    const some = items.slice(from, from + batch.size())
    from += some.length
    const isWanted = await ctx.write(async (tx) => {
      const startedMs = performance.now()
      const answer = await work(tx, some, from >= items.length)
      batch.took(some.length, performance.now() - startedMs)
      return answer
    }, options)
    if (!isWanted) return false
  } while (from < items.length)
  return true
}
