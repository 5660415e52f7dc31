/** The list of devices with its filters. */
import { type AliasedExpression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { parseSort } from '../../../contract/fields/sort.ts'
import { getCachedCount, getCachedText } from '../../../database/cache/query-cache.ts'
import type { Part } from '../../../database/database.ts'
import { isManagedBy } from '../../../database/managed-by.ts'
import { isOneOf, listIds } from '../../../database/query/below.ts'
import { orderQuery } from '../../../database/query/order.ts'
import { buildMembership, countMembers, type Membership } from '../../../database/query/ordered-filter.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { JsonList } from '../../../kernel/handler-result.ts'
import { countRows, listRows, type Page } from '../../../kernel/list.ts'
import type { ParsedInputOf } from '../../../kernel/operation.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { buildCustomFilters, findCustomTables } from '../../../resource/custom/lists.ts'
import { findDatacentersBelow } from '../../datacenters/datacenters.ts'
import { buildDeviceSubset } from '../../networks/membership.ts'
import { hasAddressIn } from '../../spaces/keys.ts'
import type { devices } from '../api.ts'
import type { Device } from '../schema.ts'
import { selectPageIds, sortByName } from './scoped-page-postgres.ts'
import { buildTextFilter, searchTables } from './search.ts'
import { listPastDevices, listSortedDevices } from './sorted.ts'

type Filter = Omit<ParsedInputOf<typeof devices.list>, keyof Page>

/** The index of names serves both directions. */
const NAMES = { name: ['devices.name_order', 'devices.id'] }

const orderByName = <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>, sort = 'name') =>
  orderQuery(query, parseSort(sort), NAMES)

const toTagSubset = (value: string) => ({
  id: 'devices.id',
  table: 'device_tags',
  member: 'device_id',
  column: 'tag',
  value,
})

type Ids = readonly string[]

/** The filters by a whole text in any case, with their columns. */
const KEYS = [
  ['serial', 'serial_key'],
  ['asset_tag', 'asset_key'],
  ['role', 'role_key'],
] as const

/** Returns the given filters by a whole text. An empty text filters nothing. */
const listKeys = (filter: Pick<Filter, 'serial' | 'asset_tag' | 'role'>) =>
  KEYS.flatMap(([field, column]) => {
    const value = toNameKey(filter[field]?.trim() ?? '')
    return value === '' ? [] : [{ column, value }]
  })

/** Returns the query of the filters that are columns of a device or its addresses. */
const buildPlainQuery = async (
  ctx: Ctx,
  { datacenters = [], space_id, ...filter }: Filter & { readonly datacenters?: Ids },
) => {
  const { status, managed_by, rack_id, device_type_id } = filter
  let all = ctx.db.selectFrom('devices').select('devices.doc')
  const [datacenter] = datacenters
  // Several are a condition of their own.
  if (datacenter !== undefined && datacenters.length === 1) all = all.where('devices.datacenter_id', '=', datacenter)
  if (status) all = all.where('devices.status', '=', status)
  if (managed_by) all = all.where(isManagedBy(managed_by))
  if (rack_id) all = all.where('devices.rack_id', '=', rack_id)
  if (device_type_id) all = all.where('devices.device_type_id', '=', device_type_id)
  for (const { column, value } of listKeys(filter)) all = all.where(`devices.${column}`, '=', value)
  if (space_id !== undefined) all = all.where(await hasAddressIn(ctx, space_id))
  return all
}

/** A condition, and a fast count of the devices that meet it. */
type Condition = Membership & { readonly count?: () => Promise<number> }

/** Returns the condition that a device is in one of several datacenters. */
const buildPlaceCondition = async (ctx: Ctx, datacenters: Ids): Promise<Condition> => {
  const counted = isOneOf('devices.datacenter_id', datacenters)
  const areFew = await getCachedText(ctx, 'devices', `few in ${datacenters.join()}`, async () =>
    String(await ctx.store.sql.areFew(ctx.db, 'devices', sql`SELECT 1 AS one FROM devices WHERE ${counted}`)),
  )
  if (areFew === 'true') return { ordered: counted, counted }
  // An expression does not use the index of datacenters: many devices are read in their order.
  return { ordered: sql<SqlBool>`devices.datacenter_id || '' IN (${listIds(datacenters)})`, counted }
}

const buildConditions = async (
  ctx: Ctx,
  { tags = [], network_id, custom, datacenters }: Filter & { readonly datacenters: Ids },
): Promise<Condition[]> => {
  const subsets = [...[...new Set(tags)].map(toTagSubset), ...(network_id ? [buildDeviceSubset(network_id)] : [])]
  const conditions: Condition[] = datacenters.length > 1 ? [await buildPlaceCondition(ctx, datacenters)] : []
  for (const subset of subsets)
    conditions.push({ ...(await buildMembership(ctx, subset)), count: () => countMembers(ctx, subset) })
  // The past is filtered by documents.
  return ctx.isPast ? conditions : [...conditions, ...(await buildCustomFilters(ctx, 'devices', custom, 'devices.id'))]
}

/** The number of devices of a part up to which they are sorted before the first is sent. */
const SORTED = 50_000

/** Returns the devices that match all given filters: tags, datacenter, network, space, status, owner, custom fields and text. */
export const listDevices = async (ctx: Ctx, filter: Filter, page: Page): Promise<JsonList<Device>> => {
  const {
    datacenter_id,
    network_id,
    space_id,
    status,
    managed_by,
    rack_id,
    device_type_id,
    custom,
    sort = 'name',
    q,
  } = filter
  const isCustom = custom !== undefined || sort.includes('custom.')
  const revision = await ctx.store.revision([
    'devices',
    ...(datacenter_id ? (['datacenters'] as const) : []),
    ...(network_id ? (['network_addresses'] as const) : []),
    ...(isCustom ? await findCustomTables(ctx, 'devices', custom) : []),
    ...(q === undefined ? [] : searchTables(ctx)),
  ])
  const datacenters = datacenter_id ? await findDatacentersBelow(ctx, datacenter_id) : []
  let query = await buildPlainQuery(ctx, { ...filter, datacenters })
  let counted = query
  const conditions = await buildConditions(ctx, { ...filter, datacenters })
  for (const { ordered, counted: fast } of conditions) {
    query = query.where(ordered)
    counted = counted.where(fast)
  }
  const text = q === undefined ? undefined : await buildTextFilter(ctx, q)
  if (text) counted = counted.where(text.counted)
  if (isCustom && ctx.isPast) return listPastDevices(ctx, { query: orderByName(counted), page, filter, revision })
  const [only, second] = conditions
  const isFiltered =
    [datacenter_id, status, managed_by, rack_id, device_type_id].some(Boolean) ||
    space_id !== undefined ||
    listKeys(filter).length > 0
  const total = (): Promise<number> => {
    if (text && !only && !isFiltered) return text.total()
    if (only?.count && !second && !isFiltered && !text) return only.count()
    return getCachedCount(ctx, 'devices', `list ${JSON.stringify([revision, filter])}`, () => countRows(counted))
  }
  if (sort !== 'name' && sort !== '-name')
    return listSortedDevices(ctx, { query: counted, total, page, sort, revision })
  const holding = async (part: Part) => orderByName(text ? query.where(await text.ordered(part)) : query, sort)
  // A text has its own order of reading.
  const areas = text ? undefined : ctx.store.sql.byArea(ctx.store.areas)
  const selectIds = async (limit: number, offset: number): Promise<AliasedExpression<{ id: string }, 'page'>> => {
    if (areas) return selectPageIds(query, { areas, count: await total(), sort, limit, offset }).as(sql.ref('page'))
    const part = page.limit === undefined ? { count: await total() } : { wanted: offset + limit }
    // Not within raw SQL: SQLite reads the past in the order of an index only where the page is a query.
    return (await holding(part)).clearSelect().select('devices.id').limit(limit).offset(offset).as('page')
  }
  /** Finds the page in index order, and fetches the documents of that page only. */
  const selectPage = async (limit: number, offset: number) => {
    const ids = await selectIds(limit, offset)
    const docs = ctx.db.selectFrom('devices').innerJoin(ids, 'page.id', 'devices.id').select('devices.doc')
    return orderByName(docs, sort)
  }
  const whole = async () => {
    if (areas && (await total()) <= SORTED) return sortByName(query, sort)
    return holding({ count: text ? await total() : 0 })
  }
  return listRows(ctx, { revision, query, page, total, buildPage: selectPage, whole, row: ({ doc }): string => doc })
}
