/** The list of devices, narrowed by its filters. */
import type { JsonList } from '../../platform/answer.ts'
import { membership } from '../../platform/db/subset.ts'
import { countRows, listRows } from '../../platform/list.ts'
import type { Ctx } from '../ctx.ts'
import type { Device } from './schema.ts'

type Filter = {
  readonly tags?: readonly string[] | undefined
  readonly datacenter_id?: string | undefined
  readonly network_id?: string | undefined
  readonly status?: Device['status'] | undefined
}
type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

const id = 'devices.id'
const member = 'device_id'
const ofTag = (value: string) => ({ id, table: 'device_tags', member, column: 'tag', value })
const ofNetwork = (value: string) => ({ id, table: 'network_addresses', member, column: 'network_id', value })

/** Those that have every tag, and are in the datacenter, in the network, and of the status, each as far as it is given. */
export const listDevices = async (ctx: Ctx, filter: Filter, page: Page): Promise<JsonList<Device>> => {
  const { tags = [], datacenter_id, network_id, status } = filter
  const revision = await ctx.store.revision(network_id ? ['devices', 'network_addresses'] : ['devices'])
  let all = ctx.db.selectFrom('devices').select('doc').orderBy('name_key').orderBy('id')
  if (datacenter_id) all = all.where('datacenter_id', '=', datacenter_id)
  if (status) all = all.where('status', '=', status)
  let query = all
  let counted = all
  for (const subset of [...[...new Set(tags)].map(ofTag), ...(network_id ? [ofNetwork(network_id)] : [])]) {
    const inside = await membership(ctx.db, subset)
    query = query.where(inside.ordered)
    counted = counted.where(inside.counted)
  }
  // No id of a device holds the character in front.
  const key = `\u0000counted ${JSON.stringify([revision, filter])}`
  const total = async () =>
    Number(await ctx.store.remember('devices', key, async () => String(await countRows(counted))))
  return listRows(ctx, { revision, query, page, total, row: ({ doc }): string => doc })
}
