/** Runs one piece of work at a time. The others wait in order; when too many wait, the next is refused. */

export type Lane = {
  /**
   * Runs the work in its turn. An abort while it waits removes it from the queue.
   * @throws what `refusal` returns when the queue is full, and the reason of the signal
   */
  readonly run: <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>
}

export const createLane = (mostWaiting: number, refusal: () => Error): Lane => {
  const waiting = new Set<() => void>()
  let isBusy = false

  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = () => {
        waiting.delete(start)
        reject(signal?.reason)
      }
      const start = () => {
        waiting.delete(start)
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      waiting.add(start)
      signal?.addEventListener('abort', abort, { once: true })
    })

  return {
    run: async (work, signal) => {
      signal?.throwIfAborted()
      if (isBusy && waiting.size >= mostWaiting) throw refusal()
      // The lane stays busy when one piece of work hands over to the next.
      if (isBusy) await turn(signal)
      isBusy = true
      try {
        return await work()
      } finally {
        const [next] = waiting
        if (next === undefined) isBusy = false
        else next()
      }
    },
  }
}
