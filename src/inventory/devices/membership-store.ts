/** Maintains `network_addresses`, which records which addresses belong to which network, by the rule in networks. */
import { type Kysely, sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { findNetworksHolding } from '../networks/membership.ts'
import type { NetworkRow } from '../networks/table.ts'
import type { AddressRow } from './table.ts'

type Member = Pick<AddressRow, 'device_id' | 'ip_key' | 'network_id'>

const findMembers = async (ctx: Ctx, rows: readonly Member[]) => {
  const holding = await findNetworksHolding(
    ctx,
    rows.filter(({ network_id }) => network_id === null).map(({ ip_key }) => ip_key),
  )
  // One row for each network, address and device, even if the device lists the address twice.
  const members = new Map<string, Tables['network_addresses']>()
  for (const { device_id, ip_key, network_id } of rows)
    for (const id of network_id === null ? (holding.get(ip_key) ?? []) : [network_id])
      members.set(`${id} ${ip_key} ${device_id}`, { network_id: id, ip_key, device_id })
  return [...members.values()]
}

/** Adds the addresses of devices that have no rows yet. */
export const add = async (ctx: Ctx, rows: readonly Member[]): Promise<void> => {
  await insertRows(ctx, await findMembers(ctx, rows))
}

const insertRows = preparedRows(
  ['network_id', 'ip_key', 'device_id'],
  (db: Kysely<Tables>, rows: Tables['network_addresses'][]) => db.insertInto('network_addresses').values(rows),
)

export const removeMembers = async ({ db }: Ctx, deviceIds: readonly string[]): Promise<void> => {
  await db.deleteFrom('network_addresses').where('device_id', 'in', deviceIds).execute()
}

/** Recomputes the memberships of some devices. */
export const rebuild = async (ctx: Ctx, deviceIds: readonly string[]): Promise<void> => {
  for (const batch of splitBatches(deviceIds)) {
    await removeMembers(ctx, batch)
    const rows = await ctx.db
      .selectFrom('addresses')
      .select(['device_id', 'ip_key', 'network_id'])
      .where('device_id', 'in', batch)
      .execute()
    await add(ctx, rows)
    if (deviceIds.length > batch.length) await pause()
  }
}

export const removeNetwork = async (ctx: Ctx, networkId: string): Promise<void> => {
  await ctx.db.deleteFrom('network_addresses').where('network_id', '=', networkId).execute()
}

/** Returns the devices with an address in the network. */
export const findDeviceIds = async (ctx: Ctx, networkId: string): Promise<string[]> => {
  const query = ctx.db.selectFrom('network_addresses').select('device_id').distinct()
  const rows = await query.where('network_id', '=', networkId).execute()
  return rows.map(({ device_id }) => device_id)
}

/** Returns the addresses that belong to the network: their storage keys by device. */
export const findKeysByDevice = async (ctx: Ctx, networkId: string): Promise<Map<string, Set<IpKey>>> => {
  const query = ctx.db.selectFrom('network_addresses').select(['device_id', 'ip_key'])
  const keys = new Map<string, Set<IpKey>>()
  for (const { device_id, ip_key } of await query.where('network_id', '=', networkId).execute())
    keys.set(device_id, (keys.get(device_id) ?? new Set()).add(ip_key))
  return keys
}

type Range = Pick<NetworkRow, 'first_key' | 'last_key' | 'prefix'>

/** The devices with an address in the range that names no network and is in none more specific than `prefix`. */
export const findConcernedDevices = async (ctx: Ctx, { first_key, last_key, prefix }: Range): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom('addresses')
    .select('addresses.device_id')
    .distinct()
    .where('addresses.ip_key', '>=', first_key)
    .where('addresses.ip_key', '<=', last_key)
    // No index matches this: SQLite would read all addresses without a network instead of the range.
    .where(sql<boolean>`coalesce(addresses.network_id, '') = ''`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('network_addresses')
            .innerJoin('networks', 'networks.id', 'network_addresses.network_id')
            .select('networks.id')
            .whereRef('network_addresses.device_id', '=', 'addresses.device_id')
            .whereRef('network_addresses.ip_key', '=', 'addresses.ip_key')
            .where('networks.prefix', '>', prefix),
        ),
      ),
    )
    .execute()
  return rows.map(({ device_id }) => device_id)
}
