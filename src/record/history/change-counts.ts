/** The numbers of the objects of a change, by what happened to them. */
import type { Counts } from '../../contract/change-summary.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { ItemChange } from './api.ts'
import { KIND_NAMES, type Kind } from './kind-names.ts'
import type { KindCounts } from './record-store.ts'
import { countVisible } from './seen-changes.ts'
import type * as store from './store.ts'
import type { VisibleItems } from './visible-items.ts'

const toCounts = (stored: KindCounts, kinds: readonly Kind[]): Counts => {
  const counts: Counts = {}
  for (const change of ItemChange.options) {
    const some = kinds.flatMap((kind) => {
      const n = stored[change]?.[kind]
      return n === undefined ? [] : [[KIND_NAMES[kind].noun, n] as const]
    })
    if (some.length > 0) counts[change] = Object.fromEntries(some)
  }
  return counts
}

/** Returns the numbers of the objects of changes that the caller sees, by change and noun. */
export const loadCounts = async (
  ctx: Ctx,
  visible: VisibleItems,
  changes: readonly store.StoredChange[],
): Promise<(change: store.StoredChange) => Counts> => {
  const seen = visible.isWhole ? undefined : await countVisible(ctx, visible, changes)
  // Written by `record-store.ts`.
  return ({ seq, counts }) => toCounts(seen ? (seen.get(seq) ?? {}) : (JSON.parse(counts) as KindCounts), visible.kinds)
}
