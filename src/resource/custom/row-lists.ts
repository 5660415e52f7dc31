/** Lists of resources with objects as rows: filtered by custom fields, and in the order of `sort`. */
import type { SelectQueryBuilder } from 'kysely'
import { parseSort } from '../../contract/fields/sort.ts'
import { orderQuery } from '../../database/query/order.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import { countRows, listChain, listRows, type Page } from '../../kernel/list.ts'
import type { Custom, CustomResource } from './fields.ts'
import { buildCustomCheck, buildCustomFilters, buildCustomOrder, type CustomFilter, findCustomTables } from './lists.ts'
import { compareByKey, type ListedResource, type Orders, orderByCustom, orderByName } from './sorted.ts'

/** The resources with objects as rows. */
type RowResource = Exclude<ListedResource, 'devices'>

/** The inputs of a list beside its own filters. */
type Wanted = { readonly custom?: CustomFilter | undefined; readonly sort?: string | undefined }

type MakeRow<Row, T> = (row: Row) => T | string | Promise<T>

type RowList<TB extends keyof Tables, Row, T> = {
  readonly resource: RowResource
  /** The resource of the definitions of custom fields, if it is another one. */
  readonly definitions?: CustomResource
  /** Counts the rows of the list without filters by custom fields, if there is a faster way than to count the query. */
  readonly total?: () => Promise<number>
  /** The query with the other filters, in the order of the list without `sort`. */
  readonly query: SelectQueryBuilder<Tables, TB, Row>
  /** The tables of the rows. */
  readonly tables: readonly (keyof Tables & string)[]
  readonly wanted: Wanted
  readonly page: Page
  /** The columns of the fields by which this list is sorted in another way than others. */
  readonly orders?: Orders
  /** The revision of the tables, if it is more than that. */
  readonly revision?: ((tables: readonly (keyof Tables & string)[]) => Promise<string>) | undefined
} & (
  | { readonly row: MakeRow<Row, T> }
  /** Called after the revision: it may read other data that rows need. */
  | { readonly createRow: () => MakeRow<Row, T> | Promise<MakeRow<Row, T>> }
)

const isCustom = ({ custom, sort }: Wanted): boolean => custom !== undefined || (sort?.includes('custom.') ?? false)

/** A row of any of the resources. */
type AnyRow = { readonly custom: string | null }

/** Every row that is read here has the column. */
const getCustom = (row: unknown): Custom => {
  const { custom } = row as AnyRow
  // Written by `formatCustom`.
  return custom === null ? {} : (JSON.parse(custom) as Custom)
}

/** Filters and sorts rows of the past by their own values: other tables have the values of the present. */
const listPast = async <TB extends keyof Tables, Row, T>(
  ctx: Ctx,
  { resource, definitions = resource, query, wanted, page, orders }: RowList<TB, Row, T>,
  { revision, row }: { readonly revision: string; readonly row: MakeRow<Row, T> },
): Promise<JsonList<T>> => {
  const sort = wanted.sort === undefined ? undefined : parseSort(wanted.sort)
  const meets = await buildCustomCheck(ctx, definitions, wanted.custom ?? {})
  const order = sort?.isCustom ? await buildCustomOrder(ctx, definitions, sort.by) : undefined
  const find = async (): Promise<Row[]> => {
    const inOrder = order ? orderByName(query, orders) : sort ? orderQuery(query, sort, orders) : query
    const rows = (await inOrder.execute()).filter((one) => meets(getCustom(one)))
    if (!order) return rows
    const keyed = rows.map((one) => ({ row: one, key: order.keyOf(getCustom(one)) }))
    return keyed.sort(compareByKey(sort?.isReverse === true)).map((one) => one.row)
  }
  let found: Promise<Row[]> | undefined
  const all = (): Promise<Row[]> => {
    found ??= find()
    return found
  }
  async function* rows(): AsyncGenerator<string[]> {
    const { offset = 0, limit = Number.POSITIVE_INFINITY } = page
    const made = await Promise.all((await all()).slice(offset, offset + limit).map(row))
    yield made.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  }
  return new JsonList<T>({ revision, total: async () => (await all()).length, rows })
}

/** Returns the list, or throws VALIDATION_ERROR on `custom.<name>` or `sort`. Without both it is that of `listRows`. */
export const listWithCustom = async <TB extends keyof Tables, Row, T>(
  ctx: Ctx,
  list: RowList<TB, Row, T>,
): Promise<JsonList<T>> => {
  const { resource, definitions = resource, tables, wanted, page, orders } = list
  const revisionOf =
    list.revision ?? ((all: readonly (keyof Tables & string)[]) => Promise.resolve(ctx.store.revision(all)))
  const others = isCustom(wanted) ? await findCustomTables(ctx, definitions, wanted.custom) : []
  const revision = await revisionOf([...new Set([...tables, ...others])])
  const row = 'row' in list ? list.row : await list.createRow()
  if (isCustom(wanted) && ctx.isPast) return listPast(ctx, list, { revision, row })
  let { query } = list
  let counted = query
  for (const inside of await buildCustomFilters(ctx, definitions, wanted.custom, `${resource}.id`)) {
    query = query.where(inside.ordered)
    counted = counted.where(inside.counted)
  }
  const total = (wanted.custom === undefined ? list.total : undefined) ?? (() => countRows(counted))
  if (wanted.sort === undefined) return listRows<Tables, TB, Row, T>(ctx, { revision, query, page, total, row })
  const sort = parseSort(wanted.sort)
  if (!sort.isCustom)
    return listRows<Tables, TB, Row, T>(ctx, { revision, query: orderQuery(query, sort, orders), page, total, row })
  const queries = await orderByCustom(ctx, { resource, definitions, base: list.query, query: counted, orders }, sort)
  return listChain<Tables, Row, T>(ctx, { revision, queries, total, page, row })
}
