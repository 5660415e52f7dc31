/** Changes the operations, the title and the state of a stored proposal, up to the merge. */
import { invalidField, orNotFound } from '../../contract/errors.ts'
import { omitFieldsOfCall } from '../../contract/fields/history-fields.ts'
import { merge } from '../../contract/merge.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { proposals } from '../api.ts'
import { type Described, describeProposal } from '../describe.ts'
import { noteEntry } from '../entry-store.ts'
import type { Means } from '../means.ts'
import { getVisibleOrThrow, lockVisibleOrThrow } from '../review/sight.ts'
import type { StoredOperation } from '../run/effect.ts'
import type { Proposal } from '../schema.ts'
import * as store from '../store.ts'
import { requireAuthor, requireEditor, requireState } from './access.ts'
import { endProposal } from './end.ts'
import { findRefused } from './inputs.ts'
import { rerun, rerunEdited, runAgain } from './rerun.ts'
import { noteEdit, requireRoom } from './store-run.ts'

type Input<Verb extends keyof typeof proposals> = ParsedInputOf<(typeof proposals)[Verb]>

type Editing = {
  readonly verb: string
  /** Returns what comes in the place of the operation. */
  readonly replace: (one: StoredOperation) => readonly StoredOperation[]
}

const editOperation = async (
  means: Means,
  ctx: Ctx,
  { id, operation_id }: Input<'removeOperation'>,
  { verb, replace }: Editing,
): Promise<Described> => {
  let name = ''
  return rerunEdited(means, ctx, await getVisibleOrThrow(ctx, id), {
    change: (before) => {
      const operations = store.parseOperations(before)
      const edited = orNotFound(
        operations.find((one) => one.id === operation_id),
        'operation',
        operation_id,
      )
      name = edited.operation
      return operations.flatMap((one) => (one === edited ? replace(edited) : [one]))
    },
    written: () => operation_id,
    text: () => `${verb} operation ${operation_id}: ${name}`,
  })
}

export const replaceOperation =
  (means: Means) =>
  (ctx: Ctx, { input, ...named }: Input<'replaceOperation'>): Promise<Described> =>
    editOperation(means, ctx, named, {
      verb: 'Replaced',
      replace: (one) => {
        const [refused] = findRefused(one.operation, input)
        if (refused) throw invalidField(`input.${refused.field}`, refused.message)
        return [{ ...one, input: omitFieldsOfCall(input), added_by: ctx.caller.username, added_at: ctx.now }]
      },
    })

export const removeOperation =
  (means: Means) =>
  async (ctx: Ctx, named: Input<'removeOperation'>): Promise<void> => {
    await editOperation(means, ctx, named, { verb: 'Removed', replace: () => [] })
  }

export const open =
  (means: Means) =>
  async (ctx: Ctx, { id }: Input<'open'>): Promise<Described> => {
    const { row } = await getVisibleOrThrow(ctx, id)
    requireAuthor(ctx, row)
    return rerun(means, ctx, {
      row,
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
  }

export const refresh =
  (means: Means) =>
  async (ctx: Ctx, { id }: Input<'refresh'>): Promise<Described> => {
    const { row } = await getVisibleOrThrow(ctx, id)
    return runAgain(means, ctx, row)
  }

export const update =
  (means: Means) =>
  async (tx: Ctx, { id, ...patch }: Input<'update'>): Promise<Proposal> => {
    const { row, sight } = await lockVisibleOrThrow(tx, id)
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

export const close = async (tx: Ctx, { id, text = '' }: Input<'close'>): Promise<Described> => {
  const { row, sight } = await lockVisibleOrThrow(tx, id)
  requireAuthor(tx, row)
  requireState(row, ['draft', 'open'])
  return { row: await endProposal(tx, row, { reason: 'withdrawn', text }), sight }
}
