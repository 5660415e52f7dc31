/** The queries of address spaces; the only writer of their tables. */

import { type Kysely, sql } from 'kysely'
import { getCachedText } from '../../database/cache/query-cache.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { transactionState } from '../../database/transaction-state.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { IpKey, SpaceKey } from '../../net/ip.ts'
import { toNameKey } from '../../net/name-order.ts'
import { objectStore } from '../../resource/store.ts'
import type { Space } from './api.ts'
import { spaceFacts } from './resource.ts'

export const store = objectStore<typeof spaceFacts, Space>(spaceFacts)

/** True if another space has the name, in any case. */
export const isNameTaken = async (ctx: Ctx, { id, name }: Pick<Space, 'id' | 'name'>): Promise<boolean> => {
  const same = store.rows(ctx).where('name_key', '=', toNameKey(name)).where('id', '!=', id)
  return (await same.executeTakeFirst()) !== undefined
}

const HIGHEST = 0xffff

const formatKey = (number: number): SpaceKey => `s${number.toString(16).padStart(4, '0')}`

/** The first key in a run of a proposal. Its effects are kept, so a space that is created later must not have the same key. */
const FIRST_IN_TRIAL = 0x8000

/** Set in a run of a proposal, before its operations. */
export const trialState = transactionState(() => ({ isTrial: false }))

/** The transactions that have given keys, which are gone if they are rolled back. */
const givers = new WeakSet<object>()

/** Gives a new space its key, or that of a deleted one with this id. Returns false if no key is left. */
export const giveKey = async (ctx: Ctx, id: string): Promise<boolean> => {
  if ((await storedKeys(ctx, [id])).length > 0) return true
  givers.add(ctx.db)
  const last = await ctx.db
    .selectFrom('space_keys')
    .select('space_key')
    .orderBy('space_key', 'desc')
    .limit(1)
    .executeTakeFirst()
  const first = ctx.local(trialState).isTrial ? FIRST_IN_TRIAL : 1
  const next = Math.max(first, last === undefined ? 1 : Number.parseInt(last.space_key.slice(1), 16) + 1)
  if (next > HIGHEST) return false
  await ctx.db
    .insertInto('space_keys')
    .values({ space_id: id, space_key: formatKey(next) })
    .execute()
  return true
}

const storedKeys = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('space_keys').selectAll().where('space_id', 'in', ids),
)

/** Returns the keys of spaces, also of deleted ones. */
export const findKeysByIds = async (
  scope: StoreScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SpaceKey>> => {
  // A committed key never changes.
  const cache = scope.store.cache.at<SpaceKey>('space keys', '')
  const keys = new Map<string, SpaceKey>()
  const missing: string[] = []
  for (const id of new Set(ids)) {
    const known = cache.get(id)
    if (known === undefined) missing.push(id)
    else keys.set(id, known)
  }
  if (missing.length === 0) return keys
  for (const { space_id, space_key } of await storedKeys(scope, missing)) {
    // The table holds only texts of `formatKey`.
    const key = space_key as SpaceKey
    keys.set(space_id, key)
    if (!givers.has(scope.db)) cache.set(space_id, key, key.length)
  }
  return keys
}

export type NamedSpace = { readonly id: string; readonly name: string; readonly key: SpaceKey }

const named = prepared((db: Kysely<Tables>) =>
  db
    .selectFrom('spaces')
    .innerJoin('space_keys', 'space_keys.space_id', 'spaces.id')
    .select(['spaces.id', 'spaces.name', 'space_key as key'])
    .orderBy('name_order'),
)

/** Returns all spaces but the default one, by name. */
export const findAllSpaces = async (scope: StoreScope): Promise<readonly NamedSpace[]> => {
  const text = await getCachedText(scope, 'spaces', '\u0000all', async () => JSON.stringify(await named(scope, {})))
  // As it was written.
  return JSON.parse(text ?? '[]') as NamedSpace[]
}

/** A FROM item with the keys of all spaces in its column `space`, the default one first. */
export const SPACES = sql<{ space: SpaceKey }>`(SELECT '' AS space UNION ALL SELECT space_key FROM space_keys)`

/** Returns the id of the space with a key, which may be deleted. @throws Error for a key that was never given */
export const findSpaceIdByKey = async ({ db }: StoreScope, key: SpaceKey): Promise<string> => {
  const query = db.selectFrom('space_keys').select('space_id').where('space_key', '=', key)
  return (await query.executeTakeFirstOrThrow()).space_id
}

/** Returns the first network, address, feed, DNS zone or source of a space, as a text. */
export const findFirstIn = async (ctx: Ctx, id: string): Promise<string | undefined> => {
  const network = await ctx.db
    .selectFrom('networks')
    .select(['name', 'subnet'])
    .where('space_id', '=', id)
    .orderBy('first_key')
    .limit(1)
    .executeTakeFirst()
  if (network) return `the network "${network.name}" (${network.subnet})`
  const [key] = (await findKeysByIds(ctx, [id])).values()
  if (key === undefined) return undefined
  const bounds = computeSpaceBounds(key)
  const address = await ctx.db
    .selectFrom('addresses')
    .innerJoin('devices', 'devices.id', 'addresses.device_id')
    .select(['addresses.ip', 'devices.name'])
    .where('ip_key', '>=', bounds.from)
    .where('ip_key', '<', bounds.before)
    .orderBy('ip_key')
    .limit(1)
    .executeTakeFirst()
  return address ? `the address ${address.ip} of the device "${address.name}"` : findFirstContent(ctx, id)
}

const findFirstContent = async ({ db }: Ctx, id: string): Promise<string | undefined> => {
  const feeds = db.selectFrom('feeds').select('name').where('space_id', '=', id).orderBy('name_order')
  const feed = await feeds.limit(1).executeTakeFirst()
  if (feed) return `the feed "${feed.name}"`
  const zones = db.selectFrom('dns_zones').select('name').where('space_id', '=', id).orderBy('name_order')
  const zone = await zones.limit(1).executeTakeFirst()
  if (zone) return `the DNS zone ${zone.name}`
  const sources = await db.selectFrom('sources').select(['name', 'space_id', 'places']).orderBy('name_order').execute()
  const source = sources.find(
    ({ space_id, places }) =>
      // Written by the feature from its contract.
      space_id === id || (JSON.parse(places) as { space_id: string | null }[]).some((place) => place.space_id === id),
  )
  return source && `the source "${source.name}"`
}

/** Returns texts around all storage keys of a space, and around no other. */
export const computeSpaceBounds = (key: SpaceKey): { readonly from: IpKey; readonly before: IpKey } => {
  // They are compared with storage keys and are none. In the default space these begin with the digit of the family.
  const [from, before] = key === '' ? ['', 's'] : [key, `${key}~`]
  return { from: from as IpKey, before: before as IpKey }
}
