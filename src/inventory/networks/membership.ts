/** The network of an address that names none: the most specific one, or all with that subnet. */

import { type SqlBool, sql } from 'kysely'
import type { ConditionalSubset, Subset } from '../../database/query/ordered-filter.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { listEnclosingCidrs } from '../../net/cidr.ts'
import { fromIpKey, getSpaceKey, type IpKey } from '../../net/ip.ts'
import * as store from './store.ts'
import type { TreeRow } from './tree-store.ts'

/** Returns the devices with an address in a network, as a subset of all devices. */
export const buildDeviceSubset = (networkId: string): Subset => ({
  id: 'devices.id',
  table: 'network_addresses',
  member: 'device_id',
  column: 'network_id',
  value: networkId,
})

/** Returns the devices with an address in a network or in one inside it, as a subset of all devices. */
export const buildNestedSubset = ({ id, first_key, last_key, prefix }: TreeRow): ConditionalSubset => ({
  id: 'devices.id',
  table: 'network_addresses',
  member: 'device_id',
  condition: sql<SqlBool>`network_addresses.network_id IN (SELECT n.id FROM networks AS n WHERE n.id = ${id}
    OR (n.first_key >= ${first_key} AND n.first_key <= ${last_key} AND n.prefix > ${prefix}))`,
  name: `in ${id}`,
})

/** Beyond this many subnets, reading every network once is cheaper than asking for these. An estate may have 20,000 networks. */
const MOST_ASKED = 4000

/** Returns the keys of the subnets that hold an address in its space, the most specific first. */
export const listSubnetKeysAround = (key: IpKey): string[] => {
  const space = getSpaceKey(key)
  const subnets = listEnclosingCidrs(fromIpKey(key))
  return space === '' ? subnets : subnets.map((subnet) => `${space}${subnet}`)
}

/** Returns the ids of the networks that each address belongs to, by its key; none for an address outside of all. */
export const findNetworksHolding = async (
  ctx: Ctx,
  keys: readonly IpKey[],
): Promise<Map<string, readonly string[]>> => {
  const enclosing = new Map([...new Set(keys)].map((key) => [key, listSubnetKeysAround(key)]))
  if (enclosing.size === 0) return new Map()
  const subnets = [...new Set([...enclosing.values()].flat())]
  const ids = await store.findIdsBySubnetKey(ctx, subnets.length <= MOST_ASKED ? subnets : 'all')
  return new Map(
    [...enclosing].map(([key, around]) => {
      // Most specific first, so the first subnet that is a network's decides.
      for (const subnet of around) {
        const found = ids.get(subnet) ?? []
        if (found.length > 0) return [key, found]
      }
      return [key, []]
    }),
  )
}
