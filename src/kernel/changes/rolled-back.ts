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

/** Returns the result of work that is rolled back. @param run hands `undo` the work of the transaction */
export const catchRolledBack = async <Ctx, T>(
  run: (undo: (work: (ctx: Ctx) => Promise<T>) => (ctx: Ctx) => Promise<never>) => Promise<never>,
): Promise<T> => {
  try {
    return await run((work) => async (ctx) => {
      throw new RolledBack(await work(ctx))
    })
  } catch (error) {
    // The value that the work has just returned.
    if (error instanceof RolledBack) return error.value as T
    throw error
  }
}

type PreviewCtx<Tables> = Parameters<History<Tables>['preview']>[0]

type DryCall<Tables> = {
  readonly op: AnyOperation
  readonly request: Pick<Request, 'setHeader'>
  readonly dryRun: HistoryFields['dryRun']
  readonly preview: History<Tables>['preview']
  /** @param done ends the transaction */
  readonly run: (
    done: (made: unknown, ctx?: PreviewCtx<Tables>, tx?: unknown, changeId?: string) => Promise<never>,
  ) => Promise<unknown>
}

/** Runs a write and rolls it back. Returns its answer, or the objects that it would change. */
export const runRolledBack = async <Tables>({
  op,
  request,
  dryRun,
  preview,
  run,
}: DryCall<Tables>): Promise<unknown> => {
  try {
    return await run(async (made, ctx, _tx, changeId = '') => {
      if (!ctx) throw new Error(`${op.name} is not a single transaction, so it cannot be rolled back`)
      const value = made instanceof WithStatus ? made.value : made
      const isPreview = dryRun === 'changes' || value === undefined || op.returnsChange
      throw new RolledBack(isPreview ? await preview(ctx, changeId) : value)
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    request.setHeader?.('X-Dry-Run', 'true')
    return new WithStatus(200, error.value, true)
  }
}
