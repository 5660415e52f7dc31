/**
 * Runs the rows of an import without their savepoints. SQLite writes the text index at each savepoint, in segments that it merges later, and
 * the pages that change after one are kept twice.
 */
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** Ends a transaction in which a savepoint would have been rolled back. */
export class RowFailed extends Error {}

const isOfRow = (error: unknown): boolean => error instanceof AppError && error.status < 500

/**
 * Returns a context with savepoints that do nothing but throw `RowFailed` for the error of a row: only its transaction undoes that row.
 */
export const skipSavepoints = (ctx: Ctx): Ctx => {
  const savepoint: Ctx['savepoint'] = async (work) => {
    try {
      return await work()
    } catch (error) {
      throw isOfRow(error) ? new RowFailed('a row failed', { cause: error }) : error
    }
  }
  // The context has getters, which a copy would evaluate once.
  return Object.create(ctx, { savepoint: { value: savepoint } }) as Ctx
}
