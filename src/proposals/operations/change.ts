/** Changes the operations, the title and the state of a stored proposal, up to the merge. */
import { invalidField, notFound } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { proposals } from '../api.ts'
import { describeProposal } from '../describe.ts'
import { addEntry } from '../entry-store.ts'
import { announceProposal } from '../events.ts'
import type { Means } from '../means.ts'
import { getVisibleOrThrow } from '../review/sight.ts'
import type { StoredOperation } from '../run/effect.ts'
import type { Proposal } from '../schema.ts'
import * as store from '../store.ts'
import { requireAuthor, requireEditor, requireState } from './access.ts'
import { closeProposal } from './close.ts'
import { addCoAuthor } from './co-authors.ts'
import { findRefused, omitCallFields, requireBounds } from './inputs.ts'
import { rerun } from './rerun.ts'
import { noteEdit, requireRoom } from './store-run.ts'

const doNothing = async (): Promise<void> => {}

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

export const replaceOperation = async (
  means: Means,
  ctx: Ctx,
  { id, operation_id, input }: ParsedInputOf<typeof proposals.replaceOperation>,
): Promise<Proposal> => {
  const { row: first, sight } = await getVisibleOrThrow(ctx, id)
  requireEditor(ctx, first, sight)
  const { operation } = findOperation(first, operation_id)
  const [refused] = findRefused(operation, input)
  if (refused) throw invalidField(`input.${refused.field}`, refused.message)
  const added = { input: omitCallFields(input), added_by: ctx.caller.username, added_at: ctx.now }
  const { row } = await rerun(means, ctx, {
    row: first,
    edit: (before) => {
      requireEditor(ctx, before, sight)
      findOperation(before, operation_id)
      const all = store.parseOperations(before)
      const operations = all.map((one) => (one.id === operation_id ? { ...one, ...added } : one))
      requireBounds(operations, 'proposal')
      return operations
    },
    written: () => operation_id,
    finish: doNothing,
    patch: (tx, before) => ({ updated_at: tx.now, co_authors: addCoAuthor(tx, before) }),
    stored: (tx, stored) =>
      noteEdit(tx, stored, { type: 'changed', text: `Replaced operation ${operation_id}: ${operation}` }),
  })
  return describeProposal({ ctx, means }, row)
}

export const removeOperation = async (
  means: Means,
  ctx: Ctx,
  { id, operation_id }: ParsedInputOf<typeof proposals.removeOperation>,
): Promise<void> => {
  const { row: first, sight } = await getVisibleOrThrow(ctx, id)
  requireEditor(ctx, first, sight)
  const { operation } = findOperation(first, operation_id)
  await rerun(means, ctx, {
    row: first,
    edit: (before) => {
      requireEditor(ctx, before, sight)
      findOperation(before, operation_id)
      return store.parseOperations(before).filter((one) => one.id !== operation_id)
    },
    finish: doNothing,
    patch: (tx, before) => ({ updated_at: tx.now, co_authors: addCoAuthor(tx, before) }),
    stored: (tx, stored) =>
      noteEdit(tx, stored, { type: 'changed', text: `Removed operation ${operation_id}: ${operation}` }),
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
    finish: doNothing,
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
    stored: async (tx, stored) => {
      await addEntry(tx, stored.seq, { type: 'opened', fingerprint: stored.fingerprint })
      announceProposal(tx, 'proposal.opened', stored, { username: tx.caller.username, text: '' })
    },
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
    finish: doNothing,
    patch: () => ({}),
    stored: async (tx, stored, before) => {
      if (stored.fingerprint !== before.fingerprint && stored.state === 'open')
        await noteEdit(tx, stored, { type: 'moved', text: '' })
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
  const closed = await closeProposal(tx, row, { reason: 'withdrawn', by, text, entry: 'closed' })
  return describeProposal({ ctx: tx, means }, closed, sight)
}
