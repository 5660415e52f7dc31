/** Custom fields of resources with objects as rows: the column `custom`, and the rules of creates and updates. */

import { pause } from '../../base/runtime/pause.ts'
import { rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx, Reactions } from '../../kernel/ctx.ts'
import { appliesTo } from './conditions.ts'
import { loadFields, loadFieldsForWrite, loadFieldsOfKinds } from './definitions.ts'
import { type CustomItem, listCustomChanges, type Rewrite, validateCustom } from './engine.ts'
import type { Custom, CustomPatch, CustomResource } from './fields.ts'
import type { StoredField } from './store.ts'
import { isSearched } from './values.ts'

/** An object that has its values, if there are any. */
export type WithCustom = { readonly custom?: Custom | undefined }

const NONE: Custom = {}

const isNone = (custom: Custom | undefined): boolean => custom === undefined || Object.keys(custom).length === 0

/** Returns the value of the column: JSON text, or null without values. */
export const formatCustom = ({ custom }: WithCustom): string | null => (isNone(custom) ? null : JSON.stringify(custom))

const sortCustom = (custom: Custom): Custom =>
  Object.fromEntries(Object.entries(custom).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns the object of a row. */
export const withCustomOfRow = <Row extends { readonly custom: string | null }>({
  custom,
  ...row
}: Row): Omit<Row, 'custom'> & WithCustom =>
  // Written by `formatCustom`. Reads of the past may have another order.
  custom === null ? row : { ...row, custom: sortCustom(JSON.parse(custom) as Custom) }

/** Returns an object with its values, which is absent without any. */
export const withValues = <T extends WithCustom>({ custom: _, ...object }: T, custom: Custom): T =>
  // The same fields, beside the values.
  (isNone(custom) ? object : { ...object, custom }) as T

/** @throws AppError VALIDATION_ERROR, ALREADY_EXISTS of the first item that has one */
const validateAll = async (ctx: Ctx, resource: CustomResource, items: readonly CustomItem[]): Promise<Custom[]> => {
  const checked = await validateCustom(ctx, resource, items)
  for (const { issues, error } of checked) {
    rejectIssues(issues)
    if (error) throw error
  }
  return checked.map(({ custom }) => custom)
}

type WithId = WithCustom & { readonly id: string }
/** A new object, and the values in its create. */
type New<T> = { readonly object: T; readonly given: CustomPatch | undefined; readonly isRestored?: boolean }

/** Returns new objects with their values. @throws AppError VALIDATION_ERROR, ALREADY_EXISTS */
export const withCustomOfAll = async <T extends WithId>(
  ctx: Ctx,
  resource: CustomResource,
  all: readonly New<T>[],
): Promise<T[]> => {
  const items = all.map((one) => ({ id: one.object.id, before: undefined, ...one }))
  const customs = await validateAll(ctx, resource, items)
  return all.map(({ object }, i) => withValues(object, customs[i] ?? NONE))
}

/** Returns objects that no caller asked for one by one, with the defaults. They may lack required values. */
export const withDefaults = async <T extends WithId>(
  ctx: Ctx,
  resource: CustomResource,
  all: readonly T[],
): Promise<T[]> => {
  const items = all.map((object) => ({ id: object.id, object, before: undefined, given: undefined }))
  const checked = await validateCustom(ctx, resource, items)
  return all.map((object, i) => withValues(object, checked[i]?.custom ?? NONE))
}

/** Like `withCustomOfAll`, for one object. */
export const withCustomOfNew = async <T extends WithId>(
  ctx: Ctx,
  resource: CustomResource,
  one: New<T>,
): Promise<T> => {
  const [object = one.object] = await withCustomOfAll(ctx, resource, [one])
  return object
}

/**
 * Returns the values that a copy of an object takes along: all but the unique ones, and those that do not apply to the copy.
 * @param copy its other fields
 */
export const copyCustom = async (
  ctx: Ctx,
  resource: CustomResource,
  { custom, copy }: WithCustom & { readonly copy: Readonly<Record<string, unknown>> },
): Promise<Custom> => {
  if (custom === undefined) return NONE
  const fields = await loadFieldsForWrite(ctx, resource)
  const shared = Object.fromEntries(Object.entries(custom).filter(([name]) => fields.get(name)?.unique === false))
  const isCopied = (field: StoredField | undefined): boolean => field !== undefined && appliesTo(field, copy, shared)
  return Object.fromEntries(Object.entries(shared).filter(([name]) => isCopied(fields.get(name))))
}

/** Returns the texts of a row that searches find, with their fields; undefined if they find no custom field of the resource. */
export type SearchedTexts =
  | ((row: { readonly custom: string | null }) => { readonly field: string; readonly text: string }[])
  | undefined

/** The table on which the texts of searches depend beside that of the rows. */
export const SEARCH_TABLES = ['custom_fields'] as const

/** Returns the names of the fields with values that searches find, for a read. */
export const loadSearchedNames = async (ctx: Ctx, resource: CustomResource): Promise<readonly string[]> =>
  [...(await loadFields(ctx, resource)).values()].flatMap((field) => (isSearched(field) ? field.name : []))

const listTexts = (row: { readonly custom: string | null }, names: readonly string[]) => {
  const { custom = NONE } = withCustomOfRow(row)
  return names.flatMap((name) => {
    const values = Object.hasOwn(custom, name) ? [custom[name] ?? []].flat() : []
    return values.map((value) => ({ field: `custom.${name}`, text: String(value) }))
  })
}

export const loadSearchedTexts = async (ctx: Ctx, resource: CustomResource): Promise<SearchedTexts> => {
  const names = await loadSearchedNames(ctx, resource)
  return names.length === 0 ? undefined : (row) => listTexts(row, names)
}

/** Like `loadSearchedTexts`, for the objects of all kinds: a column of their rows has the kind. */
export const loadSearchedTextsOfKinds = async (ctx: Ctx, kindColumn: string): Promise<SearchedTexts> => {
  const all = [...(await loadFieldsOfKinds(ctx))].map(
    ([kind, fields]) => [kind, [...fields.values()].filter(isSearched).map(({ name }) => name)] as const,
  )
  const names = new Map(all.filter(([, searched]) => searched.length > 0))
  if (names.size === 0) return undefined
  // The row has the column.
  return (row) => listTexts(row, names.get(String((row as Readonly<Record<string, unknown>>)[kindColumn])) ?? [])
}

/** A patch of an object that changes its values one by one. */
export type PatchOf<T> = { readonly [K in Exclude<keyof T, 'custom'>]?: T[K] | undefined } & {
  readonly custom?: CustomPatch | undefined
}

type Merged<T> = { readonly value: T; readonly changes: readonly string[] }

/**
 * Applies an update as `merge`, with the values of custom fields, which `changes` names one by one.
 * @throws AppError VALIDATION_ERROR, ALREADY_EXISTS
 */
export const mergeCustom = async <T extends WithId>(
  ctx: Ctx,
  resource: CustomResource,
  { before, patch }: { readonly before: T; readonly patch: PatchOf<NoInfer<T>> },
): Promise<Merged<T>> => {
  const { custom: given, ...others } = patch
  // The patch without `custom` only has fields of the object.
  const { value, changes } = merge(before, others as Partial<T>)
  if (given === undefined) return { value, changes }
  const [custom = NONE] = await validateAll(ctx, resource, [
    { id: before.id, object: value, before: before.custom ?? NONE, given },
  ])
  const after = withValues(value, custom)
  return { value: after, changes: [...changes, ...listCustomChanges(['custom'], before, after)] }
}

type Rewritten<T> = {
  /** Locks the existing objects of these ids until commit. */
  readonly lock: (ctx: Ctx, ids: readonly string[]) => Promise<readonly T[]>
  /** Stores a changed object, and declares it to the history. */
  readonly update: (ctx: Ctx, before: T, after: T) => Promise<unknown>
  /** Stores only the texts of searches, which is no change of the object. */
  readonly refresh: (ctx: Ctx, object: T) => Promise<unknown>
}

/** Objects that are rewritten together. */
const AT_ONCE = 200

/** The reaction by which a resource changes the values of its objects. @param isOf true for the resource of their definitions */
export const rewriteCustom = <T extends WithCustom & { readonly id: string; readonly updated_at: string }>(
  isOf: (resource: CustomResource) => boolean,
  { lock, update, refresh }: Rewritten<T>,
): Pick<Reactions, 'custom-fields.rewriting'> => ({
  'custom-fields.rewriting': async (ctx: Ctx, { resource: of, ids, change, isChange }: Rewrite) => {
    if (!isOf(of)) return
    for (const batch of splitBatches(ids, AT_ONCE)) {
      for (const before of await lock(ctx, batch)) {
        const after = withValues(before, change(before.custom ?? NONE))
        await (isChange ? update(ctx, before, { ...after, updated_at: ctx.now }) : refresh(ctx, after))
      }
      await pause()
    }
  },
})
