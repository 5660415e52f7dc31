/** The queries of a lookup, each prepared and served by an index. It joins tables of other features, and owns none. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { buildAddressCondition } from '../../discovery/discovery.ts'
import type { Reservation } from '../../inventory/reservations/api.ts'
import * as reservations from '../../inventory/reservations/reservations.ts'
import { withSpace } from '../../inventory/spaces/fields.ts'
import { SPACES } from '../../inventory/spaces/keys.ts'
import type { KeyRange } from '../../inventory/used-addresses/used-addresses.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { type LookupNetwork, MAX_IN_BLOCK, MAX_OF_EACH } from './api.ts'

/** One more than is shown, to detect further entries. */
export const MAX_ROWS = MAX_OF_EACH + 1
/** Like `MAX_ROWS`, for objects with addresses in a block. */
const MAX_ROWS_IN_BLOCK = MAX_IN_BLOCK + 1
/** The number of addresses of a block that are read to find their devices; a device may have several. */
const MAX_ADDRESS_ROWS = 8 * MAX_ROWS_IN_BLOCK
const CHANGES = 10
/** An upper bound for texts with a given prefix: no text contains this noncharacter (Unicode 23.7). */
const BEYOND = '\u{10ffff}'

const networkColumns = ['id', 'name', 'subnet', 'prefix', 'vlan_id', 'datacenter_id', 'space_id', 'subnet_key'] as const

export const networksBySubnetKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db.selectFrom('networks').select(networkColumns).where('subnet_key', 'in', keys),
)
export const networksByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('networks').select(networkColumns).where('id', 'in', ids),
)
export type NetworkFound = Awaited<ReturnType<typeof networksByIds>>[number]

export const toLookupNetwork = ({ id, name, subnet, vlan_id, datacenter_id, space_id }: NetworkFound): LookupNetwork =>
  withSpace({ id, name, subnet, vlan_id, datacenter_id }, space_id)

/** Returns the networks within a block, except networks that equal it. */
export const networksInside = prepared((db: Kysely<Tables>, { first, last, prefix }: KeyRange & { prefix: number }) =>
  db
    .selectFrom('networks')
    .select(networkColumns)
    .where('first_key', '>=', first)
    .where('first_key', '<=', last)
    .where('last_key', '<=', last)
    .where('prefix', '>', prefix)
    .orderBy('first_key')
    .orderBy('prefix')
    .orderBy('id')
    .limit(MAX_ROWS),
)

/** Returns the networks with one of these subnets, in all address spaces. */
export const networksBySubnets = preparedKeys((db: Kysely<Tables>, subnets) =>
  db.selectFrom('networks').select(networkColumns).where('subnet', 'in', subnets),
)

const poolColumns = [
  ...(['id', 'network_id', 'name', 'name_key', 'start_ip', 'end_ip', 'start_key', 'end_key', 'description'] as const),
]
export const poolsOfNetworks = preparedKeys((db: Kysely<Tables>, networkIds) =>
  db.selectFrom('pools').select(poolColumns).where('network_id', 'in', networkIds),
)
/** Returns the pools that overlap a block, of all networks. */
export const poolsIn = prepared((db: Kysely<Tables>, { first, last }: KeyRange) =>
  db
    .selectFrom('pools')
    .select(poolColumns)
    .where('start_key', '<=', last)
    .where('end_key', '>=', first)
    .orderBy('start_key')
    .orderBy('id')
    .limit(MAX_ROWS),
)
export const poolTags = preparedKeys((db: Kysely<Tables>, poolIds) =>
  db.selectFrom('pool_tags').select(['pool_id', 'tag', 'position']).where('pool_id', 'in', poolIds),
)

export const datacentersByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('datacenters').select(['id', 'name', 'location']).where('id', 'in', ids).orderBy('id'),
)

export const devicesAt = prepared((db: Kysely<Tables>, { key }: { key: IpKey }) =>
  db
    .selectFrom('devices')
    .select('doc')
    .where('id', 'in', (eb) => eb.selectFrom('addresses').select('device_id').where('ip_key', '=', key))
    .orderBy('id')
    .limit(MAX_ROWS),
)
export const devicesByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', ids),
)
/** Returns the device addresses in a block, in order. */
export const addressesIn = prepared((db: Kysely<Tables>, { first, last }: KeyRange) =>
  db
    .selectFrom('addresses')
    .select('device_id')
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .orderBy('ip_key')
    .orderBy('device_id')
    .limit(MAX_ADDRESS_ROWS),
)
export const isWholeBlock = (addresses: readonly unknown[]): boolean => addresses.length < MAX_ADDRESS_ROWS

/** Repeat the conditions of partial indexes, so that the planner uses them. */
const hasDnsName = sql<SqlBool>`dns_name <> ''`
const hasMac = sql<SqlBool>`mac_address <> ''`

/** Returns the devices that have the MAC at one of their addresses. */
export const findDeviceIdsByMac = async (scope: StoreScope, mac: string): Promise<string[]> =>
  (await idsOfMac(scope, { mac })).map(({ id }) => id)

const idsOfMac = prepared((db: Kysely<Tables>, { mac }: { mac: string }) =>
  db
    .selectFrom('addresses')
    .select('device_id as id')
    .distinct()
    .where('mac_address', '=', mac)
    .where(hasMac)
    .orderBy('device_id')
    .limit(MAX_ROWS),
)

const idsNamed = prepared((db: Kysely<Tables>, { name }: { name: string }) =>
  db
    .selectFrom('devices')
    .select('id')
    .where('hostname_key', '=', name)
    .union(db.selectFrom('devices').select('id').where('name_key', '=', name))
    .union(db.selectFrom('device_domains').select('device_id as id').where(sql<SqlBool>`lower(domain) = ${name}`))
    .union(db.selectFrom('addresses').select('device_id as id').where('dns_name', '=', name).where(hasDnsName))
    .orderBy('id')
    .limit(MAX_ROWS),
)
const idsBelow = prepared((db: Kysely<Tables>, { from, to }: { from: string; to: string }) =>
  db
    .selectFrom('devices')
    .select('id')
    .where('hostname_key', '>=', from)
    .where('hostname_key', '<', to)
    .union(db.selectFrom('devices').select('id').where('name_key', '>=', from).where('name_key', '<', to))
    .union(
      db
        .selectFrom('addresses')
        .select('device_id as id')
        .where('dns_name', '>=', from)
        .where('dns_name', '<', to)
        .where(hasDnsName),
    )
    .orderBy('id')
    .limit(MAX_ROWS),
)

const buildLabelRange = (name: string) => ({ from: `${name}.`, to: `${name}.${BEYOND}` })

/** Returns the devices with that name, host name or domain. If there are none, returns devices with the name as their first label. */
export const findDeviceIdsByName = async (scope: StoreScope, name: string): Promise<string[]> => {
  const exact = await idsNamed(scope, { name })
  return (exact.length > 0 ? exact : await idsBelow(scope, buildLabelRange(name))).map(({ id }) => id)
}

/** Repeats the condition of the partial index, so that the planner uses it. */
const hasName = sql<SqlBool>`hostname_key <> ''`

const discoveredNamed = prepared((db: Kysely<Tables>, { name }: { name: string }) =>
  db
    .selectFrom('discovered_texts')
    .select('device_id as id')
    .where('hostname_key', '=', name)
    .where(hasName)
    .limit(MAX_ROWS),
)
const discoveredBelow = prepared((db: Kysely<Tables>, { from, to }: { from: string; to: string }) =>
  db
    .selectFrom('discovered_texts')
    .select('device_id as id')
    .where('hostname_key', '>=', from)
    .where('hostname_key', '<', to)
    .where(hasName)
    .limit(MAX_ROWS),
)

/** Like `findDeviceIdsByName`, for discovered devices. */
export const findDiscoveredIdsByName = async (scope: StoreScope, name: string): Promise<string[]> => {
  const exact = await discoveredNamed(scope, { name })
  return (exact.length > 0 ? exact : await discoveredBelow(scope, buildLabelRange(name))).map(({ id }) => id)
}

/** Finds by the MAC that a scan has recorded, and by the MACs that an SNMP agent has reported for its interfaces. */
export const findDiscoveredIdsByMac = async (scope: StoreScope, mac: string): Promise<string[]> =>
  (await ofMac(scope, { mac, key: `mac:${mac}` })).map(({ id }) => id)

const ofMac = prepared((db: Kysely<Tables>, { mac, key }: { mac: string; key: string }) =>
  db
    .selectFrom('discovered_texts')
    .select('device_id as id')
    .where('mac_address', '=', mac)
    .where(hasMac)
    .union(
      db
        .selectFrom('discovered_identities')
        .select(({ ref }) => ref('device_id').$notNull().as('id'))
        .where('key', '=', key)
        .where('device_id', 'is not', null),
    )
    .limit(MAX_ROWS),
)

/** Finds the devices with an address in one of the networks. `places` come from `placeOf`. */
export const discoveredIdsAt = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovered_addresses').select('device_id as id').where('place', 'in', places),
)

/** Like `discoveredIdsAt`, with the place of each. */
export const discoveredAtPlaces = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovered_addresses').select(['place', 'device_id as id']).where('place', 'in', places),
)

/** Finds the discovered devices with an address, in any network. */
export const findDiscoveredIdsByAddress = ({ db }: StoreScope, ip: string): Promise<{ id: string }[]> =>
  db
    .selectFrom('discovered_devices')
    .select('id')
    .where(buildAddressCondition(ip))
    .orderBy('id')
    .limit(MAX_ROWS)
    .execute()

/** Returns all discovered devices in a block, documented or not, in address order. */
export const discoveredIn = prepared((db: Kysely<Tables>, { first, last }: KeyRange) =>
  db
    .selectFrom('discovered_devices')
    .select('doc')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('discovered_devices')
        .select('id')
        .where('ip_key', '>=', first)
        .where('ip_key', '<=', last)
        .orderBy('ip_key')
        .orderBy('id')
        .limit(MAX_ROWS_IN_BLOCK),
    )
    .orderBy('ip_key')
    .orderBy('id'),
)
/** Returns the undocumented ones in a block, in address order. */
export const undocumentedIn = prepared((db: Kysely<Tables>, { first, last }: KeyRange) =>
  db
    .selectFrom('discovered_devices')
    .select('doc')
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .where('matched_device_id', 'is', null)
    .orderBy('ip_key')
    .orderBy('id')
    .limit(MAX_ROWS_IN_BLOCK),
)

export const discoveredByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select(['id', 'doc']).where('id', 'in', ids),
)
/** Returns the discovered devices that are documented as one of these devices. */
export const discoveredOfDevices = preparedKeys((db: Kysely<Tables>, deviceIds) =>
  db.selectFrom('discovered_devices').select('id').where('matched_device_id', 'in', deviceIds),
)

const reservationsBetween = prepared((db: Kysely<Tables>, { first, last, now }: KeyRange & { now: string }) =>
  db
    .selectFrom('reservations')
    .select(reservations.columns)
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .where(reservations.isLive(now))
    .orderBy('ip_key')
    .limit(MAX_ROWS_IN_BLOCK),
)
const reservationsByName = prepared((db: Kysely<Tables>, { name, now }: { name: string; now: string }) =>
  db
    .selectFrom('reservations')
    .select(reservations.columns)
    .where(sql<SqlBool>`lower(hostname) = ${name}`)
    .where(reservations.isLive(now))
    .orderBy('ip_key')
    .limit(MAX_ROWS),
)
const reservationsByMac = prepared((db: Kysely<Tables>, { mac, now }: { mac: string; now: string }) =>
  db
    .selectFrom('reservations')
    .select(reservations.columns)
    .where('mac_address', '=', mac)
    .where(hasMac)
    .where(reservations.isLive(now))
    .orderBy('ip_key')
    .limit(MAX_ROWS),
)

/** Returns the active reservations in a block. */
export const findReservationsIn = async (ctx: Ctx, range: KeyRange): Promise<Reservation[]> =>
  (await reservationsBetween(ctx, { ...range, now: ctx.now })).map(reservations.fromRow)

/** Returns the active reservations with a host name. */
export const findReservationsByName = async (ctx: Ctx, name: string): Promise<Reservation[]> =>
  (await reservationsByName(ctx, { name, now: ctx.now })).map(reservations.fromRow)

/** Returns the devices with an address in each address space: their number, and one of them. */
export const holdersInSpaces = prepared((db: Kysely<Tables>, { ip }: { ip: string }) =>
  db
    .selectFrom('addresses')
    .select(({ fn }) => [
      'ip_key',
      fn.min('device_id').as('id'),
      fn.count<number | string>('device_id').distinct().as('n'),
    ])
    .where('ip', '=', ip)
    .groupBy('ip_key'),
)

type Everywhere = { readonly first: IpKey; readonly last: IpKey; readonly now: string }

/** Returns the active reservations of an address range of the default space and of the same one in all other spaces. */
export const reservationsInSpaces = prepared((db: Kysely<Tables>, { first, last, now }: Everywhere) =>
  db
    .selectFrom(SPACES.as('spaces'))
    .innerJoin('reservations', (join) =>
      join.on(sql<SqlBool>`ip_key BETWEEN spaces.space || ${first} AND spaces.space || ${last}`),
    )
    .select([...reservations.columns, 'ip_key'])
    .where(reservations.isLive(now)),
)

type BlockEverywhere = Everywhere & { readonly prefix: number }

/** Returns the keys of the spaces in which a block of the default space has networks or taken addresses. */
export const spacesUsing = prepared((db: Kysely<Tables>, { first, last, prefix, now }: BlockEverywhere) => {
  const within = (column: string) =>
    sql<SqlBool>`${sql.ref(column)} BETWEEN spaces.space || ${first} AND spaces.space || ${last}`
  return db
    .selectFrom(SPACES.as('spaces'))
    .select([
      'spaces.space',
      sql<number | boolean>`EXISTS (SELECT 1 FROM networks WHERE ${within('first_key')} AND prefix > ${prefix})`.as(
        'networks',
      ),
      sql<number | boolean>`EXISTS (SELECT 1 FROM addresses WHERE ${within('ip_key')})`.as('devices'),
      sql<
        number | boolean
      >`EXISTS (SELECT 1 FROM reservations WHERE ${within('ip_key')} AND ${reservations.isLive(now)})`.as(
        'reservations',
      ),
    ])
})
/** Returns the active reservations for a MAC. */
export const findReservationsByMac = async (ctx: Ctx, mac: string): Promise<Reservation[]> =>
  (await reservationsByMac(ctx, { mac, now: ctx.now })).map(reservations.fromRow)

export const findOpenConflicts = preparedKeys((db: Kysely<Tables>, memberIds) =>
  db
    .selectFrom('conflicts')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('conflict_members').select('conflict_id').where('member_id', 'in', memberIds),
    )
    .where('status', '<>', 'resolved')
    .orderBy('id', 'desc')
    .limit(MAX_ROWS),
)

export const openConflictsBy = preparedKeys((db: Kysely<Tables>, causes) =>
  db.selectFrom('conflicts').selectAll().where('cause', 'in', causes).where('status', '<>', 'resolved'),
)

/** Returns the latest entries about one object. */
export const findChanges = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db
    .selectFrom('audit')
    .select(['id', 'timestamp', 'username', 'key_owner', 'action', 'resource', 'resource_id', 'status'])
    .where('resource_id', '=', id)
    .orderBy('id', 'desc')
    .limit(CHANGES),
)
export const pickNewestChanges = <Change extends { readonly id: string }>(all: readonly Change[]): Change[] =>
  all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, CHANGES)
