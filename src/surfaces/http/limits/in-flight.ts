/** Tracks the requests in progress: their number, and the deadline of each. */
import { AppError } from '../../../contract/errors.ts'

/** Interval between checks of the deadlines. */
const TICK_MS = 250

export type InFlight = {
  readonly size: () => number
  /** Returns the result of `work`, or an error after the time limit; the work itself continues. */
  readonly run: <T>(work: Promise<T>, options?: RunOptions) => Promise<T>
  readonly stop: () => void
}

type RunOptions = {
  /** Disables the limit, for work that reports its progress. */
  readonly isLong?: boolean
}

type Entry = { readonly deadlineMs: number; readonly expire: () => void }

/** One timer serves all requests: a timer for each would slow every request down. */
export const createInFlight = (timeoutMs: number): InFlight => {
  const entries = new Set<Entry>()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const entry of entries) if (entry.deadlineMs <= now) entry.expire()
  }, TICK_MS)
  timer.unref()

  return {
    size: () => entries.size,
    run: (work, { isLong = false } = {}) =>
      new Promise((resolve, reject) => {
        const entry: Entry = {
          deadlineMs: isLong ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs,
          expire: () => {
            entries.delete(entry)
            reject(new AppError('UNAVAILABLE', 'The request took too long and was given up'))
          },
        }
        entries.add(entry)
        work.then(
          (value) => {
            entries.delete(entry)
            resolve(value)
          },
          (error: unknown) => {
            entries.delete(entry)
            reject(error)
          },
        )
      }),
    stop: () => clearInterval(timer),
  }
}
