/** Waits for conditions by polling. */

const PATIENCE_MS = 15_000
const LOOK_MS = 10

/** Returns the first defined result of `look`. @throws if that takes too long */
export const until = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  const endMs = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > endMs) throw new Error(`there was no ${what}`)
    await Bun.sleep(LOOK_MS)
  }
}
