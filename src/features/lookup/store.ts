/** The queries of a lookup, each by an index and prepared. Joins the tables of others, owns none and writes nothing. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../platform/db/query/prepared.ts'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import type { StoreScope } from '../ctx.ts'
import { holdsAddress } from '../discovery/discovery.ts'
import * as relationships from '../relationships/relationships.ts'
import * as reservations from '../reservations/reservations.ts'
import type { Tables } from '../tables.ts'
import { MAX_IN_BLOCK, MAX_OF_EACH } from './api.ts'

/** One more than is shown, to know whether there are more. */
const SOME = MAX_OF_EACH + 1
/** As `SOME`, of what has addresses in a block. */
const SOME_IN_BLOCK = MAX_IN_BLOCK + 1
/** Addresses of a block that are looked at for the devices that have them: one may have several. */
const SOME_ADDRESSES = 8 * SOME_IN_BLOCK
const CHANGES = 10
/** Sorts behind everything that begins as it does: no text holds this noncharacter (Unicode 23.7). */
const BEYOND = '\u{10ffff}'

const networkColumns = ['id', 'name', 'subnet', 'prefix', 'vlan_id', 'datacenter_id'] as const

export const networksBySubnets = preparedKeys((db: Kysely<Tables>, subnets) =>
  db.selectFrom('networks').select(networkColumns).where('subnet', 'in', subnets),
)
export const networksByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('networks').select(networkColumns).where('id', 'in', ids),
)
export type NetworkFound = Awaited<ReturnType<typeof networksByIds>>[number]

export type Range = { readonly first: string; readonly last: string }

/** The networks in a block, but for those that are all of it. */
export const networksInside = prepared((db: Kysely<Tables>, { first, last, prefix }: Range & { prefix: number }) =>
  db
    .selectFrom('networks')
    .select(networkColumns)
    .where('first_key', '>=', first)
    .where('first_key', '<=', last)
    .where('last_key', '<=', last)
    .where('prefix', '>', prefix)
    .orderBy('first_key')
    .orderBy('prefix')
    .limit(SOME),
)

const poolColumns = [
  ...(['id', 'network_id', 'name', 'name_key', 'start_ip', 'end_ip', 'start_key', 'end_key', 'description'] as const),
]
export const poolsOfNetworks = preparedKeys((db: Kysely<Tables>, networkIds) =>
  db.selectFrom('pools').select(poolColumns).where('network_id', 'in', networkIds),
)
/** The pools that overlap a block, whatever networks they are in. */
export const poolsIn = prepared((db: Kysely<Tables>, { first, last }: Range) =>
  db
    .selectFrom('pools')
    .select(poolColumns)
    .where('start_key', '<=', last)
    .where('end_key', '>=', first)
    .orderBy('start_key')
    .orderBy('id')
    .limit(SOME),
)
export const poolTags = preparedKeys((db: Kysely<Tables>, poolIds) =>
  db.selectFrom('pool_tags').select(['pool_id', 'tag', 'position']).where('pool_id', 'in', poolIds),
)

export const datacentersByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('datacenters').select(['id', 'name', 'location']).where('id', 'in', ids),
)

export const devicesAt = prepared((db: Kysely<Tables>, { key }: { key: string }) =>
  db
    .selectFrom('devices')
    .select('doc')
    .where('id', 'in', (eb) => eb.selectFrom('addresses').select('device_id').where('ip_key', '=', key))
    .orderBy('id')
    .limit(SOME),
)
export const devicesByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', ids),
)
/** The addresses of devices in a block, in their order. */
export const addressesIn = prepared((db: Kysely<Tables>, { first, last }: Range) =>
  db
    .selectFrom('addresses')
    .select('device_id')
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .orderBy('ip_key')
    .limit(SOME_ADDRESSES),
)
export const isWholeBlock = (addresses: readonly unknown[]): boolean => addresses.length < SOME_ADDRESSES

const idsNamed = prepared((db: Kysely<Tables>, { name }: { name: string }) =>
  db
    .selectFrom('devices')
    .select('id')
    .where('hostname_key', '=', name)
    .union(db.selectFrom('devices').select('id').where('name_key', '=', name))
    .union(db.selectFrom('device_domains').select('device_id as id').where(sql<SqlBool>`lower(domain) = ${name}`))
    .limit(SOME),
)
const idsBelow = prepared((db: Kysely<Tables>, { from, to }: { from: string; to: string }) =>
  db
    .selectFrom('devices')
    .select('id')
    .where('hostname_key', '>=', from)
    .where('hostname_key', '<', to)
    .union(db.selectFrom('devices').select('id').where('name_key', '>=', from).where('name_key', '<', to))
    .limit(SOME),
)

const labels = (name: string) => ({ from: `${name}.`, to: `${name}.${BEYOND}` })

/** The devices of that name, host name or domain; where there are none, those whose first labels are the name. */
export const deviceIdsNamed = async (scope: StoreScope, name: string): Promise<string[]> => {
  const exact = await idsNamed(scope, { name })
  return (exact.length > 0 ? exact : await idsBelow(scope, labels(name))).map(({ id }) => id)
}

/** Said in so many words, so that the partial index is known to hold what is looked for. */
const hasName = sql<SqlBool>`hostname_key <> ''`

const discoveredNamed = prepared((db: Kysely<Tables>, { name }: { name: string }) =>
  db
    .selectFrom('discovered_texts')
    .select('device_id as id')
    .where('hostname_key', '=', name)
    .where(hasName)
    .limit(SOME),
)
const discoveredBelow = prepared((db: Kysely<Tables>, { from, to }: { from: string; to: string }) =>
  db
    .selectFrom('discovered_texts')
    .select('device_id as id')
    .where('hostname_key', '>=', from)
    .where('hostname_key', '<', to)
    .where(hasName)
    .limit(SOME),
)

/** As `deviceIdsNamed`. */
export const discoveredIdsNamed = async (scope: StoreScope, name: string): Promise<string[]> => {
  const exact = await discoveredNamed(scope, { name })
  return (exact.length > 0 ? exact : await discoveredBelow(scope, labels(name))).map(({ id }) => id)
}

/** By the MAC that a scan has seen, and by those that an SNMP agent has told of its interfaces. */
export const discoveredIdsOfMac = async (scope: StoreScope, mac: string): Promise<string[]> =>
  (await ofMac(scope, { mac, key: `mac:${mac}` })).map(({ id }) => id)

const ofMac = prepared((db: Kysely<Tables>, { mac, key }: { mac: string; key: string }) =>
  db
    .selectFrom('discovered_texts')
    .select('device_id as id')
    .where('mac_address', '=', mac)
    .where(sql<SqlBool>`mac_address <> ''`)
    .union(
      db
        .selectFrom('discovered_identities')
        .select(({ ref }) => ref('device_id').$notNull().as('id'))
        .where('key', '=', key)
        .where('device_id', 'is not', null),
    )
    .limit(SOME),
)

/** Whoever has an address in one of the networks: the places are those of `placeOf`. */
export const discoveredIdsAt = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovered_addresses').select('device_id as id').where('place', 'in', places),
)

/** Those that have an address, in whatever network they were found. */
export const discoveredIdsWith = ({ db }: StoreScope, ip: string): Promise<{ id: string }[]> =>
  db.selectFrom('discovered_devices').select('id').where(holdsAddress(ip)).orderBy('id').limit(SOME).execute()

/** All of a block, documented or not, in the order of their addresses. */
export const discoveredIn = prepared((db: Kysely<Tables>, { first, last }: Range) =>
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
        .limit(SOME_IN_BLOCK),
    )
    .orderBy('ip_key')
    .orderBy('id'),
)
/** Undocumented ones in a block, in the order of their addresses. */
export const undocumentedIn = prepared((db: Kysely<Tables>, { first, last }: Range) =>
  db
    .selectFrom('discovered_devices')
    .select('doc')
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .where('matched_device_id', 'is', null)
    .orderBy('ip_key')
    .limit(SOME_IN_BLOCK),
)

export const discoveredByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select(['id', 'doc']).where('id', 'in', ids),
)
/** Those that are documented as one of these. */
export const discoveredOfDevices = preparedKeys((db: Kysely<Tables>, deviceIds) =>
  db.selectFrom('discovered_devices').select('id').where('matched_device_id', 'in', deviceIds),
)

/** The live ones of a block. */
export const reservationsIn = prepared((db: Kysely<Tables>, { first, last, now }: Range & { now: string }) =>
  db
    .selectFrom('reservations')
    .select(reservations.columns)
    .where('ip_key', '>=', first)
    .where('ip_key', '<=', last)
    .where(reservations.isLive(now))
    .orderBy('ip_key')
    .limit(SOME_IN_BLOCK),
)
export const reservationsNamed = prepared((db: Kysely<Tables>, { name, now }: { name: string; now: string }) =>
  db
    .selectFrom('reservations')
    .select(reservations.columns)
    .where(sql<SqlBool>`lower(hostname) = ${name}`)
    .where(reservations.isLive(now))
    .orderBy('ip_key')
    .limit(SOME),
)

const named = (db: Kysely<Tables>) =>
  db
    .selectFrom('relationships')
    .select(['parent_id', 'child_id', 'type', 'notes', 'created_at'])
    .select(relationships.names)
const asParent = preparedKeys((db: Kysely<Tables>, ids) => named(db).where('parent_id', 'in', ids).limit(SOME))
const asChild = preparedKeys((db: Kysely<Tables>, ids) => named(db).where('child_id', 'in', ids).limit(SOME))

/** What the devices hang together with. */
export const relationshipsOf = async (scope: StoreScope, deviceIds: readonly string[]) => {
  const parents = await asParent(scope, deviceIds)
  const children = await asChild(scope, deviceIds)
  // One between two of them is found from both its ends.
  return [...parents, ...children.filter(({ parent_id }) => !deviceIds.includes(parent_id))]
}

export const openConflictsOf = preparedKeys((db: Kysely<Tables>, memberIds) =>
  db
    .selectFrom('conflicts')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('conflict_members').select('conflict_id').where('member_id', 'in', memberIds),
    )
    .where('status', '<>', 'resolved')
    .orderBy('id', 'desc')
    .limit(SOME),
)

/** The open conflicts with these causes. */
export const openConflictsBy = preparedKeys((db: Kysely<Tables>, causes) =>
  db.selectFrom('conflicts').selectAll().where('cause', 'in', causes).where('status', '<>', 'resolved'),
)

/** The last entries about one object. */
export const changesOf = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db
    .selectFrom('audit')
    .select(['id', 'timestamp', 'username', 'key_owner', 'action', 'resource', 'resource_id', 'status'])
    .where('resource_id', '=', id)
    .orderBy('id', 'desc')
    .limit(CHANGES),
)
export const newestChanges = <Change extends { readonly id: string }>(all: readonly Change[]): Change[] =>
  all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, CHANGES)
