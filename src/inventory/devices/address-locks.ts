/** The places of devices: the addresses that they have, and that no two of them may have from one pool. */

import { AppError } from '../../contract/errors.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import { lockPlacementShared } from '../placement-lock.ts'
import { lockPoolNames } from '../pools/pools.ts'
import { findSpaceKeys, type SpaceKeys } from '../spaces/keys.ts'
import type { GivenAddress } from './custom.ts'
import type { Device } from './schema.ts'
import * as store from './store.ts'

type WithAddresses = { readonly addresses: readonly GivenAddress[] }

/** Returns the keys of the spaces of the addresses. */
export const findSpaces = (scope: StoreScope, all: readonly WithAddresses[]): Promise<SpaceKeys> =>
  findSpaceKeys(
    scope,
    all.flatMap(({ addresses }) => addresses),
  )

/** Returns the storage keys of the addresses, in order. */
export const toIpKeys = async (scope: StoreScope, all: readonly WithAddresses[]): Promise<IpKey[]> => {
  const space = await findSpaces(scope, all)
  return all.flatMap(({ addresses }) => addresses.map((address) => parseIpKeyOrThrow(address.ip, space(address))))
}

/** Locks the networks and pools of these addresses until commit. */
export const lockAddresses = async (ctx: Ctx, all: readonly WithAddresses[]): Promise<void> => {
  const addresses = all.flatMap((one) => one.addresses)
  if (addresses.length === 0) return
  await lockPoolNames(
    ctx,
    addresses.flatMap(({ pool_id }) => (pool_id === null ? [] : [pool_id])),
  )
  await lockPlacementShared(ctx)
}

/**
 * Returns the devices that may not have one of their addresses, with the reason: another device has it from the same
 * pool. The state after all of them counts, so that they may exchange addresses.
 * @param all as they will be
 */
export const findRefusedAddresses = async (ctx: Ctx, all: readonly Device[]): Promise<Map<string, AppError>> => {
  const space = await findSpaces(ctx, all)
  const wanted = all.flatMap(({ id, addresses }) =>
    addresses.flatMap((address) => {
      const { ip, pool_id } = address
      return pool_id === null ? [] : [{ pool_id, ip, ip_key: parseIpKeyOrThrow(ip, space(address)), device_id: id }]
    }),
  )
  const ids = new Set(all.map(({ id }) => id))
  const taken = new Set<string>()
  for (const { pool_id, ip_key, device_id } of await store.findTakenInPools(ctx, wanted))
    if (!ids.has(device_id)) taken.add(`${pool_id} ${ip_key}`)
  const refused = new Map<string, AppError>()
  const owners = new Map<string, string>()
  for (const { pool_id, ip, ip_key, device_id } of wanted) {
    const place = `${pool_id} ${ip_key}`
    const owner = owners.get(place) ?? device_id
    owners.set(place, owner)
    if (refused.has(device_id) || (owner === device_id && !taken.has(place))) continue
    refused.set(device_id, new AppError('IP_NOT_AVAILABLE', `${ip} of the pool ${pool_id} is taken by another device`))
  }
  return refused
}

/** @throws AppError IP_NOT_AVAILABLE if another device already has one of the addresses from the same pool. */
export const claimAddresses = async (ctx: Ctx, all: readonly Device[]): Promise<void> => {
  const [error] = (await findRefusedAddresses(ctx, all)).values()
  if (error) throw error
}
