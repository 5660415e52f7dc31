/**
 * Runs an operation to see what it would change, or to change exactly what was seen. Both run the operation itself, in a
 * transaction that is watched; a rehearsal undoes it in the end, so that nothing has to foretell what an operation does.
 */

import type { Db } from '../db/database.ts'
import { type JournalOptions, journaled, type RowChange } from '../db/journal.ts'
import { NO_AUDIT } from './audit.ts'
import type { Bound } from './context.ts'
import type { Kernel } from './kernel.ts'
import type { Request } from './request.ts'

type Watched = Omit<JournalOptions, 'sql'>

/** Carries what was seen out of a transaction that must not be kept. */
class Undone extends Error {
  override readonly name = 'Undone'
  constructor(readonly value: unknown) {
    super('the dry run is rolled back')
  }
}

export type DryRun = { readonly answer: unknown; readonly changes: readonly RowChange[] }

/** Whether all that an operation does is in one transaction, which can be undone. */
export const canDryRun = <Tables>({ op, handler }: Bound<Tables>): boolean =>
  typeof handler === 'function' && !op.hasOwnTransactions

type Rehearse<Tables> = {
  readonly kernel: Kernel<Tables>
  readonly db: Db<Tables>
  readonly watched: Watched
  /** The moment that everything happens at. */
  readonly at: Date
}

/** Returns the changes and the result that a call would have, without committing, notifying or auditing. @throws what the call throws */
export const dryRun = async <Tables>(
  { kernel, db, watched, at }: Rehearse<Tables>,
  bound: Bound<Tables>,
  request: Request,
): Promise<DryRun> => {
  let changes: readonly RowChange[] = []
  const undoing: Db<Tables> = {
    ...db,
    write: async (work) => {
      try {
        return await db.write(
          async (tx) => {
            const { tx: inner, journal } = journaled(tx, { ...watched, sql: db.sql })
            const value = await work(inner)
            changes = journal.changes()
            throw new Undone(value)
          },
          { exclusive: true },
        )
      } catch (error) {
        // It is what `work` has just returned.
        if (error instanceof Undone) return error.value as Awaited<ReturnType<typeof work>>
        throw error
      }
    },
  }
  const quiet = kernel.over({ db: undoing, onCommit: () => {}, audit: NO_AUDIT, now: () => at })
  const answer = await quiet.run(bound, request)
  return { answer, changes }
}

type Watch<Tables> = Rehearse<Tables> & {
  /** In the transaction, before anything else is done. */
  readonly first: (tx: Parameters<Parameters<Db<Tables>['write']>[0]>[0]) => Promise<void>
  /** In the transaction, when all is done; what it throws undoes everything. */
  readonly last: (changes: readonly RowChange[]) => void
}

/** Runs a call for good, unless `first` or `last` objects. */
export const runRecorded = async <Tables>(
  { kernel, db, watched, at, first, last }: Watch<Tables>,
  bound: Bound<Tables>,
  request: Request,
): Promise<unknown> => {
  const watching: Db<Tables> = {
    ...db,
    write: (work) =>
      db.write(
        async (tx) => {
          await first(tx)
          const { tx: inner, journal } = journaled(tx, { ...watched, sql: db.sql })
          const value = await work(inner)
          last(journal.changes())
          return value
        },
        { exclusive: true },
      ),
  }
  return kernel.over({ db: watching, now: () => at }).run(bound, request)
}
