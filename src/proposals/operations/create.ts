/** Creates a proposal, with its first operations. */
import { type AppError, type FieldIssue, invalid, invalidField } from '../../contract/errors.ts'
import { omitFieldsOfCall } from '../../contract/fields/history-fields.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { proposals } from '../api.ts'
import type { Described } from '../describe.ts'
import type { Means } from '../means.ts'
import { requireUser } from './access.ts'
import { findRefused, requireBounds, toIssues } from './inputs.ts'
import { tryNew } from './rerun.ts'
import { createOperation, requireRoom } from './store-run.ts'

type Draft = ParsedInputOf<typeof proposals.create>

/** @throws AppError VALIDATION_ERROR for unknown operations, and fields that do not belong into an input */
const checkOperations = ({ bounds }: Means, given: Draft['operations']): void => {
  const issues = given.flatMap(({ operation, input }, i): readonly FieldIssue[] => {
    const field = `operations[${i}]`
    if (!bounds.has(operation))
      return [{ field: `${field}.operation`, message: `there is no operation "${operation}" that can be proposed` }]
    return findRefused(operation, input).map((issue) => ({ ...issue, field: `${field}.${issue.field}` }))
  })
  if (issues.length > 0) throw invalid(issues)
}

/** Returns the refusal of an operation as one of the call. A missing permission stays FORBIDDEN. */
const toRefusal = (error: AppError, position: number): AppError =>
  error.status === 401 || error.status === 403 ? error : invalid(toIssues(error, position))

export const create =
  (means: Means) =>
  (ctx: Ctx, { title, description, operations: given, open: isOpened }: Draft): Promise<Described> =>
    means.inOrder(ctx.caller.userId ?? '', async () => {
      const userId = requireUser(ctx)
      if (isOpened && given.length === 0) throw invalidField('operations', 'an open proposal needs an operation')
      checkOperations(means, given)
      const operations = given.map(({ operation, input, note = '' }, i) =>
        createOperation(ctx, { id: `${i + 1}`, operation, input: omitFieldsOfCall(input), note }),
      )
      requireBounds(operations, 'operations')
      await requireRoom(ctx, userId)
      const made = { id: Bun.randomUUIDv7(), title, description, state: isOpened ? 'open' : 'draft' } as const
      const { insert } = await tryNew(means, ctx, { made, operations, toRefusal })
      return { row: await insert() }
    })
