/** The polls that wait at this instance. One look at the database is for all of them. */
import type { Poller } from './news.ts'

export type Waiting = {
  /** Sets the current state of the scanner. */
  readonly update: (poller: Poller) => void
  /** True after another poll of the scanner, its goodbye, or the shutdown. */
  readonly isEnded: () => boolean
  /** Resolves to true when there may be something new, and to false at the end of the time or of the poll. */
  readonly next: (ms: number) => Promise<boolean>
  /** Call at the end of the poll. */
  readonly leave: () => void
}

type Entry = Waiting & { readonly getPoller: () => Poller; readonly wake: () => void; readonly end: () => void }

/** An answer with the same scans is sent again after this time. */
const TELL_AGAIN_MS = 5000

export type Polls = {
  /** Ends another poll of the scanner. */
  readonly begin: (poller: Poller, signal: AbortSignal) => Waiting
  readonly end: (scannerId: string) => void
  /** Returns true unless the last answer to the scanner had the same scans. A scanner may need time to stop them, and must not poll without pause. */
  readonly tell: (scannerId: string, scanIds: readonly string[]) => boolean
  /** The pollers that wait. */
  readonly list: () => readonly Poller[]
  readonly wake: (scannerId: string) => void
  readonly wakeAll: () => void
  /** Ends all polls, also future ones. */
  readonly close: () => void
}

export const createPolls = (): Polls => {
  const entries = new Map<string, Entry>()
  const told = new Map<string, { readonly text: string; readonly atMs: number }>()
  let isClosed = false

  const createEntry = (first: Poller, signal: AbortSignal): Entry => {
    let poller = first
    let isEnded = isClosed
    // A call before `next` counts.
    let isAwake = false
    let resume = (): void => {}
    const wake = (): void => {
      isAwake = true
      resume()
    }
    const end = (): void => {
      isEnded = true
      wake()
    }
    signal.addEventListener('abort', end, { once: true })
    const entry: Entry = {
      getPoller: () => poller,
      update: (next) => {
        poller = next
      },
      isEnded: () => isEnded || signal.aborted,
      wake,
      end,
      next: (ms) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => settle(false), Math.max(0, ms))
          const settle = (isNews: boolean): void => {
            clearTimeout(timer)
            isAwake = false
            resume = () => {}
            resolve(isNews && !entry.isEnded())
          }
          resume = () => settle(true)
          if (isAwake || entry.isEnded()) resume()
        }),
      leave: () => {
        signal.removeEventListener('abort', end)
        if (entries.get(poller.id) === entry) entries.delete(poller.id)
      },
    }
    return entry
  }

  return {
    begin: (poller, signal) => {
      entries.get(poller.id)?.end()
      const entry = createEntry(poller, signal)
      entries.set(poller.id, entry)
      return entry
    },
    end: (scannerId) => entries.get(scannerId)?.end(),
    tell: (scannerId, scanIds) => {
      const text = [...scanIds].sort().join()
      const last = told.get(scannerId)
      if (text === '') {
        told.delete(scannerId)
        return false
      }
      if (last?.text === text && performance.now() - last.atMs < TELL_AGAIN_MS) return false
      told.set(scannerId, { text, atMs: performance.now() })
      return true
    },
    list: () => [...entries.values()].map(({ getPoller }) => getPoller()),
    wake: (scannerId) => entries.get(scannerId)?.wake(),
    wakeAll: () => {
      for (const { wake } of [...entries.values()]) wake()
    },
    close: () => {
      isClosed = true
      for (const { end } of [...entries.values()]) end()
    },
  }
}
