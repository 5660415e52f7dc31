/** The queries of the inbox. It has no table of its own: each item is a mark on a discovered device, which is written with it. */
import type { Ctx } from '../ctx.ts'
import type { Finding } from './findings.ts'
import { docOf } from './found-store.ts'
import type { Bucket, InboxItem } from './schema.ts'
import type { DiscoveredRow } from './table.ts'

/** Bucket by bucket, newest first. */
export const query = (ctx: Ctx, isIgnored: boolean) =>
  ctx.db
    .selectFrom('discovered_devices')
    .leftJoin('devices', 'devices.id', 'discovered_devices.matched_device_id')
    .select([
      'discovered_devices.id',
      'discovered_devices.bucket',
      'discovered_devices.network_id',
      'discovered_devices.matched_device_id',
      'discovered_devices.is_ignored',
      'discovered_devices.bucket_since',
      'discovered_devices.findings',
      'discovered_devices.doc',
      'devices.name as device_name',
    ])
    .where('discovered_devices.is_ignored', '=', isIgnored ? 1 : 0)
    .where('discovered_devices.bucket', '<>', '')
    .orderBy('discovered_devices.bucket')
    .orderBy('discovered_devices.bucket_since', 'desc')
    .orderBy('discovered_devices.id', 'desc')

type Row = Pick<
  DiscoveredRow,
  'id' | 'network_id' | 'matched_device_id' | 'is_ignored' | 'bucket_since' | 'findings' | 'doc'
> & { readonly bucket: Bucket | ''; readonly device_name: string | null }

export const itemOf = (row: Row): InboxItem => {
  const discovered = docOf(row)
  return {
    id: row.id,
    // Those without one are not asked for.
    bucket: row.bucket as Bucket,
    network_id: row.network_id,
    ip: discovered.ip,
    hostname: discovered.hostname,
    device_id: row.matched_device_id,
    device_name: row.device_name ?? '',
    ignored: row.is_ignored === 1,
    since: row.bucket_since,
    // What is stored was written with it.
    fields: JSON.parse(row.findings) as Finding[],
    discovered,
  }
}

/** How many there are, by bucket and by whether they are ignored. */
export const counts = (ctx: Ctx, networkId: string | undefined) => {
  let all = ctx.db
    .selectFrom('discovered_devices')
    .select(({ fn }) => ['is_ignored', 'bucket', fn.countAll<number | string>().as('n')])
    .where('bucket', '<>', '')
    .groupBy(['is_ignored', 'bucket'])
  if (networkId) all = all.where('network_id', '=', networkId)
  return all.execute()
}
