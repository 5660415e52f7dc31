/** Finds pools that lie wholly inside a more specific network than their own: no address of them is given out. */
import type { Warning } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findAllRows } from '../networks/tree-store.ts'
import { clipRanges, findInnerNetworks, mapInnerRanges } from './inner-networks.ts'
import * as store from './store.ts'

const MAX_WARNINGS = 100

/** Returns the ids of these pools. */
const findInnerPools = async (ctx: Ctx): Promise<string[]> => {
  const inner = mapInnerRanges(await findAllRows(ctx))
  const ids: string[] = []
  for (const { id, network_id, start_key, end_key } of await store.findAllBounds(ctx)) {
    const [first] = clipRanges(inner.get(network_id) ?? [], { first: start_key, last: end_key })
    if (first?.first === start_key && first.last === end_key) ids.push(id)
    if (ids.length === MAX_WARNINGS) break
  }
  return ids
}

/** Finds at most 100 such pools. */
export const findInnerPoolWarnings = async (ctx: Ctx): Promise<readonly Warning[]> => {
  const warnings: Warning[] = []
  for (const id of await findInnerPools(ctx)) {
    const pool = await store.findRange(ctx, id)
    if (!pool) continue
    const around = await findInnerNetworks(ctx, pool, pool.start_key)
    const network = around.find(({ last_key }) => last_key >= pool.end_key)
    if (!network) continue
    const { name, start_ip, end_ip, subnet } = pool
    warnings.push({
      kind: 'pool_in_more_specific_network',
      resource: 'pools',
      id,
      name,
      message:
        `The pool "${name}" (${start_ip} - ${end_ip}) is in the network ${subnet}, but its addresses belong to the more specific network ` +
        `"${network.name}" (${network.subnet}), so none of them is given out. Create the pool in that network, and delete this one.`,
    })
  }
  return warnings
}
