/** What is asked about discovered devices: by scans, by searches, and for lists. Writes nothing. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { batches } from '../../platform/db/batches.ts'
import { escapeLike } from '../../platform/db/database.ts'
import { preparedKeys } from '../../platform/db/prepared-lists.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { docOf, placeOf } from './found-store.ts'
import type { DiscoveredRow } from './table.ts'

const identitiesByKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db
    .selectFrom('discovered_identities')
    .select(['key', 'device_id'])
    .where('key', 'in', keys)
    .where('device_id', 'is not', null),
)

/** The discovered devices, of whatever network, that are recognised by these keys: `[key, id]`. */
export const ownersOf = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> =>
  new Map((await identitiesByKeys(ctx, keys)).flatMap(({ key, device_id }) => (device_id ? [[key, device_id]] : [])))

/** The holders of addresses of a network, by the key of the address. */
export const holdersOf = async (
  ctx: Ctx,
  networkId: string,
  ipKeys: readonly string[],
): Promise<Map<string, string>> => {
  const holders = new Map<string, string>()
  for (const batch of batches(ipKeys)) {
    const places = batch.map((key) => placeOf(networkId, key))
    const rows = await ctx.db
      .selectFrom('discovered_addresses')
      .select(['ip_key', 'device_id'])
      .where('place', 'in', places)
      .execute()
    for (const { ip_key, device_id } of rows) holders.set(ip_key, device_id)
  }
  return holders
}

export const statusesOf = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, DiscoveredRow['status']>> =>
  new Map((await statusByIds(ctx, ids)).map(({ id, status }) => [id, status]))

const statusByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select(['id', 'status']).where('id', 'in', ids),
)

/** A row comparison, which both engines find in the index. */
const behind = ([key, id]: readonly [string, string]) => sql<SqlBool>`(ip_key, id) > (${key}, ${id})`

/** Those of a network that a scan has looked for in vain, as far as that is news. */
export const unseenIn = (ctx: Ctx, { networkId, scanId, after, limit }: Chunk) =>
  ctx.db
    .selectFrom('discovered_devices')
    .select(['id', 'ip_key'])
    .where('network_id', '=', networkId)
    .where(behind(after))
    .where('last_scan_id', '<>', scanId)
    .where('unseen_scan_id', '<>', scanId)
    .where(({ eb, or }) => or([eb('status', '=', 'up'), eb('confidence', '>', 0)]))
    .orderBy('ip_key')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Those of a network that were found first in one of these scans, by address. */
export const firstSeenIn = async (ctx: Ctx, networkId: string, scanIds: readonly string[], limit: number) => {
  const all = ctx.db
    .selectFrom('discovered_devices')
    .where('network_id', '=', networkId)
    .where('first_scan_id', 'in', scanIds)
  const { n } = await all.select(({ fn }) => fn.countAll<number | string>().as('n')).executeTakeFirstOrThrow()
  const rows = await all.select('doc').orderBy('ip_key').orderBy('id').limit(limit).execute()
  return { count: Number(n), docs: rows.map(docOf) }
}

type Chunk = {
  readonly networkId: string
  readonly scanId: string
  /** Key of the address and id of the last one of the chunk before. */
  readonly after: readonly [string, string]
  readonly limit: number
}

/** Those of a network that a scan has seen, in the order of their addresses, from behind one on. */
export const seenIn = (ctx: Ctx, { networkId, scanId, after, limit }: Chunk) =>
  ctx.db
    .selectFrom('discovered_devices')
    .select(['id', 'ip_key', 'is_changed', 'returned_scan_id'])
    .where('network_id', '=', networkId)
    .where(behind(after))
    .where('last_scan_id', '=', scanId)
    .orderBy('ip_key')
    .orderBy('id')
    .limit(limit)
    .execute()

/** By address, those of a network together. */
export const query = (ctx: Ctx) =>
  ctx.db.selectFrom('discovered_devices').select('doc').orderBy('network_id').orderBy('ip_key').orderBy('id')

/** The ids of some that nobody has documented, and that were last seen before a moment. */
export const forgettable = async (ctx: Ctx, before: string, limit: number): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom('discovered_devices')
    .select('id')
    .where('last_seen', '<', before)
    .where('promoted_to_device_id', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** True of a device that has the word somewhere, in any case. */
export const holdsWord = (word: string) =>
  sql<SqlBool>`id IN (SELECT device_id FROM discovered_texts WHERE search_text LIKE ${`%${escapeLike(word.toLowerCase())}%`} ESCAPE '\\')`
