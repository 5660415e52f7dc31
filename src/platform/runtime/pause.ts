/** Lets the event loop turn once: long work in one transaction calls it between batches, so that reads go on being answered. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Work goes on for so long between two turns of the event loop. */
const LONGEST_HOLD_MS = 5

/** Pauses where the last turn that this work let happen is too long ago; else it costs a look at the clock. */
export type Breathe = () => Promise<void> | undefined

/**
 * For loops whose steps take unequally long: what is awaited in them need not let the event loop turn.
 * @example
 * const breathe = createBreathe()
 * for (const row of rows) {
 *   await work(row)
 *   await breathe()
 * }
 */
export const createBreathe = (): Breathe => {
  let turnedMs = performance.now()
  return () => {
    if (performance.now() - turnedMs < LONGEST_HOLD_MS) return undefined
    return pause().then(() => {
      turnedMs = performance.now()
    })
  }
}
