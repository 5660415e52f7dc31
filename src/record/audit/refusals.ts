/** Counts refusals of guests: from the 20th within a minute they share one entry, to spare the disk. */
import { limitKey } from '../../surfaces/http/client-address.ts'

/** The number of refusals of one address, route and code in a minute that get separate entries. */
const SINGLE = 19
const WINDOW_MS = 60_000
/** A timer closes windows every second. Closing one second earlier keeps an entry from being later than a minute. */
const CLOSES_AFTER_MS = WINDOW_MS - 1000
/** The number of open windows; beyond it the oldest is closed. */
const MAX_WINDOWS = 10_000

type Window<T> = { readonly startMs: number; refusals: number; last: T | undefined }

/** Refusals that share an entry: the last one, and their number. */
export type Counted<T> = { readonly last: T; readonly count: number }

export type Refusal = { readonly client: string; readonly route: string; readonly code: string }

export type Refusals<T> = {
  /** Counts one refusal. @returns true if it shares an entry with others, so that none is written for it */
  readonly count: (refusal: Refusal, what: T) => boolean
  /** Returns the entries that are due, or all of them at the end of the process. */
  readonly due: (isEnd?: boolean) => Counted<T>[]
}

/** @param nowMs milliseconds since the epoch */
export const createRefusals = <T>(nowMs: () => number): Refusals<T> => {
  // In insertion order, oldest first.
  const windows = new Map<string, Window<T>>()
  let closed: Counted<T>[] = []

  const close = (key: string, { refusals, last }: Window<T>): void => {
    windows.delete(key)
    if (last !== undefined) closed.push({ last, count: refusals - SINGLE })
  }
  // The absolute value: the clock may be set back.
  const isOver = ({ startMs }: Window<T>): boolean => Math.abs(nowMs() - startMs) >= CLOSES_AFTER_MS

  const openWindow = (key: string): Window<T> => {
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
      const window = openWindow(`${limitKey(client)} ${route} ${code}`)
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
