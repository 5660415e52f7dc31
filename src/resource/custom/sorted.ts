/** Lists in the order of a custom field: first the objects with a value, then the others by name. */
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { parseSort, type Sort } from '../../contract/fields/sort.ts'
import { orderQuery } from '../../database/query/order.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ChainQuery } from '../../kernel/list.ts'
import type { CustomResource } from './fields.ts'
import { buildCustomOrder, hasNoValue } from './lists.ts'

/** The resources with objects as rows of a separate table. */
export type ListedResource = Exclude<CustomResource, 'addresses'> & keyof Tables

/** The columns of the fields by which a list is sorted. */
export type Orders = Readonly<Record<string, readonly string[]>>

/** Returns the query in the order of names, or of the field in their place. */
export const orderByName = <TB extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, TB, Row>,
  orders: Orders | undefined,
): SelectQueryBuilder<Tables, TB, Row> => orderQuery(query, parseSort('name'), orders)

/** The columns by which objects of equal values are sorted. */
const listTies = (orders: Orders = {}): readonly string[] => orders.name ?? ['name_order', 'id']

/** A list of any resource. All have an id; the type of all of them together is too wide for the builder. */
type AnyList = SelectQueryBuilder<Tables, 'networks', object>

/** The objects of a list that have a value of a field. */
type Valued = {
  readonly resource: ListedResource
  readonly base: AnyList
  readonly query: AnyList
  readonly number: number
  readonly direction: 'asc' | 'desc'
  readonly ties: readonly string[]
}

const listTieNames = ({ ties }: Valued): string[] => ties.map((_, i) => `page_tie_${i}`)

/** Replaces the columns of a query by the id and the columns of the ties, under names that no table has. */
const selectPage = (query: AnyList, { resource, ties }: Valued) =>
  query
    .clearSelect()
    .select(sql.ref<string>(`${resource}.id`).as('page_id'))
    .select(ties.map((column, i) => sql.ref<string>(`${resource}.${column}`).as(`page_tie_${i}`)))

/** Walks through the values in their order. */
const walkValues = ({ resource, query, number, direction, ties }: Valued) => {
  const byValue = query
    .clearOrderBy()
    .innerJoin('custom_values', (join) =>
      join
        .on(sql.ref('custom_values.object_id'), '=', sql.ref(`${resource}.id`))
        .on('custom_values.field', '=', number),
    )
    .orderBy('custom_values.value', direction)
  return ties.reduce((ordered, column) => ordered.orderBy(sql.ref(`${resource}.${column}`)), byValue)
}

/**
 * Reads all values of the field once. While PostgreSQL has no statistics of the values, it would read them all for each object: they
 * have no index by object. It runs a full join with a hash or a merge only, and does not see that this one is none.
 */
const joinValues = (ctx: Ctx, valued: Valued, has: SqlBool) => {
  const { query, number, direction } = valued
  const values = ctx.db.selectFrom('custom_values').select(['object_id', 'value']).where('field', '=', number)
  const isWanted = has
    ? sql<SqlBool>`coalesce(held.object_id = listed.page_id, false)`
    : sql<SqlBool>`coalesce(held.object_id IS NULL, false)`
  const both = ctx.db
    .selectFrom(selectPage(query.clearOrderBy(), valued).as('listed'))
    .fullJoin(values.as('held'), 'held.object_id', 'listed.page_id')
    .where(isWanted)
    .selectAll('listed')
    .select('held.value as page_value')
    .orderBy('held.value', direction)
  return listTieNames(valued).reduce((ordered, name) => ordered.orderBy(sql.ref(`listed.${name}`)), both)
}

type Page = ReturnType<typeof joinValues>

/** Reads the rows of a page of ids, in its order. */
const selectRows = (page: Page, valued: Valued) => {
  const { resource, base, direction } = valued
  const read = base
    .clearOrderBy()
    .innerJoin(page.as('page'), (join) => join.on(sql.ref('page.page_id'), '=', sql.ref(`${resource}.id`)))
    .orderBy(sql.ref('page.page_value'), direction)
  return listTieNames(valued).reduce((ordered, name) => ordered.orderBy(sql.ref(`page.${name}`)), read)
}

const isHashed = (ctx: Ctx, { query }: Valued, rows: number | undefined): boolean =>
  ctx.store.sql.joinsAll({ rows, isFiltered: query.toOperationNode().where !== undefined })

const limitRows = <Q extends { limit: (rows: number) => Q }>(query: Q, rows: number | undefined): Q =>
  rows === undefined ? query : query.limit(rows)

/** Sorts the ids of a page, and reads only the rows of these ids. */
const selectValuedRows = (ctx: Ctx, valued: Valued, rows: number | undefined) => {
  if (isHashed(ctx, valued, rows)) return selectRows(limitRows(joinValues(ctx, valued, true), rows), valued)
  if (rows === undefined) return walkValues(valued)
  const page = selectPage(walkValues(valued) as unknown as AnyList, valued)
    .select(sql.ref<string>('custom_values.value').as('page_value'))
    .limit(rows)
  // A walk has the columns of `joinValues`.
  return selectRows(page as unknown as Page, valued)
}

const selectOtherRows = (
  ctx: Ctx,
  valued: Valued,
  { orders, rows }: { orders: Orders | undefined; rows: number | undefined },
) => {
  if (isHashed(ctx, valued, rows)) return selectRows(limitRows(joinValues(ctx, valued, false), rows), valued)
  const { resource, query, number } = valued
  return limitRows(orderByName(query.where(hasNoValue(ctx, `${resource}.id`, number)), orders), rows)
}

export type Listed<TB extends keyof Tables, Row> = {
  readonly resource: ListedResource
  /** The resource of the definitions of custom fields, if it is another one. */
  readonly definitions?: CustomResource
  /** Reads the rows. It may have fewer filters than `query`. */
  readonly base: SelectQueryBuilder<Tables, TB, Row>
  /** Reads the rows of the list, with all filters. */
  readonly query: SelectQueryBuilder<Tables, TB, Row>
  /** The columns of the fields by which this list is sorted in another way than others. */
  readonly orders?: Orders | undefined
}

/** First the rows with a value in its order, then the others by name. @throws AppError VALIDATION_ERROR on `sort` */
export const orderByCustom = async <TB extends keyof Tables, Row>(
  ctx: Ctx,
  { resource, definitions = resource, base, query, orders }: Listed<TB, Row>,
  sort: Sort,
): Promise<ChainQuery<Row>[]> => {
  const { number } = await buildCustomOrder(ctx, definitions, sort.by)
  const valued: Valued = {
    resource,
    base: base as unknown as AnyList,
    query: query as unknown as AnyList,
    number,
    direction: sort.isReverse ? 'desc' : 'asc',
    ties: listTies(orders),
  }
  // Each selects the columns of `base` and `query`.
  const read = (all: unknown) => all as SelectQueryBuilder<Tables, TB, Row>
  return [
    (rows) => read(selectValuedRows(ctx, valued, rows)),
    (rows) => read(selectOtherRows(ctx, valued, { orders, rows })),
  ]
}

type Keyed = { readonly key: string | undefined }

/**
 * Compares by the keys of values; objects without a value come last. A sort that keeps equal elements in their order keeps the names:
 * for lists of the past, which have no table of values.
 */
export const compareByKey =
  (isReverse: boolean) =>
  (a: Keyed, b: Keyed): number => {
    if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
    if (a.key === b.key) return 0
    return a.key < b.key === isReverse ? 1 : -1
  }
