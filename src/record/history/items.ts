/** Builds the items of changes and of comparisons from documents before and after. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { Item, ItemChange } from './api.ts'
import { KINDS, type Kind } from './kind-names.ts'
import { type Document, getName, KIND_RULES, parseDocument } from './kinds.ts'
import type { Shown } from './names/names.ts'
import * as store from './store.ts'
import type { VisibleItems } from './visible-items.ts'

/** Fields that follow from the change itself. */
const IMPLIED: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

/** Returns a document without the fields that follow from the change itself. */
export const omitImplied = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !IMPLIED.has(name)))

/** Returns the fields that differ, at most the first `most`; all of them if one document is missing. */
export const compareFields = (
  before: Document | undefined,
  after: Document | undefined,
  most = Number.POSITIVE_INFINITY,
): Item['fields'] => {
  const isWhole = !before || !after
  const fields: [string, Item['fields'][string]][] = []
  const compare = (name: string): void => {
    if (fields.length === most || IMPLIED.has(name)) return
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (isWhole || (from !== to && !Bun.deepEquals(from, to))) fields.push([name, { from, to }])
  }
  for (const name of Object.keys(before ?? {})) compare(name)
  for (const name of Object.keys(after ?? {})) if (!before || !Object.hasOwn(before, name)) compare(name)
  return Object.fromEntries(fields)
}

type ItemStates = { readonly before: string | null | undefined; readonly after: string | null | undefined }

/** The numbers of the changes at which the states of an item are read; the present without `to`. */
type Span = { readonly from: number; readonly to: number | undefined }

type Limits = {
  /** Set: only an update has fields, at most so many. */
  readonly mostFields?: number
}

/** Returns an item with the state that names it. */
export const buildItem = (
  kind: Kind,
  id: string,
  { before, after, mostFields, ...span }: ItemStates & Span & Limits,
): Shown => {
  const from = before ? parseDocument(before) : undefined
  const to = after ? parseDocument(after) : undefined
  const change: ItemChange = !from ? 'create' : to ? 'update' : 'delete'
  const document = to ?? from ?? {}
  const fields = mostFields !== undefined && change !== 'update' ? {} : compareFields(from, to, mostFields)
  const ofKind = kind === 'object' ? { kind_id: String(document.kind_id) } : {}
  const item = { kind, ...ofKind, id, name: getName(kind, id, document), change, fields }
  return { item, document, ...span }
}

/** Returns the documents of objects right after the change `seq`; now without it. */
export const findStatesAt = async (
  ctx: Ctx,
  kind: Kind,
  { ids, seq }: { readonly ids: readonly string[]; readonly seq: number | undefined },
): Promise<Map<string, string>> => {
  // The present first: a change that is committed in between records the document that was read here.
  const states = new Map(await KIND_RULES[kind].documents(ctx, ids))
  if (seq === undefined) return states
  for (const [id, before] of await store.findStatesBeforeLater(ctx, kind, { ids, seq })) {
    if (before === null) states.delete(id)
    else states.set(id, before)
  }
  return states
}

/** Returns the items of one kind that the caller sees. @param from, to the numbers of the changes at which the states are read */
const filterVisibleItems = async (
  visible: VisibleItems,
  items: readonly (ItemStates & { readonly kind: Kind; readonly id: string })[],
  { from, to }: Span,
): Promise<Shown[]> => {
  const shown = items.map(({ kind, id, before, after }) => ({
    ...{ kind, id, before, after },
    states: [
      { seq: from, document: before ?? null },
      { seq: to, document: after ?? null },
    ],
  }))
  return (await visible.seen(shown)).map(({ kind, id, before, after }) =>
    buildItem(kind, id, { before, after, from, to }),
  )
}

type ItemFilter = {
  readonly sight: VisibleItems
  readonly kinds: readonly Kind[]
  readonly change?: ItemChange | undefined
}

/** Yields the items of a change that the caller sees, by kind and id. */
export async function* streamChangeItems(
  ctx: Ctx,
  seq: number,
  { sight: visible, kinds, change }: ItemFilter,
): AsyncGenerator<Shown[]> {
  for (const kind of KINDS.filter((one) => kinds.includes(one)))
    for await (const rows of store.streamItems(ctx, { seq, kind, change })) {
      const states = await findStatesAt(ctx, kind, { ids: rows.map(({ id }) => id), seq })
      const all = rows.map(({ id, before }) => ({ kind, id, before, after: states.get(id) }))
      const items = await filterVisibleItems(visible, all, { from: seq - 1, to: seq })
      yield change === undefined ? items : items.filter(({ item }) => item.change === change)
    }
}

type Between = Omit<ItemFilter, 'change'> & Span

/** Yields the objects that differ between two moments and that the caller sees, by kind and id. */
export async function* streamItemsBetween(
  ctx: Ctx,
  { sight: visible, from, to, kinds }: Between,
): AsyncGenerator<Shown[]> {
  for (const kind of KINDS.filter((one) => kinds.includes(one)))
    for await (const ids of store.streamChangedIds(ctx, { kind, after: from, until: to })) {
      const after = await findStatesAt(ctx, kind, { ids, seq: to })
      const before = await findStatesAt(ctx, kind, { ids, seq: from })
      const different = ids.filter((id) => before.get(id) !== after.get(id))
      const all = different.map((id) => ({ kind, id, before: before.get(id), after: after.get(id) }))
      const items = await filterVisibleItems(visible, all, { from, to })
      // Only the times of an object that was changed and changed back differ.
      yield items.filter(({ item: { change, fields } }) => change !== 'update' || Object.keys(fields).length > 0)
    }
}
