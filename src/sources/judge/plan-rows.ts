/** Plans the rows of a source as an estate document, and keeps of each update only the fields that the source may write. */

import { createBreathe } from '../../base/runtime/pause.ts'
import { DOCUMENT_RULES } from '../../contract/fields/row-rules.ts'
import { isRecord } from '../../contract/unknown.ts'
import { getRules } from '../../exchange/apply/resources.ts'
import type { PlannedChange } from '../../exchange/apply/row.ts'
import type { Plan } from '../../exchange/plan/context.ts'
import { buildPlan } from '../../exchange/plan/plan.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { removeDefaults } from '../../record/history/undo/undo-addresses.ts'
import { type Kept, mergeFields, type SaidAddress, type SaidFields } from './merge-fields.ts'
import { type Fields, type OpenRow, parseFields } from './row.ts'

/** A row that is planned: with the id of its object where it is known, and the ids of the rows that it refers to. */
export type PlanRow = {
  readonly open: OpenRow
  readonly fields: Fields
  /** The same of the row that was applied last, where it differs; undefined for a link that is new. */
  readonly base: Fields | 'same' | undefined
  /** False for a row without the refs that other objects have. */
  readonly isWhole: boolean
}

/** The plan of a row by the rules of an estate, before the rules of a source. */
export type Planned =
  | { readonly is: 'bad'; readonly message: string }
  | { readonly is: 'settled'; readonly id: string; readonly managedBy: string }
  | { readonly is: 'create'; readonly change: PlannedChange }
  | {
      readonly is: 'update'
      readonly change: PlannedChange
      readonly here: Fields
      readonly base: SaidFields | undefined
    }

const plan = (ctx: Ctx, rows: Readonly<Partial<Record<Resource, readonly unknown[]>>>): Promise<Plan> =>
  buildPlan(ctx, {
    ...DOCUMENT_RULES,
    ...{ rows, owner: '', takesOver: false, prunes: false, onNamed: () => undefined },
  })

const groupRows = (rows: readonly PlanRow[]): ReadonlyMap<Resource, readonly PlanRow[]> => {
  const groups = Map.groupBy(rows, ({ open }) => open.stored.resource)
  return new Map(
    INVENTORY.flatMap((resource) => (groups.has(resource) ? [[resource, groups.get(resource) ?? []]] : [])),
  )
}

const toDocument = (groups: ReadonlyMap<Resource, readonly PlanRow[]>, pick: (row: PlanRow) => unknown) =>
  Object.fromEntries([...groups].map(([resource, rows]) => [resource, rows.map(pick)]))

/** The stored names of the fields of a row: `network` becomes `network_id`. */
const toStoredName = (names: ReadonlyMap<string, string>, field: string): string => names.get(field) ?? field

const listStoredNames = (resource: Resource, list?: string): ReadonlyMap<string, string> => {
  const { level } = getRules(resource)
  const own = list === undefined ? level : level.lists.find(([field]) => field === list)?.[1]
  return new Map((own?.references ?? []).map(({ as, field }) => [as, field]))
}

const toSaidAddresses = (given: unknown, stored: unknown): readonly SaidAddress[] => {
  const values = Array.isArray(stored) ? stored : []
  const names = listStoredNames('devices', 'addresses')
  return (Array.isArray(given) ? given : []).flatMap((one: unknown, at) => {
    const value: unknown = values[at]
    if (!isRecord(one) || !isRecord(value)) return []
    return [{ value, said: new Set(Object.keys(one).map((field) => toStoredName(names, field))) }]
  })
}

const pickNames = (given: unknown, stored: unknown): Fields =>
  Object.fromEntries(
    Object.keys(isRecord(given) ? given : {}).map((name) => [
      name,
      isRecord(stored) && Object.hasOwn(stored, name) ? stored[name] : undefined,
    ]),
  )

const BY_NAME: ReadonlySet<string> = new Set(['custom', 'refs'])

/** Returns the fields that a row says, in stored form. @param only the fields that matter */
const toSaid = (
  resource: Resource,
  fields: Fields,
  { stored, only }: { readonly stored: (field: string) => unknown; readonly only: ReadonlySet<string> },
): SaidFields => {
  const names = listStoredNames(resource)
  const said: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(fields)) {
    const field = toStoredName(names, name)
    if (!only.has(field)) continue
    const value = stored(field)
    if (field === 'addresses' && resource === 'devices') said.addresses = toSaidAddresses(given, value)
    else said[field] = BY_NAME.has(field) ? pickNames(given, value) : value
  }
  return said
}

/** Returns the update that changes an object into its row, in stored form. */
const readUpdate = (resource: Resource, row: PlanRow, change: PlannedChange): SaidFields =>
  toSaid(resource, row.fields, {
    stored: (field) => change.fields?.[field]?.to,
    only: new Set(Object.keys(change.fields ?? {})),
  })

const describeError = (error: {
  readonly message: string
  readonly details: readonly { field: string; message: string }[]
}) => {
  const [first] = error.details
  if (!first) return error.message
  return first.field === '' ? first.message : `${first.field}: ${first.message}`
}

/** Plans the rows that were applied last, to compare them with the objects in stored form. */
const planBases = async (
  ctx: Ctx,
  rows: readonly PlanRow[],
): Promise<ReadonlyMap<PlanRow, PlannedChange | 'same' | 'bad'>> => {
  const groups = groupRows(rows)
  const { changes, errors } = await plan(
    ctx,
    toDocument(groups, ({ base }) => base),
  )
  const result = new Map<PlanRow, PlannedChange | 'same' | 'bad'>(rows.map((row) => [row, 'same']))
  const set = (resource: Resource, at: number | undefined, value: PlannedChange | 'bad') => {
    const row = at === undefined ? undefined : groups.get(resource)?.[at]
    if (row) result.set(row, value)
  }
  for (const change of changes) set(change.resource, change.row, change.change === 'update' ? change : 'bad')
  for (const { resource, row } of errors) set(resource, row, 'bad')
  return result
}

/** Returns the plan of each row. */
export const planRows = async (ctx: Ctx, rows: readonly PlanRow[]): Promise<ReadonlyMap<PlanRow, Planned>> => {
  const groups = groupRows(rows)
  const { changes, errors, settled } = await plan(
    ctx,
    toDocument(groups, ({ fields }) => fields),
  )
  const result = new Map<PlanRow, Planned>()
  const getRow = (resource: Resource, at: number | undefined) =>
    at === undefined ? undefined : groups.get(resource)?.[at]
  for (const [resource, places] of settled)
    for (const [at, { id, managed_by }] of places) {
      const row = getRow(resource, at)
      if (row) result.set(row, { is: 'settled', id, managedBy: managed_by })
    }
  const updates = changes.flatMap((change) => {
    const row = getRow(change.resource, change.row)
    if (row && change.change === 'create') result.set(row, { is: 'create', change })
    return row && change.change === 'update' ? [{ row, change }] : []
  })
  for (const { resource, row: at, error } of errors) {
    const row = getRow(resource, at)
    if (row) result.set(row, { is: 'bad', message: describeError(error) })
  }
  const bases = await planBases(
    ctx,
    updates.flatMap(({ row }) => (isRecord(row.base) ? [row] : [])),
  )
  const breathe = createBreathe(ctx.signal)
  for (const { row, change } of updates) {
    await breathe()
    const here = parseFields(change.before ?? '{}')
    const base = readBase(change.resource, row, { change, here, base: bases.get(row) })
    result.set(row, { is: 'update', change, here, base })
  }
  return result
}

type BaseParts = {
  readonly change: PlannedChange
  readonly here: Fields
  readonly base: PlannedChange | 'same' | 'bad' | undefined
}

const readBase = (resource: Resource, row: PlanRow, { change, here, base }: BaseParts): SaidFields | undefined => {
  if (row.base === undefined) return undefined
  if (row.base === 'same') return readUpdate(resource, row, change)
  // The values of an unreadable row are not known, so that nothing of the object is overwritten.
  if (base === 'bad' || base === undefined) return {}
  const fields = base === 'same' ? undefined : base.fields
  return toSaid(resource, row.base, {
    stored: (field) => (fields && Object.hasOwn(fields, field) ? fields[field]?.to : here[field]),
    only: new Set(Object.keys(change.fields ?? {})),
  })
}

export type MergeTerms = { readonly locked: ReadonlySet<string>; readonly overwrite: boolean }

export type MergedUpdate = {
  /** The update that is written; undefined if nothing is. */
  readonly change: PlannedChange | undefined
  readonly kept: Readonly<Record<string, Kept>>
}

/** Keeps of an update the fields that the source may write. */
export const mergeUpdate = (
  row: PlanRow,
  planned: Extract<Planned, { is: 'update' }>,
  terms: MergeTerms,
): MergedUpdate => {
  const { change, here, base } = planned
  const now = readUpdate(change.resource, row, change)
  const { writes, kept } = mergeFields({ base, now, here, ...terms })
  if (Object.keys(writes).length === 0) return { change: undefined, kept }
  const document: Record<string, unknown> = {}
  const fields: Record<string, { from: unknown; to: unknown }> = {}
  for (const [field, value] of Object.entries(writes)) {
    const isWhole = Bun.deepEquals(value, change.fields?.[field]?.to)
    // The plan has single values in the form that an update takes.
    document[field] =
      isWhole && !Array.isArray(value) && Object.hasOwn(change.document, field) ? change.document[field] : value
    fields[field] = { from: here[field] ?? null, to: BY_NAME.has(field) ? mergeNames(here[field], value) : value }
  }
  const { managedBy: _, places: __, ...others } = change
  return { change: { ...others, document, fields }, kept }
}

const mergeNames = (here: unknown, value: unknown): Fields => {
  const all = { ...(isRecord(here) ? here : {}), ...(isRecord(value) ? value : {}) }
  return Object.fromEntries(Object.entries(all).filter(([, one]) => one !== null))
}

/** An address that an update repeats gets no value by a default of its custom fields. */
export const keepWithoutDefaults = async (ctx: Ctx, changes: readonly PlannedChange[]): Promise<PlannedChange[]> => {
  const given = changes.filter(({ resource, change }) => resource === 'devices' && change === 'update')
  const steps = given.map((change) => ({
    ...({ kind: 'device', id: change.id, change: 'update', document: change.document, isShared: false } as const),
    whole: change,
  }))
  const documents = new Map((await removeDefaults(ctx, steps)).map(({ whole, document }) => [whole, document]))
  return changes.map((change) => {
    const document = documents.get(change)
    return document ? { ...change, document } : change
  })
}

/** Returns the row that counts as applied: fields that it does not say stay from before. '' for the row as the source says it. */
export const buildBase = (before: Fields | undefined, row: Fields, isWhole: boolean): string => {
  const merged: Record<string, unknown> = { ...before, ...row }
  for (const field of BY_NAME)
    if (isRecord(before?.[field]) && isRecord(row[field])) merged[field] = { ...before[field], ...row[field] }
  return isWhole && Bun.deepEquals(merged, row) ? '' : JSON.stringify(merged)
}
