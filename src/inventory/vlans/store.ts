/** The queries of VLANs and of their networks. */

import type { Tables } from '../../database/tables.ts'
import type { EarlierDocuments } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ListedPage } from '../../resource/list.ts'
import { objectStore } from '../../resource/store.ts'
import type { Vlan } from './api.ts'
import { vlanFacts } from './resource.ts'
import { buildVlanScopeKey, pickVlanScope, type VlanScopeKey } from './vlan-scope.ts'

/** A VLAN without its networks, which follow from theirs. */
export type StoredVlan = Omit<Vlan, 'network_ids'>

type NaturalKey = Pick<Vlan, 'vlan_id' | 'datacenter_id' | 'group'>

/** @example buildNaturalKey({ vlan_id: 10, datacenter_id: 'dc-1', group: 'Fabric B' }) // '10 dc-1 fabric b' */
export const buildNaturalKey = ({ vlan_id, datacenter_id, group }: NaturalKey): string =>
  `${buildVlanScopeKey(vlan_id, datacenter_id)} ${group.toLowerCase()}`

export const store = objectStore<typeof vlanFacts, StoredVlan>(vlanFacts, { buildKey: buildNaturalKey })

/** Returns a query of the numbers of the VLANs of a list, or of its page. */
const selectNumbers = ({ query, page: { limit, offset } }: ListedPage) => {
  // The query is of VLANs.
  const all = (query as object as ReturnType<typeof store.query>).clearSelect().select('vlan_id')
  if (limit === undefined && offset === undefined) return all.clearOrderBy()
  return all.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset ?? 0)
}

export type NetworkIds = ReadonlyMap<VlanScopeKey, readonly string[]>

/** Returns the networks that belong to the VLANs of a list, by name: their ids by the scope of the VLANs. */
export const findListedNetworkIds = (ctx: Ctx, page: ListedPage): Promise<NetworkIds> =>
  findNetworkIdsIn(ctx, selectNumbers(page), null)

/** As `findListedNetworkIds`, of stored VLANs. */
export const findNetworkIds = (ctx: Ctx, vlans: readonly StoredVlan[]): Promise<NetworkIds> => {
  const [only] = vlans
  return findNetworkIdsIn(ctx, listNumbers(vlans), only && vlans.length === 1 ? only.datacenter_id : null)
}

const listNumbers = (vlans: readonly StoredVlan[]): number[] => [...new Set(vlans.map(({ vlan_id }) => vlan_id))]

/** @param datacenterId of the VLANs and networks that are read; null reads all, of any datacenter and of none */
const findNetworkIdsIn = async (
  ctx: Ctx,
  wanted: readonly number[] | ReturnType<typeof selectNumbers>,
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

/** Returns the rows as they were before the transaction. @param earlier the documents of the rows that it has changed, which have the same columns */
const restoreRows = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  earlier: ReadonlyMap<string, string | undefined>,
): Row[] => [
  ...rows.filter(({ id }) => !earlier.has(id)),
  ...[...earlier.values()].flatMap((json) => (json === undefined ? [] : [JSON.parse(json) as Row])),
]

/** Returns the networks that belonged to VLANs before the transaction, as `findNetworkIds`. */
export const findEarlierNetworks = async (
  ctx: Ctx,
  of: readonly StoredVlan[],
  earlier: EarlierDocuments,
): Promise<NetworkIds> => {
  const numbers = listNumbers(of)
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
