/** Read queries of discovered devices, for scans, searches and lists. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getSpaceKey, type IpKey, type SpaceKey } from '../../net/ip.ts'
import type { DiscoveredRow } from '../table.ts'
import { parseDoc } from './discovered-store.ts'
import { isIdentifyingEverywhere } from './identity.ts'
import { buildNetworkKey } from './network-keys.ts'

const identitiesByKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db
    .selectFrom('discovered_identities')
    .innerJoin('discovered_devices', 'discovered_devices.id', 'discovered_identities.device_id')
    .select(['key', 'place', 'discovered_devices.id', 'ip_key'])
    .where('key', 'in', keys),
)

/** A network and its address space. */
export type Where = { readonly networkId: string; readonly space: SpaceKey }

/** Returns the discovered devices of the space with these keys, `[key, id]`; devices of the network come first. */
export const findOwners = async (ctx: Ctx, where: Where, keys: readonly string[]): Promise<Map<string, string>> => {
  const [here, elsewhere] = [new Map<string, string>(), new Map<string, string>()]
  for (const { key, place, id, ip_key } of await identitiesByKeys(ctx, keys)) {
    if (place === buildNetworkKey(where.networkId, key)) here.set(key, id)
    else if (isIdentifyingEverywhere(key) && getSpaceKey(ip_key) === where.space) elsewhere.set(key, id)
  }
  return new Map([...elsewhere, ...here])
}

const textsByNames = preparedKeys((db: Kysely<Tables>, names) =>
  db
    .selectFrom('discovered_texts')
    .innerJoin('discovered_devices', 'discovered_devices.id', 'discovered_texts.device_id')
    .select(['hostname_key', 'id', 'ip_key'])
    .where('hostname_key', 'in', names),
)

/** Returns the discovered devices of the space that alone have one of these host names, in lower case. */
export const findByNames = async (
  ctx: Ctx,
  space: SpaceKey,
  names: readonly string[],
): Promise<Map<string, string>> => {
  const rows = (await textsByNames(ctx, names)).filter(({ ip_key }) => getSpaceKey(ip_key) === space)
  return new Map(
    [...Map.groupBy(rows, ({ hostname_key }) => hostname_key)].flatMap(([name, [only, ...others]]) =>
      only && others.length === 0 ? [[name, only.id] as const] : [],
    ),
  )
}

/** Finds the holders of addresses of a network, by the key of the address. */
export const findHolders = async (
  ctx: Ctx,
  networkId: string,
  ipKeys: readonly IpKey[],
): Promise<Map<IpKey, string>> => {
  const holders = new Map<IpKey, string>()
  for (const batch of splitBatches(ipKeys)) {
    const places = batch.map((key) => buildNetworkKey(networkId, key))
    const rows = await ctx.db
      .selectFrom('discovered_addresses')
      .select(['ip_key', 'device_id'])
      .where('place', 'in', places)
      .execute()
    for (const { ip_key, device_id } of rows) holders.set(ip_key, device_id)
  }
  return holders
}

const linkedToOthers = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovery_links').select('device_id').where('other_id', 'in', ids),
)

/** Discovered devices with a link from or to one of these. */
export const findLinkedIds = async (ctx: Ctx, ids: readonly string[]): Promise<string[]> => [
  ...new Set((await linkedToOthers(ctx, ids)).map(({ device_id }) => device_id)),
]

export const findStatuses = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, DiscoveredRow['status']>> =>
  new Map((await statusByIds(ctx, ids)).map(({ id, status }) => [id, status]))

const statusByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select(['id', 'status']).where('id', 'in', ids),
)

/** Compares rows; both engines find such a comparison in the index. */
const isBehind = ([key, id]: readonly [string, string]) => sql<SqlBool>`(ip_key, id) > (${key}, ${id})`

/** The columns by which a completed scan decides if a device needs an update. */
export type Place = Pick<
  DiscoveredRow,
  'id' | 'ip_key' | 'status' | 'confidence' | 'last_scan_id' | 'unseen_scan_id' | 'returned_scan_id' | 'is_changed'
>

/** Finds a page of a network's discovered devices in address order, after one of them. */
export const findPage = (
  ctx: Ctx,
  { networkId, after, limit }: { networkId: string; after: readonly [ipKey: string, id: string]; limit: number },
): Promise<Place[]> =>
  ctx.db
    .selectFrom('discovered_devices')
    .select([
      'id',
      'ip_key',
      'status',
      'confidence',
      'last_scan_id',
      'unseen_scan_id',
      'returned_scan_id',
      'is_changed',
    ])
    .where('network_id', '=', networkId)
    .where(isBehind(after))
    .orderBy('ip_key')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Devices first found in one of these scans, by address. */
export const findFirstSeen = async (ctx: Ctx, scanIds: readonly string[], limit: number) => {
  const all = ctx.db.selectFrom('discovered_devices').where('first_scan_id', 'in', scanIds)
  const { n } = await all.select(({ fn }) => fn.countAll<number | string>().as('n')).executeTakeFirstOrThrow()
  const rows = await all.select('doc').orderBy('ip_key').orderBy('id').limit(limit).execute()
  return { count: Number(n), docs: rows.map(parseDoc) }
}

export type LastSeenBefore = { readonly before: string; readonly randomBefore: string }

/** Ids of discovered devices that are not documented, last seen before a moment. Devices with a random MAC have their own moment. */
export const findForgettable = async (
  ctx: Ctx,
  { before, randomBefore }: LastSeenBefore,
  limit: number,
): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom('discovered_devices')
    .select('id')
    .where((where) =>
      where.or([
        where('last_seen', '<', before),
        where.and([where('random_mac', '=', 1), where('last_seen', '<', randomBefore)]),
      ]),
    )
    .where('promoted_to_device_id', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
