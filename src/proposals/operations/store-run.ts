/** Stores proposals with the results of their runs. */
import type { Updateable } from 'kysely'
import { countChanges } from '../../contract/change-summary.ts'
import { AppError, toErrorBody } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { countRows } from '../../kernel/list.ts'
import { replaceEffects } from '../effect-store.ts'
import { noteEntry } from '../entry-store.ts'
import { removeChecks } from '../review/check-store.ts'
import type { RunOutcome, StoredOperation } from '../run/effect.ts'
import * as store from '../store.ts'
import type { ProposalRow } from '../table.ts'

/** The most drafts and open proposals of a user. */
export const MAX_UNFINISHED = 100

/** Returns an operation as the caller adds it. */
export const createOperation = (
  { caller: { username }, now }: Pick<Ctx, 'caller' | 'now'>,
  given: Pick<StoredOperation, 'id' | 'operation' | 'input' | 'note'>,
): StoredOperation => ({ ...given, added_by: username, added_at: now, error: null })

/** The operations of a proposal, and the result of their run; undefined without a run. */
type RunOf = { readonly operations: readonly StoredOperation[]; readonly outcome: RunOutcome | undefined }

export const computeInputBytes = (operations: readonly Pick<StoredOperation, 'input'>[]): number =>
  operations.reduce((sum, { input }) => sum + Buffer.byteLength(JSON.stringify(input)), 0)

const withError = (operation: StoredOperation, { errors }: RunOutcome): StoredOperation => {
  const error = errors.get(operation.id)
  return { ...operation, error: error ? toErrorBody(error) : null }
}

const toColumns = ({ operations, outcome }: RunOf) =>
  outcome && {
    operations: JSON.stringify(operations.map((one) => withError(one, outcome))),
    input_bytes: computeInputBytes(operations),
    errors: outcome.errors.size,
    fingerprint: outcome.fingerprint,
    counts: JSON.stringify(countChanges(outcome.effects)),
    base_seq: outcome.baseSeq,
    scopes_revision: outcome.scopesRevision,
    previewed_at: outcome.at,
  }

/** A new proposal. */
export type Made = Pick<ProposalRow, 'id' | 'title' | 'description'> & { readonly state: 'draft' | 'open' }

/** Requires room for one more draft or open proposal. It holds until commit if the lock `proposals` is held. @throws AppError LIMIT_REACHED */
export const requireRoom = async (tx: Ctx, userId: string): Promise<void> => {
  if ((await countRows(store.selectUnfinished(tx, userId))) >= MAX_UNFINISHED)
    throw new AppError(
      'LIMIT_REACHED',
      `You have ${MAX_UNFINISHED} drafts and open proposals, the most of a user; merge or withdraw some first`,
    )
}

/** Stores a new proposal of the caller. @throws AppError LIMIT_REACHED */
export const insertProposal = async (tx: Ctx, made: Made, run: RunOf): Promise<store.StoredProposal> => {
  const { userId = '', username: author } = tx.caller
  await tx.lock('proposals')
  await requireRoom(tx, userId)
  const isOpen = made.state === 'open'
  const row = await store.insert(tx, {
    ...made,
    ...{ number: await store.findNextNumber(tx), author_id: userId, author },
    ...{ operations: '[]', next_operation: run.operations.length + 1 },
    ...{ created_at: tx.now, updated_at: tx.now, touched_at: tx.now, opened_at: isOpen ? tx.now : null },
    ...toColumns(run),
  })
  if (run.outcome) await replaceEffects(tx, Number(row.seq), run.outcome.effects)
  if (isOpen) await noteEntry(tx, 'proposal.opened', row, { type: 'opened' })
  return row
}

/** A stored proposal with its row, and the result of its run. */
type StoredRun = {
  readonly row: store.StoredProposal | undefined
  readonly operations: readonly StoredOperation[]
  readonly outcome: RunOutcome
}

export type Storing = {
  /** Returns further columns to store. */
  readonly patch?: (tx: Ctx, row: store.StoredProposal) => Promise<Updateable<ProposalRow>> | Updateable<ProposalRow>
  /** Called in the transaction that stores the run. */
  readonly stored: (tx: Ctx, row: store.StoredProposal, before: store.StoredProposal) => Promise<void>
}

/** Stores a run in place of the earlier one. @returns undefined if the proposal was changed since it began */
export const storeRun = (
  ctx: Ctx,
  { row: ran, ...run }: StoredRun,
  { patch, stored }: Storing,
): Promise<store.StoredProposal | undefined> =>
  ctx.write(async (tx) => {
    const before = ran && (await store.lock(tx, ran.seq))
    if (!before || before.version !== ran.version) return undefined
    // Ids of operations ascend, and are never used again.
    const next_operation = Math.max(before.next_operation, Number(run.operations.at(-1)?.id ?? 0) + 1)
    const others = await patch?.(tx, before)
    const row = await store.update(tx, before.seq, { ...toColumns(run), next_operation, ...others })
    await replaceEffects(tx, Number(row.seq), run.outcome.effects)
    if (row.fingerprint !== before.fingerprint) await removeChecks(tx, row.seq)
    await stored(tx, row, before)
    return row
  })

/** Adds an entry of an open proposal, and tells of it. */
export const noteEdit = async (
  tx: Ctx,
  row: store.StoredProposal,
  entry: { readonly type: 'changed' | 'moved'; readonly text?: string },
): Promise<void> => {
  if (row.state !== 'open') return store.touch(tx, row.seq, tx.now)
  await noteEntry(tx, 'proposal.updated', row, entry)
}

/** Notes in an open proposal that a run has found something else. */
export const noteMoved: Storing['stored'] = async (tx, row, before) => {
  if (row.fingerprint !== before.fingerprint && row.state === 'open') await noteEdit(tx, row, { type: 'moved' })
}
