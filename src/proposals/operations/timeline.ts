/** Lists the entries of a proposal that the caller sees, oldest first. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { JsonList } from '../../kernel/handler-result.ts'
import { listValues } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { proposals } from '../api.ts'
import { selectEntries } from '../entry-store.ts'
import { toEntry } from '../listed.ts'
import { hasSeenItem } from '../review/seen-items.ts'
import { getVisibleOrThrow, type Visible } from '../review/sight.ts'
import type { TimelineEntry } from '../schema.ts'
import type { EntryRow } from '../table.ts'
import { formatSightKey, SIGHT_TABLES } from './revision.ts'

/** Drops the entries about objects that the caller does not see. */
const filterShown = async (ctx: Ctx, visible: Visible, entries: readonly EntryRow[]): Promise<readonly EntryRow[]> => {
  if (visible.sight.isWhole) return entries
  const known = new Map<string, boolean>()
  for (const { kind, object_id: id } of entries) {
    const key = `${kind} ${id}`
    if (kind !== '' && !known.has(key)) known.set(key, await hasSeenItem(ctx, visible, { kind, id }))
  }
  return entries.filter(({ kind, object_id }) => kind === '' || known.get(`${kind} ${object_id}`))
}

export const listTimeline = async (
  ctx: Ctx,
  { id, ...page }: ParsedInputOf<typeof proposals.timeline>,
): Promise<JsonList<TimelineEntry>> => {
  // Before any row.
  const revision = `${await ctx.store.revision([...SIGHT_TABLES])} ${formatSightKey(ctx)}`
  const { row, sight } = await getVisibleOrThrow(ctx, id)
  const entries = await selectEntries(ctx, row.seq).execute()
  const shown = await filterShown(ctx, { row, sight }, entries)
  return listValues(
    shown.map((entry) => toEntry(row, entry)),
    page,
    revision,
  )
}
