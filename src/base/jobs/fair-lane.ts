/** Runs few pieces of long work at a time. The others wait, and their owners take turns. When too many wait, one is refused. */
import { createFairQueue, type Turn } from './fair-queue.ts'

type Waiting = { readonly turn: Turn; readonly start: () => void; readonly refuse: (error: Error) => void }

/** The owner of the work. Groups take turns, and so do the keys of a group. */
export type Owner = Pick<Turn, 'group' | 'key'>

export type FairLane = {
  /**
   * Runs the work in its turn. An abort while it waits removes it from the queue.
   * One piece of work of a key runs at a time.
   * @throws what `refusal` returns, and the reason of the signal
   */
  readonly run: <T>(owner: Owner, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>
}

type Options = {
  /** Pieces of work that run at a time, and pieces that wait for them. */
  readonly atOnce: number
  readonly waiting: number
  /** Creates the error of the newest work of the group that has most of it, when more wait. */
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
    run: async (owner, work, signal) => {
      signal?.throwIfAborted()
      const turn: Turn = { lane: 'known', ...owner }
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
