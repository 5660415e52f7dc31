/** The changes of which a caller with a part of the estate sees an object, and how many objects of each. */
import { createBreathe } from '../../base/runtime/pause.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { ItemChange } from './api.ts'
import { FIRST_OBJECTS } from './entry-store.ts'
import { findItemKeys, type ItemKey } from './item-keys.ts'
import type { Kind } from './kind-names.ts'
import * as changeList from './list/change-list.ts'
import type { ObjectIds } from './names/by-name.ts'
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

const countItems = ({ counts }: changeList.SizedChange): number =>
  // Written by `record-store.ts`.
  Object.values(JSON.parse(counts) as KindCounts)
    .flatMap((kinds) => Object.values(kinds))
    .reduce((sum, n) => sum + n, 0)

/** Yields the objects of changes of these kinds, in batches: large changes in several, small ones together. */
async function* streamKeys(
  ctx: Ctx,
  changes: readonly changeList.SizedChange[],
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

/** Longer lists of objects are compared here, and not by the database. */
const MAX_OBJECTS_ASKED = 1000

/** Returns the test for the objects whose changes are asked for. */
const matchObjects = ({ object_id, named }: changeList.ChangeFilter): ((key: Key) => boolean) => {
  const ids = new Map(Object.entries(named?.objects ?? {}).map(([kind, some]) => [kind, new Set(some)]))
  return ({ kind, id }) => (object_id ?? id) === id && (!named || ids.get(kind)?.has(id) === true)
}

const isShort = (objects: ObjectIds = {}): boolean =>
  Object.values(objects).reduce((sum, { length }) => sum + length, 0) <= MAX_OBJECTS_ASKED

const find = async (ctx: Ctx, visible: VisibleItems, filter: changeList.ChangeFilter): Promise<number[]> => {
  const isAsked = matchObjects(filter)
  const asked = isShort(filter.named?.objects) ? filter : { ...filter, named: undefined }
  const breathe = createBreathe()
  const found: number[] = []
  const page = { limit: CHANGES_AT_ONCE, offset: 0 }
  for (let before: number | undefined; ; ) {
    const changes = await changeList.findChanges(ctx, { ...asked, before }, page)
    const seen = new Set<number>()
    for await (const keys of streamKeys(ctx, changes, { kinds: filter.kinds, parts: visible.parts })) {
      const left = keys.filter((key) => !seen.has(key.seq) && isAsked(key))
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
  filter: changeList.ChangeFilter,
): Promise<readonly number[]> => {
  const cache = ctx.store.cache.at<readonly number[]>('history.seen', await ctx.store.revision([...SEEN_TABLES]))
  const key = `${visible.key} ${changeList.buildFilterKey(filter)}`
  const known = cache.get(key)
  if (known) return known
  const found = await find(ctx, visible, filter)
  cache.set(key, found, found.length * 8)
  return found
}

/** What a caller sees of a change: the number of its objects by change and kind, and for kinds that are seen in part the first ids. */
export type SeenCounts = { readonly counts: KindCounts; readonly first: ReadonlyMap<Kind, readonly string[]> }

/** Adds an id to the first ones of a kind. */
const addFirst = (first: Map<Kind, readonly string[]>, { kind, id }: Key): void => {
  const ids = first.get(kind) ?? []
  const last = ids[FIRST_OBJECTS - 1]
  if (last === undefined || id < last)
    first.set(kind, [...ids, id].sort((a, b) => (a < b ? -1 : 1)).slice(0, FIRST_OBJECTS))
}

/** Returns the numbers of the seen objects of changes, by change and kind, by the number of the change. */
export const countVisible = async (
  ctx: Ctx,
  visible: VisibleItems,
  changes: readonly changeList.SizedChange[],
): Promise<ReadonlyMap<number, SeenCounts>> => {
  const breathe = createBreathe()
  type Counts = Record<ItemChange, Partial<Record<Kind, number>>>
  const seen = new Map(
    changes.map(({ seq }) => {
      const counts: Counts = { create: {}, update: {}, delete: {} }
      return [seq, { counts, first: new Map<Kind, readonly string[]>() }] as const
    }),
  )
  const add = (seq: number, change: ItemChange, kind: Kind, n: number): void => {
    const of = seen.get(seq)?.counts[change]
    if (of && n > 0) of[kind] = (of[kind] ?? 0) + n
  }
  for (const change of changes) {
    // Written by `record-store.ts`.
    const stored = JSON.parse(change.counts) as KindCounts
    for (const done of ItemChange.options)
      for (const kind of visible.kinds)
        if (!visible.parts.has(kind)) add(change.seq, done, kind, stored[done]?.[kind] ?? 0)
  }
  if (visible.isWhole) return seen
  for await (const keys of streamKeys(ctx, changes, { kinds: [...visible.parts.keys()] })) {
    for (const key of await visible.seen(keys)) {
      const change = key.isNew ? 'create' : visible.isGone(key, key.seq) ? 'delete' : 'update'
      add(key.seq, change, key.kind, 1)
      addFirst(seen.get(key.seq)?.first ?? new Map(), key)
    }
    await breathe()
  }
  return seen
}
