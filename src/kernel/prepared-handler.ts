/** The second step of a prepared handler. */
import type { WriteOptions } from '../database/database.ts'
import type { Attempt } from './changes/attempt.ts'
import { type PlanLimits, RecordFull } from './changes/change-record.ts'

export type TransactionOptions = WriteOptions & {
  /** Records all objects, for `ctx.plannedItems`. After a `RecordFull` of `tooMany` it runs without it. */
  readonly plan?: PlanLimits
  /** Runs the work once for its idempotency key. */
  readonly attempt?: Attempt | undefined
}

/** The answer of a write that needs no transaction. */
export class Answered<T> {
  constructor(readonly value: T) {}
}

/** Work in a transaction, with options or without. */
type Work<Run> =
  | Run
  | {
      readonly run: Run
      readonly options: TransactionOptions
      /** Called with the error that rolled the transaction back, unless the call is dry. */
      readonly afterRefusal?: (error: unknown) => Promise<void>
    }

/** The result of `prepare`: work in a transaction, or the answer. */
export type PreparedStep<Run, T> = Work<Run> | Answered<T>

/** Runs work in a transaction. A planned one that changes too many objects is run again without a plan. */
export const runPreparedStep = async <Run extends (...args: never) => unknown, T>(
  work: Work<Run>,
  transact: (run: Run, options?: TransactionOptions) => Promise<T>,
  isDry = false,
): Promise<T> => {
  if (typeof work === 'function') return transact(work)
  const { run, options, afterRefusal } = work
  try {
    return await transact(run, options)
  } catch (error) {
    if (!(error instanceof RecordFull)) {
      if (!isDry) await afterRefusal?.(error)
      throw error
    }
    const { plan: _, ...others } = options
    return transact(run, others)
  }
}
