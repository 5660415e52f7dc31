/**
 * The values of custom fields, for the rules of all resources. A write of an object with `custom` does this:
 *
 * 1. `await lockCustom(ctx, resource)` before it locks the rows of objects. Free while the resource has no custom fields.
 * 2. `const [checked] = await validateCustom(ctx, resource, [{ id, before: rack.custom, given: patch.custom }])`, without `before` for a
 *    new object; one call for many objects. `checked.issues` are 400 (fields `custom.owner`), `checked.error` is a 409 of a `unique`
 *    field, and `checked.custom` are the values after the write: `withCustom(rack, checked.custom)` of `fields.ts`.
 * 3. `write` of its `objectStore` records the values by which lists find objects.
 * 4. A reaction to `custom-fields.rewriting` changes the values of objects if a field is renamed or deleted, or a reference is gone.
 * 5. The event of an update has `changes` of `listCustomChanges`.
 *
 * Lists: `lists.ts`.
 */

import { type AppError, type FieldIssue, MAX_ISSUES } from '../../contract/errors.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getNoun } from '../nouns.ts'
import { applies, formatCondition } from './conditions.ts'
import { type Fields, loadFieldsForWrite } from './definitions.ts'
import {
  type Custom,
  type CustomPatch,
  type CustomResource,
  type CustomValue,
  isKindResource,
  type ReferenceTarget,
  toObjectResource,
} from './fields.ts'
import { buildNoneLeftError, NextNumbers, readNext, type Wanted } from './next.ts'
import { parseNext } from './next-text.ts'
import type { StoredField } from './store.ts'
import * as store from './store.ts'
import type { CustomValueRow } from './table.ts'
import { checkUnique, type Given, getOwnValue, type UniqueDraft } from './unique.ts'
import { buildKeys, isCleared, isSearched, spellsValue, validateValue } from './values.ts'

/** One object, or one address of it. */
export type CustomItem = {
  /** The id of the object. */
  readonly id: string
  /** The values before the write; undefined for a new object. An object without values has `{}`. */
  readonly before: Custom | undefined
  readonly given: CustomPatch | undefined
  /** The other fields of the object after the write, by which fields with a condition apply. */
  readonly object: object
  /** A deleted object that is made again: it gets no defaults, and may lack required values. */
  readonly isRestored?: boolean
  /** Before the names of fields in issues, such as `addresses[0].`. */
  readonly at?: string
}

export type CheckedCustom = {
  /** The values after the write. */
  readonly custom: Custom
  readonly issues: readonly FieldIssue[]
  /** Another object has the value of a unique field. */
  readonly error?: AppError
}

type Draft = CustomItem &
  UniqueDraft & {
    readonly issues: FieldIssue[]
    readonly values: Map<string, CustomValue>
    readonly set: Given[]
    readonly next: Wanted[]
  }

const NONE: Custom = {}

/** The definitions of a resource, and the number of suggestions that its judgment may still make. */
type Validation = {
  readonly resource: CustomResource
  readonly fields: Fields
  /** The fields without a condition, then the fields with one, if there are any. */
  readonly parts: readonly Fields[]
  suggestions: number
}

const formatUnknownField = (name: string, judging: Validation): string => {
  const isSuggested = judging.suggestions-- > 0
  const suggestion = isSuggested ? formatSuggestion(name, [...judging.fields.keys()]) : ''
  return `is no custom field of ${judging.resource}${suggestion}`
}

const isFor = ({ object, values }: Draft, field: StoredField): boolean =>
  // An object of any type has named fields.
  applies(field, object as Readonly<Record<string, unknown>>, values)

const clear = (draft: Draft, name: string, field: StoredField): void => {
  const { at = '', before, issues, values } = draft
  if (field.required && before && getOwnValue(before, name) !== undefined && isFor(draft, field))
    issues.push({ field: `${at}custom.${name}`, message: 'is required' })
  values.delete(name)
}

const set = (draft: Draft, field: StoredField, given: CustomValue): void => {
  const { at = '', before = NONE, issues, values } = draft
  const stored = getOwnValue(before, field.name)
  // The rules hold for values that are written from now on.
  if (stored !== undefined && (Bun.deepEquals(stored, given) || spellsValue(field, given, stored))) return
  // An object keeps the number that it has.
  if (stored !== undefined && field.unique && parseNext(given) && readNext(field, given)) return
  if (field.only_for && !draft.isRestored && !isFor(draft, field)) {
    const message = `applies only where ${formatCondition(field.only_for)}`
    issues.push({ field: `${at}custom.${field.name}`, message })
    return
  }
  const next = readNext(field, given)
  if (next && !('message' in next)) {
    draft.next.push(next)
    return
  }
  const checked = next ?? validateValue(field, given)
  if ('message' in checked) issues.push({ field: `${at}custom.${field.name}`, message: checked.message })
  else if (isCleared(checked.value)) clear(draft, field.name, field)
  else {
    values.set(field.name, checked.value)
    draft.set.push({ field, value: checked.value })
  }
}

/** Fills in the defaults of a new object, and names the required fields that it lacks. */
const complete = (draft: Draft, fields: Fields): void => {
  const { at = '', given, issues, next, values } = draft
  for (const [name, field] of fields) {
    if (!isFor(draft, field)) continue
    const isGiven = given !== null && given !== undefined && Object.hasOwn(given, name)
    if (!isGiven && field.default !== null) set(draft, field, field.default)
    const where = `${at}custom.${name}`
    if (
      field.required &&
      !values.has(name) &&
      !next.some((one) => one.field === field) &&
      !issues.some((issue) => issue.field === where)
    )
      issues.push({ field: where, message: 'is required' })
  }
}

const buildDraft = (item: CustomItem, judging: Validation): Draft => {
  const { fields } = judging
  const { at = '', before, given } = item
  const draft: Draft = { ...item, issues: [], values: new Map(Object.entries(before ?? NONE)), set: [], next: [] }
  const patch =
    given === null && before ? Object.fromEntries(Object.keys(before).map((name) => [name, null])) : (given ?? {})
  const entries = Object.entries(patch)
  const isNew = before === undefined && !item.isRestored
  // A condition may name another value of the write, or its default.
  for (const part of judging.parts) {
    for (const [name, value] of entries) {
      const field = part.get(name)
      if (field === undefined) {
        if (part === judging.parts[0] && !fields.has(name))
          draft.issues.push({ field: `${at}custom.${name}`, message: formatUnknownField(name, judging) })
      } else if (value === null || isCleared(value)) clear(draft, name, field)
      else set(draft, field, value)
    }
    if (isNew) complete(draft, part)
  }
  return draft
}

/** Returns the fields without a condition, and the fields with one. */
const splitByCondition = (fields: Fields): readonly Fields[] => {
  const all = [...fields]
  const later = all.filter(([, { only_for }]) => only_for)
  return later.length === 0 ? [fields] : [new Map(all.filter(([, { only_for }]) => !only_for)), new Map(later)]
}

const listIds = ({ value }: Given): readonly string[] => (typeof value === 'object' ? value : [String(value)])

const buildLockKeys = (target: ReferenceTarget, ids: Iterable<string>): string[] =>
  [...ids].map((id) => `${toObjectResource(target)} ${id}`)

/** Excludes writers of references to these objects until commit. */
export const lockReferences = (ctx: Ctx, table: ReferenceTarget, ids: readonly string[]): Promise<void> =>
  ctx.lock('references', buildLockKeys(table, ids))

/** Names the references to nothing, with one query for each resource that is referred to. */
const checkReferences = async (ctx: Ctx, drafts: readonly Draft[]): Promise<void> => {
  const wanted = new Map<ReferenceTarget, Set<string>>()
  for (const { set } of drafts)
    for (const one of set) {
      const { type, reference_to } = one.field
      if (type !== 'reference' || reference_to === null) continue
      const ids = wanted.get(reference_to) ?? new Set<string>()
      for (const id of listIds(one)) ids.add(id)
      wanted.set(reference_to, ids)
    }
  for (const [table, ids] of wanted) {
    // A deletion only takes the lock: it waits until the value is stored, and clears it.
    await ctx.lock('references', buildLockKeys(table, ids), 'shared')
    const there = await store.filterExistingIds(ctx, table, [...ids])
    const namable = await ctx.filterVisible(toObjectResource(table), [...ids])
    for (const { at = '', before = NONE, issues, set } of drafts)
      for (const one of set) {
        if (one.field.reference_to !== table) continue
        // Stored values and defaults may name objects that the caller may not name.
        const kept = [getOwnValue(before, one.field.name), one.field.default]
          .flatMap((value) => value ?? [])
          .map(String)
        const missing = listIds(one).find((id) => !there.has(id) || !(namable.has(id) || kept.includes(id)))
        if (missing === undefined) continue
        const noun = isKindResource(table) ? `object of the kind "${table}"` : getNoun(toObjectResource(table))
        const message = `there is no ${noun} with id "${missing}"`
        issues.push({ field: `${at}custom.${one.field.name}`, message })
      }
  }
}

/** Gives drafts without issues the next numbers that they ask for. Returns the errors of the others by their index. */
const takeNextNumbers = async (ctx: Ctx, drafts: readonly Draft[]): Promise<ReadonlyMap<number, AppError>> => {
  const errors = new Map<number, AppError>()
  if (drafts.every(({ next }) => next.length === 0)) return errors
  const given = new Map<number, Set<number>>()
  for (const { field } of drafts.flatMap(({ next }) => next)) given.set(field.number, new Set())
  for (const { field, value } of drafts.flatMap(({ set }) => set))
    if (typeof value === 'number') given.get(field.number)?.add(value)
  const numbers = new NextNumbers(ctx, given)
  for (const [at, { at: path = '', issues, next, set, values }] of drafts.entries())
    for (const wanted of issues.length === 0 ? next : []) {
      const { field } = wanted
      const value = await numbers.take(wanted)
      if (value === undefined) errors.set(at, buildNoneLeftError(`${path}custom.${field.name}`, wanted))
      else {
        values.set(field.name, value)
        set.push({ field, value })
      }
    }
  return errors
}

const compareByName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

const toCustom = ({ values }: Draft): Custom => Object.fromEntries([...values].sort(compareByName))

const UNTOUCHED: readonly FieldIssue[] = []

/** Keeps the definitions of a resource unchanged until commit. Called before the rows of its objects are locked. */
export const lockCustom = async (ctx: Ctx, resource: CustomResource): Promise<void> => {
  await loadFieldsForWrite(ctx, resource)
}

/** Validates the values that objects get, and what they have after the write. Without definitions it sends no query. */
export const validateCustom = async (
  ctx: Ctx,
  resource: CustomResource,
  items: readonly CustomItem[],
): Promise<CheckedCustom[]> => {
  // Most writes change no values.
  if (items.every(({ before, given }) => before !== undefined && given === undefined))
    return items.map(({ before = NONE }) => ({ custom: before, issues: UNTOUCHED }))
  const fields = await loadFieldsForWrite(ctx, resource)
  if (fields.size === 0 && items.every(({ before, given }) => !given && !before))
    return items.map(() => ({ custom: NONE, issues: UNTOUCHED }))
  const judging = { resource, fields, parts: splitByCondition(fields), suggestions: MAX_ISSUES }
  const drafts = items.map((item) => buildDraft(item, judging))
  await checkReferences(ctx, drafts)
  const unavailable = await takeNextNumbers(ctx, drafts)
  const errors = await checkUnique(ctx, resource, drafts)
  return drafts.map((draft, at) => {
    const error = unavailable.get(at) ?? errors.get(at)
    return { custom: toCustom(draft), issues: draft.issues, ...(error && { error }) }
  })
}

/** The values of an object before and after a write; `before` is absent for a new one, `after` for a deleted one. */
export type CustomChange = {
  readonly id: string
  readonly before?: Custom | undefined
  readonly after?: Custom | undefined
}

const buildRows = (id: string, values: Custom, fields: Fields): CustomValueRow[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field ? buildKeys(field, value).map((key) => ({ field: field.number, value: key, object_id: id })) : []
  })

/**
 * Returns the errors of changes with unique values that other objects have, by object. The state after all of them counts, so that they
 * may exchange values.
 */
export const findRefusedValues = async (
  ctx: Ctx,
  resource: CustomResource,
  changes: readonly CustomChange[],
): Promise<Map<string, AppError>> => {
  if (changes.length === 0) return new Map()
  const fields = await loadFieldsForWrite(ctx, resource)
  const drafts = changes.map(({ id, before = NONE, after = NONE }): UniqueDraft => {
    const set = Object.entries(after).flatMap(([name, value]) => {
      const field = fields.get(name)
      return field && !Bun.deepEquals(getOwnValue(before, name), value) ? [{ field, value }] : []
    })
    return { id, before, issues: UNTOUCHED, values: new Map(Object.entries(after)), set }
  })
  const errors = await checkUnique(ctx, resource, drafts)
  return new Map([...errors].flatMap(([at, error]) => (drafts[at] ? [[drafts[at].id, error]] : [])))
}

const isEmpty = (values: Custom | undefined): boolean => values === undefined || Object.keys(values).length === 0

const buildRowKey = ({ field, value, object_id }: CustomValueRow): string => `${field} ${object_id} ${value}`

/** Records the values by which lists find objects. Objects without values cost nothing. */
export const recordCustom = async (
  ctx: Ctx,
  resource: CustomResource,
  changes: readonly CustomChange[],
): Promise<void> => {
  const changed = changes.filter(
    ({ before, after }) => !(isEmpty(before) && isEmpty(after)) && !Bun.deepEquals(before ?? NONE, after ?? NONE),
  )
  if (changed.length === 0) return
  const fields = await loadFieldsForWrite(ctx, resource)
  const old = changed.flatMap(({ id, before = NONE }) => buildRows(id, before, fields))
  const fresh = changed.flatMap(({ id, after = NONE }) => buildRows(id, after, fields))
  const [oldIds, freshIds] = [new Set(old.map(buildRowKey)), new Set(fresh.map(buildRowKey))]
  await store.removeValues(
    ctx,
    old.filter((row) => !freshIds.has(buildRowKey(row))),
  )
  await store.insertValues(
    ctx,
    fresh.filter((row) => !oldIds.has(buildRowKey(row))),
  )
}

/** Returns the names of the fields with values that searches find. Without definitions it sends no query. */
export const loadSearchableNames = async (ctx: Ctx, resource: CustomResource): Promise<readonly string[]> => {
  const fields = await loadFieldsForWrite(ctx, resource)
  return [...fields.values()].flatMap((field) => (isSearched(field) ? [field.name] : []))
}

/**
 * Returns the changed fields of an object for its event: `custom` as the names of the values that differ.
 * @example listCustomChanges(['name', 'custom'], before, after) // ['name', 'custom.owner']
 */
export const listCustomChanges = (
  changes: readonly string[],
  { custom: before = NONE }: { readonly custom?: Custom | undefined },
  { custom: after = NONE }: { readonly custom?: Custom | undefined },
): string[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const isDifferent = (name: string) => !Bun.deepEquals(getOwnValue(before, name), getOwnValue(after, name))
  return changes.flatMap((field) =>
    field === 'custom' ? names.filter(isDifferent).map((name) => `custom.${name}`) : [field],
  )
}

/** A change of the values of some objects. */
export type Rewrite = {
  readonly resource: CustomResource
  /** The ids of `addresses`: an address of a device has the id of the device, a space and a position; the others are reservations. */
  readonly ids: readonly string[]
  readonly change: (custom: Custom) => Custom
  /** False if only the texts of searches change, which is no change of an object. */
  readonly isChange: boolean
}
