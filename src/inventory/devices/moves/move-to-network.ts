/** Moves the addresses that name a network to the networks that its contents move to. */

import type { Ctx } from '../../../kernel/ctx.ts'
import { DEFAULT_SPACE, fromIpKey, parseIpKeyOrThrow } from '../../../net/ip.ts'
import { type ContentsMove, getTarget } from '../../networks/contents.ts'
import * as membership from '../membership-store.ts'
import type { Address, Device } from '../schema.ts'
import * as store from '../store.ts'

export const moveToNetworks = async (ctx: Ctx, move: ContentsMove): Promise<void> => {
  const from = new Set(move.from.map(({ id }) => id))
  const concerned = new Set<string>()
  for (const networkId of from) for (const id of await store.findIdsReferringTo(ctx, { networkId })) concerned.add(id)
  const changed: string[] = []
  const moveAddress = (address: Address): Address => {
    if (address.network_id === null || !from.has(address.network_id)) return address
    const { value } = fromIpKey(parseIpKeyOrThrow(address.ip, DEFAULT_SPACE))
    const target = getTarget(move, { first: value, last: value })
    return target ? { ...address, network_id: target.network.id } : address
  }
  await store.rewrite(ctx, [...concerned], (device): Device => {
    const addresses = device.addresses.map(moveAddress)
    const count = addresses.filter((address, i) => address !== device.addresses[i]).length
    if (count === 0) return device
    move.moved.addresses += count
    changed.push(device.id)
    return { ...device, addresses }
  })
  await membership.rebuild(ctx, changed)
}
