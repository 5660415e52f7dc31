/** The queries of the inbox. It has no table of its own: each item is a mark on a discovered device, which is written with it. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Page } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { inbox } from '../api.ts'
import { parseDoc } from '../devices/discovered-store.ts'
import type { Bucket, InboxItem } from '../schema.ts'
import type { DiscoveredRow } from '../table.ts'
import type { Finding } from './findings.ts'

type InboxFilter = Omit<ParsedInputOf<typeof inbox.list>, keyof Page>

/** Bucket by bucket, newest first. */
const selectInOrder = (ctx: Ctx) =>
  ctx.db
    .selectFrom('discovered_devices')
    .select('discovered_devices.id')
    .orderBy('discovered_devices.bucket')
    .orderBy('discovered_devices.bucket_since', 'desc')
    .orderBy('discovered_devices.id', 'desc')

/** Items by their ids only, answered by an index. */
export const selectIds = (ctx: Ctx, { bucket, network_id, ignored }: InboxFilter) => {
  let all = selectInOrder(ctx)
    .where('discovered_devices.is_ignored', '=', ignored ? 1 : 0)
    .where('discovered_devices.bucket', '<>', '')
  if (bucket) all = all.where('discovered_devices.bucket', '=', bucket)
  if (network_id) all = all.where('discovered_devices.network_id', '=', network_id)
  return all
}

/** Up to so many items are put in order once they are fetched; more come in the order of the index. */
const SHORT = 1000

/** Items with all fields. A page is found by ids, so that rows before it are not read. */
export const query = (ctx: Ctx, filter: InboxFilter, { limit, offset = 0 }: Page) => {
  const all = selectIds(ctx, filter)
  const some = limit === undefined && offset === 0 ? all : all.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset)
  const isShort = limit !== undefined && limit <= SHORT
  return (isShort ? selectInOrder(ctx).where('discovered_devices.id', 'in', some) : some)
    .leftJoin('devices', 'devices.id', 'discovered_devices.matched_device_id')
    .select([
      'discovered_devices.bucket',
      'discovered_devices.network_id',
      'discovered_devices.matched_device_id',
      'discovered_devices.is_ignored',
      'discovered_devices.bucket_since',
      'discovered_devices.findings',
      'discovered_devices.doc',
      'devices.name as device_name',
    ])
}

type Row = Pick<
  DiscoveredRow,
  'id' | 'network_id' | 'matched_device_id' | 'is_ignored' | 'bucket_since' | 'findings' | 'doc'
> & { readonly bucket: Bucket | ''; readonly device_name: string | null }

// The stored JSON was written by this feature.
const parseFindings = ({ findings }: Row): Finding[] => JSON.parse(findings) as Finding[]

const devicesAmong = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select('id').where('id', 'in', ids),
)

/** Like `toItem`, without the values and names of documented devices that the context does not show. */
export const toVisibleItem = async (ctx: Ctx, row: Row): Promise<InboxItem> => {
  const item = toItem(row)
  const targets = item.fields.flatMap(({ field, target_id }) => (field === 'connected_to' && target_id) || [])
  const shown = new Set((await devicesAmong(ctx, targets)).map(({ id }) => id))
  const isHidden = row.matched_device_id !== null && row.device_name === null
  const fields = item.fields.map((one) => ({
    ...one,
    documented: isHidden ? '' : one.documented,
    observed: one.field === 'connected_to' && !shown.has(one.target_id ?? '') ? '' : one.observed,
  }))
  return { ...item, fields }
}

export const toItem = (row: Row): InboxItem => {
  const discovered = parseDoc(row)
  return {
    id: row.id,
    // Items without a documented device need no lookup.
    bucket: row.bucket as Bucket,
    network_id: row.network_id,
    ip: discovered.ip,
    hostname: discovered.hostname,
    device_id: row.matched_device_id,
    device_name: row.device_name ?? '',
    ignored: row.is_ignored === 1,
    since: row.bucket_since,
    fields: parseFindings(row),
    discovered,
  }
}

/** Counts by bucket and by `is_ignored`. */
export const countByBucket = (ctx: Ctx, networkId: string | undefined) => {
  let all = ctx.db
    .selectFrom('discovered_devices')
    .select(({ fn }) => ['is_ignored', 'bucket', fn.countAll<number | string>().as('n')])
    .where('bucket', '<>', '')
    .groupBy(['is_ignored', 'bucket'])
  if (networkId) all = all.where('network_id', '=', networkId)
  return all.execute()
}
