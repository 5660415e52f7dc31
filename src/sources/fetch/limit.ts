/** Runs work a few pieces at a time; the others wait in their order. */

/** @throws the reason of a signal that aborts while the work waits */
export type RunLimited = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>

export const createLimit = (atOnce: number): RunLimited => {
  let running = 0
  // A set keeps the order, and gives up its first element in constant time.
  const waiting = new Set<() => void>()

  const begin = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (running < atOnce) {
      running++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        waiting.delete(start)
        reject(signal.reason)
      }
      const start = () => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      waiting.add(start)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  const end = (): void => {
    const [next] = waiting
    if (!next) {
      running--
      return
    }
    waiting.delete(next)
    next()
  }

  return async (work, signal) => {
    await begin(signal)
    try {
      return await work()
    } finally {
      end()
    }
  }
}
