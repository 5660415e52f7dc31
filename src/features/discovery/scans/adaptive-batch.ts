/** How much goes into one transaction: as much as the writer can be held for without anybody noticing, found out as it goes. */
import type { WriteOptions } from '../../../platform/db/database.ts'
import type { Ctx } from '../../ctx.ts'

/** How long a transaction is meant to take. Some take several times as long, and none should more than 20 ms; the disk comes on top. */
const HOLD_MS = 4
/** Where many write at the same time, nobody waits: there the way to the database and back is what costs. */
const HOLD_BESIDE_OTHERS_MS = 50
/** Small, because the first ones have their queries built and their code compiled. */
const FIRST = 8
const LEAST = 4
const MOST_BESIDE_OTHERS = 256
/** To build a prepared insert of more than 16 rows takes longer than a transaction should. */
const MOST = 48
/** Of some sizes only: prepared queries are built for a few lengths, each when it is first needed. */
const STEPS = [64, 16, 4] as const
/** How soon a portion that was quick makes the next ones larger. */
const EASE = 0.2

export type Portion = {
  /** How many the next transaction should take. */
  readonly size: () => number
  /** So many have taken so long. */
  readonly took: (count: number, ms: number) => void
}

const rounded = (size: number): number => {
  const step = STEPS.find((one) => size >= one) ?? LEAST
  return Math.floor(size / step) * step
}

export const createPortion = (holdMs: number, most: number): Portion => {
  let eachMs = holdMs / FIRST
  return {
    size: () => rounded(Math.min(most, Math.max(LEAST, holdMs / eachMs))),
    took: (count, ms) => {
      if (count === 0) return
      const now = Math.max(ms / count, Number.EPSILON)
      // Slower at once, faster by and by: one that was lucky is no promise.
      eachMs = now > eachMs ? now : eachMs + (now - eachMs) * EASE
    },
  }
}

export const portionFor = ({ store }: Pick<Ctx, 'store'>): Portion =>
  store.sql.hasOneWriter ? createPortion(HOLD_MS, MOST) : createPortion(HOLD_BESIDE_OTHERS_MS, MOST_BESIDE_OTHERS)

type Portions<T> = {
  readonly items: readonly T[]
  readonly portion: Portion
  readonly options?: WriteOptions
}

/**
 * Does the work in transactions, each with as many items as are quickly done. `isLast` is told of the last ones. One that answers
 * false has nobody who wants the rest.
 * @returns whether all is done
 */
export const inPortions = async <T>(
  ctx: Ctx,
  { items, portion, options = {} }: Portions<T>,
  work: (tx: Ctx, some: readonly T[], isLast: boolean) => Promise<boolean>,
): Promise<boolean> => {
  let from = 0
  do {
    const some = items.slice(from, from + portion.size())
    from += some.length
    const isWanted = await ctx.write(async (tx) => {
      const startedMs = performance.now()
      const answer = await work(tx, some, from >= items.length)
      portion.took(some.length, performance.now() - startedMs)
      return answer
    }, options)
    if (!isWanted) return false
  } while (from < items.length)
  return true
}
