/** The addresses that a network gives out, as a pool of all of them would, without the subnet-router anycast address of IPv6. */
import type { Kysely } from 'kysely'
import { AppError, orNotFound } from '../../contract/errors.ts'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getHostSpan } from '../../net/cidr.ts'
import { fromIpKey, getSpaceKey, type IpKey, toIpKey } from '../../net/ip.ts'
import type { NetworkRow } from '../networks/table.ts'
import { findRowsIn } from '../networks/tree-store.ts'
import type { HeatmapEntry, NextIp } from '../pools/api.ts'
import { buildHeatmap, listLowestAvailable, type PoolSpace, toNextIp } from '../pools/free-space.ts'
import { POOL_NETWORK, type PoolNetwork } from '../pools/inner-networks.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'

/** A network with its bounds. */
export type BoundedNetwork = PoolNetwork & Pick<NetworkRow, 'id' | 'name' | 'subnet'>

const networkById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db
    .selectFrom('networks')
    .select(['id', 'name', 'subnet', ...POOL_NETWORK])
    .where('id', '=', id),
)

/** @throws AppError NOT_FOUND */
export const getBoundedNetworkOrThrow = async (ctx: Ctx, id: string): Promise<BoundedNetwork> =>
  orNotFound((await networkById(ctx, { id }))[0], 'network', id)

type Bounds = Omit<PoolNetwork, 'has_inner'>

/** Returns the range of the addresses that a network gives out. */
export const computeUsableRange = ({ first_key, last_key, prefix }: Bounds): KeyRange => {
  const [{ family, value: first }, { value: last }] = [fromIpKey(first_key), fromIpKey(last_key)]
  const given = getHostSpan({ family, prefix, first, last })
  const space = getSpaceKey(first_key)
  return { first: toIpKey({ family, value: given.first }, space), last: toIpKey({ family, value: given.last }, space) }
}

/** Returns the addresses of a network that are never given out. */
export const listNeverGiven = (network: Bounds): IpKey[] => {
  const { first_key, last_key } = network
  const { first, last } = computeUsableRange(network)
  return [...(first > first_key ? [first_key] : []), ...(last < last_key ? [last_key] : [])]
}

export const buildNetworkSpace = (network: PoolNetwork): PoolSpace => ({
  range: { first: network.first_key, last: network.last_key },
  never: new Set(listNeverGiven(network)),
  network: network.has_inner === 0 ? undefined : network,
})

/** Names a network in an error, unless the caller may not list networks. */
export const formatNetworkName = (ctx: Pick<Ctx, 'canListAll'>, { name, subnet }: BoundedNetwork): string =>
  ctx.canListAll('networks') ? `The network "${name}" (${subnet})` : 'The network'

export const createNoneLeftError = (ctx: Pick<Ctx, 'canListAll'>, network: BoundedNetwork): AppError =>
  new AppError('IP_NOT_AVAILABLE', `${formatNetworkName(ctx, network)} has no free address left`)

/** @throws AppError NOT_FOUND, IP_NOT_AVAILABLE */
export const findNextIp = async (ctx: Ctx, id: string, count: number | undefined): Promise<NextIp> => {
  const network = await getBoundedNetworkOrThrow(ctx, id)
  const [first, ...others] = await listLowestAvailable(ctx, buildNetworkSpace(network), count ?? 1)
  if (first === undefined) throw createNoneLeftError(ctx, network)
  return toNextIp([first, ...others], count)
}

/** Returns the most specific network inside that each address belongs to, by its place in the network. */
const findInnerIds = async (ctx: Ctx, network: BoundedNetwork): Promise<ReadonlyMap<number, string>> => {
  const { value: start } = fromIpKey(network.first_key)
  const ids = new Map<number, string>()
  // More specific networks come later. Of equal ones, that with the lowest id does.
  const inside = (await findRowsIn(ctx, network)).filter(({ prefix }) => prefix > network.prefix)
  for (const { id, first_key, last_key } of inside.toSorted((a, b) => a.prefix - b.prefix || (a.id < b.id ? 1 : -1))) {
    const last = Number(fromIpKey(last_key).value - start)
    for (let at = Number(fromIpKey(first_key).value - start); at <= last; at++) ids.set(at, id)
  }
  return ids
}

/** @throws AppError NOT_FOUND, and INVALID_INPUT for more than 65,536 addresses */
export const buildNetworkHeatmap = async (ctx: Ctx, id: string): Promise<HeatmapEntry[]> => {
  const network = await getBoundedNetworkOrThrow(ctx.unscoped, id)
  const entries = await buildHeatmap(ctx.unscoped, buildNetworkSpace(network), 'network')
  if (network.has_inner === 0) return entries
  const ids = await findInnerIds(ctx, network)
  return entries.map((entry, at) => {
    const network_id = ids.get(at)
    return network_id === undefined ? entry : { ...entry, network_id }
  })
}
