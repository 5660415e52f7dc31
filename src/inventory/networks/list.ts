/** The list of networks: filtered, sorted, with the utilization or the place of each. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { buildSubnetTree } from '../../net/subnet-tree.ts'
import { createList } from '../../resource/list.ts'
import { matchSpace } from '../spaces/keys.ts'
import { getExpiringRevision } from '../used-addresses/expiry.ts'
import type { ListedNetwork, Network, networks, Utilization } from './api.ts'
import { networkFacts } from './resource.ts'
import { store } from './store.ts'
import * as tree from './tree-store.ts'
import { loadUtilizations } from './usage/usage.ts'

/** Returns further fields of a network, as JSON behind a comma: rows of long lists are not made twice. */
type Addition = (network: Network) => string

/** Returns the JSON. Most networks contain no other, and `JSON.stringify` takes several times as long for theirs. */
const formatUtilization = (utilization: Utilization): string => {
  if (utilization.children !== undefined) return JSON.stringify(utilization)
  const { network_id, total_ips, used_ips, reserved_ips, available_ips, utilization: percent } = utilization
  // No id has a character that JSON escapes.
  return `{"network_id":"${network_id}","total_ips":${total_ips},"used_ips":${used_ips},"reserved_ips":${reserved_ips},"available_ips":${available_ips},"utilization":${percent}}`
}

/** Returns the fields that are asked for, of any network. */
const buildAdditions = async (ctx: Ctx, included: ReadonlySet<string>): Promise<Addition[]> => {
  if (included.size === 0) return []
  const nodes = included.has('tree') ? buildSubnetTree(await tree.findAllRows(ctx)) : undefined
  const added: Addition[] = []
  if (included.has('utilization')) {
    const computeUtilization = await loadUtilizations(ctx, nodes)
    added.push((network) => `,"utilization":${formatUtilization(computeUtilization(network))}`)
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

type ListInput = ParsedInputOf<typeof networks.list>

export const list = createList<ListedNetwork, ListInput>(networkFacts, store.query, {
  tables: ({ include }) => (include?.includes('utilization') ? ['network_addresses', 'reservations'] : []),
  revision: async (ctx, { include }, tables) =>
    include?.includes('utilization') ? getExpiringRevision(ctx, tables) : ctx.store.revision(tables),
  filter: (_, query, { space_id }) => (space_id === undefined ? query : query.where(matchSpace(space_id))),
  orders: { subnet: ['first_key', 'prefix', 'name_order', 'id'] },
  createRow: async (ctx, { include }) => {
    const added = await buildAdditions(ctx, new Set(include))
    return (row) => {
      const network = store.fromRow(row)
      if (added.length === 0) return network
      let text = JSON.stringify(network).slice(0, -1)
      for (const fields of added) text += fields(network)
      return `${text}}`
    }
  },
})
