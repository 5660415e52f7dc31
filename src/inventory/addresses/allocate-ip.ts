/** Allocates free addresses of a network: to a device, or as reservations in the pools of the network. */

import { AppError, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatIp, fromIpKey, getSpaceKey, type IpKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import { findPools } from '../networks/tree-store.ts'
import { computeRangeSize } from '../pools/free-space.ts'
import { findInnerNetworks } from '../pools/inner-networks.ts'
import { lockPoolNames } from '../pools/pools.ts'
import {
  checkWanted,
  claimFree,
  give,
  lockDefinitions,
  lockReceiver,
  reserveIn,
  type Source,
} from '../reservations/allocate.ts'
import type { Allocation, Reservation } from '../reservations/api.ts'
import { purgeExpired } from '../reservations/record.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import type { NetworkAllocationRequest } from './api.ts'
import {
  type BoundedNetwork,
  buildNetworkSpace,
  createNoneLeftError,
  formatNetworkName,
  getBoundedNetworkOrThrow,
} from './network-space.ts'

const toSource = (ctx: Ctx, network: BoundedNetwork): Source => ({
  space: buildNetworkSpace(network),
  name: formatNetworkName(ctx, network),
  noneLeft: () => createNoneLeftError(ctx, network),
})

/** @throws AppError VALIDATION_ERROR for an address that does not belong to the network, IP_NOT_AVAILABLE for one that is not free */
const claimOne = async (ctx: Ctx, network: BoundedNetwork, ip: string): Promise<IpKey> => {
  const { range, never } = buildNetworkSpace(network)
  const key = parseIpKeyOrThrow(ip, getSpaceKey(range.first))
  if (key < range.first || key > range.last)
    throw invalidField('ip', `is outside of the network${ctx.canListAll('networks') ? ` ${network.subnet}` : ''}`)
  const [inner] = await findInnerNetworks(ctx, network, key)
  if (inner) {
    const name = ctx.canListAll('networks') ? ` "${inner.name}" (${inner.subnet})` : ''
    throw invalidField('ip', `belongs to the more specific network${name}; allocate it there`)
  }
  if (never.has(key)) {
    const kind = fromIpKey(key).family === 4 ? 'network or broadcast' : 'subnet-router anycast'
    throw new AppError('IP_NOT_AVAILABLE', `${ip} is the ${kind} address of its network`)
  }
  await purgeExpired(ctx, { first: key, last: key })
  if (await occupancy.claim(ctx, [key])) return key
  throw new AppError('IP_NOT_AVAILABLE', `${ip} is taken by a device or another reservation`)
}

type Pools = Awaited<ReturnType<typeof findPools>>

/** Returns the pools of a network, the smallest first, and locks them until commit. */
const lockPoolsBySize = async (ctx: Ctx, networkId: string): Promise<Pools> => {
  const ids = (await findPools(ctx, networkId)).map(({ id }) => id)
  if (ids.length === 0) return []
  await lockPoolNames(ctx, ids)
  const sized = (await findPools(ctx, networkId))
    // A pool that was created since is not locked.
    .filter(({ id }) => ids.includes(id))
    .map((pool) => ({ pool, size: computeRangeSize({ first: pool.start_key, last: pool.end_key }) }))
  return sized.sort((a, b) => (a.size < b.size ? -1 : a.size > b.size ? 1 : 0)).map(({ pool }) => pool)
}

const findPoolOf = (pools: Pools, key: IpKey): Pools[number] | undefined =>
  pools.find(({ start_key, end_key }) => start_key <= key && key <= end_key)

type Placed = { readonly ip: string; readonly pool: Pools[number] | undefined }

/** @throws AppError VALIDATION_ERROR for an address in no pool */
const groupByPool = (placed: readonly Placed[]): Map<Pools[number], string[]> => {
  const groups = new Map<Pools[number], string[]>()
  for (const { ip, pool } of placed) {
    if (!pool)
      throw invalidField(
        'device_id',
        `is required: no pool of the network holds ${ip}, and reservations are kept in pools`,
      )
    groups.set(pool, [...(groups.get(pool) ?? []), ip])
  }
  return groups
}

/** @throws AppError IP_NOT_AVAILABLE if too few addresses are free; then none is taken */
export const allocateIp = async (ctx: Ctx, { id, ip, ...wanted }: NetworkAllocationRequest): Promise<Allocation> => {
  if (ip !== undefined && wanted.count > 1) throw invalidField('ip', 'is for one address, not for several')
  if (!wanted.device_id) ctx.require('reservations:create')
  checkWanted(ctx, wanted)
  // No network is created in it, and its subnet stays, until commit.
  await lockDefinitions(ctx, wanted)
  const network = await getBoundedNetworkOrThrow(ctx, id)
  const pools = await lockPoolsBySize(ctx, id)
  const device = await lockReceiver(ctx, wanted)
  const keys =
    ip === undefined ? await claimFree(ctx, toSource(ctx, network), wanted) : [await claimOne(ctx, network, ip)]
  const placed = keys.map((key) => ({ ip: formatIp(fromIpKey(key)), pool: findPoolOf(pools, key) }))
  if (device) {
    const claimed = placed.map(({ ip, pool = null }) => ({ ip, network_id: id, pool }))
    return give(ctx, device, { claimed, wanted })
  }
  const reservations: Reservation[] = []
  for (const [pool, ips] of groupByPool(placed)) reservations.push(...(await reserveIn(ctx, pool, { ips, wanted })))
  return { ips: placed.map((one) => one.ip), reservations }
}
