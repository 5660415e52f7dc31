/** Yields to the event loop. Long transactions call it between batches, so that reads are answered. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Maximum time of work between two turns of the event loop. */
const LONGEST_HOLD_MS = 5

/** Yields if the last turn is too long ago; otherwise it only reads the clock. @throws the reason of an aborted signal */
export type Breathe = () => Promise<void> | undefined

/**
 * Creates a `breathe` for loops with steps of unequal length and awaits that need not yield to the event loop.
 * @param signal of the call: the loop ends when its client has left
 * @example
 * const breathe = createBreathe()
 * for (const row of rows) {
 *   await work(row)
 *   await breathe()
 * }
 */
export const createBreathe = (signal?: AbortSignal): Breathe => {
  let turnedMs = performance.now()
  return () => {
    if (performance.now() - turnedMs < LONGEST_HOLD_MS) return undefined
    return pause().then(() => {
      signal?.throwIfAborted()
      turnedMs = performance.now()
    })
  }
}
