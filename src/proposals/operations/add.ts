/** Adds a write to a proposal, or to a new one: it is tried, answered as it would be, and noted. */
import { z } from 'zod'
import { invalid, invalidField, shorten } from '../../contract/errors.ts'
import { omitFieldsOfCall } from '../../contract/fields/history-fields.ts'
import { isRecord } from '../../contract/unknown.ts'
import type { Tables } from '../../database/tables.ts'
import { NO_AUDIT } from '../../kernel/changes/audit.ts'
import type { AskedProposal, Proposals } from '../../kernel/changes/proposals.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import { operation } from '../../kernel/operation.ts'
import type { Request } from '../../kernel/request.ts'
import { MAX_TITLE } from '../api.ts'
import type { Means } from '../means.ts'
import { findVisible, type Visible } from '../review/sight.ts'
import type { RunOutcome, StoredOperation } from '../run/effect.ts'
import * as store from '../store.ts'
import { requireUser } from './access.ts'
import { findRefused, requireBounds } from './inputs.ts'
import { rerunEdited, tryNew } from './rerun.ts'
import { createOperation, requireRoom } from './store-run.ts'

/** Not registered. It gives calls of other operations their access, and their entry in the audit trail. */
const ADD = operation({
  name: 'proposals.add-operation',
  summary: 'Add an operation to a proposal',
  http: 'POST /api/proposals/{id}/operations',
  effect: 'update',
  access: 'proposals:create',
  scope: 'custom',
  hasOwnTransactions: true,
  isLong: true,
  input: z.object({ id: z.string().optional(), operation: z.string(), note: z.string().optional() }),
  output: z.unknown(),
})

/** The answer, and the proposal that the audit trail names. */
class Noted extends WithStatus<unknown> {
  constructor(
    value: unknown,
    readonly id: string,
  ) {
    super(202, value)
  }
}

/** The row is undefined for a new proposal that is not stored. */
type Done = { readonly row: store.StoredProposal | undefined; readonly value: unknown }

type Added = {
  readonly means: Means
  readonly bound: Bound<Tables>
  readonly input: object
  readonly asked: AskedProposal
  readonly setHeader: Request['setHeader']
}

const isDry = ({ asked: { dryRun } }: Added): boolean => dryRun !== false

const toOperation = (ctx: Ctx, { bound, input, asked: { note } }: Added, id: string): StoredOperation =>
  createOperation(ctx, { id, operation: bound.op.name, input, note })

/** Returns the preview of the objects that the transaction has changed since a write, like a dry run. The transaction is rolled back. */
const describeSince = async (
  { history }: Means,
  tx: Ctx,
  { operation, note, since }: { readonly operation: string; readonly note: string; readonly since: number },
): Promise<unknown> => {
  const items = await tx.changedObjects(since)
  if (items.length === 0) return history.preview(tx, '')
  const id = Bun.randomUUIDv7()
  await history.record(tx, { id, operation, tool: '', note, undoes: null, proposalId: '' }, items)
  return history.preview(tx, id)
}

/**
 * Answers as the operation, which is the last one, would in earnest; without an answer, and if the caller asks for changes, with the
 * preview.
 */
const answerLater =
  ({ means, bound: { op }, asked: { note, dryRun } }: Added) =>
  async (tx: Ctx, { starts, errors, answers }: RunOutcome): Promise<unknown> => {
    const [id = '', since = 0] = [...starts].at(-1) ?? []
    // A refusal has no answer, and is thrown after the transaction.
    if (errors.has(id)) return undefined
    const value = answers.get(id)
    // It has recorded the change itself, of a transaction that is rolled back.
    if (op.returnsChange && isRecord(value))
      return { ...value, id: '', at: '', operation: op.name, ...(note !== '' && { note }) }
    const asksForChanges = dryRun === 'changes' && !op.handlesDryRun
    if (value !== undefined && !asksForChanges) return value
    return describeSince(means, tx, { operation: op.name, note, since })
  }

const isNewProposal = (asked: AskedProposal): asked is AskedProposal & { readonly proposal: 'draft' | 'open' } =>
  asked.proposal === 'draft' || asked.proposal === 'open'

/** Tries the operation alone, and makes a proposal of it. */
const begin = async (ctx: Ctx, added: Added, state: 'draft' | 'open'): Promise<Done> => {
  const { means, bound, asked } = added
  const operations = [toOperation(ctx, added, '1')]
  requireBounds(operations, 'proposal')
  if (!isDry(added)) await requireRoom(ctx, ctx.caller.userId ?? '')
  const title = shorten(asked.note || bound.op.summary, MAX_TITLE - '...'.length)
  const made = { id: Bun.randomUUIDv7(), title, description: '', state }
  const { value, insert } = await tryNew(means, ctx, { made, operations, finish: answerLater(added) })
  return { value, row: isDry(added) ? undefined : await insert() }
}

/** @throws AppError VALIDATION_ERROR on `proposal` for one that the caller does not see */
const findTarget = async (ctx: Ctx, named: string): Promise<Visible> => {
  const found = await findVisible(ctx, named)
  if (found) return found
  throw invalidField(
    'proposal',
    `must be draft, open, or the id or number of a proposal; there is no "${shorten(named)}"`,
  )
}

/** Tries the operation after the others of a proposal, and adds it there. */
const append = async (ctx: Ctx, added: Added, target: Visible): Promise<Done> => {
  const { means, bound } = added
  const findId = (row: store.StoredProposal): string => `${row.next_operation}`
  return rerunEdited(means, ctx, target, {
    isDry: isDry(added),
    change: (before) => [...store.parseOperations(before), toOperation(ctx, added, findId(before))],
    written: findId,
    finish: answerLater(added),
    text: (before) => `Added operation ${findId(before)}: ${bound.op.name}`,
  })
}

const add = async (ctx: Ctx, added: Added): Promise<unknown> => {
  const { means, asked, setHeader } = added
  const userId = requireUser(ctx)
  const { row, value } = await (isNewProposal(asked)
    ? means.inOrder(userId, () => begin(ctx, added, asked.proposal))
    : append(ctx, added, await findTarget(ctx, asked.proposal)))
  if (!row || isDry(added)) return new WithStatus(200, value, true)
  setHeader?.('X-Proposal', `${row.number}`)
  return new Noted(value, row.id)
}

/** @returns the function by which the kernel hands over a write with `proposal` in its query */
export const createAdd =
  (means: Means): Proposals<Tables>['add'] =>
  async (bound, request, asked) => {
    const { ifMatch: _, ifNoneMatch: __, setHeader, ...call } = request
    const input = isRecord(request.input) ? omitFieldsOfCall(request.input) : {}
    const refused = findRefused(bound.op.name, input)
    if (refused.length > 0) throw invalid(refused)
    // Its objects are in no change.
    if (asked.dryRun === 'changes' && !bound.op.hasHistory) throw invalidField('dry_run', 'must be true or false')
    const added: Added = { means, bound, input, asked, setHeader }
    // A dry run leaves no entry in the audit trail.
    const kernel = isDry(added) ? means.kernel().over({ audit: NO_AUDIT }) : means.kernel()
    // A new proposal has no id before it is made.
    const id = isNewProposal(asked) ? undefined : asked.proposal
    const noted = {
      ...(id !== undefined && { id }),
      operation: bound.op.name,
      ...(asked.note !== '' && { note: asked.note }),
    }
    if (isDry(added)) setHeader?.('X-Dry-Run', 'true')
    return kernel.run({ op: ADD, handler: (ctx) => add(ctx, added) }, { ...call, input: noted })
  }
