/** Changes a stored proposal: its operations run in a transaction that is rolled back, then a short one stores the effects. */
import type { Updateable } from 'kysely'
import { AppError, invalidField, notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../means.ts'
import type { RunOutcome, StoredOperation } from '../run/effect.ts'
import { tryOperations } from '../run/try.ts'
import type { StoredProposal } from '../store.ts'
import * as store from '../store.ts'
import type { ProposalRow } from '../table.ts'
import { updateRun } from './store-run.ts'

/** The runs after which a proposal that others change all the time is given up. */
const MAX_TRIES = 5

export type Rerun<T> = {
  readonly row: StoredProposal
  /** Returns the operations to run. @param row the present one @throws AppError if its state does not allow it */
  readonly edit: (row: StoredProposal) => readonly StoredOperation[]
  /** Returns the operation that the caller writes, of which a refusal ends the call. */
  readonly written?: (row: StoredProposal) => string
  /** Reads more out of the transaction before it is rolled back. */
  readonly finish: (tx: Ctx, outcome: RunOutcome) => Promise<T>
  /** Returns further columns to store. */
  readonly patch: (tx: Ctx, row: StoredProposal) => Promise<Updateable<ProposalRow>> | Updateable<ProposalRow>
  /** Called in the transaction that stores the run. */
  readonly stored: (tx: Ctx, row: StoredProposal, before: StoredProposal) => Promise<void>
}

type Rerunning<T> = { readonly row: StoredProposal; readonly value: T }

/** Runs the operations of a proposal, and stores the effects. The work of one author runs one after the other. @throws AppError */
export const rerun = <T>(means: Means, ctx: Ctx, one: Rerun<T>): Promise<Rerunning<T>> =>
  means.inOrder(one.row.author_id, () => rerunInOrder(means, ctx, one))

const rerunInOrder = async <T>(
  means: Means,
  ctx: Ctx,
  { row: first, edit, written, ...rest }: Rerun<T>,
): Promise<Rerunning<T>> => {
  const operations = (row: StoredProposal | undefined): readonly StoredOperation[] => {
    if (!row) throw notFound('proposal', first.id)
    return edit(row)
  }
  for (let tries = 1; ; tries++) {
    const ran = await tryOperations(means, ctx, {
      ...{ of: first, row: first, operations, finish: rest.finish },
      isOwn: (id, row) => row !== undefined && id === written?.(row),
    })
    if (!ran) throw invalidField('state', 'the author of the proposal is gone or inactive, so that it cannot be run')
    const refusal = ran.row && written && ran.outcome.errors.get(written(ran.row))
    if (refusal) throw refusal
    const row = await ctx.write(async (tx) => {
      const before = await store.lock(tx, first.seq)
      if (!before || before.version !== ran.row?.version) return undefined
      const stored = await updateRun(tx, before, { ...ran, patch: await rest.patch(tx, before) })
      await rest.stored(tx, stored, before)
      return stored
    })
    if (row) return { row, value: ran.value }
    if (tries === MAX_TRIES)
      throw new AppError('UNAVAILABLE', 'Others keep changing the proposal; try again in a moment')
  }
}
