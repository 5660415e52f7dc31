/** The parts of rows that need objects of later rows: they are left out at first, and imported again in the end. */
import { getOwn } from '../../contract/own.ts'
import { isRecord } from '../../contract/unknown.ts'
import * as customFields from '../../inventory/custom-fields/custom-fields.ts'
import * as ports from '../../inventory/ports/ports.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { CustomResource, ReferenceTarget } from '../../resource/custom/fields.ts'
import {
  getCustomResource,
  loadReferenceFields,
  type ReferenceField,
  type ReferenceFields,
} from '../apply/custom-references.ts'
import { hasParents } from '../apply/parents-first.ts'
import type { Row } from './row.ts'

type Values = Row['value']

/** A row of which something is left out. */
export type Deferred = { readonly row: Row; readonly at: number }
export type Divided = {
  readonly rows: readonly Row[]
  readonly deferred: readonly Deferred[]
  /** The places of the rows that lack an object which they require: they are imported once it is there. */
  readonly waiting: ReadonlySet<number>
}

type FieldsOf = (resource: CustomResource) => ReferenceFields

type Found = { readonly target: ReferenceTarget; readonly id: string; readonly isRequired?: boolean }

/** The resource of the parents of objects of a resource, which may be later rows of the file. */
const getParents = (resource: Resource): Found['target'] | undefined => (hasParents(resource) ? resource : undefined)

const listIds = (value: unknown): string[] => [value].flat().filter((id) => typeof id === 'string')

const listCustomReferences = (custom: unknown, fields: ReferenceFields): Found[] =>
  isRecord(custom)
    ? [...fields].flatMap(([name, { target, isRequired }]) =>
        listIds(getOwn(custom, name)).map((id) => ({ target, id, isRequired })),
      )
    : []

const listReferences = (resource: Resource, value: Values, fieldsOf: FieldsOf): Found[] => {
  const { custom, addresses, parent_id } = value
  const [own, parents] = [getCustomResource(resource, value), getParents(resource)]
  return [
    ...(own === undefined ? [] : listCustomReferences(custom, fieldsOf(own))),
    ...(resource === 'devices' && Array.isArray(addresses)
      ? addresses.flatMap((one: unknown) =>
          isRecord(one) ? listCustomReferences(one.custom, fieldsOf('addresses')) : [],
        )
      : []),
    ...(parents === undefined ? [] : listIds(parent_id).map((id) => ({ target: parents, id }))),
  ]
}

/** Returns the references to objects that are not there, as `target id`. */
const findMissing = async (ctx: Ctx, found: readonly Found[]): Promise<ReadonlySet<string>> => {
  const missing = new Set<string>()
  for (const [target, all] of Map.groupBy(found, (one) => one.target)) {
    const ids = [...new Set(all.map(({ id }) => id))]
    const there =
      target === 'ports' ? await ports.findDocuments(ctx, ids) : await customFields.filterExistingIds(ctx, target, ids)
    for (const id of ids) if (!there.has(id)) missing.add(`${target} ${id}`)
  }
  return missing
}

type IsMissing = (field: Pick<ReferenceField, 'target'>, value: unknown) => boolean

const removeMissing = (custom: unknown, fields: ReferenceFields, isMissing: IsMissing): unknown =>
  isRecord(custom)
    ? Object.fromEntries(
        Object.entries(custom).filter(([name, value]) => {
          const field = fields.get(name)
          return !field || !isMissing(field, value)
        }),
      )
    : custom

const removeReferences = (
  resource: Resource,
  value: Values,
  fieldsOf: FieldsOf,
  missing: ReadonlySet<string>,
): Values => {
  const isMissing: IsMissing = ({ target }, given) => listIds(given).some((id) => missing.has(`${target} ${id}`))
  const own = getCustomResource(resource, value)
  const { parent_id, ...others } = value
  const isApart = listIds(parent_id).some((id) => missing.has(`${getParents(resource)} ${id}`))
  const kept: Record<string, unknown> = isApart ? { ...others } : { ...value }
  if (own !== undefined && kept.custom !== undefined) kept.custom = removeMissing(kept.custom, fieldsOf(own), isMissing)
  if (resource === 'devices' && Array.isArray(kept.addresses))
    kept.addresses = kept.addresses.map((one: unknown) =>
      isRecord(one) && one.custom !== undefined
        ? { ...one, custom: removeMissing(one.custom, fieldsOf('addresses'), isMissing) }
        : one,
    )
  return kept
}

/** The rules of a definition that hold for values from then on. */
const RULES = ['required', 'pattern', 'minimum', 'maximum', 'default'] as const

const removeRules = (value: Values): Values =>
  Object.fromEntries(Object.entries(value).filter(([field]) => !RULES.some((rule) => rule === field)))

const hasRules = (value: Values): boolean =>
  RULES.some((rule) => ![undefined, null, false, ''].includes(value[rule] as null))

const NONE: ReadonlySet<number> = new Set()

/** Returns the rows of a batch without references to objects that are not there. */
export const splitRows = async (
  ctx: Ctx,
  resource: Resource,
  rows: readonly Row[],
  isFirstRound: boolean,
): Promise<Divided> => {
  if (resource === 'custom-fields')
    return isFirstRound
      ? {
          rows: rows.map((row) => ({ ...row, value: removeRules(row.value) })),
          deferred: rows.flatMap((row, at) => (hasRules(row.value) ? [{ row, at }] : [])),
          waiting: NONE,
        }
      : { rows, deferred: [], waiting: NONE }
  const isPlain = rows.every(({ value }) => value.custom === undefined && value.addresses === undefined)
  if (isPlain && getParents(resource) === undefined) return { rows, deferred: [], waiting: NONE }
  const fields = isPlain ? new Map() : await loadReferenceFields(ctx, [])
  const getFields: FieldsOf = (of) => fields.get(of) ?? new Map()
  const found = rows.map(({ value }) => listReferences(resource, value, getFields))
  const missing = await findMissing(ctx, found.flat())
  if (missing.size === 0) return { rows, deferred: [], waiting: NONE }
  const isMissing = ({ target, id }: Found) => missing.has(`${target} ${id}`)
  const isDeferred = (at: number) => found[at]?.some(isMissing) === true
  const isWaiting = (all: readonly Found[]) => all.some((one) => one.isRequired === true && isMissing(one))
  return {
    rows: rows.map((row, at) =>
      isDeferred(at) ? { ...row, value: removeReferences(resource, row.value, getFields, missing) } : row,
    ),
    deferred: rows.flatMap((row, at) => (isDeferred(at) ? [{ row, at }] : [])),
    waiting: new Set(found.flatMap((all, at) => (isWaiting(all) ? [at] : []))),
  }
}
