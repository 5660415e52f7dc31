/** Finds the network of each lease: the most specific one of the address space, and of several with its subnet the oldest. */

import { DEFAULT } from '../../inventory/spaces/fields.ts'
import { findSpaceKey, matchSpace } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseIpKeyOrThrow } from '../../net/ip.ts'
import type { ActiveLease } from './read.ts'

export type Placed = {
  /** The leases by the id of their network. */
  readonly byNetwork: ReadonlyMap<string, readonly ActiveLease[]>
  readonly unplaced: number
}

/** Outer networks come before inner ones. */
const selectNetworksInOrder = (ctx: Ctx, space_id: string | null) =>
  ctx.db
    .selectFrom('networks')
    .select(['id', 'first_key', 'last_key'])
    .where(matchSpace(space_id ?? DEFAULT))
    .orderBy('first_key')
    .orderBy('prefix')
    .orderBy('id', 'desc')
    .execute()

type Unplaced = { readonly space_id: string | null; readonly leases: readonly ActiveLease[] }

/** Goes through the networks and the leases in the order of their addresses. Networks are nested or disjoint. */
export const placeLeases = async (ctx: Ctx, { space_id, leases }: Unplaced): Promise<Placed> => {
  const networks = await selectNetworksInOrder(ctx, space_id)
  const space = await findSpaceKey(ctx, { space_id })
  const sorted = leases
    .map((lease) => ({ key: parseIpKeyOrThrow(lease.ip, space), lease }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const byNetwork = new Map<string, ActiveLease[]>()
  const open: (typeof networks)[number][] = []
  let [next, unplaced] = [0, 0]
  for (const { key, lease } of sorted) {
    for (let network = networks[next]; network && network.first_key <= key; network = networks[++next])
      open.push(network)
    while (open.length > 0 && (open.at(-1)?.last_key ?? '') < key) open.pop()
    const network = open.at(-1)
    if (!network) {
      unplaced++
      continue
    }
    const some = byNetwork.get(network.id) ?? []
    some.push(lease)
    byNetwork.set(network.id, some)
  }
  return { byNetwork, unplaced }
}
