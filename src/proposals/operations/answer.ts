/** Builds the answer of a write that was only tried. */

import type { HistoryFields } from '../../contract/fields/history-fields.ts'
import { isRecord } from '../../contract/unknown.ts'
import type { Tables } from '../../database/tables.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../means.ts'
import type { RunOutcome } from '../run/effect.ts'

export type Answering = {
  readonly bound: Bound<Tables>
  /** The id of the operation. */
  readonly id: string
  readonly note: string
  readonly dryRun: HistoryFields['dryRun']
}

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
 * Returns the answer of an operation as it would be in earnest; of one without an answer, and if the caller asks for changes, the
 * preview.
 */
export const buildAnswer = async (
  means: Means,
  tx: Ctx,
  { outcome, bound: { op }, id, note, dryRun }: Answering & { readonly outcome: RunOutcome },
): Promise<unknown> => {
  const value = outcome.answers.get(id)
  // It has recorded the change itself, of a transaction that is rolled back.
  if (op.returnsChange && isRecord(value))
    return { ...value, id: '', at: '', operation: op.name, ...(note !== '' && { note }) }
  const asksForChanges = dryRun === 'changes' && !op.handlesDryRun
  if (value !== undefined && !asksForChanges) return value
  return describeSince(means, tx, { operation: op.name, note, since: outcome.starts.get(id) ?? 0 })
}
