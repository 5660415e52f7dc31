/** The queries of the facts by which objects are in scopes, and of the sets of scopes that are stored for them. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import type { AreaTable } from '../../resource/scoped/area-tables.ts'
import { type ObjectFacts, type ScopeIds, toAddressRange } from './areas.ts'

/** @param text null for an object in no scope */
export const setIn = (text: string | null): ScopeIds => (text ? text.split(' ') : [])

/** An object with its facts, and the text of its stored set. */
export type ObjectWithFacts = { readonly id: string; readonly set: string; readonly facts: ObjectFacts }

type Reader = (scope: StoreScope, ids: readonly string[]) => Promise<ObjectWithFacts[]>

const findTags = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('pool_tags').select(['pool_id', 'tag']).where('pool_id', 'in', ids),
)

const findAddresses = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_addresses').select(['device_id', 'ip']).where('device_id', 'in', ids),
)

/** The type of the rows of these tables is without the column of the area. */
const prepareSets = (table: 'spaces' | 'datacenters') =>
  preparedKeys((db: Kysely<Tables>, ids) =>
    db
      .selectFrom(`${table} as o` as 'networks as o')
      .leftJoin('areas', 'areas.id', 'o.area')
      .select(['o.id', 'scopes'])
      .where('o.id', 'in', ids),
  )
const findSpaces = prepareSets('spaces')
const findDatacenters = prepareSets('datacenters')

const findNetworks = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('networks as o')
    .leftJoin('areas', 'areas.id', 'o.area')
    .select(['o.id', 'scopes', 'datacenter_id', 'subnet', 'space_id'])
    .where('o.id', 'in', ids),
)

const findPools = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('pools as o')
    .innerJoin('networks', 'networks.id', 'o.network_id')
    .leftJoin('areas', 'areas.id', 'o.area')
    .leftJoin('areas as of_network', 'of_network.id', 'networks.area')
    .select(['o.id', 'areas.scopes', 'start_ip', 'end_ip', 'networks.space_id', 'of_network.scopes as inherited'])
    .where('o.id', 'in', ids),
)

const findReservations = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('reservations as o')
    .innerJoin('pools', 'pools.id', 'o.pool_id')
    .innerJoin('networks', 'networks.id', 'pools.network_id')
    .leftJoin('areas', 'areas.id', 'o.area')
    .leftJoin('areas as of_pool', 'of_pool.id', 'pools.area')
    .select(['o.id', 'areas.scopes', 'ip_address', 'networks.space_id', 'of_pool.scopes as inherited'])
    .where('o.id', 'in', ids),
)

const findDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('devices as o')
    .leftJoin('areas', 'areas.id', 'o.area')
    .select(['o.id', 'scopes', 'doc'])
    .where('o.id', 'in', ids),
)

// Has the column as networks do.
const findObjects = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('objects as o' as 'networks as o')
    .leftJoin('areas', 'areas.id', 'o.area')
    .select(['o.id', 'scopes', 'datacenter_id', sql.ref<string>('o.kind_id').as('kind_id')])
    .where('o.id', 'in', ids),
)

const findDiscovered = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('discovered_devices as o')
    .innerJoin('networks', 'networks.id', 'o.network_id')
    .leftJoin('areas', 'areas.id', 'o.area')
    .leftJoin('areas as of_network', 'of_network.id', 'networks.area')
    .select(['o.id', 'areas.scopes', 'networks.space_id', 'of_network.scopes as inherited'])
    .where('o.id', 'in', ids),
)

const READERS: Readonly<Record<AreaTable, Reader>> = {
  spaces: async (scope, ids) =>
    (await findSpaces(scope, ids)).map(({ id, scopes }) => ({ id, set: scopes ?? '', facts: { space_id: id } })),
  datacenters: async (scope, ids) =>
    (await findDatacenters(scope, ids)).map(({ id, scopes }) => ({
      id,
      set: scopes ?? '',
      facts: { datacenter_id: id },
    })),
  networks: async (scope, ids) =>
    (await findNetworks(scope, ids)).map(({ id, scopes, datacenter_id, subnet, space_id }) => ({
      id,
      set: scopes ?? '',
      facts: { datacenter_id, ranges: [toAddressRange(subnet, space_id)] },
    })),
  pools: async (scope, ids) => {
    const tags = Map.groupBy(await findTags(scope, ids), ({ pool_id }) => pool_id)
    return (await findPools(scope, ids)).map(({ id, scopes, start_ip, end_ip, space_id, inherited }) => ({
      id,
      set: scopes ?? '',
      facts: {
        tags: tags.get(id)?.map(({ tag }) => tag) ?? [],
        ranges: [{ first: start_ip, last: end_ip, space_id }],
        inherited: setIn(inherited),
      },
    }))
  },
  reservations: async (scope, ids) =>
    (await findReservations(scope, ids)).map(({ id, scopes, ip_address, space_id, inherited }) => ({
      id,
      set: scopes ?? '',
      facts: { ranges: [{ first: ip_address, last: ip_address, space_id }], inherited: setIn(inherited) },
    })),
  devices: async (scope, ids) =>
    (await findDevices(scope, ids)).map(({ id, scopes, doc }) => {
      // The column holds the JSON of a device.
      const { datacenter_id, tags, addresses } = JSON.parse(doc) as Device
      const places = addresses.map(({ ip, space_id = null }) => ({ first: ip, last: ip, space_id }))
      return { id, set: scopes ?? '', facts: { datacenter_id, tags, ranges: places } }
    }),
  objects: async (scope, ids) =>
    (await findObjects(scope, ids)).map(({ id, scopes, ...facts }) => ({ id, set: scopes ?? '', facts })),
  discovered_devices: async (scope, ids) => {
    const addresses = Map.groupBy(await findAddresses(scope, ids), ({ device_id }) => device_id)
    return (await findDiscovered(scope, ids)).map(({ id, scopes, space_id, inherited }) => ({
      id,
      set: scopes ?? '',
      facts: {
        ranges: (addresses.get(id) ?? []).map(({ ip }) => ({ first: ip, last: ip, space_id })),
        inherited: setIn(inherited),
      },
    }))
  },
}

/** The tables that the rows of another table inherit from, and the column that refers to them. */
const PARENTS: Partial<Record<AreaTable, readonly ['networks' | 'pools', 'network_id' | 'pool_id']>> = {
  pools: ['networks', 'network_id'],
  reservations: ['pools', 'pool_id'],
  discovered_devices: ['networks', 'network_id'],
}

/** Returns the objects of these ids with their facts. Until commit, no other transaction changes the areas that they inherit. */
export const loadObjectFacts = async (
  scope: StoreScope,
  table: AreaTable,
  ids: readonly string[],
): Promise<ObjectWithFacts[]> => {
  const { db, store } = scope
  const parents = store.sql.besideOthers(() => PARENTS[table])
  if (parents) {
    const [name, column] = parents
    const own = selectFromTable(db, table).select(sql.ref<string>(column).as('id')).where('id', 'in', ids)
    const rows = db.selectFrom(name).select('id').where('id', 'in', own).orderBy('id')
    await store.sql.lockRowsShared(rows).execute()
  }
  return READERS[table](scope, ids)
}
