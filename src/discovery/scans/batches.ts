/** Splits long work of discovery into transactions, so that the one writer is never held for long. */
import type { WriteOptions } from '../../database/database.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** About 2 ms on SQLite. The first transactions also build queries and compile code: with 48 one took 23 ms. */
const ITEMS_PER_TRANSACTION = 24

type BatchedWork<T> = {
  readonly items: readonly T[]
  readonly options?: WriteOptions
}

/** Processes items in transactions of a fixed size. @param work false stops @returns true if all were processed */
export const processInBatches = async <T>(
  ctx: Ctx,
  { items, options = {} }: BatchedWork<T>,
  work: (tx: Ctx, some: readonly T[], isLast: boolean) => Promise<boolean>,
): Promise<boolean> => {
  let from = 0
  do {
    const some = items.slice(from, from + ITEMS_PER_TRANSACTION)
    from += some.length
    const isLast = from >= items.length
    if (!(await ctx.write((tx) => work(tx, some, isLast), options))) return false
  } while (from < items.length)
  return true
}
