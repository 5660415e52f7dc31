/** The networks of VLANs, which follow from the numbers and the datacenters of both. */

import type { SelectQueryBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { EarlierDocuments } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { compareNames } from '../../net/name-order.ts'
import type { ListedPage } from '../../resource/list.ts'
import type { Computed } from '../../resource/rules.ts'
import { buildVlanScopeKey, listParents, pickVlanScope, type VlanScopeKey } from './vlan-scope.ts'

type Vlan = { readonly vlan_id: number; readonly datacenter_id: string | null }

/** Returns a query of the numbers of the VLANs of a list, or of its page. */
const selectNumbers = ({ query, page: { limit, offset } }: ListedPage) => {
  // The query is of VLANs.
  const vlans = query as object as SelectQueryBuilder<Tables, 'vlans', object>
  const all = vlans.clearSelect().select('vlan_id')
  if (limit === undefined && offset === undefined) return all.clearOrderBy()
  return all.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset ?? 0)
}

/** Returns the rows as they were before the transaction. Documents have the same fields. */
const restoreRows = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  earlier: ReturnType<EarlierDocuments>,
): Row[] => [
  ...rows.filter(({ id }) => !earlier.has(id)),
  ...[...earlier.values()].flatMap((json) => (json === undefined ? [] : [JSON.parse(json) as Row])),
]

type Named = { readonly id: string; readonly name: string }
const byName = (a: Named, b: Named): number => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1)

/** Returns the networks that belong to VLANs, by name: their ids by the scope of the VLANs. */
export const findNetworkIds = async (ctx: Ctx, of: Computed<Vlan>): Promise<ReadonlyMap<VlanScopeKey, string[]>> => {
  const { objects: [only, other] = [], earlier } = of
  const numbers = of.page ? selectNumbers(of.page) : [...new Set(of.objects.map(({ vlan_id }) => vlan_id))]
  let vlans = ctx.db.selectFrom('vlans').select(['id', 'vlan_id', 'datacenter_id']).where('vlan_id', 'in', numbers)
  let networks = ctx.db
    .selectFrom('networks')
    .select(['id', 'name', 'vlan_id', 'datacenter_id'])
    .where('vlan_id', 'in', numbers)
  const tree = await ctx.db
    .selectFrom('datacenters')
    .select(['id', 'parent_id'])
    .where('parent_id', 'is not', null)
    .execute()
  const parents = listParents(earlier ? restoreRows(tree, earlier('datacenter')) : tree)
  // A single VLAN of a datacenter has networks of the same datacenter, if there is no tree.
  if (only?.datacenter_id && !other && !earlier && parents.size === 0) {
    vlans = vlans.where('datacenter_id', '=', only.datacenter_id)
    networks = networks.where('datacenter_id', '=', only.datacenter_id)
  }
  const stored = await networks.orderBy('name_order').orderBy('id').execute()
  const numbered = earlier ? restoreRows(stored, earlier('network')).sort(byName) : stored
  const named = await vlans.execute()
  const scopes = new Set(
    (earlier ? restoreRows(named, earlier('vlan')) : named).map((vlan) =>
      buildVlanScopeKey(vlan.vlan_id, vlan.datacenter_id),
    ),
  )
  const ids = new Map<VlanScopeKey, string[]>()
  for (const { id, ...network } of numbered) {
    const scope = pickVlanScope(network, scopes, parents)
    const others = scope && ids.get(scope)
    if (others) others.push(id)
    else if (scope) ids.set(scope, [id])
  }
  return ids
}
