/** Marks the rows of linked objects that change, so that they are judged again. */

import { transactionState } from '../../database/transaction-state.ts'
import type { ChangedObject } from '../../kernel/changes/change-record.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { anySource } from './object-reads.ts'
import { markLinked } from './object-store.ts'

/** The objects that a source has written in the transaction: its own rows have a verdict already. */
const written = transactionState((): { sourceId: string; ids: Set<string> } => ({ sourceId: '', ids: new Set() }))

/** Notes the objects of rows that get their verdict in the transaction. */
export const noteWritten = (ctx: Ctx, sourceId: string, ids: Iterable<string>): void => {
  const state = ctx.local(written)
  state.sourceId = sourceId
  for (const id of ids) state.ids.add(id)
}

/** The id of a field lock begins with the id of its device. */
const toObjectId = ({ kind, id }: ChangedObject): string => (kind === 'discovery-lock' ? (id.split(' ')[0] ?? id) : id)

const onObjectsChanged: NonNullable<Feature['onObjectsChanged']> = async (ctx, changes) => {
  if (!(await anySource.within(ctx))) return
  const { sourceId, ids } = ctx.local(written)
  const changed = [...new Set(changes.map(toObjectId))]
  const others = changed.filter((id) => !ids.has(id))
  if (others.length > 0) await markLinked(ctx, others)
  if (others.length < changed.length)
    await markLinked(
      ctx,
      changed.filter((id) => ids.has(id)),
      sourceId,
    )
}

export const staleMarks: Required<Pick<Feature, 'onFirstChange' | 'onObjectsChanged'>> = {
  onFirstChange: anySource.ahead,
  onObjectsChanged,
}
