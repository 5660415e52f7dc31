/**
 * The interfaces of devices: their network ports, and one for each other name in `interface` of their addresses. Ports of panels are no
 * interfaces.
 */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Address, Device } from '../../../inventory/devices/schema.ts'
import { findOfDevices, type StoredPort } from '../../../inventory/ports/store.ts'
import { sortByName, toNameKey } from '../../../net/name-order.ts'
import { buildInterfaceKey } from '../../numbers/keys.ts'
import { getAddress, getInterfaceName, listAddresses } from '../../world/addresses.ts'
import type { ShownCable, ShownInterface } from '../../world/nested-interfaces.ts'
import type { ShownVlan } from '../../world/vlans.ts'
import type { World } from '../../world/world.ts'
import { findVlanAt } from './vlans.ts'

export type InterfaceItem = {
  /** The id of the port, or the key of a name. */
  readonly key: string
  readonly device: Device
  readonly name: string
  /** Undefined for an interface that only addresses name, and for a port that the caller may not see. */
  readonly port: StoredPort | undefined
  /** The port that it is a part of. */
  readonly parent: StoredPort | undefined
  readonly addresses: number
  /** Its own MAC address, then the ones of its addresses. */
  readonly macs: readonly string[]
  readonly untagged: ShownVlan | undefined
  readonly tagged: readonly ShownVlan[]
  /** Its cable, once it is read. */
  readonly links?: Links | undefined
}

export type Links = {
  readonly cable: ShownCable | undefined
  readonly end: 'A' | 'B' | null
  readonly peer: ShownInterface | undefined
  /** The interface at the end of the path. */
  readonly endpoint: ShownInterface | undefined
  readonly isReachable: boolean
  readonly parentCable: ShownCable | undefined
}

export const isInterface = ({ kind, pass_through }: Pick<StoredPort, 'kind' | 'pass_through'>): boolean =>
  kind === 'network' && !pass_through

type Named = { readonly name: string; readonly macs: string[]; addresses: number }

const NO_MASKS = new Map<string, number>()

/** Groups the addresses of a device by their interfaces. */
const groupAddresses = (device: Device): Map<string, Named> => {
  const groups = new Map<string, Named>()
  if (device.addresses.length === 0) return groups
  for (const one of listAddresses(device, NO_MASKS)) {
    const address = getAddress(one)
    const name = getInterfaceName(address)
    const key = buildInterfaceKey(device.id, name)
    const group = groups.get(key) ?? { name, macs: [], addresses: 0 }
    group.addresses++
    if (address.mac_address !== '') group.macs.push(address.mac_address)
    groups.set(key, group)
  }
  return groups
}

/** True for an address on the interface of a name. */
export const isOnInterface = (address: Address, name: string): boolean =>
  toNameKey(getInterfaceName(address)) === toNameKey(name)

export const listOwnAddresses = ({ device, name }: InterfaceItem): Address[] =>
  device.addresses.filter((address) => isOnInterface(address, name))

type Ports = {
  readonly byDevice: ReadonlyMap<string, readonly StoredPort[]>
  /** The ids of interfaces that the caller may not see, by the key of their name. */
  readonly hidden: ReadonlyMap<string, string>
}

/** Reads the ids of ports that are not shown: an interface has one number for all callers. */
const readHidden = async ({ ctx }: World, deviceIds: readonly string[]): Promise<Map<string, string>> => {
  const hidden = new Map<string, string>()
  if (ctx.unscoped === ctx) return hidden
  for (const batch of splitBatches(deviceIds)) {
    const ports = ctx.unscoped.db.selectFrom('ports').select(['id', 'device_id', 'name_key'])
    const own = ports.where('device_id', 'in', batch).where('kind', '=', 'network').where('pass_through', '=', 0)
    for (const { id, device_id, name_key } of await own.execute())
      hidden.set(buildInterfaceKey(device_id, name_key), id)
  }
  return hidden
}

const readPorts = async (world: World, devices: readonly Device[]): Promise<Ports> => {
  const ids = devices.map(({ id }) => id)
  const ports = await findOfDevices(world.ctx, ids)
  return { byDevice: Map.groupBy(ports, ({ device_id }) => device_id), hidden: await readHidden(world, ids) }
}

const listOfDevice = (world: World, device: Device, { byDevice, hidden }: Ports): InterfaceItem[] => {
  const named = groupAddresses(device)
  const all = byDevice.get(device.id) ?? []
  const own = all.filter(isInterface)
  if (own.length === 0 && named.size === 0) return []
  const byId = new Map(all.map((port) => [port.id, port]))
  const toVlan = (vid: number) => findVlanAt(world, device.datacenter_id ?? null, vid)
  const items = own.map((port): InterfaceItem => {
    const key = buildInterfaceKey(device.id, port.name)
    const group = named.get(key)
    named.delete(key)
    const macs = [port.mac_address, ...(group?.macs ?? [])].filter((mac) => mac !== '')
    return {
      ...{ key: port.id, device, name: port.name, port },
      parent: port.parent_id === null ? undefined : byId.get(port.parent_id),
      addresses: group?.addresses ?? 0,
      macs: [...new Set(macs)],
      untagged: port.vlan_id === null ? undefined : toVlan(port.vlan_id),
      tagged: port.tagged_vlan_ids.map(toVlan),
    }
  })
  if (named.size === 0) return items
  const others = [...named].map(
    ([key, { name, macs, addresses }]): InterfaceItem => ({
      ...{ key: hidden.get(key) ?? key, device, name, port: undefined, parent: undefined },
      ...{ addresses, macs: [...new Set(macs)], untagged: undefined, tagged: [] },
    }),
  )
  return sortByName([...items, ...others], ({ name }) => name)
}

/** Returns the interfaces of devices, by device in their order and by name. */
export const listInterfaces = async (world: World, devices: readonly Device[]): Promise<InterfaceItem[]> => {
  const ports = await readPorts(world, devices)
  return devices.flatMap((device) => listOfDevice(world, device, ports))
}

/** The parts that nested forms show. */
export const toShown = ({ key, name, port, device, links }: InterfaceItem): ShownInterface => ({
  ...{ key, name, device, description: port?.description ?? '', cable: links?.cable },
})
