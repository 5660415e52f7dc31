/** The queries of networks. */
import type { Kysely } from 'kysely'
import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { objectStore } from '../../resource/store.ts'
import { findSpaceKeys } from '../spaces/keys.ts'
import type { Network } from './api.ts'
import { networkFacts } from './resource.ts'
import type { NetworkRow } from './table.ts'

type IdsBySubnet = Map<string, readonly string[]>
/** Caches the keys of existing subnets, and the absence of others. */
const lastAsked = lockScopedCache<IdsBySubnet>()

export const store = objectStore<typeof networkFacts, Network>(networkFacts, {
  columns: ['subnet_key', 'prefix', 'first_key', 'last_key'],
  toColumns: async (ctx, networks) => {
    const getSpaceKey = await findSpaceKeys(ctx, networks)
    return networks.map((network) => {
      const [space, cidr] = [getSpaceKey(network), parseCidrOrThrow(network.subnet)]
      const { first: first_key, last: last_key } = toCidrKeys(cidr, space)
      return { subnet_key: `${space}${network.subnet}`, prefix: cidr.prefix, first_key, last_key }
    })
  },
  onWrite: lastAsked.clear,
})

/** Returns the networks with one of these keys of subnets, by that key. */
export const findBySubnetKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, Network[]>> => {
  const networks = new Map<string, Network[]>()
  for (const { subnet_key, ...row } of await withSubnetKeys(ctx, keys))
    networks.set(subnet_key, [...(networks.get(subnet_key) ?? []), store.fromRow(row)])
  return networks
}

const withSubnetKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db
    .selectFrom('networks')
    .select([...store.columns, 'subnet_key'])
    .where('subnet_key', 'in', keys),
)

/** The block of a network, and its space, which is null in the default one. */
export type Block = Pick<NetworkRow, 'subnet' | 'space_id' | 'first_key'>

/** Returns the blocks of the existing ids, or of all networks. */
export const findBlocks = async (ctx: Ctx, ids: readonly string[] | 'all'): Promise<Map<string, Block>> => {
  const rows = await (ids === 'all' ? selectBlocks(ctx.db).execute() : blocksByIds(ctx, ids))
  return new Map(rows.map(({ id, ...block }) => [id, block]))
}

const selectBlocks = (db: Kysely<Tables>) => db.selectFrom('networks').select(['id', 'subnet', 'space_id', 'first_key'])
const blocksByIds = preparedKeys((db: Kysely<Tables>, ids) => selectBlocks(db).where('id', 'in', ids))
const selectSubnetKeys = (db: Kysely<Tables>) => db.selectFrom('networks').select(['id', 'subnet_key'])
const bySubnetKeys = preparedKeys((db: Kysely<Tables>, wanted) =>
  selectSubnetKeys(db).where('subnet_key', 'in', wanted),
)

/** Returns the ids of the networks with one of these keys of subnets, or of all; none for a subnet without a network. */
export const findIdsBySubnetKey = async (ctx: Ctx, wanted: readonly string[] | 'all'): Promise<IdsBySubnet> => {
  const { value: cached, set } = lastAsked.get(ctx)
  const ids: IdsBySubnet = (wanted === 'all' ? undefined : cached) ?? new Map()
  const missing = wanted === 'all' ? wanted : wanted.filter((subnet) => !ids.has(subnet))
  const rows = await (missing === 'all' ? selectSubnetKeys(ctx.db).execute() : bySubnetKeys(ctx, missing))
  if (missing !== 'all') for (const subnet of missing) ids.set(subnet, [])
  for (const { id, subnet_key } of rows) ids.set(subnet_key, [...(ids.get(subnet_key) ?? []), id])
  if (wanted !== 'all') set(ids)
  return ids
}
