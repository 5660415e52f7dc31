/** Plans the values of custom fields that name rows which come later in the document. */
import { invalid } from '../../contract/errors.ts'
import { isRecord } from '../../contract/unknown.ts'
import type { Document } from '../../record/history/kinds.ts'
import type { Custom } from '../../resource/custom/fields.ts'
import { withIds } from '../apply/custom-references.ts'
import { addToValue } from '../apply/known-part.ts'
import { findLaterIds } from '../apply/named-objects.ts'
import { toEntry } from '../apply/objects.ts'
import { type FieldChange, type PlannedChange, toStoredForm } from '../apply/row.ts'
import { formatRowName, type LaterRow, listHiddenIssues, type Planning } from './context.ts'

type Ids = Awaited<ReturnType<typeof findLaterIds>>['ids']

const isOfAddress = ([{ address }]: Ids[number]): boolean => address !== undefined
const isDefault = ([one]: Ids[number]): boolean => one.isDefault === true

/** Returns the value of a field in the values of an object, or of one of its addresses. */
const getHeld = (holder: unknown, { name, address }: Ids[number][0]): unknown => {
  if (!isRecord(holder)) return undefined
  const owner = address === undefined ? holder : Array.isArray(holder.addresses) ? holder.addresses[address] : undefined
  const custom: unknown = isRecord(owner) ? owner.custom : undefined
  return isRecord(custom) && Object.hasOwn(custom, name) ? custom[name] : undefined
}

/** Returns the ids by the places of the object, and with the stored ones of fields with several. */
const addStored = (ids: Ids, { stored, places }: LaterRow): Ids =>
  ids.map(([{ address, ...one }, id]) => {
    const place = address === undefined ? undefined : (places?.[address] ?? address)
    const named = place === undefined ? one : { ...one, address: place }
    return [named, one.isDefault ? id : addToValue(getHeld(stored?.document, named), id)] as const
  })

/** Returns the new values of the changed fields, and the fields that an update sets. */
const buildChanges = (before: Document, change: PlannedChange | undefined, ids: Ids): Document => {
  const set: Record<string, unknown> = {}
  const own = ids.filter((one) => !isOfAddress(one) && !isDefault(one))
  const inside = ids.filter(isOfAddress)
  if (own.length > 0) set.custom = withIds({ custom: change?.document.custom ?? {} }, own).custom
  if (inside.length > 0)
    set.addresses = withIds({ addresses: change?.document.addresses ?? before.addresses }, inside).addresses
  return ids.some(isDefault) ? { ...set, ...withIds({}, ids.filter(isDefault)) } : set
}

/** Returns the update of a stored object; undefined if nothing differs. */
export const buildUpdate = (
  before: Document,
  change: PlannedChange,
  set: Document,
  defaults: Custom,
): PlannedChange | undefined => {
  const document: Record<string, unknown> = { ...change.document }
  const fields: Record<string, FieldChange> = { ...change.fields }
  for (const [field, value] of Object.entries(set)) {
    const to = toStoredForm(field, value, { before, defaults }) ?? undefined
    if (Bun.deepEquals(to, before[field])) {
      delete document[field]
      delete fields[field]
    } else {
      document[field] = value
      fields[field] = { from: before[field] ?? null, to: to ?? null }
    }
  }
  return Object.keys(document).length > 0 ? { ...change, document, fields } : undefined
}

/** A row by its place. */
type RowPlace = Pick<LaterRow, 'resource' | 'at'>

/** The changes of rows, by their places. */
export class RowChanges {
  readonly #planning: Planning
  readonly #places = new Map<string, number>()
  readonly #removed = new Set<PlannedChange>()

  constructor(planning: Planning) {
    this.#planning = planning
    for (const [place, { resource, row }] of planning.changes.entries()) this.#places.set(`${resource} ${row}`, place)
  }

  get({ resource, at }: RowPlace): PlannedChange | undefined {
    return this.#planning.changes[this.#places.get(`${resource} ${at}`) ?? -1]
  }

  set({ resource, at }: RowPlace, change: PlannedChange): void {
    const { changes, settled } = this.#planning
    const place = this.#places.get(`${resource} ${at}`) ?? changes.length
    changes[place] = change
    this.#places.set(`${resource} ${at}`, place)
    settled.get(resource)?.delete(at)
  }

  remove(row: RowPlace): void {
    const change = this.get(row)
    if (change) this.#removed.add(change)
  }

  /** Nothing differs after all. */
  settle(row: LaterRow, before: Document): void {
    this.remove(row)
    const { resource, at, id } = row
    this.#planning.settled.get(resource)?.set(at, toEntry(id, before, `${resource}[${at}]`))
  }

  finish(): void {
    const { changes } = this.#planning
    const kept = changes.filter((change) => !this.#removed.has(change))
    if (kept.length < changes.length) changes.splice(0, changes.length, ...kept)
  }
}

const planOne = (changes: RowChanges, row: LaterRow, ids: Ids, defaults: Custom): void => {
  const { resource, at, id, stored, raw } = row
  const known = changes.get(row)
  if (!stored) {
    if (known) changes.set(row, { ...known, document: { ...known.document, ...buildChanges({}, known, ids) } })
    return
  }
  const { document: before, json } = stored
  const name = formatRowName(resource, { ...before, ...(isRecord(raw) ? raw : {}) })
  const empty: PlannedChange = { change: 'update', resource, id, name, row: at, document: {}, fields: {}, before: json }
  const change = buildUpdate(before, known ?? empty, buildChanges(before, known, ids), defaults)
  if (change) changes.set(row, change)
  else if (known) changes.settle(row, before)
}

/** Called once all rows are planned, so that each one can be named. */
export const planLater = async (planning: Planning): Promise<void> => {
  if (planning.later.length === 0) return
  const changes = new RowChanges(planning)
  for (const row of planning.later) {
    await planning.breathe()
    const { ids, issues, hidden, unresolved } = await findLaterIds(row.named, planning.scope)
    const { resource, at, raw, stored } = row
    for (const name of unresolved) planning.unresolved.add(resource, at, name)
    issues.push(...listHiddenIssues(hidden, stored))
    if (issues.length === 0) {
      planOne(changes, row, planning.input.lists === 'add' ? addStored(ids, row) : ids, planning.addressDefaults)
      continue
    }
    planning.errors.push({
      resource,
      row: at,
      name: formatRowName(resource, isRecord(raw) ? raw : {}),
      error: invalid(issues),
    })
    changes.remove(row)
  }
  changes.finish()
}
