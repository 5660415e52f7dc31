/** Dry runs: a call is done and rolled back. */
import type { HistoryFields } from '../../contract/fields/history-fields.ts'
import { WithStatus } from '../handler-result.ts'
import type { AnyOperation } from '../operation.ts'
import type { Request } from '../request.ts'
import type { History } from './history.ts'

/** Carries the result out of a transaction that is rolled back. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
  constructor(readonly value: unknown) {
    super('the dry run is rolled back')
  }
}

/** Returns the result of work that is rolled back. @param run hands `undo` the work of the transaction, or its last step */
export const catchRolledBack = async <Args extends readonly unknown[], T>(
  run: (undo: (work: (...args: Args) => Promise<T>) => (...args: Args) => Promise<never>) => Promise<unknown>,
): Promise<T> => {
  try {
    await run((work) => async (...args) => {
      throw new RolledBack(await work(...args))
    })
  } catch (error) {
    // The value that the work has just returned.
    if (error instanceof RolledBack) return error.value as T
    throw error
  }
  throw new Error('nothing was rolled back')
}

/** The last step of a call that is rolled back: its answer, and its transaction, if it is a single one. */
type Done<Tables> = readonly [
  made: unknown,
  ctx?: Parameters<History<Tables>['preview']>[0],
  tx?: unknown,
  changeId?: string,
]

type DryCall<Tables> = {
  readonly op: AnyOperation
  readonly request: Pick<Request, 'setHeader'>
  readonly dryRun: HistoryFields['dryRun']
  readonly preview: History<Tables>['preview']
  readonly run: (done: (...args: Done<Tables>) => Promise<never>) => Promise<unknown>
}

/** Runs a write and rolls it back. Returns its answer, or the objects that it would change. */
export const runRolledBack = async <Tables>({
  op,
  request,
  dryRun,
  preview,
  run,
}: DryCall<Tables>): Promise<unknown> => {
  const shown = await catchRolledBack<Done<Tables>, unknown>((undo) =>
    run(
      undo(async (made, ctx, _tx, changeId = '') => {
        if (!ctx) throw new Error(`${op.name} is not a single transaction, so it cannot be rolled back`)
        const value = made instanceof WithStatus ? made.value : made
        const isPreview = dryRun === 'changes' || value === undefined || op.returnsChange
        return isPreview ? preview(ctx, changeId) : value
      }),
    ),
  )
  request.setHeader?.('X-Dry-Run', 'true')
  return new WithStatus(200, shown, true)
}
