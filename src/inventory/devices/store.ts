/** The queries of devices; the only writer of their tables. */
import type { Kysely } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { getCachedText } from '../../database/cache/query-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { createObjectRefs } from '../../kernel/changes/object-refs.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import { loadSearchableNames, recordCustom } from '../../resource/custom/engine.ts'
import { findSpaceKeys, type SpaceKeys } from '../spaces/keys.ts'
import { listAddressChanges } from './custom.ts'
import { type Change, isFoundOtherwise, searchText } from './list/search-text.ts'
import { insertRows, toRow, updateRow } from './row-store.ts'
import type { Device } from './schema.ts'
import type { AddressRow } from './table.ts'

const refs = createObjectRefs('devices', 'device', 'name')

const toAddressRows = ({ id, addresses }: Device, space: SpaceKeys): AddressRow[] =>
  addresses.map(({ ip, network_id, pool_id, mac_address, dns_name, space_id }, position) => ({
    device_id: id,
    position,
    ip,
    ip_key: parseIpKeyOrThrow(ip, space({ space_id })),
    network_id,
    pool_id,
    mac_address,
    dns_name,
  }))

const toTagRows = ({ id, tags }: Device) => tags.map((tag, position) => ({ device_id: id, position, tag }))
const toDomainRows = ({ id, domains }: Device) =>
  domains.map((domain, position) => ({ device_id: id, position, domain }))

/** Returns one device as the JSON text that is sent. */
export const findDoc = async (ctx: Ctx, id: string): Promise<string | undefined> => {
  return getCachedText(ctx, 'devices', id, async () => (await docsById(ctx, { id }))[0]?.doc)
}

const docsById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db.selectFrom('devices').select('doc').where('id', '=', id),
)

/** As `findDoc`, and locks the row until commit. */
export const lockDoc = async (ctx: Ctx, id: string): Promise<string | undefined> =>
  (await ctx.store.sql.lockRows(ctx.db.selectFrom('devices').select('doc').where('id', '=', id)).executeTakeFirst())
    ?.doc

/** As `lockDoc`, for several; returns the documents by id. */
export const lockDocs = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const docs = new Map<string, string>()
  for (const batch of splitBatches(ids)) {
    const query = ctx.db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', batch).orderBy('id')
    for (const { id, doc } of await ctx.store.sql.lockRows(query).execute()) docs.set(id, doc)
  }
  return docs
}

export const hasId = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await ctx.db.selectFrom('devices').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

export const filterExistingIds = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await idsAmong(ctx, ids)
  return new Set(rows.map(({ id }) => id))
}

const idsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('devices').select('id').where('id', 'in', ids))

export const findIdsByName = async (ctx: Ctx, names: readonly string[]): Promise<Map<string, string[]>> => {
  const ids = new Map<string, string[]>()
  const keys = new Set(names.map((name) => name.trim().toLowerCase()))
  for (const batch of splitBatches([...keys])) {
    const rows = await ctx.db.selectFrom('devices').select(['id', 'name_key']).where('name_key', 'in', batch).execute()
    for (const { id, name_key } of rows) ids.set(name_key, [...(ids.get(name_key) ?? []), id])
  }
  return ids
}

/** Returns the existing devices of those ids, as JSON text by id. */
export const findDocs = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await docsByIds(ctx, ids)
  return new Map(rows.map(({ id, doc }) => [id, doc]))
}

/** Returns the names of the existing devices of those ids, by id. */
export const findNames = async ({ db }: DbScope, ids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>()
  for (const batch of splitBatches(ids)) {
    const rows = await db.selectFrom('devices').select(['id', 'name']).where('id', 'in', batch).execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}

const docsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', ids),
)

const insertAddressRows = preparedRows(
  ['device_id', 'position', 'ip', 'ip_key', 'network_id', 'pool_id', 'mac_address', 'dns_name'],
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

const insertAddresses = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
  const space = await findSpaceKeys(
    ctx,
    devices.flatMap(({ addresses }) => addresses),
  )
  await insertAddressRows(
    ctx,
    devices.flatMap((device) => toAddressRows(device, space)),
  )
}
const insertTags = (ctx: Ctx, devices: readonly Device[]) => insertTagRows(ctx, devices.flatMap(toTagRows))
const insertDomains = (ctx: Ctx, devices: readonly Device[]) => insertDomainRows(ctx, devices.flatMap(toDomainRows))

/** Stores the refs of new devices. @throws RefTakenError */
export const insertRefs = (ctx: Ctx, devices: readonly Device[]): Promise<void> => refs.insert(ctx, devices)

const listRefChanges = (changes: readonly Change[]) =>
  changes.flatMap(({ before, device, changes: fields }) => (fields.includes('refs') ? [{ before, after: device }] : []))

/** Locks the new refs of devices that change together, and returns the errors of refused changes by device. */
export const findRefusedRefs = (ctx: Ctx, changes: readonly Change[]) => refs.refused(ctx, listRefChanges(changes))

/** Deletes the refs that devices lose by their changes, so that `updateRow` may give them to others. */
export const releaseRefs = (ctx: Ctx, changes: readonly Change[]): Promise<void> =>
  refs.release(ctx, listRefChanges(changes))

/** @param event as in `ItemWrite` */
export const insert = async (ctx: Ctx, devices: readonly Device[], event?: string): Promise<void> => {
  const searchable = await loadSearchableNames(ctx, 'devices')
  const rows = devices.map((device) => toRow(device, searchable))
  ctx.searchTextChanged('devices', { added: rows.map(({ search_text }) => search_text) })
  await insertRows(ctx, rows)
  await insertAddresses(ctx, devices)
  await insertTags(ctx, devices)
  await insertDomains(ctx, devices)
  await recordCustom(
    ctx,
    'devices',
    devices.map(({ id, custom }) => ({ id, after: custom })),
  )
  await recordCustom(
    ctx,
    'addresses',
    devices.flatMap((device) => listAddressChanges(undefined, device)),
  )
  for (const { id, doc } of rows) ctx.changed('device', { id, after: doc, event })
}

export const updateDocument = async (ctx: Ctx, change: Change): Promise<void> => {
  const { before, device, changes } = change
  const searchable = await loadSearchableNames(ctx, 'devices')
  const row = toRow(device, searchable)
  if (isFoundOtherwise(change, searchable))
    ctx.searchTextChanged('devices', { removed: [searchText(before, searchable)], added: [row.search_text] })
  await updateRow(ctx, before, row)
  ctx.changed('device', { id: device.id, before: JSON.stringify(before), after: row.doc })
  if (changes.includes('refs')) await refs.update(ctx, before, device)
  if (changes.includes('custom'))
    await recordCustom(ctx, 'devices', [{ id: device.id, before: before.custom, after: device.custom }])
  if (changes.includes('addresses')) {
    await recordCustom(ctx, 'addresses', listAddressChanges(before, device))
    await ctx.db.deleteFrom('addresses').where('device_id', '=', device.id).execute()
    await insertAddresses(ctx, [device])
  }
  if (changes.includes('tags')) {
    await ctx.db.deleteFrom('device_tags').where('device_id', '=', device.id).execute()
    await insertTags(ctx, [device])
  }
  if (changes.includes('domains')) {
    await ctx.db.deleteFrom('device_domains').where('device_id', '=', device.id).execute()
    await insertDomains(ctx, [device])
  }
}

/** The tables whose rows belong to a device, with the list that they are made of. */
const PARTS = [
  ['network_addresses', 'addresses'],
  ['addresses', 'addresses'],
  ['device_tags', 'tags'],
  ['device_domains', 'domains'],
] as const

export const deleteRows = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
  const searchable = await loadSearchableNames(ctx, 'devices')
  ctx.searchTextChanged('devices', { removed: devices.map((device) => searchText(device, searchable)) })
  for (const batch of splitBatches(devices)) {
    // A delete without matching rows still counts as a change, which invalidates all caches of the table.
    for (const [table, list] of PARTS) {
      const ids = batch.filter((device) => device[list].length > 0).map(({ id }) => id)
      if (ids.length > 0) await ctx.db.deleteFrom(table).where('device_id', 'in', ids).execute()
    }
    const ids = batch.map(({ id }) => id)
    await ctx.db.deleteFrom('devices').where('id', 'in', ids).execute()
  }
  await refs.remove(ctx, devices)
  await recordCustom(
    ctx,
    'devices',
    devices.map(({ id, custom }) => ({ id, before: custom })),
  )
  await recordCustom(
    ctx,
    'addresses',
    devices.flatMap((device) => listAddressChanges(device, undefined)),
  )
  for (const device of devices) ctx.changed('device', { id: device.id, before: JSON.stringify(device) })
}

/** The number of devices that are rewritten before the event loop runs again; each takes a quarter of a millisecond. */
const REWRITTEN_AT_ONCE = 50

/**
 * Rewrites devices that lose a reference or whose addresses have lost or changed a place. A device that `change` returns as it is
 * stays unchanged.
 */
export const rewrite = async (ctx: Ctx, ids: readonly string[], change: (device: Device) => Device): Promise<void> => {
  for (const batch of splitBatches(ids, REWRITTEN_AT_ONCE)) {
    const query = ctx.db.selectFrom('devices').select('doc').where('id', 'in', batch).orderBy('id')
    for (const { doc } of await ctx.store.sql.lockRows(query).execute()) {
      // The column holds the JSON of a device.
      const before = JSON.parse(doc) as Device
      const changed = change(before)
      if (changed === before) continue
      await updateDocument(ctx, {
        before,
        device: { ...changed, updated_at: ctx.now },
        changes: changed.addresses === before.addresses ? [] : ['addresses'],
      })
    }
    await pause()
  }
}

type Rewritten = { readonly id: string; readonly doc: string; readonly updated_at: string; readonly text: string }

const setValues = prepared((db: Kysely<Tables>, { id, doc, updated_at, text }: Rewritten) =>
  db.updateTable('devices').set({ doc, updated_at, search_text: text }).where('id', '=', id),
)

/** Rewrites the values of custom fields of devices. @param isChange true if their history records it */
export const rewriteValues = async (
  ctx: Ctx,
  ids: readonly string[],
  { change, isChange }: { readonly change: (device: Device) => Device; readonly isChange: boolean },
): Promise<void> => {
  const searchable = await loadSearchableNames(ctx, 'devices')
  for (const batch of splitBatches(ids, REWRITTEN_AT_ONCE)) {
    const writes: Promise<unknown>[] = []
    const query = ctx.db.selectFrom('devices').select(['doc', 'search_text']).where('id', 'in', batch).orderBy('id')
    for (const { doc: json, search_text } of await ctx.store.sql.lockRows(query).execute()) {
      // The column holds the JSON of a device.
      const changed = change(JSON.parse(json) as Device)
      const device = isChange ? { ...changed, updated_at: ctx.now } : changed
      const row = toRow(device, searchable)
      if (row.search_text !== search_text)
        ctx.searchTextChanged('devices', { removed: [search_text], added: [row.search_text] })
      const { doc, updated_at, search_text: text } = row
      writes.push(setValues(ctx, { id: device.id, doc, updated_at, text }))
      if (isChange) ctx.changed('device', { id: device.id, before: json, after: doc })
    }
    await Promise.all(writes)
    await pause()
  }
}

export const findIdsInDatacenter = async (ctx: Ctx, datacenterId: string): Promise<string[]> =>
  (await ctx.db.selectFrom('devices').select('id').where('datacenter_id', '=', datacenterId).execute()).map(
    ({ id }) => id,
  )

/** Returns the devices in a rack, or of a device type. */
export const findIdsByColumn = async (ctx: Ctx, column: 'rack_id' | 'device_type_id', id: string): Promise<string[]> =>
  (await ctx.db.selectFrom('devices').select('id').where(column, '=', id).execute()).map((row) => row.id)

/** Returns the devices with an address that names one of these pools or this network. */
export const findIdsReferringTo = async (
  ctx: Ctx,
  to: { poolIds: readonly string[] } | { networkId: string },
): Promise<string[]> => {
  const query = ctx.db.selectFrom('addresses').select('device_id').distinct()
  const rows = await ('networkId' in to
    ? query.where('network_id', '=', to.networkId)
    : query.where('pool_id', 'in', to.poolIds)
  ).execute()
  return rows.map(({ device_id }) => device_id)
}

type Bounds = {
  readonly column: 'network_id' | 'pool_id'
  readonly id: string
  readonly first: IpKey
  readonly last: IpKey
  /** Devices that are passed over. */
  readonly except: ReadonlySet<string>
}

/** Returns the first address, by key, that names the network or pool and is outside the range. */
export const findFirstOutside = async (ctx: Ctx, of: Bounds) => {
  const query = ctx.db
    .selectFrom('addresses')
    .select(['device_id', 'ip', 'ip_key'])
    .where(of.column, '=', of.id)
    .where((eb) => eb.or([eb('ip_key', '<', of.first), eb('ip_key', '>', of.last)]))
    .orderBy('ip_key')
  if (of.except.size === 0) return query.limit(1).executeTakeFirst()
  return (await query.execute()).find(({ device_id }) => !of.except.has(device_id))
}

/** Returns those of the pool addresses (`pool_id` and key) that another device has, with that device. */
export const findTakenInPools = async (
  ctx: Ctx,
  wanted: readonly { readonly pool_id: string; readonly ip_key: IpKey; readonly device_id: string }[],
): Promise<{ pool_id: string; ip_key: IpKey; device_id: string }[]> => {
  const taken: { pool_id: string; ip_key: IpKey; device_id: string }[] = []
  for (const batch of splitBatches(wanted)) {
    const rows = await holders(
      ctx,
      batch.map(({ ip_key }) => ip_key),
    )
    for (const { pool_id, ip_key, device_id } of rows)
      if (batch.some((one) => one.pool_id === pool_id && one.ip_key === ip_key && one.device_id !== device_id))
        taken.push({ pool_id: pool_id ?? '', ip_key, device_id })
  }
  return taken
}

/** Returns the devices with one of the addresses. */
export const findHolders = (ctx: Ctx, keys: readonly IpKey[]) => holders(ctx, keys)

// Searches by address alone, which an index serves. Pairs of pool and address would need as many look-ups.
const holders = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db.selectFrom('addresses').select(['pool_id', 'ip', 'ip_key', 'device_id']).where('ip_key', 'in', keys),
)
