/** Queries of presence, and the only writer of its table. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedKeys, preparedRows, preparedTuples } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { matchSpace } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Observation, Seen } from '../devices/records.ts'
import type { AddressRow } from '../table.ts'
import { OPEN, type PresenceRow } from './table.ts'

/** Repeats the condition of the partial index, so that the planner uses it. */
const isOpen = sql<SqlBool>`ended_at = ${sql.lit(OPEN)}`

type At = Pick<PresenceRow, 'network_id' | 'ip'> & { readonly since: string }

const rowsAt = preparedTuples(['network_id', 'ip', 'since'], (db: Kysely<Tables>, keys: At[]) =>
  db
    .selectFrom('presence')
    .selectAll()
    .where(({ eb, or, and }) =>
      or(
        keys.map(({ network_id, ip, since }) =>
          and([eb('network_id', '=', network_id), eb('ip', '=', ip), eb('ended_at', '>=', since)]),
        ),
      ),
    ),
)

/** Returns the intervals at addresses of a network that are open, or have ended since a moment. */
export const findAt = (
  ctx: Ctx,
  { networkId, ips, since }: { networkId: string; ips: readonly string[]; since: string },
): Promise<PresenceRow[]> =>
  rowsAt(
    ctx,
    ips.map((ip) => ({ network_id: networkId, ip, since })),
  )

/** Returns a page of the open intervals of a network in the order of their keys, after one of them. */
export const findOpen = (
  ctx: Ctx,
  { networkId, after, limit }: { networkId: string; after: readonly [ip: string, mac: string]; limit: number },
): Promise<PresenceRow[]> =>
  ctx.db
    .selectFrom('presence')
    .selectAll()
    .where('network_id', '=', networkId)
    .where(isOpen)
    .where(sql<SqlBool>`(ip, mac_address) > (${after[0]}, ${after[1]})`)
    .orderBy('ip')
    .orderBy('mac_address')
    .limit(limit)
    .execute()

/** Returns the open intervals of discovered devices. */
export const findOpenByDevices = async (ctx: Ctx, ids: readonly string[]): Promise<PresenceRow[]> => {
  const found: PresenceRow[] = []
  for (const some of splitBatches(ids))
    found.push(
      ...(await ctx.db
        .selectFrom('presence')
        .selectAll()
        .where('discovered_id', 'in', some)
        .where('ended_at', '=', OPEN)
        .execute()),
    )
  return found
}

const idsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select('id').where('id', 'in', ids),
)

/** Returns the ids of discovered devices that exist. */
export const filterExistingDevices = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await idsByIds(ctx, ids)).map(({ id }) => id))

const addressColumns = ['place', 'device_id', 'ip', 'status', 'last_seen', 'observation'] as const
type StoredAddress = Pick<AddressRow, (typeof addressColumns)[number]>

/** An address as it was last seen. */
export type KnownAddress = Pick<Seen, 'ip' | 'status' | 'last_seen'> & {
  readonly place: string
  readonly device_id: string
  readonly mac: string
}

const toKnown = ({ observation, ...address }: StoredAddress): KnownAddress => ({
  ...address,
  // The stored JSON was written by the store of discovered devices.
  mac: (JSON.parse(observation) as Observation).mac,
})

const addressesByPlaces = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovered_addresses').select(addressColumns).where('place', 'in', places),
)
const addressesByDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_addresses').select(addressColumns).where('device_id', 'in', ids),
)

export const findAddressesAt = async (ctx: Ctx, places: readonly string[]): Promise<KnownAddress[]> =>
  (await addressesByPlaces(ctx, places)).map(toKnown)

export const findAddressesOf = async (ctx: Ctx, ids: readonly string[]): Promise<KnownAddress[]> =>
  (await addressesByDevices(ctx, ids)).map(toKnown)

const insertRows = preparedRows(
  ['id', 'network_id', 'discovered_id', 'ip', 'mac_address', 'source', 'began_at', 'seen_at', 'ended_at'],
  (db: Kysely<Tables>, rows: PresenceRow[]) => db.insertInto('presence').values(rows),
)
export const insert = (ctx: Ctx, rows: readonly PresenceRow[]): Promise<void> => insertRows(ctx, rows)

export type PresencePatch = Partial<Pick<PresenceRow, 'discovered_id' | 'mac_address' | 'seen_at' | 'ended_at'>>

/** Changes rows; rows with the same change in one statement. */
export const update = async (
  ctx: Ctx,
  changes: readonly { readonly id: string; readonly patch: PresencePatch }[],
): Promise<void> => {
  const groups = Map.groupBy(changes, ({ patch }) => JSON.stringify(patch))
  for (const same of groups.values())
    for (const some of splitBatches(same)) {
      const [first] = some
      const ids = some.map(({ id }) => id)
      if (first) await ctx.db.updateTable('presence').set(first.patch).where('id', 'in', ids).execute()
    }
}

/** Gives the intervals of a discovered device to another one: all of them, or its intervals at some addresses. */
export const reassign = async (
  ctx: Ctx,
  { from, to, ips }: { from: string; to: string; ips?: readonly string[] },
): Promise<void> => {
  const all = ctx.db.updateTable('presence').set({ discovered_id: to }).where('discovered_id', '=', from)
  await (ips ? all.where('ip', 'in', ips) : all).execute()
}

/** The first network with intervals after one, by id. */
export const findNetworkAfter = async (ctx: Ctx, id: string): Promise<string | undefined> => {
  const all = ctx.db.selectFrom('presence').select('network_id').where('network_id', '>', id)
  return (await all.orderBy('network_id').limit(1).executeTakeFirst())?.network_id
}

/** Finds some intervals of a network that ended before a moment. */
export const findEndedBefore = async (
  ctx: Ctx,
  { networkId, before, limit }: { networkId: string; before: string; limit: number },
): Promise<string[]> => {
  const some = ctx.db.selectFrom('presence').select('id').where('network_id', '=', networkId)
  const rows = await some.where('ended_at', '<', before).orderBy('ended_at').limit(limit).execute()
  return rows.map(({ id }) => id)
}

export const remove = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  for (const some of splitBatches(ids)) await ctx.db.deleteFrom('presence').where('id', 'in', some).execute()
}

export type Range = { readonly from: string; readonly to: string }

/** Selects intervals that touch a range, latest end first. */
const selectIn = (ctx: Ctx, { from, to, limit }: Range & { readonly limit: number }) =>
  ctx.db
    .selectFrom('presence')
    .selectAll('presence')
    .where('ended_at', '>=', from)
    .where('began_at', '<=', to)
    .orderBy('ended_at', 'desc')
    .orderBy('presence.id', 'desc')
    .limit(limit)

type Bounded = Range & { readonly limit: number }

/** Finds intervals of a discovered device. */
export const findOfDiscovered = (
  ctx: Ctx,
  { id, ...range }: Bounded & { readonly id: string },
): Promise<PresenceRow[]> => selectIn(ctx, range).where('discovered_id', '=', id).execute()

/** Finds intervals of all discovered devices that belong to a documented one. */
export const findOfDevice = (ctx: Ctx, { id, ...range }: Bounded & { readonly id: string }): Promise<PresenceRow[]> =>
  selectIn(ctx, range)
    .where('discovered_id', 'in', (eb) =>
      eb.selectFrom('discovered_devices').select('discovered_devices.id').where('matched_device_id', '=', id),
    )
    .execute()

/** Finds intervals that began since a moment, latest first. */
export const findBegun = (ctx: Ctx, { since, limit }: { since: string; limit: number }): Promise<PresenceRow[]> =>
  ctx.db
    .selectFrom('presence')
    .selectAll('presence')
    .where('began_at', '>=', since)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('networks').select('networks.id').whereRef('networks.id', '=', 'presence.network_id')),
    )
    .orderBy('began_at', 'desc')
    .orderBy('ip')
    .limit(limit)
    .execute()

/** Finds intervals at an address, of the networks of one space or of all. The intervals of deleted networks wait for their deletion. */
export const findAtAddress = (
  ctx: Ctx,
  { ip, space_id, ...range }: Bounded & { readonly ip: string; readonly space_id?: string | undefined },
): Promise<PresenceRow[]> =>
  selectIn(ctx, range)
    .where('ip', '=', ip)
    .where(({ exists, selectFrom }) => {
      const there = selectFrom('networks').select('networks.id').whereRef('networks.id', '=', 'presence.network_id')
      return exists(space_id === undefined ? there : there.where(matchSpace(space_id)))
    })
    .execute()
