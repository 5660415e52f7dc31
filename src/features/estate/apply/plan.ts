/** Compares an estate document with the stored estate, and plans its creates, updates and deletes. Only reads. */
import { ipKeyOf, parseIp } from '../../../net/ip.ts'
import { type FieldIssue, invalid } from '../../../platform/contract/errors.ts'
import type { Refs } from '../../../platform/contract/external-fields.ts'
import { batches } from '../../../platform/db/batches.ts'
import { isManagedBy } from '../../../platform/db/managed-by.ts'
import { createBreathe } from '../../../platform/runtime/pause.ts'
import type { Ctx } from '../../ctx.ts'
import type { Document } from '../../history/kinds.ts'
import { INVENTORY, type Resource } from '../../inventory.ts'
import { matchByName, partOf } from './matching.ts'
import { type Entry, entryOf, idsOfNames, idsOfRefs, keyOfName, Objects, storedDocuments } from './objects.ts'
import { type Fields, isFields, placeInRow, resolveReferences, type Scope } from './references.ts'
import { type NameKey, type ResourceRules, rulesFor } from './resources.ts'
import { judgeNew, judgeStored, type Ownership, type PlannedChange, type RowError, unknownIssues } from './row.ts'

export type EstateRows = Readonly<Partial<Record<Resource, readonly unknown[]>>>

export type PlanInput = Ownership & {
  readonly rows: EstateRows
  readonly prunes: boolean
  /** Called before objects of a resource are looked up. @throws AppError FORBIDDEN */
  readonly onNamed: (resource: Resource) => void
  /** The rows of an earlier plan that change nothing, and their objects. They are not read again. */
  readonly settled?: Settled
}

/** The objects of rows that change nothing, by resource and place. */
export type Settled = ReadonlyMap<Resource, ReadonlyMap<number, Entry>>

export type Plan = {
  /** In the order of the resources; the deletes follow. */
  readonly changes: readonly PlannedChange[]
  readonly errors: readonly RowError[]
  readonly settled: Settled
  /** The number of objects that the owner manages and the document does not have, if they are not pruned. */
  readonly extra: Readonly<Partial<Record<Resource, number>>>
}

/** Rows whose objects are read together. */
const ROWS_AT_ONCE = 400

type Stored = { readonly id: string; readonly document: Document; readonly json: string }

type Row = {
  readonly at: number
  readonly raw: unknown
  readonly fields: Fields
  readonly issues: FieldIssue[]
  readonly refs: Refs
}

const refsIn = ({ refs }: Fields): Refs =>
  isFields(refs)
    ? Object.fromEntries(
        Object.entries(refs).flatMap(([source, id]) => (typeof id === 'string' ? [[source, id.trim()]] : [])),
      )
    : {}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Names a row in errors. */
const nameOf = (resource: Resource, { name, ip_address, parent, parent_id, type, child, child_id }: Fields): string => {
  if (resource !== 'relationships') return textOf(name) || textOf(ip_address)
  return [parent ?? parent_id, type, child ?? child_id].map(textOf).filter(Boolean).join(' ')
}

/** The plan of a document while it is made. */
class Planning {
  readonly changes: PlannedChange[] = []
  readonly errors: RowError[] = []
  readonly settled = new Map<Resource, Map<number, Entry>>()
  readonly extra: Partial<Record<Resource, number>> = {}
  readonly scope: Scope
  readonly breathe = createBreathe()
  readonly #objects: ReadonlyMap<Resource, Objects>

  constructor(
    readonly ctx: Ctx,
    readonly input: PlanInput,
  ) {
    const { owner, prunes, onNamed } = input
    const isGoing = (entry: Entry) => prunes && entry.managed_by === owner
    this.#objects = new Map(INVENTORY.map((resource) => [resource, new Objects(ctx, resource, isGoing)]))
    this.scope = { objectsOf: (resource) => this.objectsOf(resource), onNamed }
  }

  objectsOf(resource: Resource): Objects {
    const objects = this.#objects.get(resource)
    if (!objects) throw new Error(`${resource} is no resource of an estate document`)
    return objects
  }
}

/** The rows of one resource. */
class Rows {
  readonly rules: ResourceRules
  readonly objects: Objects
  readonly settled = new Map<number, Entry>()
  /** The rows by the objects that they mean or make. */
  readonly #claimed = new Map<string, number>()

  constructor(
    readonly planning: Planning,
    readonly resource: Resource,
  ) {
    this.rules = rulesFor(resource)
    this.objects = planning.objectsOf(resource)
    planning.settled.set(resource, this.settled)
  }

  settle(at: number, entry: Entry): void {
    this.settled.set(at, entry)
    this.objects.add(entry)
    this.#claimed.set(entry.id, at)
  }

  fail({ at, raw, fields }: Row, issues: readonly FieldIssue[], isTwice = false): void {
    const { resource } = this
    const placed = new Map<string, FieldIssue>()
    for (const { field, message } of issues) {
      const place = placeInRow(resource, raw, field)
      // The first error of a field says why; later ones follow from it.
      if (!placed.has(place)) placed.set(place, { field: place, message })
    }
    const given = isFields(raw) ? raw : {}
    this.planning.errors.push({
      resource,
      row: at,
      name: nameOf(resource, given),
      error: invalid([...placed.values()]),
    })
    // References to a row that is there twice mean the first.
    if (!isTwice) this.objects.add({ ...entryOf('', fields, `${resource}[${at}]`), isBad: true })
  }

  /** Returns the earlier row that means or makes the same object. */
  #claim(key: string, at: number): FieldIssue[] {
    const earlier = this.#claimed.get(key)
    this.#claimed.set(key, earlier ?? at)
    if (earlier === undefined) return []
    return [{ field: '', message: `is the same ${this.rules.noun} as ${this.resource}[${earlier}]` }]
  }

  /** Finishes a row. @param key that no other row of the document may have, beside the id and the refs */
  finish(row: Row, stored: Stored | undefined, key?: string): void {
    const { at, fields, refs } = row
    const { resource, rules } = this
    const { input, changes } = this.planning
    const given = textOf(fields.id)
    const isNamed = resource !== 'relationships'
    const id = stored?.id ?? (given || (isNamed || key === undefined ? Bun.randomUUIDv7() : key))
    const keys = [
      ...(stored || given ? [id] : []),
      ...(key === undefined ? [] : [`key ${key}`]),
      ...Object.entries(refs).map(([source, ref]) => `ref ${source} ${ref}`),
    ]
    const judged = stored
      ? judgeStored(rules, fields, stored.document, input)
      : judgeNew(rules, fields, Object.hasOwn(fields, 'id') ? given : undefined, input)
    const twice = keys.flatMap((one) => this.#claim(one, at)).slice(0, 1)
    const issues = [...row.issues, ...twice, ...('issues' in judged ? judged.issues : [])]
    if ('issues' in judged || issues.length > 0) {
      this.fail(row, issues, twice.length > 0)
      return
    }
    const entry = entryOf(id, judged.after, `${resource}[${at}]`)
    if (!('change' in judged)) {
      this.settle(at, entry)
      return
    }
    const name = nameOf(resource, { ...judged.after, ...(isFields(row.raw) ? row.raw : {}) })
    const common = { resource, id, name, row: at, ...judged.change }
    if (stored) changes.push({ ...common, change: 'update', before: stored.json })
    else changes.push({ ...common, change: 'create', document: { ...judged.change.document, id } })
    this.objects.add(entry)
  }
}

/** Returns the rows that are no objects of an earlier plan, with ids in place of names. */
const readRows = async (rows: Rows, given: readonly unknown[]): Promise<Row[]> => {
  const { planning, resource, rules } = rows
  const settled = planning.input.settled?.get(resource)
  const read: Row[] = []
  planning.scope.onNamed(resource)
  for (const [at, raw] of given.entries()) {
    await planning.breathe()
    const known = settled?.get(at)
    if (known) {
      rows.settle(at, known)
      continue
    }
    if (!isFields(raw)) {
      rows.fail({ at, raw, fields: {}, issues: [], refs: {} }, [{ field: '', message: 'must be an object' }])
      continue
    }
    const { fields, issues } = await resolveReferences(resource, raw, planning.scope)
    const all = [...issues, ...unknownIssues(rules, fields)]
    if (fields.id !== undefined && typeof fields.id !== 'string') all.push({ field: 'id', message: 'must be a string' })
    read.push({ at, raw, fields, issues: all, refs: refsIn(fields) })
  }
  return read
}

const storedOf = async ({ planning, rules }: Rows, ids: readonly string[]): Promise<Map<string, Stored>> => {
  const documents = await storedDocuments(planning.ctx, rules, ids)
  return new Map([...documents].map(([id, one]) => [id, { id, ...one }]))
}

/** Finishes the rows that mean objects by their ids or refs. Returns the others, and the ids of those objects. */
const planByIds = async (rows: Rows, given: readonly Row[]) => {
  const { planning, resource } = rows
  const others: Row[] = []
  const targets = new Map<Row, string>()
  const refs = given.filter(({ fields }) => !textOf(fields.id)).flatMap((row) => Object.entries(row.refs))
  const owners = await idsOfRefs(planning.ctx, resource, refs)
  for (const row of given) {
    const id = textOf(row.fields.id)
    const ids = id
      ? [id]
      : [...new Set(Object.entries(row.refs).flatMap(([source, ref]) => owners.get(`${source} ${ref}`) ?? []))]
    const [target] = ids
    if (target === undefined) others.push(row)
    else if (ids.length > 1)
      rows.fail(row, [...row.issues, { field: 'refs', message: `are those of ${ids.length} ${resource}` }])
    else targets.set(row, target)
  }
  for (const batch of batches([...targets], ROWS_AT_ONCE)) {
    const stored = await storedOf(
      rows,
      batch.map(([, id]) => id),
    )
    for (const [row, id] of batch) rows.finish(row, stored.get(id))
    await planning.breathe()
  }
  return { others, meant: new Set(targets.values()) }
}

/** The text that rows and objects of one name have in common. */
const groupOfKey = ({ within }: NameKey, fields: Document): string | undefined =>
  textOf(fields.name).trim() === ''
    ? undefined
    : JSON.stringify([keyOfName(textOf(fields.name)), ...within.map((field) => fields[field] ?? null)])

const groupOf = ({ key }: ResourceRules, fields: Document): string | undefined =>
  key.by === 'name' ? groupOfKey(key, fields) : undefined

/** Returns the key of a row in the document. Rows with refs have none: they differ by them. */
const keyOf = ({ key }: ResourceRules, { fields, refs }: Row, stored: Stored | undefined): string | undefined => {
  if (key.by !== 'name' || Object.keys(refs).length > 0) return undefined
  const after = { ...stored?.document, ...fields }
  return JSON.stringify([groupOfKey(key, after), ...key.apart.map((field) => partOf(after, field) ?? null)])
}

const planByNames = async (rows: Rows, given: readonly Row[], meant: ReadonlySet<string>): Promise<void> => {
  const { planning, resource, rules } = rows
  const groups = Map.groupBy(given, ({ fields }) => groupOf(rules, fields))
  for (const row of groups.get(undefined) ?? []) rows.finish(row, undefined)
  groups.delete(undefined)
  for (const batch of batches([...groups], ROWS_AT_ONCE)) {
    const names = new Set(batch.map(([, [row]]) => keyOfName(textOf(row?.fields.name))))
    const ids = await idsOfNames(planning.ctx, resource, [...names])
    const stored = await storedOf(
      rows,
      ids.filter((id) => !meant.has(id) && !rows.objects.rowOf(id)),
    )
    const byGroup = Map.groupBy(stored.values(), ({ document }) => groupOf(rules, document))
    for (const [group, alike] of batch) {
      const matches = [...matchByName(rules, alike, byGroup.get(group) ?? [])]
      // A new object must differ from those that other rows mean, or the next apply could not tell them apart.
      for (const [row, match] of matches)
        if (match !== 'new' && 'id' in match) rows.finish(row, match, keyOf(rules, row, match))
      for (const [row, match] of matches)
        if (match === 'new') rows.finish(row, undefined, keyOf(rules, row, undefined))
        else if (!('id' in match)) rows.fail(row, [...row.issues, match])
    }
    await planning.breathe()
  }
}

/** Returns the ids of reservations by `pool address`, without those that have expired. */
const reservationsAt = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  for (const batch of batches(keys)) {
    const query = ctx.db.selectFrom('reservations').select(['id', 'pool_id', 'ip_key', 'expires_at'])
    for (const row of await query.where('ip_key', 'in', batch).execute())
      if (row.expires_at === null || row.expires_at > ctx.now) found.set(`${row.pool_id} ${row.ip_key}`, row.id)
  }
  return found
}

/** Returns the key of the object that a row means by its fixed fields; undefined for a row that lacks one. */
const fixedKeyOf = (
  resource: Resource,
  { pool_id, ip_address, parent_id, child_id, type }: Fields,
): string | undefined => {
  if (resource === 'relationships') {
    const parts = [parent_id, child_id, type].map(textOf)
    return parts.includes('') ? undefined : parts.join(' ')
  }
  const ip = parseIp(textOf(ip_address))
  return ip && typeof pool_id === 'string' ? `${pool_id} ${ipKeyOf(textOf(ip_address))}` : undefined
}

const isOver = ({ planning }: Rows, { fields }: Row): boolean => {
  const ends = Date.parse(textOf(fields.expires_at))
  return ends <= Date.parse(planning.ctx.now)
}

const planByFixed = async (rows: Rows, given: readonly Row[]): Promise<void> => {
  const { planning, resource } = rows
  for (const batch of batches(given, ROWS_AT_ONCE)) {
    const keys = batch.map(({ fields }) => fixedKeyOf(resource, fields))
    const known = keys.filter((key) => key !== undefined)
    const ids =
      resource === 'relationships'
        ? new Map(known.map((key) => [key, key]))
        : await reservationsAt(
            planning.ctx,
            known.map((key) => key.slice(key.indexOf(' ') + 1)),
          )
    const stored = await storedOf(
      rows,
      known.flatMap((key) => ids.get(key) ?? []),
    )
    for (const [i, row] of batch.entries()) {
      const key = keys[i]
      const object = key === undefined ? undefined : stored.get(ids.get(key) ?? '')
      // A file keeps the reservations that have expired since.
      if (!object && row.issues.length === 0 && isOver(rows, row)) rows.settled.set(row.at, entryOf('', row.fields))
      else rows.finish(row, object, key)
    }
    await planning.breathe()
  }
}

const planResource = async (planning: Planning, resource: Resource, given: readonly unknown[]): Promise<void> => {
  const rows = new Rows(planning, resource)
  const { others, meant } = await planByIds(rows, await readRows(rows, given))
  if (rows.rules.key.by === 'name') await planByNames(rows, others, meant)
  else await planByFixed(rows, others)
}

/** Returns the ids of the objects of an owner. */
const idsOfOwner = async ({ db }: Ctx, resource: Resource, owner: string): Promise<string[]> => {
  if (resource === 'relationships') {
    const query = db.selectFrom('relationships').select(['parent_id', 'child_id', 'type']).where(isManagedBy(owner))
    return (await query.execute()).map(({ parent_id, child_id, type }) => `${parent_id} ${child_id} ${type}`).sort()
  }
  // All others have both columns; the type of all of them together is too wide for the builder.
  const query = db
    .selectFrom(resource as 'devices')
    .select('id')
    .where(isManagedBy(owner))
    .orderBy('id')
  return (await query.execute()).map(({ id }) => id)
}

/** Plans the deletion of the objects of the owner that no row means, or counts them. */
const planOthers = async (planning: Planning, resource: Resource): Promise<void> => {
  const { ctx, input, changes, extra } = planning
  const objects = planning.objectsOf(resource)
  const all = await idsOfOwner(ctx, resource, input.owner)
  const ids = all.filter((id) => !objects.rowOf(id))
  if (ids.length === 0) return
  if (!input.prunes) {
    extra[resource] = ids.length
    return
  }
  planning.scope.onNamed(resource)
  for (const batch of batches(ids, ROWS_AT_ONCE)) {
    const stored = await storedDocuments(ctx, rulesFor(resource), batch)
    for (const [id, { document, json }] of stored)
      changes.push({ change: 'delete', resource, id, name: nameOf(resource, document), document: {}, before: json })
    await planning.breathe()
  }
}

/** @throws AppError FORBIDDEN of `onNamed` */
export const planOf = async (ctx: Ctx, input: PlanInput): Promise<Plan> => {
  const planning = new Planning(ctx, input)
  for (const resource of INVENTORY) {
    const given = input.rows[resource] ?? []
    if (given.length > 0) await planResource(planning, resource, given)
  }
  if (input.owner !== '') for (const resource of INVENTORY) await planOthers(planning, resource)
  const { changes, errors, settled, extra } = planning
  return { changes, errors, settled, extra }
}
