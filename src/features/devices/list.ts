/** The list of devices with its filters. */

import { countRows, listRows, type Page } from '../../platform/contract/list.ts'
import { cachedCount } from '../../platform/db/cache/query-cache.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { countMembers, type Membership, membership } from '../../platform/db/subset.ts'
import type { JsonList } from '../../platform/operation/handler-result.ts'
import type { ParsedInputOf } from '../../platform/operation/operation.ts'
import type { Ctx } from '../ctx.ts'
import { CUSTOM_TABLES, customFilters } from '../custom-fields/lists.ts'
import { devicesIn } from '../networks/membership.ts'
import { hasAddressIn } from '../spaces/keys.ts'
import type { devices } from './api.ts'
import type { Device } from './schema.ts'
import { pastDevices, sortedDevices } from './sorted.ts'

type Filter = Omit<ParsedInputOf<typeof devices.list>, keyof Page>

const ofTag = (value: string) => ({ id: 'devices.id', table: 'device_tags', member: 'device_id', column: 'tag', value })

/** Returns the query of the filters that are columns of a device or its addresses. */
const plainQuery = async (
  ctx: Ctx,
  { datacenter_id, space_id, status, managed_by, rack_id, device_type_id }: Filter,
) => {
  let all = ctx.db.selectFrom('devices').select('devices.doc').orderBy('devices.name_key').orderBy('devices.id')
  if (datacenter_id) all = all.where('devices.datacenter_id', '=', datacenter_id)
  if (status) all = all.where('devices.status', '=', status)
  if (managed_by) all = all.where(isManagedBy(managed_by))
  if (rack_id) all = all.where('devices.rack_id', '=', rack_id)
  if (device_type_id) all = all.where('devices.device_type_id', '=', device_type_id)
  if (space_id !== undefined) all = all.where(await hasAddressIn(ctx, space_id))
  return all
}

/** A condition, and a fast count of the devices that meet it. */
type Condition = Membership & { readonly count?: () => Promise<number> }

const conditionsOf = async (ctx: Ctx, { tags = [], network_id, custom }: Filter): Promise<Condition[]> => {
  const subsets = [...[...new Set(tags)].map(ofTag), ...(network_id ? [devicesIn(network_id)] : [])]
  const conditions: Condition[] = []
  for (const subset of subsets)
    conditions.push({ ...(await membership(ctx, subset)), count: () => countMembers(ctx, subset) })
  // Those of the past are read from documents.
  return ctx.isPast ? conditions : [...conditions, ...(await customFilters(ctx, 'devices', custom, 'devices.id'))]
}

/** Returns the devices that match all given filters: tags, datacenter, network, space, status, owner and custom fields. */
export const listDevices = async (ctx: Ctx, filter: Filter, page: Page): Promise<JsonList<Device>> => {
  const { datacenter_id, network_id, space_id, status, managed_by, rack_id, device_type_id, custom, sort } = filter
  const isCustom = custom !== undefined || sort?.includes('custom.') === true
  const revision = await ctx.store.revision([
    'devices',
    ...(network_id ? (['network_addresses'] as const) : []),
    ...(isCustom ? CUSTOM_TABLES : []),
  ])
  let query = await plainQuery(ctx, filter)
  let counted = query
  const conditions = await conditionsOf(ctx, filter)
  for (const { ordered, counted: fast } of conditions) {
    query = query.where(ordered)
    counted = counted.where(fast)
  }
  if (isCustom && ctx.isPast) return pastDevices(ctx, { query, page, filter, revision })
  const [only, second] = conditions
  const isFiltered =
    [datacenter_id, status, managed_by, rack_id, device_type_id].some(Boolean) || space_id !== undefined
  const isAlone = !second && !isFiltered
  const total = () =>
    only?.count && isAlone
      ? only.count()
      : cachedCount(ctx, 'devices', `list ${JSON.stringify([revision, filter])}`, () => countRows(counted))
  if (sort !== undefined && sort !== 'name') return sortedDevices(ctx, { query: counted, total, page, sort, revision })
  /** Finds the page in index order, and fetches the documents of that page only. */
  const pageOf = (limit: number, offset: number) =>
    ctx.db
      .selectFrom('devices')
      .innerJoin(
        query.clearSelect().select('devices.id').limit(limit).offset(offset).as('page'),
        'page.id',
        'devices.id',
      )
      .select('devices.doc')
      .orderBy('devices.name_key')
      .orderBy('devices.id')
  return listRows(ctx, { revision, query, page, total, pageOf, row: ({ doc }): string => doc })
}
