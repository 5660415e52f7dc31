/** Checks the operations that a proposal is given, before any of them runs. */
import { AppError, type FieldIssue, invalidField } from '../../contract/errors.ts'
import { MAX_INPUT_BYTES, MAX_OPERATIONS } from '../api.ts'
import type { StoredOperation } from '../run/effect.ts'
import { computeInputBytes } from './store-run.ts'

const UNDO = 'history.undo'

/** @throws AppError VALIDATION_ERROR; INVALID_INPUT with the status 413 */
export const requireBounds = (operations: readonly StoredOperation[], undoField: string): void => {
  if (operations.length > MAX_OPERATIONS)
    throw invalidField('operations', `a proposal has at most ${MAX_OPERATIONS} operations`)
  if (operations.length > 1 && operations.some(({ operation }) => operation === UNDO))
    throw invalidField(undoField, 'an undo stands alone in its proposal')
  if (computeInputBytes(operations) > MAX_INPUT_BYTES)
    throw new AppError('INVALID_INPUT', 'The inputs of a proposal have at most 16 MiB together', { status: 413 })
}

/** Returns the issues of a refused operation, under its place in the list. */
export const toIssues = ({ details, message }: AppError, position: number): readonly FieldIssue[] => {
  const field = `operations[${position}]`
  if (details.length === 0) return [{ field, message }]
  return details.map((issue) => ({ ...issue, field: `${field}.${issue.field}` }))
}

/** An estate that is applied by a plan is compared with it, and an operation is compared by its proposal. */
const REFUSED: Readonly<Record<string, string>> = {
  proposal: 'belongs into the query of a call, and not into an operation of a proposal',
  expect: 'is for an apply in earnest: a proposal is compared as a whole',
}

/** Returns the fields of an input that a proposal refuses. */
export const findRefused = (operation: string, input: object): readonly FieldIssue[] =>
  Object.entries(REFUSED).flatMap(([field, message]) =>
    Object.hasOwn(input, field) && (field === 'proposal' || operation === 'estate.apply') ? [{ field, message }] : [],
  )
