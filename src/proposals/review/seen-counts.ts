/** Counts the items of proposals for a caller with a part of the estate, and keeps the numbers. */
import { type Counts, countChanges } from '../../contract/change-summary.ts'
import type { CacheGroup } from '../../database/cache/revision-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { countVisible, SEEN_TABLES } from '../../record/history/seen-changes.ts'
import { findChangesById } from '../../record/history/store.ts'
import { VisibleItems } from '../../record/history/visible-items.ts'
import { formatSightKey } from '../operations/revision.ts'
import type { ListedRow } from '../store.ts'
import { listCounted } from './counts.ts'
import { findSeenEffects, groupEffects, type PlacedCount, readScopesRevision } from './effect-reads.ts'

/** Counts the effects that the caller sees. */
type CountPlaced = (effects: readonly PlacedCount[]) => Counts

type CountRows = (rows: readonly ListedRow[]) => Promise<ReadonlyMap<string, Counts>>

/** Approximate size of the numbers of one proposal, in bytes. */
const SIZE = 200

/** Counts the rows that the group has no numbers of. */
const countOnce = async (
  ctx: Ctx,
  group: CacheGroup<Counts>,
  rows: readonly ListedRow[],
  count: CountRows,
): Promise<ReadonlyMap<string, Counts>> => {
  // A transaction may have written the tables.
  if (ctx.db !== ctx.store.read) return count(rows)
  const sight = formatSightKey(ctx)
  const buildKey = ({ id, version }: ListedRow): string => `${id} ${version} ${sight}`
  const found = new Map<string, Counts>()
  const left: ListedRow[] = []
  for (const row of rows) {
    const known = group.get(buildKey(row))
    if (known) found.set(row.id, known)
    else left.push(row)
  }
  const fresh = left.length > 0 ? await count(left) : new Map<string, Counts>()
  for (const row of left) {
    const counts = fresh.get(row.id) ?? {}
    group.set(buildKey(row), counts, SIZE)
    found.set(row.id, counts)
  }
  return found
}

/** Counts by the places of the stored effects, which are found again after a change of the scopes. */
const countStored =
  (ctx: Ctx, revision: string, count: CountPlaced): CountRows =>
  async (rows) => {
    const present = rows.filter((row) => row.scopes_revision === revision)
    const groups = await groupEffects(
      ctx,
      present.map(({ seq }) => Number(seq)),
    )
    const counted = new Map(present.map((row) => [row.id, count(groups.get(Number(row.seq)) ?? [])]))
    for (const row of rows) if (!counted.has(row.id)) counted.set(row.id, count(await findSeenEffects(ctx, row)))
    return counted
  }

/** Counts the items of merged proposals. Their changes have them, but for objects without a history. */
const countMerged =
  (ctx: Ctx, countOthers: CountRows): CountRows =>
  async (rows) => {
    const visible = await VisibleItems.of(ctx)
    const changes = await findChangesById(
      ctx,
      rows.flatMap(({ change_id }) => change_id ?? []),
    )
    const seen = await countVisible(ctx, visible, changes)
    const recorded = new Map(changes.map(({ id, seq }) => [id, seen.get(seq)?.counts ?? {}]))
    const others = await countOthers(rows)
    return new Map(
      rows.map(({ id, change_id }) => {
        const all = [recorded.get(change_id ?? '') ?? {}, others.get(id) ?? {}]
        return [id, countChanges(all.flatMap(listCounted))]
      }),
    )
  }

/** Returns the numbers of seen items by change and kind, by the id of the proposal. */
export const countSeen = async (
  ctx: Ctx,
  rows: readonly ListedRow[],
  count: CountPlaced,
): Promise<ReadonlyMap<string, Counts>> => {
  if (rows.length === 0) return new Map()
  const { cache } = ctx.store
  const revision = await readScopesRevision(ctx)
  const stored = countStored(ctx, revision, count)
  const [merged = [], others = []] = [true, false].map((is) => rows.filter(({ state }) => (state === 'merged') === is))
  const found = new Map(await countOnce(ctx, cache.at('proposal counts', revision), others, stored))
  if (merged.length === 0) return found
  // The present and the last states of the objects decide.
  const changed = ctx.db === ctx.store.read ? await ctx.store.revision([...SEEN_TABLES]) : ''
  const group = cache.at<Counts>('merged proposal counts', changed)
  for (const [id, counts] of await countOnce(ctx, group, merged, countMerged(ctx, stored))) found.set(id, counts)
  return found
}
