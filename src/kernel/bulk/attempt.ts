/** Processes the items of a call separately: a failure rolls back only its own changes. */

import { createBreathe, pause } from '../../base/runtime/pause.ts'
import {
  AppError,
  type ErrorBody,
  type FieldIssue,
  MAX_ISSUE_CHARACTERS,
  shorten,
  toErrorBody,
} from '../../contract/errors.ts'

/** Items that run before the event loop gets control: some milliseconds of work. */
const ITEMS_PER_TURN = 10

type Scope = { readonly savepoint: <T>(work: () => Promise<T>) => Promise<T> }

/**
 * Returns the result of `work`, or the error after which its savepoint was rolled back.
 * @param isAtomic true if one failure undoes the call: an error of the server, such as a lost database, is then thrown
 */
export const attempt = async <T>(ctx: Scope, work: () => Promise<T>, isAtomic: boolean): Promise<T | AppError> => {
  try {
    return await ctx.savepoint(work)
  } catch (error) {
    if (error instanceof AppError && !(isAtomic && error.status >= 500)) return error
    throw error
  }
}

type Run<Item, T> = { readonly isAtomic: boolean; readonly run: (item: Item, index: number) => Promise<T> }

/** Yields the result or the error of each item, in order. */
export async function* attemptEach<Item, T>(ctx: Scope, items: readonly Item[], { isAtomic, run }: Run<Item, T>) {
  const breathe = createBreathe()
  for (const [index, item] of items.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await pause()
    // Large items take longer.
    else await breathe()
    yield { index, item, outcome: await attempt(ctx, () => run(item, index), isAtomic) }
  }
}

/** The error of an item, as a call with many items reports it. */
export type ItemError = Omit<ErrorBody, 'details'> & { readonly details: FieldIssue[] }

/** The number of characters that the errors of all items have together with their fields. */
const MAX_CHARACTERS = 2 * MAX_ISSUE_CHARACTERS
/** The number of characters of an error without its fields. */
const MAX_SHORT_ERROR = 100

/** Reports the errors of items. After `MAX_CHARACTERS` an error is cut and names no fields, so that the answer stays small. */
export const createItemErrors = (): ((error: AppError) => ItemError) => {
  let left = MAX_CHARACTERS
  return (error) => {
    const { details, ...body } = toErrorBody(error)
    const whole = details.reduce((sum, { field, message }) => sum + field.length + message.length, body.error.length)
    const isWhole = whole <= left
    left = isWhole ? left - whole : 0
    return isWhole
      ? { ...body, details: [...details] }
      : { ...body, error: shorten(body.error, MAX_SHORT_ERROR), details: [] }
  }
}
