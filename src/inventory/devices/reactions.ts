/** The reactions of devices, in the same transaction, to deletions and changes of the objects that they refer to. */

import type { Ctx, Reactions } from '../../kernel/ctx.ts'
import { parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import type { Rewrite } from '../../resource/custom/engine.ts'
import { onDeleting } from '../../resource/deleting.ts'
import type { Network } from '../networks/api.ts'
import type { SpaceChange } from '../networks/move-to-space.ts'
import type { SubnetChange } from '../networks/networks.ts'
import type { RangeChange } from '../pools/pools.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import { withType } from './apply-patch.ts'
import { planRewrite } from './custom.ts'
import * as membership from './membership-store.ts'
import { moveToNetworks } from './moves/move-to-network.ts'
import { moveToSpace } from './moves/move-to-space.ts'
import { withMount } from './rack-positions.ts'
import type { Address, Device } from './schema.ts'
import * as store from './store.ts'

const toRange = ({ subnet }: Network, space: SpaceKey) => {
  const cidr = parseCidrOrThrow(subnet)
  const { first: first_key, last: last_key } = toCidrKeys(cidr, space)
  return { prefix: cidr.prefix, first_key, last_key }
}

const withAddresses = (device: Device, change: (address: Address) => Address): Device => ({
  ...device,
  addresses: device.addresses.map(change),
})

const rebuildAround = async (ctx: Ctx, network: Network): Promise<void> =>
  membership.rebuild(
    ctx,
    await membership.findConcernedDevices(ctx, toRange(network, await findSpaceKey(ctx, network))),
  )

const describeLeaving = (ctx: Ctx, { ip, device_id }: { readonly ip: string; readonly device_id: string }): string =>
  ctx.canListAll('devices')
    ? `would leave the address ${ip} of device ${device_id} outside`
    : 'would leave an address of a device outside'

export const reactions: Reactions = {
  ...onDeleting({
    datacenters: async (ctx, { id }) => {
      const clear = (device: Device): Device =>
        device.datacenter_id === id ? { ...device, datacenter_id: null } : device
      await store.rewrite(ctx, await store.findIdsInDatacenter(ctx, id), clear)
    },
    racks: async (ctx, { id }) => {
      const clear = (device: Device): Device => (device.mount?.rack_id === id ? withMount(device, undefined) : device)
      await store.rewrite(ctx, await store.findIdsByColumn(ctx, 'rack_id', id), clear)
    },
    'device-types': async (ctx, { id }) => {
      const clear = (device: Device): Device => (device.device_type_id === id ? withType(device, null) : device)
      await store.rewrite(ctx, await store.findIdsByColumn(ctx, 'device_type_id', id), clear)
    },
  }),
  'rack.moved': async (ctx, { id, datacenter_id }) => {
    const move = (device: Device): Device =>
      device.mount?.rack_id === id && device.datacenter_id !== datacenter_id ? { ...device, datacenter_id } : device
    await store.rewrite(ctx, await store.findIdsByColumn(ctx, 'rack_id', id), move)
  },
  'pools.deleting': async (ctx, poolIds: readonly string[]) => {
    const gone = new Set(poolIds)
    const clear = (address: Address) =>
      address.pool_id && gone.has(address.pool_id) ? { ...address, pool_id: null } : address
    const ids = await store.findIdsReferringTo(ctx, { poolIds })
    await store.rewrite(ctx, ids, (device) => withAddresses(device, clear))
  },
  'custom-fields.rewriting': async (ctx, rewrite: Rewrite) => {
    const concerned = planRewrite(rewrite)
    if (concerned) await store.rewriteValues(ctx, concerned.ids, { ...concerned, isChange: rewrite.isChange })
  },
  'network.created': async (ctx, network: Network) => rebuildAround(ctx, network),
  'network.changing-subnet': async (ctx, { after, issues, moving: except }: SubnetChange) => {
    const { first_key: first, last_key: last } = toRange(after, await findSpaceKey(ctx, after))
    const outside = await store.findFirstOutside(ctx, { column: 'network_id', id: after.id, first, last, except })
    if (!outside) return
    issues.push({
      field: 'subnet',
      message: describeLeaving(ctx, outside),
    })
  },
  'network.updated': async (ctx, { network, before }: { network: Network; before: Network }) => {
    if (network.subnet === before.subnet) return
    // The devices it contained, which may now belong to another network, and the devices that it may contain from now on.
    const held = await membership.findDeviceIds(ctx, network.id)
    const concerned = await membership.findConcernedDevices(ctx, toRange(network, await findSpaceKey(ctx, network)))
    await membership.rebuild(ctx, [...new Set([...held, ...concerned])])
  },
  'network.changed-space': async (ctx, change: SpaceChange) => {
    const held = await membership.findDeviceIds(ctx, change.after.id)
    const moved = await moveToSpace(ctx, change)
    // The devices of its new space that it may contain from now on.
    const concerned = await membership.findConcernedDevices(ctx, toRange(change.after, change.to))
    await membership.rebuild(ctx, [...new Set([...held, ...concerned])])
    await occupancy.release(ctx, moved.old)
    await occupancy.take(ctx, moved.new)
  },
  'networks.moving-contents': moveToNetworks,
  'network.deleting': async (ctx, { id }: Network) => {
    await membership.removeNetwork(ctx, id)
    const clear = (address: Address) => (address.network_id === id ? { ...address, network_id: null } : address)
    const ids = await store.findIdsReferringTo(ctx, { networkId: id })
    await store.rewrite(ctx, ids, (device) => withAddresses(device, clear))
  },
  'network.deleted': async (ctx, network: Network) => rebuildAround(ctx, network),
  'pool.changing-range': async (ctx, { before, after, space, issues, moving: except }: RangeChange) => {
    const [first, last] = [parseIpKeyOrThrow(after.start_ip, space), parseIpKeyOrThrow(after.end_ip, space)]
    const outside = await store.findFirstOutside(ctx, { column: 'pool_id', id: before.id, first, last, except })
    if (!outside) return
    const field = outside.ip_key < first ? 'start_ip' : 'end_ip'
    issues.push({ field, message: describeLeaving(ctx, outside) })
  },
}
