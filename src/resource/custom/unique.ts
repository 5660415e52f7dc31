/** The rule of unique fields: no two objects have one value. The state after all writes of a call counts. */
import { AppError, type FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Custom, CustomResource, CustomValue } from './fields.ts'
import { readCustom } from './objects.ts'
import type { StoredField } from './store.ts'
import * as store from './store.ts'
import type { CustomValueRow } from './table.ts'
import { buildKeys, isCutKey, isSameValue } from './values.ts'

/** A value that an object gets. */
export type Given = { readonly field: StoredField; readonly value: CustomValue }

/** An object as a write leaves it. */
export type UniqueDraft = {
  readonly id: string
  /** Undefined for a new object. */
  readonly before: Custom | undefined
  readonly issues: readonly FieldIssue[]
  readonly values: ReadonlyMap<string, CustomValue>
  readonly set: readonly Given[]
}

const NONE: Custom = {}

export const getOwnValue = (values: Custom, name: string): CustomValue | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

const buildTakenError = ({ name }: StoredField, value: CustomValue): AppError => {
  const message = `is the value of another object: ${JSON.stringify(value)}`
  return new AppError('ALREADY_EXISTS', `custom.${name} ${message}`, {
    details: [{ field: `custom.${name}`, message }],
  })
}

type Claim = Given & { readonly id: string; readonly key: string; readonly at: number }

const listClaims = (drafts: readonly UniqueDraft[]): Claim[] =>
  drafts.flatMap(({ id, issues, set }, at) =>
    issues.length > 0
      ? []
      : set
          .filter(({ field }) => field.unique)
          .flatMap((one) => buildKeys(one.field, one.value).map((key) => ({ ...one, id, key, at }))),
  )

/** The values that objects of the call have after it, by id. Refused and new ones release nothing. */
type After = ReadonlyMap<string, ReadonlyMap<string, CustomValue>>

const collectAfter = (drafts: readonly UniqueDraft[]): After =>
  new Map(drafts.flatMap(({ id, before, issues, values }) => (before && issues.length === 0 ? [[id, values]] : [])))

/** Returns the ids of the other objects that have the value. */
const findHolders = async (
  ctx: Ctx,
  resource: CustomResource,
  { field, value, key, id }: Claim,
  rows: readonly Pick<CustomValueRow, 'value' | 'object_id'>[],
): Promise<string[]> => {
  const others = rows.filter((row) => row.value === key && row.object_id !== id).map(({ object_id }) => object_id)
  if (others.length === 0 || !isCutKey(field.type, key)) return others
  const stored = await readCustom(ctx, resource, others)
  return others.filter((other) => {
    const held = getOwnValue(stored.get(other) ?? NONE, field.name)
    return held !== undefined && isSameValue(field.type, held, value)
  })
}

/** Returns the errors of items with unique values that others have after all of them, by the index of the item. */
export const checkUnique = async (
  ctx: Ctx,
  resource: CustomResource,
  drafts: readonly UniqueDraft[],
): Promise<ReadonlyMap<number, AppError>> => {
  const claims = listClaims(drafts)
  const errors = new Map<number, AppError>()
  const after = collectAfter(drafts)
  if (claims.length === 0) return errors
  const names = claims.map(({ field, key }) => `custom-value ${field.number} ${key}`)
  await ctx.store.sql.lockNames(ctx.db, [...new Set(names)].sort())
  for (const field of new Set(claims.map((claim) => claim.field))) {
    const some = claims.filter((claim) => claim.field === field)
    const rows = await store.findRowsWithKeys(ctx, field.number, [...new Set(some.map(({ key }) => key))])
    const claimed = new Map<string, Claim[]>()
    for (const claim of some) {
      const rivals = claimed.get(claim.key) ?? []
      const isRival = rivals.some((one) => one.id !== claim.id && isSameValue(field.type, one.value, claim.value))
      const isKept = (id: string): boolean => {
        const values = after.get(id)
        const value = values?.get(field.name)
        return !values || (value !== undefined && isSameValue(field.type, value, claim.value))
      }
      if (isRival || (await findHolders(ctx, resource, claim, rows)).some(isKept))
        errors.set(claim.at, errors.get(claim.at) ?? buildTakenError(field, claim.value))
      else claimed.set(claim.key, [...rivals, claim])
    }
  }
  return errors
}
