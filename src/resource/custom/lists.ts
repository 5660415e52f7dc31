/**
 * Filters and orders of lists by custom fields. A list does this:
 *
 * 1. `const custom = await buildCustomFilters(ctx, resource, input.custom, 'id')`, and adds each `ordered` to its query and each
 *    `counted` to the query of its count. The revision of the list counts `findCustomTables` too, if `custom` or `sort` is given.
 * 2. `orderByCustom` of `sorted.ts` for `sort=custom.x`, with `listChain`: first the objects with a value, in its order, then the
 *    objects without one.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type FieldIssue, invalidField, rejectIssues } from '../../contract/errors.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { getCachedCount } from '../../database/cache/query-cache.ts'
import { findBelow, isOneOf } from '../../database/query/below.ts'
import { buildConditionalMembership, type Membership } from '../../database/query/ordered-filter.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { countRows } from '../../kernel/list.ts'
import { type Fields, loadFields } from './definitions.ts'
import { type Custom, type CustomResource, type CustomValue, isKindResource } from './fields.ts'
import { readCustom } from './objects.ts'
import type { StoredField } from './store.ts'
import * as store from './store.ts'
import { buildKeys, filterValue, isCutKey, isSameValue } from './values.ts'

const CUSTOM_TABLES = ['custom_fields', 'custom_values'] as const
/** The table of the trees of objects of kinds. */
const TREE = 'objects'

export type CustomFilter = Readonly<Record<string, string>>

/** The condition on the values of a field. */
type Test =
  | { readonly kind: 'is'; readonly text: string }
  | { readonly kind: 'any' | 'none' }
  | { readonly kind: 'min' | 'max'; readonly text: string }

/** One filter: a field, and the condition on its value. */
type Demand = { readonly field: StoredField; readonly test: Test; readonly value: CustomValue | undefined }

const BOUNDED: readonly StoredField['type'][] = ['integer', 'number', 'date']

/** Reads `owner`, `watts.min` and `watts.max`. */
const parseTest = (key: string, text: string): { readonly name: string; readonly test: Test } => {
  const [, name = key, bound] = /^(.*)\.(min|max)$/.exec(key) ?? []
  if (bound === 'min' || bound === 'max') return { name, test: { kind: bound, text } }
  if (text === '') return { name, test: { kind: 'none' } }
  return { name, test: text === '*' ? { kind: 'any' } : { kind: 'is', text } }
}

type Read = { readonly demand: Demand } | { readonly issue: FieldIssue }

const buildIssue = (key: string, message: string): Read => ({ issue: { field: `custom.${key}`, message } })

const parseDemand = (resource: CustomResource, fields: Fields, [key, text]: readonly [string, string]): Read => {
  const { name, test } = parseTest(key, text)
  const field = fields.get(name)
  if (field === undefined)
    return buildIssue(key, `is no custom field of ${resource}${formatSuggestion(name, [...fields.keys()])}`)
  if (!('text' in test)) return { demand: { field, test, value: undefined } }
  if (test.kind !== 'is' && !BOUNDED.includes(field.type))
    return buildIssue(key, `has no bounds: ${name} is no integer, number or date`)
  const read = filterValue(field, test.text)
  return 'message' in read ? buildIssue(key, read.message) : { demand: { field, test, value: read.value } }
}

/** True for a field with values that are objects of a kind, which may have others below them. */
const isOfTree = ({ reference_to }: StoredField): boolean => reference_to !== null && isKindResource(reference_to)

/** Returns the demand with the objects below the one that it names as well. */
const withBelow = async (ctx: Ctx, demand: Demand): Promise<Demand> => {
  const { field, test } = demand
  if (test.kind !== 'is' || !isOfTree(field)) return demand
  const ids = await findBelow(ctx, { table: TREE, id: test.text })
  return ids.length > 1 ? { ...demand, value: ids } : demand
}

/** @throws AppError VALIDATION_ERROR on `custom.<name>` */
const parseDemands = async (ctx: Ctx, resource: CustomResource, filter: CustomFilter): Promise<Demand[]> => {
  const fields = await loadFields(ctx, resource)
  const all = Object.entries(filter).map((entry) => parseDemand(resource, fields, entry))
  rejectIssues(all.flatMap((one) => ('issue' in one ? [one.issue] : [])))
  return Promise.all(all.flatMap((one) => ('demand' in one ? [withBelow(ctx, one.demand)] : [])))
}

/** Returns the tables that a list reads beside its own if it filters or sorts by custom fields. */
export const findCustomTables = async (
  ctx: Ctx,
  resource: CustomResource,
  filter: CustomFilter = {},
): Promise<readonly (keyof Tables & string)[]> => {
  const names = Object.keys(filter)
  const fields = names.length === 0 ? undefined : await loadFields(ctx, resource)
  const isBelow = names.some((name) => {
    const field = fields?.get(name)
    return field !== undefined && isOfTree(field)
  })
  return isBelow ? [...CUSTOM_TABLES, TREE] : CUSTOM_TABLES
}

const getValue = (custom: Custom, { name }: StoredField): CustomValue | undefined =>
  Object.hasOwn(custom, name) ? custom[name] : undefined

const getFirstKey = (field: StoredField, value: CustomValue): string => buildKeys(field, value)[0] ?? ''

/** Checks the values of one object, without SQL. */
const isMatch = (custom: Custom, { field, test, value: wanted }: Demand): boolean => {
  const value = getValue(custom, field)
  if (test.kind === 'none' || value === undefined) return test.kind === 'none' && value === undefined
  if (wanted === undefined) return true
  const values: readonly CustomValue[] = typeof value === 'object' ? value : [value]
  if (typeof wanted === 'object') return values.some((one) => typeof one === 'string' && wanted.includes(one))
  if (test.kind === 'is') return values.some((one) => isSameValue(field.type, one, wanted))
  const [key, bound] = [getFirstKey(field, value), getFirstKey(field, wanted)]
  return test.kind === 'min' ? key >= bound : key <= bound
}

/** Returns a check of the values of an object by all filters. @throws AppError VALIDATION_ERROR on `custom.<name>` */
export const buildCustomCheck = async (
  ctx: Ctx,
  resource: CustomResource,
  filter: CustomFilter,
): Promise<(custom: Custom) => boolean> => {
  const demands = await parseDemands(ctx, resource, filter)
  return (custom) => demands.every((demand) => isMatch(custom, demand))
}

/** A condition of a filter, and a fast count of its objects. */
export type CustomMembership = Membership & { readonly count?: () => Promise<number> }

const TABLE = 'custom_values'

/** A subset by the keys of values. */
type Keyed = { readonly field: StoredField; readonly name: string; readonly condition: RawBuilder<SqlBool> }

/** Each row is another object if the field has one value. */
const countKeyed = (ctx: Ctx, { field, name, condition }: Keyed): Promise<number> =>
  getCachedCount(ctx, TABLE, name, async () => {
    const counted = field.multiple ? sql`count(DISTINCT object_id)` : sql`count(*)`
    const query = sql<{ n: number | string }>`SELECT ${counted} AS n FROM custom_values WHERE ${condition}`
    return Number((await query.execute(ctx.db)).rows[0]?.n)
  })

/** Up to this number of values, sorting their objects is faster than walking through the list. */
const MAX_VALUES_SORTED = 2000

const hasFew = async (ctx: Ctx, { name, condition }: Keyed): Promise<boolean> => {
  const count = await getCachedCount(ctx, TABLE, `first ${name}`, async () => {
    const first = sql`SELECT 1 AS one FROM custom_values WHERE ${condition} LIMIT ${MAX_VALUES_SORTED + 1}`
    const query = sql<{ n: number | string }>`SELECT count(*) AS n FROM (${first}) AS found`
    return Number((await query.execute(ctx.db)).rows[0]?.n)
  })
  return count <= MAX_VALUES_SORTED
}

/** Returns the value of a field in the stored object, as SQL text. @param id such as `devices.id` */
const buildStoredValueSql = (ctx: Ctx, id: string, { name, type }: StoredField): string => {
  const [table = ''] = id.split('.')
  const { text, number } = ctx.store.sql.past
  const read = type === 'integer' || type === 'number' ? number : text
  return table === 'devices' ? read('devices.doc', 'custom', name) : read(`${table}.custom`, name)
}

/** Text that is too long for its key, and is compared in full. */
const findAmongLong = async (ctx: Ctx, id: string, { field, value = '' }: Demand): Promise<Membership> => {
  const ids = await store.findIdsWithKeys(ctx, field.number, buildKeys(field, value))
  const stored = await readCustom(ctx, field.resource, ids)
  const equal = [...stored].filter(([, custom]) => {
    const held = getValue(custom, field)
    return held !== undefined && isSameValue(field.type, held, value)
  })
  const condition =
    equal.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(id)} IN (${sql.join(equal.map(([one]) => one))})`
  return { ordered: condition, counted: condition }
}

const OPERATORS = { is: sql`=`, min: sql`>=`, max: sql`<=` } as const

/** Returns the condition on the rows of a field that all demands set. */
const buildKeyed = (demands: readonly [Demand, ...Demand[]]): Keyed => {
  const [{ field }] = demands
  const bounds = demands.flatMap(({ test, value }) =>
    value === undefined || !('text' in test) ? [] : [{ kind: test.kind, keys: buildKeys(field, value) }],
  )
  const conditions = bounds.map(({ kind, keys }) =>
    keys.length > 1
      ? sql<SqlBool>` AND ${isOneOf('custom_values.value', keys)}`
      : sql<SqlBool>` AND custom_values.value ${OPERATORS[kind]} ${keys[0] ?? ''}`,
  )
  return {
    field,
    name: `${field.number} ${bounds.map(({ kind, keys }) => `${kind} ${keys.join()}`).join(' ')}`,
    condition: sql<SqlBool>`custom_values.field = ${field.number}${sql.join(conditions, sql``)}`,
  }
}

/** Returns the same condition on the stored object, for a walk through the list: there is no index by object. */
const onStored = (ctx: Ctx, id: string, demands: readonly [Demand, ...Demand[]]): RawBuilder<SqlBool> => {
  const [{ field }] = demands
  const stored = sql.raw(buildStoredValueSql(ctx, id, field))
  const conditions = demands.flatMap(({ test, value }) =>
    value === undefined || !('text' in test) ? [] : [sql<SqlBool>`${stored} ${OPERATORS[test.kind]} ${value}`],
  )
  return conditions.length === 0
    ? sql<SqlBool>`${stored} IS NOT NULL`
    : sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}

/** Returns the condition on objects without a row of values that meets a condition. */
const isWithout = (ctx: Ctx, id: string, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  ctx.store.sql.isNoMember(id, sql`SELECT object_id AS member FROM custom_values WHERE ${condition}`)

/** Returns the condition on objects without a value of a field. @param id such as `devices.id` */
export const hasNoValue = (ctx: Ctx, id: string, number: number): RawBuilder<SqlBool> =>
  isWithout(ctx, id, sql<SqlBool>`custom_values.field = ${number}`)

/** Counts the devices without a value. */
const countWithout = async (ctx: Ctx, keyed: Keyed): Promise<number> => {
  const all = await getCachedCount(ctx, 'devices', 'all', () => countRows(ctx.db.selectFrom('devices')))
  return all - (await countKeyed(ctx, keyed))
}

/** Returns the condition on devices without a value, of which there are often none. */
const buildMembershipWithout = async (ctx: Ctx, id: string, keyed: Keyed): Promise<CustomMembership> => {
  const count = () => countWithout(ctx, keyed)
  const condition = (await count()) === 0 ? sql<SqlBool>`1 = 0` : isWithout(ctx, id, keyed.condition)
  return { ordered: condition, counted: condition, count }
}

const buildMembership = async (
  ctx: Ctx,
  id: string,
  demands: readonly [Demand, ...Demand[]],
): Promise<CustomMembership> => {
  const [demand] = demands
  const { field, test, value } = demand
  if (test.kind === 'is' && isCutKey(field.type, getFirstKey(field, value ?? ''))) return findAmongLong(ctx, id, demand)
  const keyed = buildKeyed(demands)
  const { name, condition } = keyed
  const count = () => countKeyed(ctx, keyed)
  const isInside = sql<SqlBool>`${sql.ref(id)} IN (SELECT object_id FROM custom_values WHERE ${condition})`
  // There may be many devices, of which a page is found faster in their order.
  if (test.kind === 'is' && field.resource === 'devices') {
    const inside = await buildConditionalMembership(ctx, { id, table: TABLE, member: 'object_id', condition, name })
    if (typeof value !== 'object' || inside.ordered === inside.counted) return { ...inside, count }
    // One search for each value takes longer than a list of all members. An expression keeps the order of devices.
    const ordered = sql<SqlBool>`${sql.ref(id)} || '' IN (SELECT object_id FROM custom_values WHERE ${condition})`
    return { ordered, counted: inside.counted, count }
  }
  if (test.kind === 'none') {
    if (field.resource === 'devices') return buildMembershipWithout(ctx, id, keyed)
    const isOutside = isWithout(ctx, id, condition)
    return { ordered: isOutside, counted: isOutside }
  }
  // All objects are read for an exact value of other objects.
  const isWalked = test.kind !== 'is' && !(await hasFew(ctx, keyed))
  const ordered = isWalked ? onStored(ctx, id, demands) : isInside
  return { ordered, counted: isInside, count }
}

const isBound = ({ test }: Demand): boolean => test.kind === 'min' || test.kind === 'max'

/** Returns the demands, with the bounds of a field together. */
const mergeBounds = (all: readonly Demand[]): (readonly [Demand, ...Demand[]])[] => {
  const groups: [Demand, ...Demand[]][] = []
  for (const demand of all) {
    const same = groups.find(([first]) => isBound(demand) && isBound(first) && first.field === demand.field)
    if (same) same.push(demand)
    else groups.push([demand])
  }
  return groups
}

/**
 * Returns the conditions of the filters of a list, which hold together.
 * @param id the id of the listed objects
 * @throws AppError VALIDATION_ERROR on `custom.<name>`
 * @example await buildCustomFilters(ctx, 'devices', { owner: 'neteng' }, 'devices.id')
 */
export const buildCustomFilters = async (
  ctx: Ctx,
  resource: CustomResource,
  filter: CustomFilter | undefined,
  id: string,
): Promise<CustomMembership[]> => {
  if (filter === undefined) return []
  const all: CustomMembership[] = []
  for (const demands of mergeBounds(await parseDemands(ctx, resource, filter)))
    all.push(await buildMembership(ctx, id, demands))
  return all
}

/** The order of a list by a custom field. */
export type CustomOrder = {
  readonly number: number
  /** The key of the value of an object, for an order without SQL; undefined without a value. */
  readonly keyOf: (custom: Custom) => string | undefined
}

/** @throws AppError VALIDATION_ERROR on `sort` */
export const buildCustomOrder = async (ctx: Ctx, resource: CustomResource, name: string): Promise<CustomOrder> => {
  const fields = await loadFields(ctx, resource)
  const field = fields.get(name)
  if (field === undefined)
    throw invalidField('sort', `${name} is no custom field of ${resource}${formatSuggestion(name, [...fields.keys()])}`)
  if (field.multiple) throw invalidField('sort', `custom.${name} has several values`)
  return {
    number: field.number,
    keyOf: (custom) => {
      const value = getValue(custom, field)
      return value === undefined ? undefined : getFirstKey(field, value)
    },
  }
}
