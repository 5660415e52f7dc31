/** Runs the operations of proposals in a transaction that is rolled back, then a short one stores the effects. */
import { AppError, notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../means.ts'
import type { Visible } from '../review/sight.ts'
import type { StoredOperation } from '../run/effect.ts'
import { type Trial, tryOperations } from '../run/try.ts'
import type { StoredProposal } from '../store.ts'
import * as store from '../store.ts'
import { addCoAuthor, requireEditor, requireState } from './access.ts'
import { requireBounds } from './inputs.ts'
import { insertProposal, type Made, noteEdit, noteMoved, type Storing, storeRun } from './store-run.ts'

/** The runs after which a proposal that others change all the time is given up. */
const MAX_TRIES = 5

type Done = { readonly row: StoredProposal; readonly value: unknown }

type Running = {
  /** True for a run that is not stored. */
  readonly isDry?: boolean
  /** Reads more out of the transaction before it is rolled back. */
  readonly finish?: Trial['finish']
}

type New = Pick<Running, 'finish'> & {
  readonly made: Made
  readonly operations: readonly StoredOperation[]
  /** Returns the error that a refused operation ends the call with. */
  readonly toRefusal?: (refusal: AppError, position: number) => AppError
}

/** Runs the operations of a new proposal of the caller. @returns the function that stores it @throws AppError */
export const tryNew = async (
  means: Means,
  ctx: Ctx,
  { made, operations, finish, toRefusal = (refusal) => refusal }: New,
): Promise<{ readonly value: unknown; readonly insert: () => Promise<StoredProposal> }> => {
  const { userId: author_id = '', username: author } = ctx.caller
  const trial = { of: { id: made.id, author_id, author }, operations: () => operations, finish }
  const ran = operations.length > 0 ? await tryOperations(means, ctx, trial) : undefined
  for (const [position, { id }] of operations.entries()) {
    const refusal = ran?.outcome.errors.get(id)
    if (refusal) throw toRefusal(refusal, position)
  }
  const insert = () => ctx.write((tx) => insertProposal(tx, made, { operations, outcome: ran?.outcome }))
  return { value: ran?.value, insert }
}

type Rerun = Running &
  Storing & {
    readonly row: StoredProposal
    /** Returns the operations to run. @param row the present one @throws AppError if its state does not allow it */
    readonly edit: (row: StoredProposal) => readonly StoredOperation[]
    /** Returns the operation that the caller writes, of which a refusal ends the call. */
    readonly written?: (row: StoredProposal) => string
  }

/** Runs the operations of a proposal, and stores the effects. The work of one author runs one after the other. @throws AppError */
export const rerun = (means: Means, ctx: Ctx, one: Rerun): Promise<Done> =>
  means.inOrder(one.row.author_id, () => rerunInOrder(means, ctx, one))

const rerunInOrder = async (
  means: Means,
  ctx: Ctx,
  { row: first, isDry, edit, written, finish, ...storing }: Rerun,
): Promise<Done> => {
  const operations = (row: StoredProposal | undefined): readonly StoredOperation[] => {
    if (!row) throw notFound('proposal', first.id)
    return edit(row)
  }
  for (let tries = 1; ; tries++) {
    const ran = await tryOperations(means, ctx, {
      ...{ of: first, row: first, operations, finish },
      isOwn: (id, row) => row !== undefined && id === written?.(row),
    })
    const refusal = ran.row && written && ran.outcome.errors.get(written(ran.row))
    if (refusal) throw refusal
    const row = isDry ? first : await storeRun(ctx, ran, storing)
    if (row) return { row, value: ran.value }
    if (tries === MAX_TRIES)
      throw new AppError('UNAVAILABLE', 'Others keep changing the proposal; try again in a moment')
  }
}

/** Runs the operations of a draft or an open proposal again. */
export const runAgain = (means: Means, ctx: Ctx, row: StoredProposal): Promise<Done> =>
  rerun(means, ctx, {
    row,
    edit: (before) => {
      requireState(before, ['draft', 'open'])
      return store.parseOperations(before)
    },
    stored: noteMoved,
  })

type Edit = Pick<Rerun, 'isDry' | 'written' | 'finish'> & {
  /** Returns the edited operations. */
  readonly change: (row: StoredProposal) => readonly StoredOperation[]
  /** Returns the words for the timeline. */
  readonly text: (before: StoredProposal) => string
}

/** Reruns a proposal with other operations. @throws AppError FORBIDDEN for a user who may not edit it */
export const rerunEdited = (
  means: Means,
  ctx: Ctx,
  { row, sight }: Visible,
  { change, text, ...rest }: Edit,
): Promise<Done> => {
  requireEditor(ctx, row, sight)
  return rerun(means, ctx, {
    ...{ row, ...rest },
    edit: (before) => {
      requireEditor(ctx, before, sight)
      const operations = change(before)
      requireBounds(operations, 'proposal')
      return operations
    },
    patch: (tx, before) => ({ updated_at: tx.now, co_authors: addCoAuthor(tx, before) }),
    stored: (tx, stored, before) => noteEdit(tx, stored, { type: 'changed', text: text(before) }),
  })
}
