/** Creates a proposal, with its first operations. */
import { type AppError, type FieldIssue, invalid, invalidField } from '../../contract/errors.ts'
import { omitFieldsOfCall } from '../../contract/fields/history-fields.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { proposals } from '../api.ts'
import { describeProposal } from '../describe.ts'
import type { Means } from '../means.ts'
import type { RunOutcome, StoredOperation } from '../run/effect.ts'
import { tryOperations } from '../run/try.ts'
import type { Proposal } from '../schema.ts'
import { requireUser } from './access.ts'
import { findRefused, requireBounds } from './inputs.ts'
import { createOperation, insertProposal, requireRoom } from './store-run.ts'

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
const toRefusal = (error: AppError, position: number): AppError => {
  if (error.status === 401 || error.status === 403) return error
  const field = `operations[${position}]`
  const { details, message } = error
  return invalid(
    details.length === 0
      ? [{ field, message }]
      : details.map((issue) => ({ ...issue, field: `${field}.${issue.field}` })),
  )
}

/** @throws AppError VALIDATION_ERROR for an operation that a rule refuses */
const tryAll = async (
  { means, ctx, id }: { readonly means: Means; readonly ctx: Ctx; readonly id: string },
  operations: readonly StoredOperation[],
): Promise<RunOutcome> => {
  const { userId: author_id = '', username: author } = ctx.caller
  const { outcome } = await tryOperations(means, ctx, { of: { id, author_id, author }, operations: () => operations })
  const [refusal] = outcome.errors
  if (refusal)
    throw toRefusal(
      refusal[1],
      operations.findIndex((one) => one.id === refusal[0]),
    )
  return outcome
}

export const create = async (
  means: Means,
  ctx: Ctx,
  { title, description, operations: given, open: isOpened }: Draft,
): Promise<Proposal> => {
  const userId = requireUser(ctx)
  if (isOpened && given.length === 0) throw invalidField('operations', 'an open proposal needs an operation')
  checkOperations(means, given)
  const operations = given.map(({ operation, input, note = '' }, i) =>
    createOperation(ctx, { id: `${i + 1}`, operation, input: omitFieldsOfCall(input), note }),
  )
  requireBounds(operations, 'operations')
  await requireRoom(ctx, userId)
  const id = Bun.randomUUIDv7()
  const outcome = operations.length === 0 ? undefined : await tryAll({ means, ctx, id }, operations)
  const made = { id, title, description, state: isOpened ? 'open' : 'draft' } as const
  const row = await ctx.write((tx) => insertProposal(tx, made, { operations, outcome }))
  return describeProposal({ ctx, means }, row)
}
