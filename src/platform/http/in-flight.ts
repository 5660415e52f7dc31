/** The requests that are being answered now: how many, and that none of them takes for ever. */
import { AppError } from '../contract/errors.ts'

/** Deadlines are looked at this often. */
const TICK_MS = 250

export type InFlight = {
  readonly size: () => number
  /** What `work` answers, or after the time limit an error in its place; the work itself goes on unheeded. */
  readonly run: <T>(work: Promise<T>, options?: RunOptions) => Promise<T>
  readonly stop: () => void
}

type RunOptions = {
  /** No limit: for work that shows its progress. */
  readonly isLong?: boolean
}

type Entry = { readonly deadlineMs: number; readonly expire: () => void }

/** One timer looks after all requests: a timer each would cost every one of them. */
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
