/** Changes the operations, the title and the state of a stored proposal, up to the merge. */
import { invalidField, notFound } from '../../contract/errors.ts'
import { omitFieldsOfCall } from '../../contract/fields/history-fields.ts'
import { merge } from '../../contract/merge.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { proposals } from '../api.ts'
import { describeProposal } from '../describe.ts'
import { noteEntry } from '../events.ts'
import type { Means } from '../means.ts'
import { getVisibleOrThrow } from '../review/sight.ts'
import type { StoredOperation } from '../run/effect.ts'
import type { Proposal } from '../schema.ts'
import * as store from '../store.ts'
import { requireAuthor, requireEditor, requireState } from './access.ts'
import { closeProposal } from './close.ts'
import { findRefused } from './inputs.ts'
import { rerun, rerunEdited } from './rerun.ts'
import { noteEdit, requireRoom } from './store-run.ts'

const findOperation = (row: store.StoredProposal, id: string): StoredOperation => {
  const found = store.parseOperations(row).find((one) => one.id === id)
  if (!found) throw notFound('operation', id)
  return found
}

/** @throws AppError NOT_FOUND */
const lockOrThrow = async (tx: Ctx, { seq, id }: store.StoredProposal): Promise<store.StoredProposal> => {
  const row = await store.lock(tx, seq)
  if (!row) throw notFound('proposal', id)
  return row
}

/** Returns the operations with others in the place of one. @throws AppError NOT_FOUND */
const replaceOne = (
  row: store.StoredProposal,
  id: string,
  replace: (one: StoredOperation) => readonly StoredOperation[],
): readonly StoredOperation[] => {
  findOperation(row, id)
  return store.parseOperations(row).flatMap((one) => (one.id === id ? replace(one) : [one]))
}

export const replaceOperation = async (
  means: Means,
  ctx: Ctx,
  { id, operation_id, input }: ParsedInputOf<typeof proposals.replaceOperation>,
): Promise<Proposal> => {
  const visible = await getVisibleOrThrow(ctx, id)
  requireEditor(ctx, visible.row, visible.sight)
  const { operation } = findOperation(visible.row, operation_id)
  const [refused] = findRefused(operation, input)
  if (refused) throw invalidField(`input.${refused.field}`, refused.message)
  const added = { input: omitFieldsOfCall(input), added_by: ctx.caller.username, added_at: ctx.now }
  const { row } = await rerunEdited(means, ctx, visible, {
    change: (before) => replaceOne(before, operation_id, (one) => [{ ...one, ...added }]),
    written: () => operation_id,
    text: () => `Replaced operation ${operation_id}: ${operation}`,
  })
  return describeProposal({ ctx, means }, row)
}

export const removeOperation = async (
  means: Means,
  ctx: Ctx,
  { id, operation_id }: ParsedInputOf<typeof proposals.removeOperation>,
): Promise<void> => {
  const visible = await getVisibleOrThrow(ctx, id)
  requireEditor(ctx, visible.row, visible.sight)
  const { operation } = findOperation(visible.row, operation_id)
  await rerunEdited(means, ctx, visible, {
    change: (before) => replaceOne(before, operation_id, () => []),
    text: () => `Removed operation ${operation_id}: ${operation}`,
  })
}

export const open = async (means: Means, ctx: Ctx, id: string): Promise<Proposal> => {
  const { row: first } = await getVisibleOrThrow(ctx, id)
  requireAuthor(ctx, first)
  const { row } = await rerun(means, ctx, {
    row: first,
    edit: (before) => {
      requireState(before, ['draft', 'closed'])
      const operations = store.parseOperations(before)
      if (operations.length === 0) throw invalidField('operations', 'an open proposal needs an operation')
      return operations
    },
    patch: async (tx, before) => {
      if (before.state === 'closed') {
        await tx.lock('proposals')
        await requireRoom(tx, before.author_id)
      }
      return {
        ...{ state: 'open', opened_at: tx.now, updated_at: tx.now },
        ...{ closed_at: null, close_reason: '', closed_by: '' },
      }
    },
    stored: async (tx, stored) => void (await noteEntry(tx, 'proposal.opened', stored, { type: 'opened' })),
  })
  return describeProposal({ ctx, means }, row)
}

/** Runs the operations of a draft or an open proposal again. */
export const runAgain = async (means: Means, ctx: Ctx, first: store.StoredProposal): Promise<store.StoredProposal> => {
  const { row } = await rerun(means, ctx, {
    row: first,
    edit: (before) => {
      requireState(before, ['draft', 'open'])
      return store.parseOperations(before)
    },
    stored: async (tx, stored, before) => {
      if (stored.fingerprint !== before.fingerprint && stored.state === 'open')
        await noteEdit(tx, stored, { type: 'moved' })
    },
  })
  return row
}

export const refresh = async (means: Means, ctx: Ctx, id: string): Promise<Proposal> => {
  const { row: first } = await getVisibleOrThrow(ctx, id)
  return describeProposal({ ctx, means }, await runAgain(means, ctx, first))
}

export const update = async (
  means: Means,
  tx: Ctx,
  { id, ...patch }: ParsedInputOf<typeof proposals.update>,
): Promise<Proposal> => {
  const { row: seen, sight } = await getVisibleOrThrow(tx, id)
  const row = await lockOrThrow(tx, seen)
  requireEditor(tx, row, sight)
  const before = await describeProposal({ ctx: tx, means }, row, sight)
  tx.precondition(before)
  const { title, description } = row
  const { value, changes } = merge({ title, description }, patch)
  if (changes.length === 0) return before
  const changed = await store.update(tx, row.seq, { ...value, updated_at: tx.now })
  await noteEdit(tx, changed, { type: 'changed', text: `Changed the ${changes.join(' and the ')}` })
  return describeProposal({ ctx: tx, means }, changed, sight)
}

export const close = async (
  means: Means,
  tx: Ctx,
  { id, text = '' }: ParsedInputOf<typeof proposals.close>,
): Promise<Proposal> => {
  const { row: seen, sight } = await getVisibleOrThrow(tx, id)
  const row = await lockOrThrow(tx, seen)
  requireAuthor(tx, row)
  requireState(row, ['draft', 'open'])
  const by = tx.caller.username
  const closed = await closeProposal(tx, row, { reason: 'withdrawn', by, text })
  return describeProposal({ ctx: tx, means }, closed, sight)
}
