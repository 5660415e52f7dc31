/** Runs an operation and rolls it back, or commits exactly the changes that a dry run showed. */

import type { Db } from '../../database/database.ts'
import type { Bound } from '../context.ts'
import type { Kernel } from '../kernel.ts'
import type { Request, ShownChanges } from '../request.ts'
import { NO_AUDIT } from './audit.ts'
import type { PlanLimits, PlannedItem } from './change-record.ts'
import { RolledBack } from './rolled-back.ts'

/** Returns true if an operation writes in one transaction, which can be rolled back. */
export const canDryRun = <Tables>({ op, handler }: Bound<Tables>): boolean =>
  !('prepare' in handler && !handler.isReadOnly) && !op.hasOwnTransactions

type DryRunContext<Tables> = {
  readonly kernel: Kernel<Tables>
  readonly db: Db<Tables>
  readonly limits: PlanLimits
  /** The time at which the operation runs. */
  readonly at: Date
}

/** Returns the changes and the result of a call, rolled back. @throws the errors of the call */
export const runDry = async <Tables>(
  { kernel, db, limits, at }: DryRunContext<Tables>,
  bound: Bound<Tables>,
  request: Request,
): Promise<ShownChanges> => {
  let changes: readonly PlannedItem[] = []
  const undoing: Db<Tables> = {
    ...db,
    write: async (work) => {
      try {
        return await db.write(
          async (tx) => {
            throw new RolledBack(await work(tx))
          },
          { exclusive: true },
        )
      } catch (error) {
        // The value that `work` has just returned.
        if (error instanceof RolledBack) return error.value as Awaited<ReturnType<typeof work>>
        throw error
      }
    },
  }
  const onItems = async (_tx: unknown, items: readonly PlannedItem[]): Promise<void> => {
    changes = items
  }
  const plan = { ...limits, onItems }
  const quiet = kernel.over({ db: undoing, onCommit: () => {}, audit: NO_AUDIT, now: () => at, plan })
  const answer = await quiet.run(bound, request)
  return { answer, changes }
}

type Transaction<Tables> = Parameters<Parameters<Db<Tables>['write']>[0]>[0]

type Watch<Tables> = DryRunContext<Tables> & {
  /** Called in the transaction before the operation. */
  readonly first: (tx: Transaction<Tables>) => Promise<void>
  /** Called in the transaction after the operation. If it throws, the transaction is rolled back. */
  readonly last: (tx: Transaction<Tables>, changes: readonly PlannedItem[]) => Promise<void>
}

/** Runs a call and commits it, unless `first` or `last` throws. */
export const runRecorded = async <Tables>(
  { kernel, db, limits, at, first, last }: Watch<Tables>,
  bound: Bound<Tables>,
  request: Request,
): Promise<unknown> => {
  const claiming: Db<Tables> = {
    ...db,
    write: (work) =>
      db.write(
        async (tx) => {
          await first(tx)
          return work(tx)
        },
        { exclusive: true },
      ),
  }
  return kernel.over({ db: claiming, now: () => at, plan: { ...limits, onItems: last } }).run(bound, request)
}

/** Returns the changes that an operation with `showsChanges` shows. The call ends there. */
export const runShowingChanges = async <Tables>(
  { kernel, at }: Pick<DryRunContext<Tables>, 'kernel' | 'at'>,
  bound: Bound<Tables>,
  request: Request,
): Promise<ShownChanges> => {
  const onChanges = async (shown: ShownChanges): Promise<void> => {
    throw new RolledBack(shown)
  }
  try {
    await kernel.over({ audit: NO_AUDIT, now: () => at }).run(bound, { ...request, onChanges })
  } catch (error) {
    // The value that `onChanges` has just thrown.
    if (error instanceof RolledBack) return error.value as ShownChanges
    throw error
  }
  throw new Error(`${bound.op.name} has shown no changes`)
}
