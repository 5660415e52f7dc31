/** The queries of VLANs; the only writer of their table. */
import type { Kysely } from 'kysely'
import { type Refs, withRefs } from '../../platform/contract/external-fields.ts'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import type { EarlierDocuments } from '../../platform/operation/change-record.ts'
import { createObjectRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx } from '../ctx.ts'
import { recordCustom } from '../custom-fields/engine.ts'
import { formatCustom, withCustomOfRow } from '../custom-fields/rows.ts'
import type { Tables } from '../tables.ts'
import type { Vlan } from './api.ts'
import type { VlanRow } from './table.ts'
import { buildVlanScopeKey, pickVlanScope, type VlanScopeKey } from './vlan-scope.ts'

/** A VLAN without its networks, which follow from theirs. */
export type StoredVlan = Omit<Vlan, 'network_ids'>

const columns = [
  'id',
  'vlan_id',
  'name',
  'datacenter_id',
  'group',
  'description',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
  'custom',
] as const

type Row = Pick<VlanRow, (typeof columns)[number]>

const ofVlans = createObjectRefs('vlans', 'vlan', 'name')

type NaturalKey = Pick<Vlan, 'vlan_id' | 'datacenter_id' | 'group'>

/** @example buildNaturalKey({ vlan_id: 10, datacenter_id: 'dc-1', group: 'Fabric B' }) // '10 dc-1 fabric b' */
export const buildNaturalKey = ({ vlan_id, datacenter_id, group }: NaturalKey): string =>
  `${buildVlanScopeKey(vlan_id, datacenter_id)} ${group.toLowerCase()}`

const toRow = ({ refs, custom, ...vlan }: StoredVlan): VlanRow => ({
  ...vlan,
  custom: formatCustom({ custom }),
  refs: JSON.stringify(refs),
  name_key: vlan.name.toLowerCase(),
  group_key: vlan.group.toLowerCase(),
  natural_key: buildNaturalKey(vlan),
})

/** Returns the values beside a document from which a past state is read. */
export const computeDerived = ({ group }: Readonly<Record<string, unknown>>) => ({ group: String(group).toLowerCase() })

/** Returns the object of a row. */
export const fromRow = (row: Row): StoredVlan & { refs: Refs } => withCustomOfRow(withRefs(row))

const rows = (ctx: Ctx) => ctx.db.selectFrom('vlans').select(columns)

export const query = (ctx: Ctx) => rows(ctx).orderBy('vlan_id').orderBy('name_key').orderBy('id')

const found = (row: Row | undefined): StoredVlan | undefined => row && fromRow(row)

export const find = async (ctx: Ctx, id: string): Promise<StoredVlan | undefined> =>
  found(await rows(ctx).where('id', '=', id).executeTakeFirst())

/** As `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<StoredVlan | undefined> =>
  found(await ctx.store.sql.lockRows(rows(ctx).where('id', '=', id)).executeTakeFirst())

/** Locks VLANs until commit. */
export const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<StoredVlan[]> => {
  const some = rows(ctx).where('id', 'in', ids).orderBy('id')
  return (await ctx.store.sql.lockRows(some).execute()).map(fromRow)
}

/** Locks the VLANs of a datacenter until commit. */
export const lockOfDatacenter = async (ctx: Ctx, datacenterId: string): Promise<StoredVlan[]> => {
  const of = rows(ctx).where('datacenter_id', '=', datacenterId).orderBy('id')
  return (await ctx.store.sql.lockRows(of).execute()).map(fromRow)
}

const idsAmong = preparedKeys((db: Kysely<Tables>, keys) =>
  db.selectFrom('vlans').select(['id', 'natural_key']).where('natural_key', 'in', keys),
)

/** Returns the ids of the VLANs with these natural keys, by key. */
export const findIdsByKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> =>
  new Map((await idsAmong(ctx, keys)).map(({ id, natural_key }) => [natural_key, id]))

const byIds = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('vlans').select(columns).where('id', 'in', ids))

/** Returns the existing VLANs of those ids, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await byIds(ctx, ids)).map((row) => [row.id, JSON.stringify(fromRow(row))]))

/** Locks the refs of a new VLAN until commit. @throws RefTakenError */
export const claimRefs = ofVlans.claim

export const insert = async (ctx: Ctx, vlan: StoredVlan): Promise<void> => {
  await ctx.db.insertInto('vlans').values(toRow(vlan)).execute()
  await ofVlans.insert(ctx, [vlan])
  await recordCustom(ctx, 'vlans', [{ id: vlan.id, after: vlan.custom }])
  ctx.changed('vlan', { id: vlan.id, after: JSON.stringify(vlan) })
}

export const updateRow = async (ctx: Ctx, before: StoredVlan, vlan: StoredVlan): Promise<void> => {
  const { id } = vlan
  await ctx.db.updateTable('vlans').set(toRow(vlan)).where('id', '=', id).execute()
  await ofVlans.update(ctx, before, vlan)
  await recordCustom(ctx, 'vlans', [{ id, before: before.custom, after: vlan.custom }])
  ctx.changed('vlan', { id, before: JSON.stringify(before), after: JSON.stringify(vlan) })
}

/** Stores the values of custom fields alone, which is no change of the VLAN. */
export const renameCustom = async (ctx: Ctx, vlan: StoredVlan): Promise<void> => {
  await ctx.db
    .updateTable('vlans')
    .set({ custom: formatCustom(vlan) })
    .where('id', '=', vlan.id)
    .execute()
}

export const deleteRow = async (ctx: Ctx, vlan: StoredVlan): Promise<void> => {
  await ctx.db.deleteFrom('vlans').where('id', '=', vlan.id).execute()
  await ofVlans.remove(ctx, [vlan])
  await recordCustom(ctx, 'vlans', [{ id: vlan.id, before: vlan.custom }])
  ctx.changed('vlan', { id: vlan.id, before: JSON.stringify(vlan) })
}

/** The query of a list, or some numbers. */
type Numbers = readonly number[] | { readonly query: ReturnType<typeof query>; readonly page: Page }
type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

const limitNumbers = (numbers: Numbers) => {
  if (!('query' in numbers)) return numbers
  const { limit, offset } = numbers.page
  const all = numbers.query.clearSelect().select('vlan_id')
  if (limit === undefined && offset === undefined) return all.clearOrderBy()
  return all.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset ?? 0)
}

export type NetworkIds = ReadonlyMap<VlanScopeKey, readonly string[]>

/** Returns the networks that belong to the VLANs of these numbers, by name: their ids by the place of the VLANs. */
export const findNetworkIds = (ctx: Ctx, numbers: Numbers): Promise<NetworkIds> =>
  findNetworkIdsIn(ctx, limitNumbers(numbers), null)

/** As `findNetworkIds`, of one stored VLAN. */
export const findNetworkIdsOfOne = (
  ctx: Ctx,
  { vlan_id, datacenter_id }: Pick<Vlan, 'vlan_id' | 'datacenter_id'>,
): Promise<NetworkIds> => findNetworkIdsIn(ctx, [vlan_id], datacenter_id)

/** @param datacenterId of the VLANs and networks that are read; null reads those of all datacenters and of none */
const findNetworkIdsIn = async (
  ctx: Ctx,
  wanted: ReturnType<typeof limitNumbers>,
  datacenterId: string | null,
): Promise<NetworkIds> => {
  let places = ctx.db.selectFrom('vlans').select(['vlan_id', 'datacenter_id']).where('vlan_id', 'in', wanted)
  let networks = ctx.db.selectFrom('networks').select(['id', 'vlan_id', 'datacenter_id']).where('vlan_id', 'in', wanted)
  if (datacenterId !== null) {
    places = places.where('datacenter_id', '=', datacenterId)
    networks = networks.where('datacenter_id', '=', datacenterId)
  }
  return collectByPlace(await places.distinct().execute(), await networks.orderBy('name_key').orderBy('id').execute())
}

type Place = Pick<Vlan, 'vlan_id' | 'datacenter_id'>
type NumberedNetwork = Pick<Tables['networks'], 'id' | 'vlan_id' | 'datacenter_id'>

/** @param networks in the order of the result */
const collectByPlace = (places: readonly Place[], networks: readonly NumberedNetwork[]): NetworkIds => {
  const named = new Set(places.map(({ vlan_id, datacenter_id }) => buildVlanScopeKey(vlan_id, datacenter_id)))
  const ids = new Map<VlanScopeKey, string[]>()
  for (const { id, ...network } of networks) {
    const place = pickVlanScope(network, named)
    if (place === undefined) continue
    const others = ids.get(place)
    if (others) others.push(id)
    else ids.set(place, [id])
  }
  return ids
}

/** Returns the rows as they were before the transaction. @param earlier the documents of those that it has changed, which have the same columns */
const restoreRows = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  earlier: ReadonlyMap<string, string | undefined>,
): Row[] => [
  ...rows.filter(({ id }) => !earlier.has(id)),
  ...[...earlier.values()].flatMap((json) => (json === undefined ? [] : [JSON.parse(json) as Row])),
]

/** Returns the networks that belonged to the VLANs of these numbers before the transaction, as `findNetworkIds`. */
export const findEarlierNetworks = async (
  ctx: Ctx,
  numbers: readonly number[],
  earlier: EarlierDocuments,
): Promise<NetworkIds> => {
  const vlans = ctx.db.selectFrom('vlans').select(['id', 'vlan_id', 'datacenter_id']).where('vlan_id', 'in', numbers)
  const networks = ctx.db
    .selectFrom('networks')
    .select(['id', 'name', 'vlan_id', 'datacenter_id'])
    .where('vlan_id', 'in', numbers)
  const named = restoreRows(await networks.execute(), earlier('network')).map((row) => ({
    ...row,
    name_key: row.name.toLowerCase(),
  }))
  named.sort((a, b) => (a.name_key < b.name_key ? -1 : a.name_key > b.name_key ? 1 : a.id < b.id ? -1 : 1))
  return collectByPlace(restoreRows(await vlans.execute(), earlier('vlan')), named)
}
