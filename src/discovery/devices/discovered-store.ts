/** Queries of discovered devices, and the only writer of their tables. Loads the records of a batch, and writes them. */
import type { Kysely } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { buildMovedKey, type Moved } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { createRecorder } from '../../resource/recorder.ts'
import { type Link, listLinkedIds } from '../inbox/findings.ts'
import { closeOfDevices } from '../presence/closing.ts'
import type { DiscoveredDevice } from '../schema.ts'
import type { AddressRow, DiscoveredRow, IdentityRow, LinkRow, TextRow } from '../table.ts'
import { buildSearchText } from './derive.ts'
import { ADDRESS_COLUMNS, COLUMNS } from './discovered-columns.ts'
import { buildMovedNetworkKey, buildNetworkKey } from './network-keys.ts'
import {
  addRecord,
  type Conflict,
  createRecords,
  type DiscoveredRecord,
  deriveColumns,
  type Observation,
  type Records,
  type Seen,
} from './records.ts'

const rowsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').selectAll().where('id', 'in', ids),
)
const addressesByPlaces = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovered_addresses').select('device_id').where('place', 'in', places),
)
const addressesByDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_addresses').selectAll().where('device_id', 'in', ids),
)
const identitiesByPlaces = preparedKeys((db: Kysely<Tables>, places) =>
  db.selectFrom('discovered_identities').select(['key', 'device_id']).where('place', 'in', places),
)
const identitiesByDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_identities').select(['key', 'device_id']).where('device_id', 'in', ids),
)
/** The stored JSON was written by this module. */
export const parseDoc = ({ doc }: Pick<DiscoveredRow, 'doc'>): DiscoveredDevice => JSON.parse(doc) as DiscoveredDevice
/** Links that others have reported of a device. */
export const parseLinks = (row: Pick<DiscoveredRow, 'links'> | undefined): Link[] =>
  row ? (JSON.parse(row.links) as Link[]) : []
const parseConflicts = ({ conflicts }: DiscoveredRow) => JSON.parse(conflicts) as Conflict[]
const toSeen = ({
  ip_key,
  ip,
  status,
  first_seen,
  last_seen,
  last_scan_id,
  ports_scan_id,
  ...row
}: AddressRow): Seen => ({
  ...{ ip_key, ip, status, first_seen, last_seen, last_scan_id, ports_scan_id },
  observation: JSON.parse(row.observation) as Observation,
})

/** Returns the records of these ids, with all their addresses and keys. */
export const loadByIds = async (
  ctx: Ctx,
  ids: readonly string[],
  records = createRecords(ctx.newId),
): Promise<Records> => {
  const missing = [...new Set(ids)].filter((id) => !records.byId.has(id))
  if (missing.length === 0) return records
  // Concurrent writers exist, so the rows are locked against a promotion while a batch rewrites them.
  if (ctx.db !== ctx.store.read) await ctx.store.sql.besideOthers(() => lockRows(ctx, missing))
  const rows = await rowsByIds(ctx, missing)
  const addresses = Map.groupBy(await addressesByDevices(ctx, missing), ({ device_id }) => device_id)
  const keys = Map.groupBy(await identitiesByDevices(ctx, missing), ({ device_id }) => device_id ?? '')
  for (const row of rows)
    addRecord(records, {
      id: row.id,
      addresses: new Map((addresses.get(row.id) ?? []).map((one) => [one.ip_key, toSeen(one)])),
      keys: new Set((keys.get(row.id) ?? []).map(({ key }) => key)),
      conflicts: parseConflicts(row),
      row,
      doc: parseDoc(row),
    })
  return records
}

export type Wanted = {
  readonly networkId: string
  readonly ipKeys: readonly IpKey[]
  readonly identityKeys: readonly string[]
}

/** Returns the records that have one of the addresses, or are recognized by one of the keys. */
export const load = async (ctx: Ctx, { networkId, ipKeys, identityKeys }: Wanted): Promise<Records> => {
  const toNetworkKeys = (keys: readonly string[]) => keys.map((key) => buildNetworkKey(networkId, key))
  const holders = await addressesByPlaces(ctx, toNetworkKeys(ipKeys))
  const known = await identitiesByPlaces(ctx, toNetworkKeys(identityKeys))
  const records = createRecords(ctx.newId)
  for (const { key, device_id } of known) if (device_id === null) records.byKey.set(key, null)
  const ids = [...holders, ...known].flatMap(({ device_id }) => (device_id === null ? [] : [device_id]))
  return loadByIds(ctx, ids, records)
}

const upsertRows = preparedRows(COLUMNS, (db: Kysely<Tables>, rows: DiscoveredRow[]) =>
  db
    .insertInto('discovered_devices')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) =>
        // Every column is in the row that could not be inserted.
        Object.fromEntries(
          COLUMNS.filter((column) => column !== 'id').map((column) => [column, ref(`excluded.${column}`)]),
        ),
      ),
    ),
)
const upsertAddressRows = preparedRows(ADDRESS_COLUMNS, (db: Kysely<Tables>, rows: AddressRow[]) =>
  db
    .insertInto('discovered_addresses')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('place')
        .doUpdateSet(({ ref }) =>
          Object.fromEntries(
            ADDRESS_COLUMNS.filter((column) => column !== 'place').map((column) => [column, ref(`excluded.${column}`)]),
          ),
        ),
    ),
)
/** Indexed columns: an update that changes none of them does not touch the indexes. */
const INDEXED = [
  'network_id',
  'ip_key',
  'status',
  'first_scan_id',
  'matched_device_id',
  'promoted_to_device_id',
  'bucket',
  'bucket_since',
  'is_ignored',
] as const satisfies readonly (keyof DiscoveredRow)[]
const PLAIN = COLUMNS.filter((column) => column !== 'id' && !INDEXED.some((indexed) => indexed === column))

const refreshRows = preparedRows(COLUMNS, (db: Kysely<Tables>, rows: DiscoveredRow[]) =>
  db
    .insertInto('discovered_devices')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) => Object.fromEntries(PLAIN.map((column) => [column, ref(`excluded.${column}`)]))),
    ),
)
const refreshAddressRows = preparedRows(ADDRESS_COLUMNS, (db: Kysely<Tables>, rows: AddressRow[]) =>
  db
    .insertInto('discovered_addresses')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('place').doUpdateSet(({ ref }) => ({
        status: ref('excluded.status'),
        last_seen: ref('excluded.last_seen'),
        last_scan_id: ref('excluded.last_scan_id'),
        ports_scan_id: ref('excluded.ports_scan_id'),
        observation: ref('excluded.observation'),
        seen_mac: ref('excluded.seen_mac'),
        seen_names: ref('excluded.seen_names'),
        ptr_names: ref('excluded.ptr_names'),
        ptr_label: ref('excluded.ptr_label'),
        lease_names: ref('excluded.lease_names'),
        lease_end: ref('excluded.lease_end'),
      })),
    ),
)
const upsertIdentities = preparedRows(['place', 'key', 'device_id'], (db: Kysely<Tables>, rows: IdentityRow[]) =>
  db
    .insertInto('discovered_identities')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('place').doUpdateSet(({ ref }) => ({ device_id: ref('excluded.device_id') })),
    ),
)
const upsertTexts = preparedRows(
  ['device_id', 'search_text', 'mac_address', 'hostname_key'],
  (db: Kysely<Tables>, rows: TextRow[]) =>
    db
      .insertInto('discovered_texts')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('device_id').doUpdateSet(({ ref }) => ({
          search_text: ref('excluded.search_text'),
          mac_address: ref('excluded.mac_address'),
          hostname_key: ref('excluded.hostname_key'),
        })),
      ),
)

const insertLinks = preparedRows(['device_id', 'other_id'], (db: Kysely<Tables>, rows: LinkRow[]) =>
  db
    .insertInto('discovery_links')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
)

const recorder = createRecorder({
  ...{ kind: 'discovered-device', table: 'discovered_devices' },
  find: async (ctx, ids) => (await rowsByIds(ctx, ids)).map(({ doc, ...row }) => ({ ...row, ...parseDoc({ doc }) })),
})

/** A row to be written, with its stored state. */
export type Classified = {
  readonly row: DiscoveredRow
  readonly device: DiscoveredDevice
  readonly before: Pick<DiscoveredRecord, 'row' | 'doc'>
}

const isInPlace = ({ row, before }: Classified): boolean => {
  const { row: old } = before
  return old !== undefined && INDEXED.every((column) => row[column] === old[column])
}

const getRow = ({ row }: Classified): DiscoveredRow => row

const toTextRow = (device: DiscoveredDevice): TextRow => ({
  device_id: device.id,
  search_text: buildSearchText(device),
  mac_address: device.mac_address,
  hostname_key: device.hostname.toLowerCase().toWellFormed(),
})

/** Writes rows and their search texts. */
export const save = async (ctx: Ctx, all: readonly Classified[]): Promise<void> => {
  const ids = all.map(({ row }) => row.id)
  await recorder.write(ctx, ids, async () => {
    await refreshRows(ctx, all.filter(isInPlace).map(getRow))
    await upsertRows(ctx, all.filter((one) => !isInPlace(one)).map(getRow))
  })
  const texts = all.flatMap(({ device, before: { doc } }) => {
    const text = toTextRow(device)
    // Which word of a text is the name, the text itself does not say.
    const isSame =
      doc && Object.entries(toTextRow(doc)).every(([column, value]) => text[column as keyof TextRow] === value)
    return isSame ? [] : [text]
  })
  await upsertTexts(ctx, texts)
  await saveLinks(
    ctx,
    all.map(({ row, before }) => ({ row, old: before.row })),
  )
  if (ids.length > 0) await ctx.emit('discovered-devices.placed', ids)
}

/** Writes the links that changed, by the device that reported them. */
const saveLinks = async (
  ctx: Ctx,
  all: readonly { readonly row: DiscoveredRow; readonly old: DiscoveredRow | undefined }[],
): Promise<void> => {
  const changed = all.filter(({ row, old }) => row.links !== (old?.links ?? '[]')).map(({ row }) => row)
  for (const some of splitBatches(changed)) {
    const ids = some.map(({ id }) => id)
    await ctx.db.deleteFrom('discovery_links').where('device_id', 'in', ids).execute()
  }
  await insertLinks(
    ctx,
    changed.flatMap((row) =>
      [...new Set(listLinkedIds(parseLinks(row)))].map((other_id) => ({ device_id: row.id, other_id })),
    ),
  )
}

/** Writes a row of which a search finds nothing else than before. */
export const saveRow = (ctx: Ctx, row: DiscoveredRow): Promise<void> =>
  recorder.write(ctx, [row.id], () => upsertRows(ctx, [row]))

/** `owners` had the addresses before, by the key of the address. */
export const saveAddresses = async (
  ctx: Ctx,
  {
    networkId,
    records,
    owners,
  }: { networkId: string; records: readonly DiscoveredRecord[]; owners: ReadonlyMap<IpKey, string> },
  isChanged: (seen: Seen) => boolean,
): Promise<void> => {
  const held = records.flatMap(({ id, addresses }) => [...addresses.values()].map((seen) => ({ id, seen })))
  const isOwn = ({ id, seen }: (typeof held)[number]) => owners.get(seen.ip_key) === id
  const toAddressRow = ({ id, seen: { observation, ...seen } }: (typeof held)[number]): AddressRow => ({
    ...seen,
    place: buildNetworkKey(networkId, seen.ip_key),
    device_id: id,
    observation: JSON.stringify(observation),
    ...deriveColumns(observation),
  })
  await refreshAddressRows(ctx, held.filter((one) => isOwn(one) && isChanged(one.seen)).map(toAddressRow))
  await upsertAddressRows(ctx, held.filter((one) => !isOwn(one)).map(toAddressRow))
}

const splitNetworkKeys = (networkId: string, keys: readonly string[]) =>
  splitBatches(keys.map((key) => buildNetworkKey(networkId, key)))

export const removeAddresses = async (ctx: Ctx, networkId: string, ipKeys: readonly IpKey[]): Promise<void> => {
  for (const places of splitNetworkKeys(networkId, ipKeys))
    await ctx.db.deleteFrom('discovered_addresses').where('place', 'in', places).execute()
}

/** `[key, id]`; a key without an id is shared and identifies no device. */
export const saveIdentities = async (
  ctx: Ctx,
  networkId: string,
  owners: readonly (readonly [string, string | null])[],
): Promise<void> =>
  upsertIdentities(
    ctx,
    owners.map(([key, device_id]) => ({ place: buildNetworkKey(networkId, key), key, device_id })),
  )

export const removeIdentities = async (ctx: Ctx, networkId: string, keys: readonly string[]): Promise<void> => {
  for (const places of splitNetworkKeys(networkId, keys))
    await ctx.db.deleteFrom('discovered_identities').where('place', 'in', places).execute()
}

/** Devices of one statement, with all that goes with them; between two of them the event loop turns. */
const REMOVED_AT_ONCE = 50
const MOVED_AT_ONCE = 250

export const remove = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  for (const [i, batch] of splitBatches(ids, REMOVED_AT_ONCE).entries()) {
    if (i > 0) await pause()
    await closeOfDevices(ctx, batch)
    await recorder.write(ctx, batch, async () => {
      await ctx.db.deleteFrom('discovered_devices').where('id', 'in', batch).execute()
    })
  }
}

/** Moves the discovered devices of a network to another space. Returns their ids. */
export const moveToSpace = async (ctx: Ctx, networkId: string, spaces: Moved): Promise<string[]> => {
  const ip_key = buildMovedKey('ip_key', spaces)
  const all = ctx.db.selectFrom('discovered_devices').select('id').where('network_id', '=', networkId)
  const ids = (await all.orderBy('id').execute()).map(({ id }) => id)
  for (const some of splitBatches(ids, MOVED_AT_ONCE)) {
    await lockRows(ctx, some)
    await ctx.db.updateTable('discovered_devices').set({ ip_key }).where('id', 'in', some).execute()
    await ctx.db
      .updateTable('discovered_addresses')
      .set({ ip_key, place: buildMovedNetworkKey(networkId, ip_key) })
      .where('device_id', 'in', some)
      .execute()
    await pause()
  }
  await ctx.emit('discovered-devices.placed', ids)
  return ids
}

/** Answers with whom there was. */
export const removeOfNetwork = async (ctx: Ctx, networkId: string): Promise<string[]> => {
  // Includes shared keys: all that begin with the network.
  const [from, to] = [buildNetworkKey(networkId, ''), buildNetworkKey(networkId, '\u{10ffff}')]
  const rows = await ctx.db.selectFrom('discovered_devices').select('id').where('network_id', '=', networkId).execute()
  const ids = rows.map(({ id }) => id)
  await remove(ctx, ids)
  await ctx.db.deleteFrom('discovered_identities').where('place', '>=', from).where('place', '<', to).execute()
  return ids
}

const idsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select('id').where('id', 'in', ids),
)

/** Returns the ids that exist. */
export const filterExistingIds = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await idsByIds(ctx, ids)).map(({ id }) => id))

/** Keeps other writers off these until commit. */
export const lockRows = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const query = ctx.db.selectFrom('discovered_devices').select('id').where('id', 'in', ids).orderBy('id')
  await ctx.store.sql.lockRows(query).execute()
}
