/** The queries of feeds; the only writer of their table. */

import { withSpace } from '../../inventory/spaces/fields.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore } from '../../resource/recorder.ts'
import type { Feed } from './schema.ts'
import type { FeedRow } from './table.ts'

const columns = [
  ...(['id', 'name', 'description', 'format', 'tags', 'datacenter_id', 'network_id', 'statuses'] as const),
  ...([
    'address_label',
    'family',
    'port',
    'zone_id',
    'template',
    'media_type',
    'created_at',
    'updated_at',
    'space_id',
  ] as const),
] as const

type Row = Omit<FeedRow, 'name_key' | 'name_order'>

export const buildUrl = (id: string): string => `/api/feeds/${id}/content`

export const toFeed = ({ tags, statuses, created_at, updated_at, space_id, ...row }: Row): Feed => {
  const { id, name, description, format, datacenter_id, network_id, ...rest } = row
  // Validated before they were stored.
  const fields = rest as Pick<Feed, 'address_label' | 'family' | 'port' | 'zone_id' | 'template' | 'media_type'>
  const feed = {
    ...{ id, name, description, format: format as Feed['format'], tags: JSON.parse(tags) as string[] },
    ...{ datacenter_id, network_id, statuses: JSON.parse(statuses) as Feed['statuses'], ...fields },
    ...{ url: buildUrl(id), created_at, updated_at },
  }
  return withSpace(feed, space_id)
}

const toRow = ({ url: _, ...feed }: Feed): FeedRow => ({
  ...feed,
  ...buildNameKeys(feed.name),
  tags: JSON.stringify(feed.tags),
  statuses: JSON.stringify(feed.statuses),
  space_id: feed.space_id ?? null,
})

export const query = ({ db }: DbScope) => db.selectFrom('feeds').select(columns).orderBy('name_order').orderBy('id')

/** Locks the feeds of a DNS zone until commit. */
export const lockFeedsOfZone = async (ctx: Ctx, zoneId: string): Promise<Feed[]> =>
  (await ctx.store.sql.lockRows(query(ctx).where('zone_id', '=', zoneId)).execute()).map(toFeed)

export const { find, lock, insert, update, remove } = createPlainStore({
  ...{ kind: 'feed', table: 'feeds' },
  ...{ query, fromRow: toFeed, toRow },
})
