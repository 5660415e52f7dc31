/** Moves the addresses of a network to the address space that it has moved to. */

import type { Ctx } from '../../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow, replaceSpace } from '../../../net/ip.ts'
import type { SpaceChange } from '../../networks/move-to-space.ts'
import { isOnlyWithSubnet } from '../../networks/networks.ts'
import { findPoolIds } from '../../pools/pools.ts'
import { withSpace } from '../../spaces/fields.ts'
import * as occupancy from '../../used-addresses/used-addresses.ts'
import * as membership from '../membership-store.ts'
import type { Address, Device } from '../schema.ts'
import * as store from '../store.ts'

/** The storage keys of the moved addresses, in the space that they leave and in that which they come to. */
type MovedKeys = { readonly old: readonly IpKey[]; readonly new: readonly IpKey[] }

/**
 * Gives the new space to the addresses that name the network. Addresses that belong to it by containment follow, unless another network
 * of the same subnet holds them too. An address loses its pool if only one of the two has moved.
 */
export const moveToSpace = async (ctx: Ctx, { before, after, from, to }: SpaceChange): Promise<MovedKeys> => {
  const pools = new Set(await findPoolIds(ctx, after.id))
  const members = await membership.findKeysByDevice(ctx, after.id)
  const takesContained = await isOnlyWithSubnet(ctx, before)
  const isMoving = (device: Device, { ip, network_id, space_id }: Address): boolean => {
    if (network_id !== null) return network_id === after.id
    const isHeld = space_id === before.space_id && members.get(device.id)?.has(parseIpKeyOrThrow(ip, from)) === true
    return takesContained && isHeld
  }
  const old: IpKey[] = []
  const moveAddress = (device: Device, address: Address): Address => {
    const { space_id: _, ...rest } = address
    const hasMovedPool = address.pool_id !== null && pools.has(address.pool_id)
    if (!isMoving(device, address)) return hasMovedPool ? { ...address, pool_id: null } : address
    old.push(parseIpKeyOrThrow(address.ip, from))
    return withSpace({ ...rest, pool_id: hasMovedPool ? address.pool_id : null }, after.space_id)
  }
  const change = (device: Device): Device => {
    const addresses = device.addresses.map((address) => moveAddress(device, address))
    return addresses.some((address, i) => address !== device.addresses[i]) ? { ...device, addresses } : device
  }
  const ofPools = pools.size > 0 ? await store.findIdsReferringTo(ctx, { poolIds: [...pools] }) : []
  const inBoth = [...members].flatMap(([, keys]) => [...keys].flatMap((key) => [key, replaceSpace(key, to)]))
  await occupancy.lock(ctx, inBoth)
  await store.rewrite(ctx, [...new Set([...members.keys(), ...ofPools])], change)
  const keys = [...new Set(old)]
  return { old: keys, new: keys.map((key) => replaceSpace(key, to)) }
}
