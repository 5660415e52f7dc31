/** The list of a resource, with the filters and the orders of its facts. */
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { invalidField } from '../contract/errors.ts'
import { getCachedCount } from '../database/cache/query-cache.ts'
import { isManagedBy } from '../database/managed-by.ts'
import { findBelow, isOneOf } from '../database/query/below.ts'
import { containsText } from '../database/query/contains.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx } from '../kernel/ctx.ts'
import type { JsonList } from '../kernel/handler-result.ts'
import { countRows, listRows, type Page } from '../kernel/list.ts'
import { toNameKey } from '../net/name-order.ts'
import { getOrderColumn, toSortColumn } from './columns.ts'
import type { CustomResource } from './custom/fields.ts'
import type { CustomFilter } from './custom/lists.ts'
import { listWithCustom } from './custom/row-lists.ts'
import type { ListedResource, Orders } from './custom/sorted.ts'
import type { FieldFacts, ResourceFacts } from './facts.ts'

type Table = keyof Tables & string

/** The builder knows the tables by name. All conditions are of the columns of the facts. */
export type AnyQuery = SelectQueryBuilder<Tables, 'datacenters', { id: string }>

/** The input of a list. */
export type ListInput = Readonly<Record<string, unknown>> & {
  readonly managed_by?: string | undefined
  readonly custom?: CustomFilter | undefined
  readonly sort?: string | undefined
} & Page

/** The rows of a page: their query, and its page if that is known before the rows are read. */
export type ListedPage = { readonly query: AnyQuery; readonly page: Page }

/** Returns a row of the list, or its JSON. */
type MakeRow<A> = (row: object) => A | string | Promise<A>

export type ListRules<A, I = ListInput> = {
  /** Returns the tables on which the list depends beside its own. */
  readonly tables: (input: I) => readonly Table[]
  /** Returns the function that makes a row of the list. Called after the revision: it may read other data that rows need. */
  readonly createRow: (ctx: Ctx, input: I, page: ListedPage) => MakeRow<A> | Promise<MakeRow<A>>
  /** Returns the query with the filters that the facts do not tell. */
  readonly filter?: (ctx: Ctx, query: AnyQuery, input: I) => AnyQuery
  /** The columns of orders of the list, if they do not follow from the facts. */
  readonly orders?: Orders
  /** Returns the revision of the tables, if it is more than that. */
  readonly revision?: (ctx: Ctx, input: I, tables: readonly Table[]) => Promise<string>
}

/** Returns the query with the filter by a field, if the input has one. */
const filterBy = (query: AnyQuery, [name, { filter }]: [string, FieldFacts], value: unknown): AnyQuery => {
  // An empty text filters nothing.
  if (value === undefined || value === '') return query
  if (filter === 'part') return query.where(containsText(`${name}_key`, String(value)))
  if (filter === 'same') return query.where(`${name}_key` as 'id', '=', toNameKey(String(value).trim()))
  return query.where(name as 'id', '=', (typeof value === 'boolean' ? Number(value) : value) as string)
}

const toTable = (resource: string): Table => resource.replaceAll('-', '_') as Table

/** A filter by an object and the objects below it. */
type TreeFilter = { readonly name: string; readonly column: string; readonly table: Table }

const listTreeFilters = (facts: ResourceFacts): TreeFilter[] => [
  ...Object.entries(facts.fields).flatMap(([name, field]) =>
    field.type === 'reference' && field.filter === 'within' ? [{ name, column: name, table: toTable(field.to) }] : [],
  ),
  ...(facts.parent === undefined ? [] : [{ name: 'within', column: 'id', table: toTable(facts.name) }]),
]

/** Returns the query with the filter by the parent: its direct children, or the objects without a parent for an empty text. */
const filterByParent = (query: AnyQuery, { parent }: ResourceFacts, input: ListInput): AnyQuery => {
  const value = parent === undefined ? undefined : input[parent]
  if (value === undefined) return query
  return value === '' ? query.where(parent as 'id', 'is', null) : query.where(parent as 'id', '=', String(value))
}

type KindFilter = { readonly facts: ResourceFacts; readonly input: ListInput; readonly isNarrow: boolean }

/**
 * Returns the query with the filter by the kind of the objects. A kind may have most of the objects: where another condition finds fewer, the
 * index of the kind is left out.
 */
const filterByKind = (ctx: Ctx, query: AnyQuery, { facts, input, isNarrow }: KindFilter): AnyQuery => {
  const { name, customBy = '', parent = '' } = facts
  const value = input[customBy]
  if (value === undefined || value === '') return query
  // Values of the fields of a kind are of its objects alone.
  if (!ctx.isPast && Object.values(input.custom ?? {}).some((text) => text !== '')) return query
  const column = `${toTable(name)}.${customBy}`
  const isFound =
    isNarrow || input.custom !== undefined || input.sort?.includes('custom.') || input[parent] !== undefined
  const compared = isFound ? sql.raw(ctx.store.sql.past.unindexed(column)) : sql.ref(column)
  return query.where(sql<SqlBool>`${compared} = ${String(value)}`)
}

/** The fields of an input that do not choose the objects of a list. */
const UNFILTERING: ReadonlySet<string> = new Set(['sort', 'limit', 'offset'])

/** True for a list of all objects of one kind. */
const isOfWholeKind = ({ customBy }: ResourceFacts, input: ListInput): boolean =>
  Object.entries(input).every(
    ([name, value]) => (value !== undefined && value !== '') === (name === customBy) || UNFILTERING.has(name),
  )

/** Returns the columns of the orders of the list that other lists do not have. */
const buildOrders = (facts: ResourceFacts): Orders => {
  const { sorts = [] } = facts
  const order = getOrderColumn(facts)
  const ties = [...(order === undefined ? [] : [order]), 'id']
  return Object.fromEntries(sorts.map((field) => [field, [...new Set([toSortColumn(facts, field), ...ties])]]))
}

/** Returns the resource of the definitions of custom fields. @throws AppError VALIDATION_ERROR if only the kind of the objects tells it */
const getDefinitions = ({ name, customBy }: ResourceFacts, input: ListInput): CustomResource => {
  const of = customBy === undefined ? name : input[customBy]
  if (typeof of === 'string' && of !== '') return of
  if (input.custom !== undefined || input.sort?.includes('custom.'))
    throw invalidField(customBy ?? '', 'is required for a filter or an order by custom fields')
  return name
}

/** @param selectOrdered returns the rows of the resource in the order of the list */
export const createList = <A, I extends ListInput = ListInput>(
  facts: ResourceFacts,
  selectOrdered: (ctx: Ctx) => object,
  { tables, createRow, filter, orders = buildOrders(facts), revision }: ListRules<A, I>,
) => {
  const { name, custom: hasCustom, customBy } = facts
  const table = toTable(name)
  const trees = listTreeFilters(facts)
  const inTrees = new Set(trees.map((tree) => tree.name))
  const filtered = Object.entries(facts.fields).filter(
    ([field, { filter }]) => filter && !inTrees.has(field) && field !== customBy,
  )
  return async (ctx: Ctx, input: I): Promise<JsonList<A>> => {
    const { managed_by, custom, sort, limit, offset } = input
    let query = filtered.reduce(
      (found, field) => filterBy(found, field, input[field[0]]),
      selectOrdered(ctx) as AnyQuery,
    )
    const given = trees.filter((tree) => input[tree.name] !== undefined && input[tree.name] !== '')
    for (const one of given) {
      const ids = await findBelow(ctx, { table: one.table, id: String(input[one.name]) })
      query = query.where(isOneOf(`${table}.${one.column}`, ids))
    }
    query = filterByParent(query, facts, input)
    if (customBy !== undefined) query = filterByKind(ctx, query, { facts, input, isNarrow: given.length > 0 })
    if (filter) query = filter(ctx, query, input)
    if (managed_by) query = query.where(isManagedBy(managed_by))
    const page = { limit, offset }
    const all = [...new Set([table, ...tables(input), ...given.map((one) => one.table)])]
    // Other filters and orders have other pages than the query.
    const isPlain = custom === undefined && sort === undefined
    const makeRow = () => createRow(ctx, input, { query, page: isPlain ? page : {} })
    if (hasCustom === undefined) {
      const current = await (revision?.(ctx, input, all) ?? ctx.store.revision(all))
      return listRows(ctx, { revision: current, query, page, row: await makeRow() })
    }
    // A resource with custom fields is one of these.
    const resource = name as Exclude<ListedResource, 'devices'>
    return listWithCustom<'datacenters', object, A>(ctx, {
      resource,
      definitions: getDefinitions(facts, input),
      ...(customBy !== undefined &&
        !ctx.isPast &&
        isOfWholeKind(facts, input) && {
          total: () => getCachedCount(ctx, table, `${customBy} ${input[customBy]}`, () => countRows(query)),
        }),
      query,
      tables: all,
      revision: revision && ((tables) => revision(ctx, input, tables)),
      wanted: { custom, sort },
      page,
      createRow: makeRow,
      orders,
    })
  }
}
