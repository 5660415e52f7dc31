/** Claims free addresses of a network inside a transaction, with the pools that hold them, and makes a pool where none does. */

import { AppError, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatIp, fromIpKey, getSpaceKey, type IpKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import { lockNetworkOrThrow } from '../networks/networks.ts'
import { computeRangeSize } from '../pools/free-space.ts'
import { findInnerNetworks } from '../pools/inner-networks.ts'
import { lockPoolsOfNetwork, type PoolsOfNetwork } from '../pools/of-network.ts'
import { create } from '../pools/pools.ts'
import { type Claimed, claimFree, lockDefinitions, type Source } from '../reservations/allocate.ts'
import { purgeExpired } from '../reservations/record.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import {
  type BoundedNetwork,
  buildNetworkSpace,
  computeUsableRange,
  createNoneLeftError,
  formatNetworkName,
  getBoundedNetworkOrThrow,
} from './network-space.ts'

/** A network of which addresses are claimed. */
export type OpenNetwork = {
  readonly network: BoundedNetwork
  /** Its pools, which are locked, the smallest first. */
  readonly pools: PoolsOfNetwork
  /** True if a pool may be made for addresses that no pool holds. */
  readonly createsPool: boolean
}

/** The name of a pool that is made for addresses. Imports make pools of this name too. */
export const POOL_NAME = 'addresses'

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

const sortBySize = (pools: PoolsOfNetwork): PoolsOfNetwork => {
  const sized = pools.map((pool) => ({ pool, size: computeRangeSize({ first: pool.start_key, last: pool.end_key }) }))
  return sized.sort((a, b) => (a.size < b.size ? -1 : a.size > b.size ? 1 : 0)).map(({ pool }) => pool)
}

type Wanted = {
  /** The address of choice. By default the lowest free ones. */
  readonly ip?: string | undefined
  readonly count: number
  readonly contiguous: boolean
}

const findHoldingPool = (pools: PoolsOfNetwork, first: IpKey, last = first): PoolsOfNetwork[number] | undefined =>
  pools.find(({ start_key, end_key }) => start_key <= first && last <= end_key)

/** Tells whether a pool holds the wanted address, or all that the network gives out. */
const hasPoolFor = (
  pools: PoolsOfNetwork,
  { network, ip }: Pick<OpenNetwork, 'network'> & Pick<Wanted, 'ip'>,
): boolean => {
  const { first, last } = computeUsableRange(network)
  if (ip === undefined) return findHoldingPool(pools, first, last) !== undefined
  return findHoldingPool(pools, parseIpKeyOrThrow(ip, getSpaceKey(first))) !== undefined
}

type Opening = Pick<Wanted, 'ip'> & {
  readonly id: string
  readonly createsPool: boolean
  /** True if a device may get some of the addresses. */
  readonly isForDevice: boolean
}

/**
 * Locks what claims of a network need, until commit. Comes after the locks of definitions and before those of devices and addresses.
 * @throws AppError NOT_FOUND
 */
export const openNetwork = async (ctx: Ctx, { id, ip, createsPool, isForDevice }: Opening): Promise<OpenNetwork> => {
  if (createsPool) await lockCustom(ctx, 'pools')
  // No network is created in it, and its subnet stays, until commit.
  await lockDefinitions(ctx, { isForDevice })
  const network = await getBoundedNetworkOrThrow(ctx, id)
  const pools = sortBySize(await lockPoolsOfNetwork(ctx, id))
  if (!createsPool || hasPoolFor(pools, { network, ip })) return { network, pools, createsPool }
  // No other pool is created in the network until commit.
  await lockNetworkOrThrow(ctx, id)
  return { network, pools: sortBySize(await lockPoolsOfNetwork(ctx, id, true)), createsPool }
}

/**
 * Claims the address of choice, or the lowest free ones.
 * @throws AppError VALIDATION_ERROR of `ip`; IP_NOT_AVAILABLE if too few addresses are free, and then none is taken
 */
export const claimAddresses = async (
  ctx: Ctx,
  { network, pools }: OpenNetwork,
  { ip, ...wanted }: Wanted,
): Promise<Claimed[]> => {
  const keys =
    ip === undefined ? await claimFree(ctx, toSource(ctx, network), wanted) : [await claimOne(ctx, network, ip)]
  return keys.map((key) => ({
    ip: formatIp(fromIpKey(key)),
    network_id: network.id,
    pool: findHoldingPool(pools, key) ?? null,
  }))
}

/** Makes a pool over all addresses that a network gives out. @throws AppError FORBIDDEN, VALIDATION_ERROR */
const createPool = async (ctx: Ctx, network: BoundedNetwork): Promise<NonNullable<Claimed['pool']>> => {
  ctx.require('pools:create')
  const { first, last } = computeUsableRange(network)
  const [start_ip, end_ip] = [formatIp(fromIpKey(first)), formatIp(fromIpKey(last))]
  const fields = { name: POOL_NAME, network_id: network.id, start_ip, end_ip, description: '', tags: [] }
  try {
    const { id } = await create(ctx, { ...fields, refs: null, managed_by: '', custom: null })
    return { id, start_key: first }
  } catch (error) {
    // A custom field of pools may be required. The caller's `custom` is that of addresses.
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
    const why = error.details.map(({ field, message }) => `${field} ${message}`).join(', ')
    throw invalidField('create_pool', `makes no pool: ${why}; create a pool in the network first`)
  }
}

export type Pooled = Claimed & { readonly pool: NonNullable<Claimed['pool']> }

/** Returns claimed addresses with the pools in which they are reserved. @throws AppError VALIDATION_ERROR of `device_id` for an address in no pool */
export const withPools = async (
  ctx: Ctx,
  { network, createsPool }: OpenNetwork,
  claimed: readonly Claimed[],
): Promise<Pooled[]> => {
  const outside = claimed.find(({ pool }) => pool === null)
  if (outside && !createsPool)
    throw invalidField(
      'device_id',
      `is required: no pool of the network holds ${outside.ip}, and reservations are kept in pools; create_pool makes one`,
    )
  const made = outside && (await createPool(ctx, network))
  return claimed.flatMap((one) => {
    const pool = one.pool ?? made
    return pool ? [{ ...one, pool }] : []
  })
}
