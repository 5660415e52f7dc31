/** The store of devices, with the rows of their addresses, tags and domains. */

import type { Kysely } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseIpKeyOrThrow } from '../../net/ip.ts'
import { buildNameKeys, toNameKey } from '../../net/name-order.ts'
import { loadSearchableNames } from '../../resource/custom/engine.ts'
import { type ObjectWrite, objectStore } from '../../resource/store.ts'
import { findSpaceKeys, type SpaceKeys } from '../spaces/keys.ts'
import { listAddressChanges } from './custom.ts'
import { isFoundOtherwise, storedSearchText } from './list/search-text.ts'
import { removeMembers } from './membership-store.ts'
import { deviceFacts } from './resource.ts'
import { type Device, isSharedAddress } from './schema.ts'
import type { AddressRow, DeviceRow } from './table.ts'

type NewRow = Omit<DeviceRow, 'seq'>

/** The columns of indexes that an update may change. */
const toIndexedColumns = (device: Device) => ({
  ...buildNameKeys(device.name),
  hostname_key: device.hostname.toLowerCase(),
  status: device.status,
  datacenter_id: device.datacenter_id,
  managed_by: device.managed_by,
  rack_id: device.mount?.rack_id ?? null,
  device_type_id: device.device_type_id ?? null,
  serial_key: device.serial ? toNameKey(device.serial) : null,
  asset_key: device.asset_tag ? toNameKey(device.asset_tag) : null,
  role_key: device.role ? toNameKey(device.role) : null,
})

const toRow = (device: Device, searchable: readonly string[]): NewRow => ({
  ...toIndexedColumns(device),
  id: device.id,
  name: device.name,
  description: device.description,
  make_model: device.make_model,
  os: device.os,
  username: device.username,
  location: device.location,
  created_at: device.created_at,
  updated_at: device.updated_at,
  search_text: storedSearchText(device, searchable),
  doc: JSON.stringify(device),
})

const INDEXED = [
  ...['name_key', 'name_order', 'hostname_key', 'status', 'datacenter_id', 'managed_by', 'rack_id', 'device_type_id'],
  ...['serial_key', 'asset_key', 'role_key'],
] as const

/** The columns without an index that an update may change. */
const PLAIN = [
  ...['name', 'description', 'make_model', 'os', 'username', 'location', 'updated_at', 'search_text', 'doc'],
] as const

const insertAddressRows = preparedRows(
  ['device_id', 'position', 'ip', 'ip_key', 'network_id', 'pool_id', 'mac_address', 'dns_name', 'is_shared'],
  (db: Kysely<Tables>, rows: AddressRow[]) => db.insertInto('addresses').values(rows),
)
const insertTagRows = preparedRows(
  ['device_id', 'position', 'tag'],
  (db: Kysely<Tables>, rows: Tables['device_tags'][]) => db.insertInto('device_tags').values(rows),
)
const insertDomainRows = preparedRows(
  ['device_id', 'position', 'domain'],
  (db: Kysely<Tables>, rows: Tables['device_domains'][]) => db.insertInto('device_domains').values(rows),
)

const toAddressRows = ({ id, addresses }: Device, space: SpaceKeys): AddressRow[] =>
  addresses.map(({ ip, network_id, pool_id, mac_address, dns_name, space_id, role }, position) => ({
    device_id: id,
    position,
    ip,
    ip_key: parseIpKeyOrThrow(ip, space({ space_id })),
    network_id,
    pool_id,
    mac_address,
    dns_name,
    is_shared: role !== undefined && isSharedAddress({ role }) ? 1 : 0,
  }))

type Part = {
  readonly list: 'addresses' | 'tags' | 'domains'
  readonly insert: (ctx: Ctx, devices: readonly Device[]) => Promise<void>
  readonly remove: (ctx: Ctx, deviceIds: readonly string[]) => Promise<unknown>
}

/** The rows of other tables that belong to a device, by the lists that they are made of. */
const PARTS: readonly Part[] = [
  {
    list: 'addresses',
    insert: async (ctx, devices) => {
      const space = await findSpaceKeys(
        ctx,
        devices.flatMap(({ addresses }) => addresses),
      )
      await insertAddressRows(
        ctx,
        devices.flatMap((device) => toAddressRows(device, space)),
      )
    },
    remove: ({ db }, ids) => db.deleteFrom('addresses').where('device_id', 'in', ids).execute(),
  },
  {
    list: 'tags',
    insert: (ctx, devices) =>
      insertTagRows(
        ctx,
        devices.flatMap(({ id, tags }) => tags.map((tag, position) => ({ device_id: id, position, tag }))),
      ),
    remove: ({ db }, ids) => db.deleteFrom('device_tags').where('device_id', 'in', ids).execute(),
  },
  {
    list: 'domains',
    insert: (ctx, devices) =>
      insertDomainRows(
        ctx,
        devices.flatMap(({ id, domains }) => domains.map((domain, position) => ({ device_id: id, position, domain }))),
      ),
    remove: ({ db }, ids) => db.deleteFrom('device_domains').where('device_id', 'in', ids).execute(),
  },
]

/** Removes the rows of a list. A delete without matching rows still counts as a change, which invalidates all caches of the table. */
const removePart = async (ctx: Ctx, { list, remove }: Part, devices: readonly Device[]): Promise<void> => {
  const ids = devices.flatMap(({ id, ...device }) => (device[list].length > 0 ? [id] : []))
  for (const batch of splitBatches(ids)) await remove(ctx, batch)
}

const removeParts = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
  const ids = devices.flatMap(({ id, addresses }) => (addresses.length > 0 ? [id] : []))
  for (const batch of splitBatches(ids)) await removeMembers(ctx, batch)
  for (const part of PARTS) await removePart(ctx, part, devices)
}

const writeParts = async (ctx: Ctx, writes: readonly ObjectWrite<Device>[]): Promise<void> => {
  for (const part of PARTS) {
    const { list } = part
    const changed = writes.filter(({ before, after }) => {
      const [old, fresh] = [before?.[list], after?.[list]]
      return fresh && old !== fresh && (old ? !Bun.deepEquals(old, fresh) : fresh.length > 0)
    })
    if (changed.length === 0) continue
    const old = changed.flatMap(({ before }) => before ?? [])
    if (old.length > 0) await removePart(ctx, part, old)
    await part.insert(
      ctx,
      changed.flatMap(({ after }) => after ?? []),
    )
  }
}

export const deviceStore = objectStore<typeof deviceFacts, Device>(deviceFacts, {
  rows: {
    columns: ['id', 'created_at', ...INDEXED, ...PLAIN],
    selected: ['id', 'doc'],
    toRows: async (ctx, devices) => {
      const searchable = await loadSearchableNames(ctx, 'devices')
      return devices.map((device) => toRow(device, searchable))
    },
    // The column holds the JSON of a device.
    fromRow: ({ doc }: Pick<DeviceRow, 'doc'>) => JSON.parse(doc) as Device,
    indexed: { columns: INDEXED, toCells: toIndexedColumns },
    document: 'doc',
    valued: ['doc', 'search_text'],
  },
  search: {
    column: 'search_text',
    load: async (ctx) => {
      const searchable = await loadSearchableNames(ctx, 'devices')
      return {
        getText: (device) => storedSearchText(device, searchable),
        isFoundOtherwise: (before, after) => isFoundOtherwise(before, after, searchable),
      }
    },
  },
  valuedParts: { resource: 'addresses', list: listAddressChanges },
  writeParts,
  removeParts,
})
