/** Waits for conditions by polling, and pauses work until a test lets it finish. */

const PATIENCE_MS = 15_000
const LOOK_MS = 10

/** Returns the first defined result of `look`. @throws if that takes too long */
export const until = async <T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  patienceMs = PATIENCE_MS,
): Promise<T> => {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > endMs) throw new Error(`there was no ${what}`)
    await Bun.sleep(LOOK_MS)
  }
}

/**
 * Starts work and returns once it has called and awaits `pause`.
 * @returns a function that ends the pause and waits for the end of the work
 */
export const startPaused = async (
  work: (pause: () => Promise<void>) => Promise<unknown>,
): Promise<() => Promise<void>> => {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = work(() => {
    begun.resolve()
    return over.promise
  })
  await Promise.race([begun.promise, ended])
  return async () => {
    over.resolve()
    await ended
  }
}
