/** Finds stored devices by the values of rows, with few queries for many rows. */

import { type SqlBool, sql } from 'kysely'
import { isRecord, toText } from '../../../contract/unknown.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import { isDefault } from '../../../inventory/spaces/fields.ts'
import { findAllSpaces } from '../../../inventory/spaces/keys.ts'
import type { Ctx, DbScope } from '../../../kernel/ctx.ts'
import { DEFAULT_SPACE, parseIpKey, type SpaceKey } from '../../../net/ip.ts'
import { parseMac } from '../../../net/mac.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { isOpen } from '../object-reads.ts'
import type { Fields } from '../row.ts'

/** Objects by a text that several may have. */
export type Found = ReadonlyMap<string, ReadonlySet<string>>

const add = (map: Map<string, Set<string>>, key: string, id: string): void => {
  const known = map.get(key)
  if (known) known.add(id)
  else map.set(key, new Set([id]))
}

const hasMac = sql<SqlBool>`mac_address <> ''`
/** Adds the devices that are missing and not yet gone: their ports, which have the MACs, go at once. */
const addMissing = async ({ db }: DbScope, macs: ReadonlySet<string>, found: Map<string, Set<string>>) => {
  const query = db.selectFrom('source_objects').select(['object_id', 'macs']).where(isOpen)
  const missing = query.where('state', '=', 'gone').where('action', '<>', 'none').where('resource', '=', 'devices')
  for (const { object_id, macs: stored } of await missing.execute()) {
    const said: unknown = JSON.parse(stored)
    for (const one of Array.isArray(said) ? said : []) {
      const mac = parseMac(toText(one))
      if (object_id !== null && mac !== undefined && macs.has(mac)) add(found, mac, object_id)
    }
  }
}

/** Returns the devices that have one of the MACs at an address or a port, and those that are missing and had it. */
export const findByMacs = async ({ db }: DbScope, macs: readonly string[]): Promise<Found> => {
  const found = new Map<string, Set<string>>()
  for (const batch of splitBatches([...new Set(macs)]))
    for (const table of ['addresses', 'ports'] as const) {
      const query = db.selectFrom(table).select(['device_id', 'mac_address']).where('mac_address', 'in', batch)
      for (const { device_id, mac_address } of await query.where(hasMac).execute()) add(found, mac_address, device_id)
    }
  if (macs.length > 0) await addMissing({ db }, new Set(macs), found)
  return found
}

/** Returns the devices with these serial numbers, by the key of the number. */
export const findBySerials = async ({ db }: DbScope, keys: readonly string[]): Promise<Found> => {
  const found = new Map<string, Set<string>>()
  for (const batch of splitBatches([...new Set(keys)])) {
    const query = db.selectFrom('devices').select(['id', 'serial_key']).where('serial_key', 'in', batch)
    for (const { id, serial_key } of await query.where('serial_key', 'is not', null).execute())
      if (serial_key !== null) add(found, serial_key, id)
  }
  return found
}

/** Returns the devices with these addresses, by the key of the address in its space. */
export const findByAddresses = async ({ db }: DbScope, keys: readonly string[]): Promise<Found> => {
  const found = new Map<string, Set<string>>()
  for (const batch of splitBatches([...new Set(keys)])) {
    // Keys are texts that only `net/ip.ts` builds.
    const query = db
      .selectFrom('addresses')
      .select(['device_id', 'ip_key'])
      .where('ip_key', 'in', batch as never)
    for (const { device_id, ip_key } of await query.execute()) add(found, ip_key, device_id)
  }
  return found
}

/**
 * Returns the first label of a name, in lower case.
 * @example toLabel('Web-1.example.com') // 'web-1'
 */
export const toLabel = (name: string): string => toNameKey(name.trim()).split('.')[0] ?? ''

/** Labels of one query: each has two ranges of two indexes. */
const LABELS_AT_ONCE = 100
/** The character after the full stop, so that a range ends behind all names below a label. */
const AFTER_STOP = '/'

/** Returns the devices that have a name or a host name with one of these first labels, by the label. */
export const findByLabels = async ({ db }: DbScope, labels: readonly string[]): Promise<Found> => {
  const found = new Map<string, Set<string>>()
  for (const batch of splitBatches([...new Set(labels)], LABELS_AT_ONCE)) {
    const wanted = new Set(batch)
    for (const column of ['name_key', 'hostname_key'] as const) {
      const query = db
        .selectFrom('devices')
        .select(['id', column])
        .where(({ eb, or, and }) =>
          or([
            eb(column, 'in', batch),
            ...batch.map((label) => and([eb(column, '>', `${label}.`), eb(column, '<', `${label}${AFTER_STOP}`)])),
          ]),
        )
      for (const row of await query.execute()) {
        const label = toLabel(row[column])
        if (wanted.has(label)) add(found, label, row.id)
      }
    }
  }
  return found
}

/** Returns the names of devices. */
export const findDeviceNames = async ({ db }: DbScope, ids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>()
  for (const batch of splitBatches([...new Set(ids)]))
    for (const { id, name } of await db.selectFrom('devices').select(['id', 'name']).where('id', 'in', batch).execute())
      names.set(id, name)
  return names
}

type Space = { readonly id: string | null; readonly key: SpaceKey }

/** Finds the space that a row or an address names; undefined for a space that is not there yet. */
export type SpaceFinder = (fields: Fields) => Space | undefined

const IN_DEFAULT: Space = { id: null, key: DEFAULT_SPACE }

const readText = (value: unknown, field: 'id' | 'name'): string => toText(isRecord(value) ? value[field] : '').trim()

export const createSpaceFinder = async (ctx: Ctx): Promise<SpaceFinder> => {
  const spaces = await findAllSpaces(ctx)
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const byName = new Map(spaces.map((space) => [toNameKey(space.name), space]))
  return ({ space_id, space }) => {
    const id = toText(space_id) || readText(space, 'id')
    const name = toText(space).trim() || readText(space, 'name')
    if (id !== '') return isDefault(id) ? IN_DEFAULT : byId.get(id)
    if (name !== '') return isDefault(name) ? IN_DEFAULT : byName.get(toNameKey(name))
    return isRecord(space) ? undefined : IN_DEFAULT
  }
}

/** Returns the key of an address in its space; undefined for a text that is no address, and for an unknown space. */
export const toAddressKey = (address: Fields, findSpace: SpaceFinder): string | undefined => {
  const space = findSpace(address)
  return space && parseIpKey(toText(address.ip), space.key)
}
