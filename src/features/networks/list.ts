/** The list of networks: filtered, sorted, with the utilization or the place of each. */
import { buildSubnetTree } from '../../net/subnet-tree.ts'
import { containsText } from '../../platform/db/contains.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import type { JsonList } from '../../platform/operation/handler-result.ts'
import type { ParsedInputOf } from '../../platform/operation/operation.ts'
import type { Ctx } from '../ctx.ts'
import { listWithCustom } from '../custom-fields/row-lists.ts'
import { matchSpace } from '../spaces/keys.ts'
import type { ListedNetwork, Network, networks } from './api.ts'
import * as store from './store.ts'
import * as tree from './tree-store.ts'
import { buildUtilization, loadAllNested } from './usage.ts'

/** The columns of the fields by which only networks are sorted. */
const ORDERS = { subnet: ['first_key', 'prefix', 'name_key', 'id'] }

/** Returns further fields of a network, as JSON behind a comma: rows of long lists are not made twice. */
type Addition = (network: Network) => string

/** Returns the fields that are asked for, of any network. */
const buildAdditions = async (ctx: Ctx, included: ReadonlySet<string>): Promise<Addition[]> => {
  if (included.size === 0) return []
  const nodes = included.has('tree') ? buildSubnetTree(await tree.findAllRows(ctx)) : undefined
  const added: Addition[] = []
  if (included.has('utilization')) {
    const used = await store.countUsed(ctx.unscoped)
    const nested = await loadAllNested(ctx, nodes)
    added.push((network) => {
      const utilization = { ...buildUtilization(network, used.get(network.id) ?? 0), ...nested.get(network.id) }
      return `,"utilization":${JSON.stringify(utilization)}`
    })
  }
  if (nodes)
    added.push(({ id }) => {
      const node = nodes.get(id)
      // No id has a character that JSON escapes.
      const parent = node?.parent ? `"${node.parent.block.id}"` : 'null'
      return `,"parent_id":${parent},"depth":${node?.depth ?? 0},"children":${node?.children ?? 0}`
    })
  return added
}

export const list = async (ctx: Ctx, input: ParsedInputOf<typeof networks.list>): Promise<JsonList<ListedNetwork>> => {
  const { name, datacenter_id, vlan_id, space_id, managed_by, custom, include, sort, ...page } = input
  const included = new Set(include)
  let query = store.query(ctx)
  if (space_id !== undefined) query = query.where(matchSpace(space_id))
  if (name) query = query.where(containsText('name_key', name))
  if (datacenter_id) query = query.where('datacenter_id', '=', datacenter_id)
  if (vlan_id !== undefined) query = query.where('vlan_id', '=', vlan_id)
  if (managed_by) query = query.where(isManagedBy(managed_by))
  const tables = included.has('utilization') ? (['networks', 'network_addresses'] as const) : (['networks'] as const)
  let added: readonly Addition[] = []
  return listWithCustom<'networks', store.Row, ListedNetwork>(ctx, {
    resource: 'networks',
    query,
    tables,
    wanted: { custom, sort },
    page,
    orders: ORDERS,
    prepare: async () => {
      added = await buildAdditions(ctx, included)
    },
    row: (row) => {
      const network = store.fromRow(row)
      if (added.length === 0) return network
      let text = JSON.stringify(network).slice(0, -1)
      for (const fields of added) text += fields(network)
      return `${text}}`
    },
  })
}
