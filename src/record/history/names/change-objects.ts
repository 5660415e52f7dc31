/** Names the first objects of changes, as of then, with the fields that differ. */
import { toSingular } from '../../../contract/command-name.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { ChangeObject, Item, SimpleValue } from '../api.ts'
import { type EntryKey, FIRST_OBJECTS, findFirstKeys, findItems, type StoredItem } from '../entry-store.ts'
import { buildItem } from '../items.ts'
import { KINDS, type Kind } from '../kind-names.ts'
import { KIND_RULES } from '../kinds.ts'
import type { SeenCounts } from '../seen-changes.ts'
import type { VisibleItems } from '../visible-items.ts'
import { getListPermission, nameItems, type Shown } from './names.ts'

/** The most fields of an update that are named. */
const MAX_FIELDS = 3
/** Longer texts are left out. */
const MAX_TEXT = 80

/** Objects that belong to others: a device comes with its ports, and is more than they are. */
const PARTS: ReadonlySet<Kind> = new Set(['port', 'cable', 'relationship', 'discovery-lock'])

/** Sorts the kinds of a change: the kind of its operation first, parts of other objects last, else the most frequent kind first. */
const sortKinds = ({ operation }: Named, counts: ReadonlyMap<Kind, number>): Kind[] => {
  const own = toSingular(operation.slice(0, operation.indexOf('.')))
  const rank = (kind: Kind): number => (kind === own ? 0 : PARTS.has(kind) ? 2 : 1)
  return KINDS.filter((kind) => counts.has(kind)).toSorted(
    (a, b) => rank(a) - rank(b) || (counts.get(b) ?? 0) - (counts.get(a) ?? 0),
  )
}

type Named = { readonly seq: number; readonly operation: string }

const addCounts = (counts: SeenCounts['counts']): Map<Kind, number> => {
  const sums = new Map<Kind, number>()
  for (const kinds of Object.values(counts))
    for (const kind of KINDS) if (kinds[kind]) sums.set(kind, (sums.get(kind) ?? 0) + kinds[kind])
  return sums
}

const buildKey = ({ kind, seq }: Pick<EntryKey, 'kind' | 'seq'>): string => `${seq} ${kind}`

/** Returns the keys of the first objects of changes that the caller sees, in order. */
const findKeys = async (ctx: Ctx, { parts }: VisibleItems, changes: readonly SeenChange[]): Promise<EntryKey[]> => {
  const wanted = changes.flatMap((change) => {
    const counts = addCounts(change.seen.counts)
    let left = FIRST_OBJECTS
    return sortKinds(change, counts).flatMap((kind) => {
      const [most, count] = [left, counts.get(kind) ?? 0]
      left -= Math.min(left, count)
      return most > 0 ? [{ seq: change.seq, kind, count, most, ids: change.seen.first.get(kind) }] : []
    })
  })
  // All objects of the other kinds are seen.
  const keys = await findFirstKeys(
    ctx,
    wanted.filter(({ kind }) => !parts.has(kind)),
  )
  const byKind = Map.groupBy(keys, buildKey)
  return wanted.flatMap(({ seq, kind, most, ids }) =>
    (ids ?? (byKind.get(buildKey({ seq, kind })) ?? []).map(({ id }) => id))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(0, most)
      .map((id) => ({ kind, id, seq })),
  )
}

const isSimple = (value: unknown): value is SimpleValue =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= MAX_TEXT)

/** Returns the item with the fields that are shown of it. */
const keepFields = ({ item, ...shown }: Shown): Shown => {
  const fields = Object.entries(item.fields).map(([field, { from, to }]) => [
    field,
    isSimple(from) && isSimple(to) ? { from, to } : {},
  ])
  return { ...shown, item: { ...item, fields: Object.fromEntries(fields) } }
}

const toObject = ({ fields, ...item }: Item): ChangeObject => ({
  ...item,
  // Of `keepFields`.
  fields: Object.entries(fields).map(([field, values]) => ({ field, ...values })) as ChangeObject['fields'],
})

/** Returns the objects as they are now, by kind and id. */
const findPresent = async (ctx: Ctx, keys: readonly EntryKey[]): Promise<Map<string, string>> => {
  const present = new Map<string, string>()
  for (const [kind, all] of Map.groupBy(keys, (one) => one.kind))
    for (const [id, document] of await KIND_RULES[kind].documents(ctx, [...new Set(all.map(({ id }) => id))]))
      present.set(`${kind} ${id}`, document)
  return present
}

const build = ({ kind, id, seq, before, next_seq, next_before }: StoredItem, present: ReadonlyMap<string, string>) =>
  buildItem(kind, id, {
    ...{ before, from: seq - 1, to: seq, mostFields: MAX_FIELDS },
    after: next_seq === null ? present.get(`${kind} ${id}`) : next_before,
  })

type SeenChange = Named & { readonly seen: SeenCounts }
type ObjectsBySeq = ReadonlyMap<number, readonly ChangeObject[]>

const readObjects = async (ctx: Ctx, visible: VisibleItems, changes: readonly SeenChange[]): Promise<ObjectsBySeq> => {
  const keys = await findKeys(ctx, visible, changes)
  // The present first: a change that is committed in between records the document that was read here.
  const present = await findPresent(ctx, keys)
  const items = new Map((await findItems(ctx, keys)).map((one) => [`${buildKey(one)} ${one.id}`, one]))
  const shown = keys.flatMap((key) => {
    const item = items.get(`${buildKey(key)} ${key.id}`)
    return item ? [keepFields(build(item, present))] : []
  })
  const named = await nameItems(ctx, shown, { withDevices: true })
  const all = named.map((item, i) => ({ seq: shown[i]?.to ?? 0, object: toObject(item) }))
  return new Map(
    [...Map.groupBy(all, ({ seq }) => seq)].map(([seq, some]) => [seq, some.map(({ object }) => object)] as const),
  )
}

/** The memory of an object, in bytes. */
const OBJECT_BYTES = 500

/**
 * Returns the first objects of changes that the caller sees, by the number of the change. A committed change stays as it is, so its objects
 * are cached for the callers who see all objects of the same kinds.
 */
export const loadObjects = async (
  ctx: Ctx,
  visible: VisibleItems,
  changes: readonly SeenChange[],
): Promise<ObjectsBySeq> => {
  if (!visible.isWhole || ctx.caller.scopedPermissions || ctx.db !== ctx.store.read)
    return readObjects(ctx, visible, changes)
  const revision = await ctx.store.revision(['history_extent'])
  const cache = ctx.store.cache.at<readonly ChangeObject[]>('history.objects', revision)
  const listed = KINDS.filter((kind) => ctx.caller.permissions.has(getListPermission(kind)))
  const caller = Bun.hash(`${visible.key} ${listed.join()}`).toString(36)
  const known = new Map(changes.map(({ seq }) => [seq, cache.get(`${caller} ${seq}`)] as const))
  const read = await readObjects(
    ctx,
    visible,
    changes.filter(({ seq }) => known.get(seq) === undefined),
  )
  for (const [seq, objects] of read) cache.set(`${caller} ${seq}`, objects, OBJECT_BYTES * objects.length)
  return new Map(changes.map(({ seq }) => [seq, known.get(seq) ?? read.get(seq) ?? []]))
}
