/** The queries of networks; the only writer of their table. */
import type { Kysely } from 'kysely'
import { parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import type { SpaceKey } from '../../net/ip.ts'
import { withRefs } from '../../platform/contract/external-fields.ts'
import { lockScopedCache } from '../../platform/db/cache/lock-scoped-cache.ts'
import { getCachedCounts } from '../../platform/db/cache/query-cache.ts'
import { prepared } from '../../platform/db/query/prepared.ts'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import { createObjectRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx, DbScope } from '../ctx.ts'
import { recordCustom } from '../custom-fields/engine.ts'
import { formatCustom, withCustomOfRow } from '../custom-fields/rows.ts'
import { withSpace } from '../spaces/fields.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import type { Tables } from '../tables.ts'
import type { Network } from './api.ts'
import type { NetworkRow } from './table.ts'

const columns = [
  'id',
  'name',
  'subnet',
  'vlan_id',
  'datacenter_id',
  'description',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
  'space_id',
  'custom',
] as const

export type Row = Pick<NetworkRow, (typeof columns)[number]>

const refs = createObjectRefs('networks', 'network', 'name')

const toRow = (network: Network, space: SpaceKey) => {
  const cidr = parseCidrOrThrow(network.subnet)
  const { first: first_key, last: last_key } = toCidrKeys(cidr, space)
  return {
    ...network,
    refs: JSON.stringify(network.refs),
    name_key: network.name.toLowerCase(),
    subnet_key: `${space}${network.subnet}`,
    prefix: cidr.prefix,
    first_key,
    last_key,
    space_id: network.space_id ?? null,
    custom: formatCustom(network),
  }
}

export const query = (ctx: Ctx) => ctx.db.selectFrom('networks').select(columns).orderBy('name_key').orderBy('id')

const selectById = ({ db }: DbScope, id: string) => db.selectFrom('networks').select(columns).where('id', '=', id)

const networkById = prepared((db: Kysely<Tables>, { id }: { id: string }) => selectById({ db }, id))

/** Returns the object of a row. */
export const fromRow = ({ space_id, custom, ...row }: Row): Network =>
  withCustomOfRow({ ...withSpace(withRefs(row), space_id), custom })

const found = (row: Row | undefined): Network | undefined => row && fromRow(row)

export const find = async (ctx: Ctx, id: string): Promise<Network | undefined> =>
  found((await networkById(ctx, { id }))[0])

/** As `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Network | undefined> =>
  found(await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst())

/** Locks networks until commit. */
export const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<Network[]> => {
  const some = ctx.db.selectFrom('networks').select(columns).where('id', 'in', ids).orderBy('id')
  return (await ctx.store.sql.lockRows(some).execute()).map(fromRow)
}

type IdsBySubnet = Map<string, readonly string[]>
/** Caches the keys of existing subnets, and the absence of others. */
const lastAsked = lockScopedCache<IdsBySubnet>()

export const insert = async (ctx: Ctx, network: Network): Promise<void> => {
  lastAsked.clear(ctx)
  await ctx.db
    .insertInto('networks')
    .values(toRow(network, await findSpaceKey(ctx, network)))
    .execute()
  await refs.insert(ctx, [network])
  await recordCustom(ctx, 'networks', [{ id: network.id, after: network.custom }])
  ctx.changed('network', { id: network.id, after: JSON.stringify(network) })
}

export const updateRow = async (ctx: Ctx, before: Network, network: Network): Promise<void> => {
  lastAsked.clear(ctx)
  const { id } = network
  await ctx.db
    .updateTable('networks')
    .set(toRow(network, await findSpaceKey(ctx, network)))
    .where('id', '=', id)
    .execute()
  await refs.update(ctx, before, network)
  await recordCustom(ctx, 'networks', [{ id, before: before.custom, after: network.custom }])
  ctx.changed('network', { id, before: JSON.stringify(before), after: JSON.stringify(network) })
}

/** Stores the values of custom fields alone, which is no change of the network. */
export const renameCustom = async (ctx: Ctx, network: Network): Promise<void> => {
  await ctx.db
    .updateTable('networks')
    .set({ custom: formatCustom(network) })
    .where('id', '=', network.id)
    .execute()
}

export const deleteRow = async (ctx: Ctx, network: Network): Promise<void> => {
  lastAsked.clear(ctx)
  await ctx.db.deleteFrom('networks').where('id', '=', network.id).execute()
  await refs.remove(ctx, [network])
  await recordCustom(ctx, 'networks', [{ id: network.id, before: network.custom }])
  ctx.changed('network', { id: network.id, before: JSON.stringify(network) })
}

/** Returns the existing networks of those ids, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await byIds(ctx, ids)
  return new Map(rows.map((row) => [row.id, JSON.stringify(fromRow(row))]))
}

const byIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('networks').select(columns).where('id', 'in', ids),
)

/** Returns the existing networks of those ids. */
export const findAll = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, Network>> =>
  new Map((await byIds(ctx, ids)).map((row) => [row.id, fromRow(row)]))

/** Returns the networks with one of these keys of subnets, by that key. */
export const findBySubnetKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, Network[]>> => {
  const networks = new Map<string, Network[]>()
  for (const { subnet_key, ...row } of await withSubnetKeys(ctx, keys))
    networks.set(subnet_key, [...(networks.get(subnet_key) ?? []), fromRow(row)])
  return networks
}

const withSubnetKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db
    .selectFrom('networks')
    .select([...columns, 'subnet_key'])
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

export const clearDatacenter = async (ctx: Ctx, datacenterId: string): Promise<void> => {
  const of = ctx.db.selectFrom('networks').select(columns).where('datacenter_id', '=', datacenterId).orderBy('id')
  for (const network of (await ctx.store.sql.lockRows(of).execute()).map(fromRow))
    await updateRow(ctx, network, { ...network, datacenter_id: null, updated_at: ctx.now })
}

/** Counts distinct addresses in use, for one network or for each network that has any. */
export const countUsed = async (ctx: Ctx, networkId?: string): Promise<Map<string, number>> => {
  let query = ctx.db
    .selectFrom('network_addresses')
    .select(({ fn }) => ['network_id', fn.count<number | string>('ip_key').distinct().as('n')])
    .groupBy('network_id')
  if (networkId !== undefined) query = query.where('network_id', '=', networkId)
  const count = async () => new Map((await query.execute()).map(({ network_id, n }) => [network_id, Number(n)]))
  // The count over all networks reads every address, so it is cached.
  return networkId === undefined ? getCachedCounts(ctx, 'network_addresses', 'used', count) : count()
}
