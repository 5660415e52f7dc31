/**
 * Counts the refusals of callers who showed no valid credentials. From the 20th of one address, route and error code in a minute on they
 * share one entry of the trail, so that nobody fills the disk with them.
 */
import { limitKey } from '../../platform/http/client-address.ts'

/** Refusals of one address, route and code in a minute that have an entry of their own. */
const SINGLE = 19
const WINDOW_MS = 60_000
/** Windows are closed by a timer of a second: one second earlier, so that an entry is never later than a minute. */
const CLOSES_AFTER_MS = WINDOW_MS - 1000
/** Addresses, routes and codes that are counted at a time; beyond that the oldest is closed. */
const MAX_WINDOWS = 10_000

type Window<T> = { readonly startMs: number; refusals: number; last: T | undefined }

/** Refusals that share an entry: the last of them, and how many there were. */
export type Counted<T> = { readonly last: T; readonly count: number }

export type Refusal = { readonly client: string; readonly route: string; readonly code: string }

export type Refusals<T> = {
  /** Counts one. @returns whether it shares an entry with others, and so gets none of its own */
  readonly count: (refusal: Refusal, what: T) => boolean
  /** The entries that are due; all of them at the end of the process. */
  readonly due: (isEnd?: boolean) => Counted<T>[]
}

/** @param nowMs milliseconds since the epoch */
export const createRefusals = <T>(nowMs: () => number): Refusals<T> => {
  // In the order of their beginning.
  const windows = new Map<string, Window<T>>()
  let closed: Counted<T>[] = []

  const close = (key: string, { refusals, last }: Window<T>): void => {
    windows.delete(key)
    if (last !== undefined) closed.push({ last, count: refusals - SINGLE })
  }
  // The clock may be set back.
  const isOver = ({ startMs }: Window<T>): boolean => Math.abs(nowMs() - startMs) >= CLOSES_AFTER_MS

  const windowOf = (key: string): Window<T> => {
    const known = windows.get(key)
    if (known && !isOver(known)) return known
    if (known) close(key, known)
    const [oldest] = windows
    if (oldest && windows.size >= MAX_WINDOWS) close(...oldest)
    const window: Window<T> = { startMs: nowMs(), refusals: 0, last: undefined }
    windows.set(key, window)
    return window
  }

  return {
    count: ({ client, route, code }, what) => {
      const window = windowOf(`${limitKey(client)} ${route} ${code}`)
      window.refusals++
      if (window.refusals <= SINGLE) return false
      window.last = what
      return true
    },
    due: (isEnd = false) => {
      for (const [key, window] of windows) if (isEnd || isOver(window)) close(key, window)
      const entries = closed
      closed = []
      return entries
    },
  }
}
