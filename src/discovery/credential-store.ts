/** Which credentials a scan may use, and the SSH host keys that were pinned; the only writer of these. */
import type { Kysely } from 'kysely'
import { preparedKeys, preparedRows } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import { buildMovedKey, type Moved } from '../inventory/spaces/keys.ts'
import type { Ctx } from '../kernel/ctx.ts'
import type { IpKey } from '../net/ip.ts'
import type { CredentialRow } from '../secrets/credentials/table.ts'
import { buildMovedNetworkKey, buildNetworkKey } from './devices/network-keys.ts'
import type { HostKeyRow } from './table.ts'

/** A credential for a scan, with the areas of its device and of its network. */
export type UsableCredential = Pick<CredentialRow, 'id' | 'name' | 'type' | 'device_id'> & {
  readonly device_area: number | null
  readonly network_area: number | null
}

/** Returns the credentials of the network and of the devices in it, by name. */
export const findCredentials = (ctx: Ctx, networkId: string): Promise<UsableCredential[]> =>
  ctx.db
    .selectFrom('credentials')
    .leftJoin('devices', 'devices.id', 'credentials.device_id')
    .leftJoin('networks', 'networks.id', 'credentials.network_id')
    .select(['credentials.id', 'credentials.name', 'credentials.type', 'credentials.device_id'])
    .select(['devices.area as device_area', 'networks.area as network_area'])
    .where((eb) =>
      eb.or([
        eb('credentials.network_id', '=', networkId),
        eb(
          'credentials.device_id',
          'in',
          eb.selectFrom('network_addresses').select('device_id').where('network_id', '=', networkId),
        ),
      ]),
    )
    .orderBy('credentials.name_order')
    .orderBy('credentials.id')
    .execute()

/** Finds the addresses of a device in a network. */
export const findAddresses = async (ctx: Ctx, networkId: string, deviceId: string): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom('network_addresses')
    .innerJoin('addresses', (join) =>
      join
        .onRef('addresses.device_id', '=', 'network_addresses.device_id')
        .onRef('addresses.ip_key', '=', 'network_addresses.ip_key'),
    )
    .select('addresses.ip')
    .distinct()
    .where('network_addresses.device_id', '=', deviceId)
    .where('network_addresses.network_id', '=', networkId)
    .execute()
  return rows.map(({ ip }) => ip)
}

const keysByPlaces = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovery_host_keys').select(['ip_key', 'fingerprint']).where('place', 'in', places),
)

/** Finds the fingerprints that are pinned, by the key of their address. */
export const findPinsAt = async (
  ctx: Ctx,
  networkId: string,
  ipKeys: readonly IpKey[],
): Promise<Map<IpKey, string>> => {
  const rows = await keysByPlaces(
    ctx,
    ipKeys.map((key) => buildNetworkKey(networkId, key)),
  )
  return new Map(rows.map(({ ip_key, fingerprint }) => [ip_key, fingerprint]))
}

/** Finds all of a network, by address. */
export const findPins = async (ctx: Ctx, networkId: string): Promise<Record<string, string>> => {
  const rows = await ctx.db
    .selectFrom('discovery_host_keys')
    .select(['ip', 'fingerprint'])
    .where('network_id', '=', networkId)
    .execute()
  return Object.fromEntries(rows.map(({ ip, fingerprint }) => [ip, fingerprint]))
}

const insertPins = preparedRows(
  ['place', 'network_id', 'ip_key', 'ip', 'fingerprint', 'pinned_at'],
  (db: Kysely<Tables>, rows: HostKeyRow[]) =>
    db
      .insertInto('discovery_host_keys')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('place').doUpdateSet(({ ref }) => ({
          fingerprint: ref('excluded.fingerprint'),
          pinned_at: ref('excluded.pinned_at'),
        })),
      ),
)

export type Pin = Pick<HostKeyRow, 'ip' | 'ip_key' | 'fingerprint'>

/** Replaces the pinned host keys of a network. */
export const replacePins = (ctx: Ctx, networkId: string, pins: readonly Pin[]): Promise<void> =>
  insertPins(
    ctx,
    pins.map((one) => ({
      ...one,
      place: buildNetworkKey(networkId, one.ip_key),
      network_id: networkId,
      pinned_at: ctx.now,
    })),
  )

/** Moves the pins of a network to another space. */
export const movePins = async (ctx: Ctx, networkId: string, spaces: Moved): Promise<void> => {
  const ip_key = buildMovedKey('ip_key', spaces)
  await ctx.db
    .updateTable('discovery_host_keys')
    .set({ ip_key, place: buildMovedNetworkKey(networkId, ip_key) })
    .where('network_id', '=', networkId)
    .execute()
}

export const removePins = async (ctx: Ctx, networkId: string): Promise<void> => {
  await ctx.db.deleteFrom('discovery_host_keys').where('network_id', '=', networkId).execute()
}
