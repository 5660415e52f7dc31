/** Finds the objects of a text: with a present name that contains it, or a name before a change that begins with it. */
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Kind } from '../kind-names.ts'
import type { VisibleItems } from '../visible-items.ts'
import { findPresent, NAMED_KINDS, type ObjectIds, selectEarlier } from './by-name.ts'

/** Up to this many objects, their changes are found by the objects. */
const MAX_OBJECTS = 1000

type Found = { readonly kind: Kind; readonly id: string }

const findEarlier = async (
  ctx: Ctx,
  visible: VisibleItems,
  { kinds, text, most }: { readonly kinds: readonly Kind[]; readonly text: string; readonly most: number },
): Promise<readonly Found[]> => {
  const rows = selectEarlier(ctx.db, kinds, text)
  if (visible.isWhole) {
    const objects = ctx.db.selectFrom(rows.as('earlier')).select(['earlier.kind', 'earlier.id']).distinct()
    // The recorder writes these kinds.
    return (await objects
      .limit(most + 1)
      .modifyEnd(ctx.store.sql.slowMark)
      .execute()) as Found[]
  }
  // An object may have had the name where the caller does not see it.
  const all = (await rows.execute()).map(({ kind, id, seq }) => ({
    ...{ kind: kind as Kind, id },
    states: [{ seq: Number(seq) - 1 }],
  }))
  return visible.seen(all)
}

/**
 * Returns the objects, of which a caller with a part of the estate may see only some; undefined if there are too many for a list, which
 * is the case only for a caller who sees all.
 */
export const findObjects = async (
  ctx: Ctx,
  visible: VisibleItems,
  { kinds, text }: { readonly kinds: readonly Kind[]; readonly text: string },
): Promise<ObjectIds | undefined> => {
  const named = NAMED_KINDS.filter((kind) => kinds.includes(kind))
  const most = visible.isWhole ? MAX_OBJECTS : Number.MAX_SAFE_INTEGER
  const found = new Map<Kind, Set<string>>()
  let count = 0
  const add = (kind: Kind, id: string): void => {
    const ids = found.get(kind) ?? new Set()
    if (!ids.has(id)) count++
    found.set(kind, ids.add(id))
  }
  if (named.length > 0) {
    for (const { kind, id } of await findEarlier(ctx, visible, { kinds: named, text, most })) add(kind, id)
    for (const kind of named) {
      if (count > most) return undefined
      for (const id of await findPresent(ctx, { kind, text, most })) add(kind, id)
    }
  }
  // The keys are kinds.
  return count > most ? undefined : (Object.fromEntries([...found].map(([kind, ids]) => [kind, [...ids]])) as ObjectIds)
}
