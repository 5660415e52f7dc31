/** The second step of a prepared handler. */
import type { WriteOptions } from '../database/database.ts'
import { JournalFull, type JournalOptions } from '../database/journal.ts'

export type TransactionOptions = WriteOptions & {
  /** Records the changed rows of these tables, for `ctx.rowChanges`. After a `JournalFull` of `tooMany` it runs unwatched. */
  readonly watched?: Omit<JournalOptions, 'sql'>
}

/** The answer of a write that needs no transaction. */
export class Answered<T> {
  constructor(readonly value: T) {}
}

/** Work in a transaction, with options or without. */
type Work<Run> = Run | { readonly run: Run; readonly options: TransactionOptions }

/** The result of `prepare`: work in a transaction, or the answer. */
export type PreparedStep<Run, T> = Work<Run> | Answered<T>

/** Runs work in a transaction. One that is watched and changes too many rows is run again without being watched. */
export const runPreparedStep = async <Run extends (...args: never) => unknown, T>(
  work: Work<Run>,
  transact: (run: Run, options?: TransactionOptions) => Promise<T>,
): Promise<T> => {
  if (typeof work === 'function') return transact(work)
  const { run, options } = work
  try {
    return await transact(run, options)
  } catch (error) {
    if (!(error instanceof JournalFull)) throw error
    const { watched: _, ...others } = options
    return transact(run, others)
  }
}
