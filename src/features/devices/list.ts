/** The list of devices with its filters. */

import { countRows, listRows, type Page } from '../../platform/contract/list.ts'
import { cachedCount } from '../../platform/db/cache/query-cache.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { countMembers, membership } from '../../platform/db/subset.ts'
import type { JsonList } from '../../platform/operation/handler-result.ts'
import type { ParsedInputOf } from '../../platform/operation/operation.ts'
import type { Ctx } from '../ctx.ts'
import { devicesIn } from '../networks/membership.ts'
import { hasAddressIn } from '../spaces/keys.ts'
import type { devices } from './api.ts'
import type { Device } from './schema.ts'

type Filter = Omit<ParsedInputOf<typeof devices.list>, keyof Page>

const ofTag = (value: string) => ({ id: 'devices.id', table: 'device_tags', member: 'device_id', column: 'tag', value })

/** Returns the devices that match all given filters: tags, datacenter, network, space, status and owner. */
export const listDevices = async (ctx: Ctx, filter: Filter, page: Page): Promise<JsonList<Device>> => {
  const { tags = [], datacenter_id, network_id, space_id, status, managed_by } = filter
  const revision = await ctx.store.revision(network_id ? ['devices', 'network_addresses'] : ['devices'])
  let all = ctx.db.selectFrom('devices').select('devices.doc').orderBy('devices.name_key').orderBy('devices.id')
  if (datacenter_id) all = all.where('devices.datacenter_id', '=', datacenter_id)
  if (status) all = all.where('devices.status', '=', status)
  if (managed_by) all = all.where(isManagedBy(managed_by))
  if (space_id !== undefined) all = all.where(await hasAddressIn(ctx, space_id))
  let query = all
  let counted = all
  const subsets = [...[...new Set(tags)].map(ofTag), ...(network_id ? [devicesIn(network_id)] : [])]
  for (const subset of subsets) {
    const inside = await membership(ctx, subset)
    query = query.where(inside.ordered)
    counted = counted.where(inside.counted)
  }
  const [only, second] = subsets
  const total = () =>
    only && !second && !datacenter_id && !status && !managed_by && space_id === undefined
      ? countMembers(ctx, only)
      : cachedCount(ctx, 'devices', `list ${JSON.stringify([revision, filter])}`, () => countRows(counted))
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
