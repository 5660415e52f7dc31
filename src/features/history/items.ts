/** Builds the items of changes and of comparisons from documents before and after. */
import type { Ctx } from '../ctx.ts'
import { nameBy, tripleOfId } from '../relationships/relationships.ts'
import type { Item, ItemChange } from './api.ts'
import { KIND_NAMES, KINDS, type Kind } from './kind-names.ts'
import { type Document, documentOf, KIND_RULES, nameOf } from './kinds.ts'
import * as store from './store.ts'

/** Fields that follow from the change itself. */
const IMPLIED: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

/** Returns the fields that differ; all of them if one document is missing. */
export const fieldsOf = (before: Document | undefined, after: Document | undefined): Item['fields'] => {
  const names = Object.keys({ ...before, ...after }).filter((name) => !IMPLIED.has(name))
  const isWhole = !before || !after
  return Object.fromEntries(
    names.flatMap((name) => {
      const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
      return isWhole || !Bun.deepEquals(from, to) ? [[name, { from, to }]] : []
    }),
  )
}

/** Returns the names of devices by their ids: the present ones, or the last ones of devices that are gone. */
const deviceNames = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const documents = await KIND_RULES.device.documents(ctx, ids)
  const gone = ids.filter((id) => !documents.has(id))
  for (const [id, json] of await store.lastDocuments(ctx, 'device', gone)) documents.set(id, json)
  return new Map([...documents].map(([id, json]) => [id, nameOf('device', id, documentOf(json))]))
}

/** Returns items whose relationships are named by their devices, if the caller may read devices. */
export const withDeviceNames = async <T extends Pick<Item, 'kind' | 'id' | 'name'>>(
  ctx: Ctx,
  items: readonly T[],
): Promise<T[]> => {
  const relationships = items.filter(({ kind }) => kind === 'relationship')
  if (relationships.length === 0 || !ctx.caller.permissions.has(KIND_NAMES.device.read)) return [...items]
  const triples = new Map(relationships.map(({ id }) => [id, tripleOfId(id)]))
  const ids = [...triples.values()].flatMap(({ parent_id, child_id }) => [parent_id, child_id])
  const names = await deviceNames(ctx, [...new Set(ids)])
  return items.map((item) => {
    const triple = item.kind === 'relationship' ? triples.get(item.id) : undefined
    return triple ? { ...item, name: nameBy(names, triple) } : item
  })
}

type States = { readonly before: string | null | undefined; readonly after: string | null | undefined }

export const itemOf = (kind: Kind, id: string, { before, after }: States): Item => {
  const from = before ? documentOf(before) : undefined
  const to = after ? documentOf(after) : undefined
  const change: ItemChange = !from ? 'create' : to ? 'update' : 'delete'
  return { kind, id, name: nameOf(kind, id, to ?? from), change, fields: fieldsOf(from, to) }
}

/** Returns the documents of objects right after the change `seq`; now without it. */
export const statesAt = async (
  ctx: Ctx,
  kind: Kind,
  { ids, seq }: { readonly ids: readonly string[]; readonly seq: number | undefined },
): Promise<Map<string, string>> => {
  // The present first: a change that is committed in between records the document that was read here.
  const states = new Map(await KIND_RULES[kind].documents(ctx, ids))
  if (seq === undefined) return states
  for (const [id, before] of await store.statesBeforeLater(ctx, kind, { ids, seq })) {
    if (before === null) states.delete(id)
    else states.set(id, before)
  }
  return states
}

type ItemFilter = { readonly kinds: readonly Kind[]; readonly change?: ItemChange | undefined }

/** Yields the items of a change, by kind and id. */
export async function* itemsOfChange(ctx: Ctx, seq: number, { kinds, change }: ItemFilter): AsyncGenerator<Item[]> {
  for (const kind of KINDS.filter((one) => kinds.includes(one)))
    for await (const rows of store.itemsOf(ctx, { seq, kind, change })) {
      const states = await statesAt(ctx, kind, { ids: rows.map(({ id }) => id), seq })
      const items = rows.map(({ id, before }) => itemOf(kind, id, { before, after: states.get(id) }))
      yield change === undefined ? items : items.filter((item) => item.change === change)
    }
}

type Span = { readonly from: number; readonly to: number | undefined; readonly kinds: readonly Kind[] }

/** Yields the objects that differ between two moments, by kind and id. */
export async function* itemsBetween(ctx: Ctx, { from, to, kinds }: Span): AsyncGenerator<Item[]> {
  for (const kind of KINDS.filter((one) => kinds.includes(one)))
    for await (const ids of store.changedIds(ctx, { kind, after: from, until: to })) {
      const after = await statesAt(ctx, kind, { ids, seq: to })
      const before = await statesAt(ctx, kind, { ids, seq: from })
      yield ids
        .filter((id) => before.get(id) !== after.get(id))
        .map((id) => itemOf(kind, id, { before: before.get(id), after: after.get(id) }))
    }
}
