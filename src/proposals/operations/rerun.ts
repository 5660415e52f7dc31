/** Changes a stored proposal: its operations run in a transaction that is rolled back, then a short one stores the effects. */
import type { Updateable } from 'kysely'
import { AppError, notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../means.ts'
import type { Visible } from '../review/sight.ts'
import type { StoredOperation } from '../run/effect.ts'
import { type Trial, tryOperations } from '../run/try.ts'
import type { StoredProposal } from '../store.ts'
import * as store from '../store.ts'
import type { ProposalRow } from '../table.ts'
import { addCoAuthor, requireEditor } from './access.ts'
import { requireBounds } from './inputs.ts'
import { noteEdit, updateRun } from './store-run.ts'

/** The runs after which a proposal that others change all the time is given up. */
const MAX_TRIES = 5

type Rerun = {
  readonly row: StoredProposal
  /** True for a run that is not stored. */
  readonly isDry?: boolean
  /** Returns the operations to run. @param row the present one @throws AppError if its state does not allow it */
  readonly edit: (row: StoredProposal) => readonly StoredOperation[]
  /** Returns the operation that the caller writes, of which a refusal ends the call. */
  readonly written?: (row: StoredProposal) => string
  /** Reads more out of the transaction before it is rolled back. */
  readonly finish?: Trial['finish']
  /** Returns further columns to store. */
  readonly patch?: (tx: Ctx, row: StoredProposal) => Promise<Updateable<ProposalRow>> | Updateable<ProposalRow>
  /** Called in the transaction that stores the run. */
  readonly stored: (tx: Ctx, row: StoredProposal, before: StoredProposal) => Promise<void>
}

type Rerunning = { readonly row: StoredProposal; readonly value: unknown }

/** Runs the operations of a proposal, and stores the effects. The work of one author runs one after the other. @throws AppError */
export const rerun = (means: Means, ctx: Ctx, one: Rerun): Promise<Rerunning> =>
  means.inOrder(one.row.author_id, () => rerunInOrder(means, ctx, one))

const rerunInOrder = async (
  means: Means,
  ctx: Ctx,
  { row: first, isDry, edit, written, ...rest }: Rerun,
): Promise<Rerunning> => {
  const operations = (row: StoredProposal | undefined): readonly StoredOperation[] => {
    if (!row) throw notFound('proposal', first.id)
    return edit(row)
  }
  for (let tries = 1; ; tries++) {
    const ran = await tryOperations(means, ctx, {
      ...{ of: first, row: first, operations, finish: rest.finish },
      isOwn: (id, row) => row !== undefined && id === written?.(row),
    })
    const refusal = ran.row && written && ran.outcome.errors.get(written(ran.row))
    if (refusal) throw refusal
    if (isDry) return { row: first, value: ran.value }
    const row = await ctx.write(async (tx) => {
      const before = await store.lock(tx, first.seq)
      if (!before || before.version !== ran.row?.version) return undefined
      const stored = await updateRun(tx, before, ran, await rest.patch?.(tx, before))
      await rest.stored(tx, stored, before)
      return stored
    })
    if (row) return { row, value: ran.value }
    if (tries === MAX_TRIES)
      throw new AppError('UNAVAILABLE', 'Others keep changing the proposal; try again in a moment')
  }
}

type Edit = Pick<Rerun, 'isDry' | 'written' | 'finish'> & {
  /** Returns the edited operations. */
  readonly change: (row: StoredProposal) => readonly StoredOperation[]
  /** Returns the words for the timeline. */
  readonly text: (before: StoredProposal) => string
}

/** Reruns a proposal with other operations, for a user who may edit it. */
export const rerunEdited = (
  means: Means,
  ctx: Ctx,
  { row, sight }: Visible,
  { change, text, ...rest }: Edit,
): Promise<Rerunning> =>
  rerun(means, ctx, {
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
