/** Runs few pieces of long work at a time. The others wait; those who wait take turns, and when too many wait, the next is refused. */
import { createFairQueue, type Turn } from './fair-queue.ts'

type Waiting = { readonly turn: Turn; readonly start: () => void; readonly refuse: (error: Error) => void }

export type FairLane = {
  /**
   * Runs the work in its turn. An abort while it waits removes it from the queue.
   * @param who owns the work: a user or a key. One piece of work of an owner runs at a time
   * @throws what `refusal` returns when the queue is full, and the reason of the signal
   */
  readonly run: <T>(who: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>
}

type Options = {
  /** Pieces of work that run at a time, and those that wait for them. */
  readonly atOnce: number
  readonly waiting: number
  readonly refusal: () => Error
}

export const createFairLane = ({ atOnce, waiting, refusal }: Options): FairLane => {
  const queue = createFairQueue<Waiting>(waiting)
  let running = 0

  const startWaiting = (): void => {
    while (running < atOnce) {
      const next = queue.next()
      if (!next) return
      running++
      next.start()
    }
  }

  const begin = (turn: Turn, signal: AbortSignal | undefined): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      queue.remove(item)
      reject(signal?.reason)
    }
    const settle = () => signal?.removeEventListener('abort', abort)
    const item: Waiting = {
      turn,
      start: () => {
        settle()
        resolve()
      },
      refuse: (error) => {
        settle()
        reject(error)
      },
    }
    signal?.addEventListener('abort', abort, { once: true })
    queue.add(item)
    startWaiting()
    queue.overflow()?.refuse(refusal())
    return promise
  }

  return {
    run: async (who, work, signal) => {
      signal?.throwIfAborted()
      const turn: Turn = { lane: 'known', group: who, key: who }
      await begin(turn, signal)
      try {
        return await work()
      } finally {
        running--
        queue.done(turn)
        startWaiting()
      }
    },
  }
}
