/** Adapts the batch size of transactions to their measured duration, so that the one writer is never held for long. */
import type { WriteOptions } from '../../database/database.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** Initial size. Small, because the first transactions also build queries and compile code. */
const FIRST = 8
const LEAST = 4
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

/** @param holdMs target duration of a transaction, without its disk write; some take several times as long */
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
  createAdaptiveBatch(store.sql.share.holdMs, store.sql.share.most)

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
