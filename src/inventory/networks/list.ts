/** The list of networks: filtered, sorted, with the utilization or the place of each. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { buildSubnetTree } from '../../net/subnet-tree.ts'
import { createList } from '../../resource/list.ts'
import { matchSpace } from '../spaces/keys.ts'
import type { ListedNetwork, Network, networks } from './api.ts'
import { networkFacts } from './resource.ts'
import { countUsed, store } from './store.ts'
import * as tree from './tree-store.ts'
import { buildUtilization, loadAllNested } from './usage.ts'

/** Returns further fields of a network, as JSON behind a comma: rows of long lists are not made twice. */
type Addition = (network: Network) => string

/** Returns the fields that are asked for, of any network. */
const buildAdditions = async (ctx: Ctx, included: ReadonlySet<string>): Promise<Addition[]> => {
  if (included.size === 0) return []
  const nodes = included.has('tree') ? buildSubnetTree(await tree.findAllRows(ctx)) : undefined
  const added: Addition[] = []
  if (included.has('utilization')) {
    const used = await countUsed(ctx.unscoped)
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

type ListInput = ParsedInputOf<typeof networks.list>

export const list = createList<ListedNetwork, ListInput>(networkFacts, store.query, {
  tables: ({ include }) => (include?.includes('utilization') ? ['network_addresses'] : []),
  filter: (_, query, { space_id }) => (space_id === undefined ? query : query.where(matchSpace(space_id))),
  orders: { subnet: ['first_key', 'prefix', 'name_key', 'id'] },
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
