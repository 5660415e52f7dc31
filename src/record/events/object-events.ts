/** Derives the events of objects with a history from what a transaction has changed. */

import type { Resource } from '../../inventory/resources.ts'
import type { ChangedObject, EarlierDocuments } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { listCustomChanges } from '../../resource/custom/engine.ts'
import type { Kind, KindOf } from '../history/kind-names.ts'
import { addMember, type Document, KIND_RULES, type LastState, parseDocument } from '../history/kinds.ts'
import { type EventName, hasEvents, type ObjectVerb, toFamily } from './catalogue.ts'

/** An event of an object. `data` is JSON. */
export type ObjectEvent = {
  readonly event: EventName
  readonly resource_id: string
  readonly data: string
  /** See `ChangedObject`. */
  readonly firstWrite: number
}

const VERBS: Readonly<Record<ChangedObject['change'], ObjectVerb>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
}

/** Returns the names of the fields that differ, except for the time of the update. Values of custom fields are named one by one. */
const listChanges = (before: Document, after: Document): string[] => {
  const isChanged = (name: string): boolean => {
    const [from, to] = [before[name], after[name]]
    return from !== to && name !== 'updated_at' && !Bun.deepEquals(from, to)
  }
  const cleared = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const differing = [...Object.keys(after), ...cleared].filter(isChanged)
  return differing.includes('custom') ? listCustomChanges(differing, before, after) : differing
}

type Changed = {
  readonly kind: KindOf<Resource>
  readonly object: ChangedObject
  readonly state: LastState
  /** Set for an update. */
  readonly changes: readonly string[] | undefined
}

/** Returns the documents that the change record has not kept, by kind and id. */
const readDocuments = async (ctx: Ctx, objects: readonly ChangedObject[]): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  const missing = objects.filter(({ change, after }) => change !== 'delete' && after === undefined)
  for (const [kind, all] of Map.groupBy(missing, (one) => one.kind)) {
    const ids = all.map(({ id }) => id)
    // The stores declare the kinds.
    for (const [id, json] of await KIND_RULES[kind as Kind].documents(ctx, ids)) found.set(`${kind} ${id}`, json)
  }
  return found
}

/** Returns what has changed; undefined if that is nothing but the time of the update. */
const toChanged = (object: ChangedObject, after: string | undefined): Changed | undefined => {
  const { kind, change, before } = object
  const json = change === 'delete' ? before : after
  if (json === undefined) throw new Error(`the ${object.kind} ${object.id} has no document`)
  const document = parseDocument(json)
  const changes = change === 'update' && before !== undefined ? listChanges(parseDocument(before), document) : undefined
  if (changes?.length === 0) return undefined
  // `hasEvents` holds for it.
  return { kind: kind as KindOf<Resource>, object, state: { json, document, isGone: change === 'delete' }, changes }
}

/** Returns the data of the events, in their order, without the names of changed fields. */
const buildData = async (
  ctx: Ctx,
  all: readonly Changed[],
  earlier: EarlierDocuments,
): Promise<ReadonlyMap<Changed, string>> => {
  const data = new Map<Changed, string>()
  for (const [kind, some] of Map.groupBy(all, (one) => one.kind)) {
    const states = some.map(({ state }) => state)
    const texts = await KIND_RULES[kind].eventTexts?.(ctx, states, earlier)
    for (const [at, one] of some.entries()) data.set(one, texts?.[at] ?? one.state.json)
  }
  return data
}

/** Returns the events of objects that a transaction has changed, one an object, in their order. */
export const buildObjectEvents = async (
  ctx: Ctx,
  objects: readonly ChangedObject[],
  earlier: EarlierDocuments,
): Promise<ObjectEvent[]> => {
  const own = objects.filter(({ kind }) => hasEvents(kind))
  const read = own.some(({ change, after }) => change !== 'delete' && after === undefined)
    ? await readDocuments(ctx, own)
    : undefined
  const changed = own.flatMap(
    (object) => toChanged(object, object.after ?? read?.get(`${object.kind} ${object.id}`)) ?? [],
  )
  const data = await buildData(ctx, changed, earlier)
  return changed.map((one) => {
    const { kind, object, changes } = one
    const { id, change, event, firstWrite } = object
    const verb = (change === 'create' ? event : undefined) ?? VERBS[change]
    const text = data.get(one) ?? ''
    return {
      // The catalog has them for each resource of the inventory.
      event: `${toFamily(kind)}.${verb}` as EventName,
      ...{ resource_id: id, data: changes ? addMember(text, 'changes', changes) : text, firstWrite },
    }
  })
}
