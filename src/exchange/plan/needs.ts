/** The new objects of a document that need each other: a required reference, or a parent, is made before the object that names it. */
import { invalidField } from '../../contract/errors.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { getCustomResource, type ReferenceFields } from '../apply/custom-references.ts'
import { PARENT } from '../apply/parents-first.ts'
import type { PlannedChange } from '../apply/row.ts'
import type { Planning } from './context.ts'

/** A new object that another one needs. `field` names it, and is empty for a parent. */
type Need = { readonly on: PlannedChange; readonly field: string }
type Needs = ReadonlyMap<PlannedChange, readonly Need[]>

const add = (map: Map<PlannedChange, PlannedChange[]>, key: PlannedChange, one: PlannedChange): void => {
  const known = map.get(key)
  if (known) known.push(one)
  else map.set(key, [one])
}

type FieldsOf = (resource: CustomResource) => ReferenceFields | Promise<ReferenceFields>

/** Returns the needs of the new objects; none without a required reference to one of them. */
const findNeeds = async (changes: readonly PlannedChange[], fieldsOf: FieldsOf): Promise<Needs> => {
  const creates = changes.filter(({ change }) => change === 'create')
  const byId = new Map(creates.map((one) => [one.id, one]))
  const needs = new Map<PlannedChange, Need[]>()
  for (const one of creates) {
    const { custom } = one.document
    const resource = isRecord(custom) ? getCustomResource(one.resource, one.document) : undefined
    if (resource === undefined || !isRecord(custom)) continue
    const fields = await fieldsOf(resource)
    for (const [name, value] of Object.entries(custom)) {
      if (fields.get(name)?.isRequired !== true) continue
      const found = [value].flat().flatMap((id) => byId.get(String(id)) ?? [])
      if (found.length > 0)
        needs.set(one, [...(needs.get(one) ?? []), ...found.map((on) => ({ on, field: `custom.${name}` }))])
    }
  }
  if (needs.size === 0) return needs
  for (const one of creates) {
    const parent = byId.get(toText(one.document[PARENT]))
    if (parent) needs.set(one, [...(needs.get(one) ?? []), { on: parent, field: '' }])
  }
  return needs
}

/**
 * Returns the objects in an order in which each one comes after the others that it needs.
 * @param getNext returns the objects that another one waits for
 */
const sortByNeeds = (
  all: Iterable<PlannedChange>,
  getNext: (one: PlannedChange) => readonly PlannedChange[],
): readonly PlannedChange[] => {
  const waiting = new Map<PlannedChange, number>()
  const waiters = new Map<PlannedChange, PlannedChange[]>()
  for (const one of all) waiting.set(one, 0)
  for (const one of waiting.keys()) {
    const next = new Set(getNext(one).filter((other) => waiting.has(other)))
    waiting.set(one, next.size)
    for (const other of next) add(waiters, other, one)
  }
  const sorted = [...waiting].flatMap(([one, n]) => (n === 0 ? [one] : []))
  // The list grows while it is read.
  for (const done of sorted)
    for (const one of waiters.get(done) ?? []) {
      const left = (waiting.get(one) ?? 0) - 1
      waiting.set(one, left)
      if (left === 0) sorted.push(one)
    }
  return sorted
}

/** Returns the changes with the new objects in the order in which they can be made. */
export const orderByNeeds = async (
  changes: readonly PlannedChange[],
  fieldsOf: FieldsOf,
): Promise<readonly PlannedChange[]> => {
  const needs = await findNeeds(changes, fieldsOf)
  if (needs.size === 0) return changes
  const creates = changes.filter(({ change }) => change === 'create')
  const sorted = sortByNeeds(creates, (one) => (needs.get(one) ?? []).map(({ on }) => on))
  const first = new Set(sorted)
  return [...sorted, ...changes.filter((one) => !first.has(one))]
}

/** Returns the objects that need each other, so that none of them can be made first. */
const findCircles = (needs: Needs): ReadonlySet<PlannedChange> => {
  const getNeeded = (one: PlannedChange) => (needs.get(one) ?? []).map(({ on }) => on)
  const all = new Set([...needs.keys(), ...[...needs.values()].flat().map(({ on }) => on)])
  const stuck = all.difference(new Set(sortByNeeds(all, getNeeded)))
  // Others only need an object of a circle.
  const needing = new Map<PlannedChange, PlannedChange[]>()
  for (const one of stuck) for (const other of getNeeded(one)) if (stuck.has(other)) add(needing, other, one)
  return stuck.difference(new Set(sortByNeeds(stuck, (one) => needing.get(one) ?? [])))
}

/** Refuses the rows of new objects that require each other. */
export const refuseCircles = async ({ changes, errors, scope }: Planning): Promise<void> => {
  const needs = await findNeeds(changes, scope.loadReferenceFields)
  const circles = findCircles(needs)
  const bad = [...circles].flatMap((one) => {
    const need = needs.get(one)?.find(({ on, field }) => field !== '' && circles.has(on))
    return need ? [{ one, need }] : []
  })
  if (bad.length === 0) return
  for (const { one, need } of bad) {
    const { resource, row = 0, name } = one
    const other = need.on === one ? 'itself' : `${need.on.resource}[${need.on.row}]`
    const message = `requires ${other}, which requires this object: neither can be made first`
    errors.push({ resource, row, name, error: invalidField(need.field, message) })
  }
  const refused = new Set(bad.map(({ one }) => one))
  const kept = changes.filter((one) => !refused.has(one))
  changes.splice(0, changes.length, ...kept)
}
