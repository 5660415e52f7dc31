/** Runs one piece of work at a time. Users take turns, and so do the feeds of a user. When too many wait, one is refused. */
import { createFairQueue, type Turn } from '../platform/runtime/fair-queue.ts'

/** Whose work it is. */
export type Owner = {
  /** The id of a user; of an API key the one of its owner. */
  readonly user: string
  readonly feed: string
}

export type Wait = { readonly owner: Owner; readonly signal?: AbortSignal | undefined }

export type Lane = {
  /**
   * Runs the work in its turn. An abort while it waits removes it from the queue.
   * @throws what `refusal` returns, and the reason of the signal
   */
  readonly run: <T>(work: () => Promise<T>, wait: Wait) => Promise<T>
}

type Waiting = { readonly turn: Turn; readonly start: () => void; readonly refuse: () => void }

const getTurn = ({ user, feed }: Owner): Turn => ({ lane: 'known', group: user, key: JSON.stringify([user, feed]) })

/** @param refusal creates the error of the newest work of the user who has most of it, when more than `mostWaiting` wait */
export const createLane = (mostWaiting: number, refusal: () => Error): Lane => {
  const queue = createFairQueue<Waiting>(mostWaiting)
  let isBusy = false

  const startNext = (): void => {
    const next = isBusy ? undefined : queue.next()
    if (!next) return
    isBusy = true
    next.start()
  }

  const waitForTurn = (turn: Turn, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = () => {
        queue.remove(waiting)
        reject(signal?.reason)
      }
      const settle = (then: () => void) => () => {
        signal?.removeEventListener('abort', abort)
        then()
      }
      const waiting: Waiting = { turn, start: settle(resolve), refuse: settle(() => reject(refusal())) }
      signal?.addEventListener('abort', abort, { once: true })
      queue.add(waiting)
      startNext()
      queue.overflow()?.refuse()
    })

  return {
    run: async (work, { owner, signal }) => {
      signal?.throwIfAborted()
      const turn = getTurn(owner)
      await waitForTurn(turn, signal)
      try {
        return await work()
      } finally {
        isBusy = false
        queue.done(turn)
        startNext()
      }
    },
  }
}
