/** The scopes of changed objects before and after, by their documents and by the objects that they belong to. */
import { toText, toTextOrNull } from '../../contract/unknown.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createScopeMatcher, type ScopesOf } from '../../people/scopes/areas.ts'
import {
  type DocumentScope,
  findPlace,
  getPlacing,
  listRelated,
  type ObjectId,
  type PlacedState,
} from '../../people/scopes/document-scopes.ts'
import { type Parents, withDatacentersBelow } from '../../people/scopes/places.ts'
import { findAll } from '../../people/scopes/store.ts'
import { findOriginal, loadCurrentScopes, loadForTransaction } from '../../people/scopes/update-areas.ts'
import { isKind } from '../../record/history/kind-names.ts'
import { type Document, KIND_RULES, parseDocument } from '../../record/history/kinds.ts'

/**
 * Sets of ids of scopes, of each state: one, of an object that follows others one of each of these. None of a definition, and of a state in
 * which the object does not exist.
 */
export type Places = { readonly before: readonly (readonly string[])[]; readonly after: readonly (readonly string[])[] }

/** The places of objects while there are no scopes. */
export const NOWHERE: Places = { before: [], after: [] }

const toObjectIds = (kind: string, ids: unknown): ObjectId[] =>
  Array.isArray(ids) ? ids.map((id) => ({ kind, id: toText(id) })) : []

const followNetwork = ({ network_id }: Document): DocumentScope => ({ follows: toObjectIds('network', [network_id]) })

/** The kinds without a history that are in scopes. */
const PLAIN: Readonly<Record<string, (document: Document) => DocumentScope>> = {
  scan: followNetwork,
  'discovered-device': ({ ip, network_id }) => ({
    facts: { ranges: [{ first: toText(ip), last: toText(ip), space_id: null }] },
    inherits: { kind: 'network', id: toText(network_id) },
  }),
  conflict: ({ device_ids, network_ids }) => ({
    follows: [...toObjectIds('device', device_ids), ...toObjectIds('network', network_ids)],
  }),
}

/** An object that exists, and is in no scope. */
const IN_NO_SCOPE: DocumentScope = { facts: {} }

const buildKey = ({ kind, id }: ObjectId): string => `${kind} ${id}`

const toPlacing = (object: ObjectId, json: string | undefined): DocumentScope | undefined => {
  if (json === undefined) return undefined
  const document = parseDocument(json)
  return getPlacing(object, document) ?? PLAIN[object.kind]?.(document) ?? IN_NO_SCOPE
}

/** Reads the documents of objects as `ctx` has them, by key. */
const readDocuments = async (ctx: Ctx, objects: readonly ObjectId[]): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  for (const [kind, some] of Map.groupBy(objects, (one) => one.kind)) {
    if (!isKind(kind)) continue
    for (const ids of splitBatches([...new Set(some.map(({ id }) => id))]))
      for (const [id, json] of await KIND_RULES[kind].documents(ctx, ids)) found.set(buildKey({ kind, id }), json)
  }
  return found
}

type Placings = Map<string, DocumentScope | undefined>

/** Adds the objects that decide about others, and are not among the items: they are the same before and after. */
const addOthers = async (ctx: Ctx, states: readonly Placings[]): Promise<Placings> => {
  const others: Placings = new Map()
  const [items] = states
  for (let next = states; next.length > 0; ) {
    const wanted = new Map<string, ObjectId>()
    for (const placing of next.flatMap((placings) => [...placings.values()]))
      for (const object of placing ? listRelated(placing) : []) {
        const key = buildKey(object)
        if (!items?.has(key) && !others.has(key)) wanted.set(key, object)
      }
    if (wanted.size === 0) break
    const documents = await readDocuments(ctx, [...wanted.values()])
    const read: Placings = new Map()
    for (const [key, object] of wanted) read.set(key, toPlacing(object, documents.get(key)))
    for (const [key, placing] of read) others.set(key, placing)
    next = [read]
  }
  return others
}

const listSets = (placing: DocumentScope, state: PlacedState): (readonly string[])[] => {
  if (!('follows' in placing)) return [findPlace(placing, state).scopes]
  const sets = placing.follows.flatMap((object) => {
    const followed = state.at(object)
    return followed ? listSets(followed, state) : [[]]
  })
  return [...new Map(sets.map((set) => [set.join(), set])).values()]
}

/** Scopes name the objects of these kinds, and a deleted object leaves them. */
const NAMED: ReadonlySet<string> = new Set(['datacenter', 'space', 'kind'])

const readParents = (items: readonly PlannedItem[], find: (item: PlannedItem) => string | undefined): Parents =>
  new Map(
    items.flatMap((item) => {
      const json = find(item)
      if (item.kind !== 'datacenter') return []
      return [[item.id, json === undefined ? null : toTextOrNull(parseDocument(json).parent_id)] as const]
    }),
  )

type Matchers = { readonly before: ScopesOf; readonly after: ScopesOf }

/** Returns the scopes of both states: with what they name, and the tree of datacenters, of the state. */
const loadMatchers = async (
  ctx: Ctx,
  items: readonly PlannedItem[],
  { setOf, find }: { readonly setOf: ScopesOf; readonly find: (item: PlannedItem) => string | undefined },
): Promise<Matchers> => {
  if (!items.some(({ kind }) => NAMED.has(kind))) return { before: setOf, after: setOf }
  const [parentsBefore, parentsAfter] = [readParents(items, ({ before }) => before), readParents(items, find)]
  return {
    before: createScopeMatcher(await withDatacentersBelow(ctx, await findOriginal(ctx), parentsBefore)),
    after: createScopeMatcher(await withDatacentersBelow(ctx, await findAll(ctx), parentsAfter)),
  }
}

/** Returns the places of each item, in a transaction by its own scopes and objects. */
export const findPlaces = async (ctx: Ctx, items: readonly PlannedItem[]): Promise<readonly Places[]> => {
  const setOf = await (ctx.db === ctx.store.read ? loadCurrentScopes(ctx) : loadForTransaction(ctx))
  if (!setOf) return items.map(() => NOWHERE)
  // A change record keeps no more documents than some.
  const read = await readDocuments(
    ctx,
    items.filter(({ change, after }) => change !== 'delete' && after === undefined),
  )
  const find = (item: PlannedItem): string | undefined => item.after ?? read.get(buildKey(item))
  const matchers = await loadMatchers(ctx, items, { setOf, find })
  const before: Placings = new Map()
  const after: Placings = new Map()
  for (const item of items) {
    const key = buildKey(item)
    before.set(key, toPlacing(item, item.before))
    after.set(key, toPlacing(item, find(item)))
  }
  const others = await addOthers(ctx, [before, after])
  const buildState = (own: Placings, matcher: ScopesOf): PlacedState => ({
    setOf: matcher,
    at: (object) => {
      const key = buildKey(object)
      return own.has(key) ? own.get(key) : others.get(key)
    },
  })
  const states = { before: buildState(before, matchers.before), after: buildState(after, matchers.after) }
  const findSets = (item: PlannedItem, placings: Placings, state: PlacedState) => {
    const placing = placings.get(buildKey(item))
    return placing ? listSets(placing, state) : []
  }
  return items.map((item) => ({
    before: findSets(item, before, states.before),
    after: findSets(item, after, states.after),
  }))
}
