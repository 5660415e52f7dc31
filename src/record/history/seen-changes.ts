/** The changes of which a caller with a part of the estate sees an object, and how many objects of each. */
import { createBreathe } from '../../base/runtime/pause.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { ItemChange } from './api.ts'
import { findItemKeys, type ItemKey } from './item-keys.ts'
import type { Kind } from './kind-names.ts'
import type { KindCounts } from './record-store.ts'
import * as store from './store.ts'
import type { Shown, VisibleItems } from './visible-items.ts'

/** The tables that decide which changes are seen: no object changes without a change. */
export const SEEN_TABLES = ['changes', 'history_extent', 'scopes'] as const

/** Changes with more objects are read separately. */
const MOST_ITEMS = 1000
/** The number of changes that are read at once. */
const CHANGES_AT_ONCE = 200

/** An object of a change, in its states before and after it. */
type Key = Shown & { readonly seq: number; readonly isNew: boolean }

const toKey = ({ kind, id, seq, isNew }: ItemKey): Key => ({
  ...{ kind, id, seq, isNew },
  states: [...(isNew ? [] : [{ seq: seq - 1 }]), { seq }],
})

const countItems = ({ counts }: store.SizedChange): number =>
  // Written by `record-store.ts`.
  Object.values(JSON.parse(counts) as KindCounts)
    .flatMap((kinds) => Object.values(kinds))
    .reduce((sum, n) => sum + n, 0)

/** Yields the objects of changes of these kinds, in batches: large changes in several, small ones together. */
async function* streamKeys(
  ctx: Ctx,
  changes: readonly store.SizedChange[],
  of: Parameters<typeof findItemKeys>[2],
): AsyncGenerator<Key[]> {
  const [large, small] = [changes.filter((one) => countItems(one) > MOST_ITEMS), [] as number[]]
  let items = 0
  for (const change of changes.filter((one) => countItems(one) <= MOST_ITEMS)) {
    if (items + countItems(change) > MOST_ITEMS) {
      yield (await findItemKeys(ctx, small, of)).map(toKey)
      small.length = 0
      items = 0
    }
    small.push(change.seq)
    items += countItems(change)
  }
  if (small.length > 0) yield (await findItemKeys(ctx, small, of)).map(toKey)
  for (const { seq } of large)
    for (const kind of of.kinds)
      for await (const rows of store.streamItems(ctx, { seq, kind }))
        yield rows.map(({ id, before }) => toKey({ kind, id, seq, isNew: before === null }))
}

const find = async (ctx: Ctx, visible: VisibleItems, filter: store.ChangeFilter): Promise<number[]> => {
  const breathe = createBreathe()
  const found: number[] = []
  const page = { limit: CHANGES_AT_ONCE, offset: 0 }
  for (let before: number | undefined; ; ) {
    const changes = await store.findChanges(ctx, { ...filter, before }, page)
    const seen = new Set<number>()
    for await (const keys of streamKeys(ctx, changes, { kinds: filter.kinds, parts: visible.parts })) {
      const left = keys.filter(({ seq, id }) => !seen.has(seq) && (filter.object_id ?? id) === id)
      for (const { seq } of await visible.seen(left)) seen.add(seq)
      await breathe()
    }
    for (const { seq } of changes) if (seen.has(seq)) found.push(seq)
    before = changes.at(-1)?.seq
    if (changes.length < CHANGES_AT_ONCE) return found
  }
}

/** Returns the numbers of the matching changes of which the caller sees an object, newest first. */
export const findVisibleChanges = async (
  ctx: Ctx,
  visible: VisibleItems,
  filter: store.ChangeFilter,
): Promise<readonly number[]> => {
  const cache = ctx.store.cache.at<readonly number[]>('history.seen', await ctx.store.revision([...SEEN_TABLES]))
  const key = `${visible.key} ${JSON.stringify(filter)}`
  const known = cache.get(key)
  if (known) return known
  const found = await find(ctx, visible, filter)
  cache.set(key, found, found.length * 8)
  return found
}

/** Returns the numbers of the seen objects of changes, by change and kind, by the number of the change. */
export const countVisible = async (
  ctx: Ctx,
  visible: VisibleItems,
  changes: readonly store.SizedChange[],
): Promise<ReadonlyMap<number, KindCounts>> => {
  const breathe = createBreathe()
  const counts = new Map<number, Record<ItemChange, Partial<Record<Kind, number>>>>(
    changes.map(({ seq }) => [seq, { create: {}, update: {}, delete: {} }]),
  )
  const add = (seq: number, change: ItemChange, kind: Kind, n: number): void => {
    const of = counts.get(seq)?.[change]
    if (of) of[kind] = (of[kind] ?? 0) + n
  }
  for (const change of changes) {
    // Written by `record-store.ts`.
    const stored = JSON.parse(change.counts) as KindCounts
    for (const done of ItemChange.options)
      for (const kind of visible.kinds)
        if (!visible.parts.has(kind)) add(change.seq, done, kind, stored[done]?.[kind] ?? 0)
  }
  for await (const keys of streamKeys(ctx, changes, { kinds: [...visible.parts.keys()] })) {
    for (const key of await visible.seen(keys)) {
      const change = key.isNew ? 'create' : visible.isGone(key, key.seq) ? 'delete' : 'update'
      add(key.seq, change, key.kind, 1)
    }
    await breathe()
  }
  return counts
}
