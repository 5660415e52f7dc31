/** Finds the objects that rows mean by fixed fields: relationships by their ends and type, reservations by pool and address. */

import { toText } from '../../contract/unknown.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { findPoolRanges } from '../../inventory/pools/pools.ts'
import type { Resource } from '../../inventory/resources.ts'
import {
  DEFAULT_SPACE,
  getSpaceKey,
  type IpKey,
  parseIp,
  parseIpKeyOrThrow,
  replaceSpace,
  type SpaceKey,
} from '../../net/ip.ts'
import type { Planning } from '../plan/context.ts'
import type { Fields } from './references.ts'

/** The fixed fields of a row as a text, and of a reservation the pool and the address. */
export type FixedKey = { readonly text: string; readonly at?: { readonly pool_id: string; readonly key: IpKey } }

/** Returns the spaces of stored pools. The others make no reservation that is stored. */
const findSpacesOfPools = async ({ ctx, scope }: Planning, ids: readonly string[]): Promise<Map<string, SpaceKey>> => {
  if (!(await scope.hasSpaces())) return new Map()
  return new Map([...(await findPoolRanges(ctx, [...new Set(ids)]))].map(([id, { first }]) => [id, getSpaceKey(first)]))
}

/** Returns the ids of unexpired reservations by the texts of their keys. */
const findReservations = async (planning: Planning, keys: readonly FixedKey[]): Promise<Map<string, string>> => {
  const { ctx } = planning
  const places = keys.flatMap(({ at }) => at ?? [])
  const spaces = await findSpacesOfPools(
    planning,
    places.map(({ pool_id }) => pool_id),
  )
  const found = new Map<string, string>()
  const stored = places.map(({ pool_id, key }) => replaceSpace(key, spaces.get(pool_id) ?? DEFAULT_SPACE))
  for (const batch of splitBatches(stored)) {
    const query = ctx.db.selectFrom('reservations').select(['id', 'pool_id', 'ip_key', 'expires_at'])
    for (const row of await query.where('ip_key', 'in', batch).execute())
      if (row.expires_at === null || row.expires_at > ctx.now)
        found.set(`${row.pool_id} ${replaceSpace(row.ip_key, DEFAULT_SPACE)}`, row.id)
  }
  return found
}

/** Returns the key of the object that a row means by its fixed fields; undefined for a row that lacks one. */
export const getFixedKey = (
  resource: Resource,
  { pool_id, ip_address, parent_id, child_id, type }: Fields,
): FixedKey | undefined => {
  if (resource === 'relationships') {
    const parts = [parent_id, child_id, type].map(toText)
    return parts.includes('') ? undefined : { text: parts.join(' ') }
  }
  const ip = parseIp(toText(ip_address))
  if (!ip || typeof pool_id !== 'string') return undefined
  // The key has no space, because the space of a pool may change.
  const key = parseIpKeyOrThrow(toText(ip_address), DEFAULT_SPACE)
  return { text: `${pool_id} ${key}`, at: { pool_id, key } }
}

/** Returns the ids of objects by the texts of their keys. A relationship has no other id. */
export const findIdsOfFixedKeys = async (
  planning: Planning,
  resource: Resource,
  keys: readonly FixedKey[],
): Promise<ReadonlyMap<string, string>> =>
  resource === 'relationships' ? new Map(keys.map(({ text }) => [text, text])) : findReservations(planning, keys)
