/** The addresses of devices as NetBox has them: with the mask of their network, on an interface. */

import { splitBatches } from '../../database/query/batches.ts'
import type { Address, Device } from '../../inventory/devices/schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { FAMILY } from '../choices/addresses.ts'
import { buildAddressKey } from '../numbers/keys.ts'
import { toDescription } from './nested.ts'
import type { Numbered, World } from './world.ts'

/** The name of the interface of addresses that name none. */
export const UNNAMED = 'unnamed'

/** The lengths of the prefixes of networks, by device and position of its address. */
export type Masks = ReadonlyMap<string, number>

export const buildMaskKey = (deviceId: string, position: number): string => `${deviceId} ${position}`

/** Reads the masks of the addresses of devices: that of the network of each that the caller sees. */
export const readMasks = async ({ db }: Ctx, deviceIds: readonly string[]): Promise<Masks> => {
  const masks = new Map<string, number>()
  for (const batch of splitBatches(deviceIds)) {
    const rows = await db
      .selectFrom('addresses')
      .innerJoin('network_addresses', (join) =>
        join
          .onRef('network_addresses.device_id', '=', 'addresses.device_id')
          .onRef('network_addresses.ip_key', '=', 'addresses.ip_key'),
      )
      .innerJoin('networks', 'networks.id', 'network_addresses.network_id')
      .select(['addresses.device_id', 'addresses.position', 'networks.prefix', 'networks.id'])
      .select('addresses.network_id')
      .where('addresses.device_id', 'in', batch)
      .execute()
    for (const { device_id, position, prefix, network_id, id } of rows) {
      const key = buildMaskKey(device_id, position)
      // An address may be in several networks of one subnet.
      if (network_id === null || network_id === id || !masks.has(key)) masks.set(key, prefix)
    }
  }
  return masks
}

export const getFamily = (ip: string): 4 | 6 => (ip.includes(':') ? 6 : 4)

export const toFamily = (family: 4 | 6) => ({ value: family, label: FAMILY[family] })

/** Returns the address with its mask: /32 or /128 in no network. */
export const withMask = (ip: string, mask: number | undefined): string =>
  `${ip}/${mask ?? (getFamily(ip) === 6 ? 128 : 32)}`

/** An address of a device. */
export type DeviceAddress = { readonly device: Device; readonly position: number; readonly mask: number | undefined }

export const getAddress = ({ device, position }: DeviceAddress): Address => {
  const { [position]: address } = device.addresses
  if (!address) throw new Error(`the device ${device.id} has no address ${position}`)
  return address
}

/** Returns the key of an address. Of two entries with one IP in a space, the first counts. */
export const getAddressKey = (one: DeviceAddress): string => {
  const { ip, space_id } = getAddress(one)
  return buildAddressKey(one.device.id, space_id ?? null, ip)
}

/** Lists the addresses of a device, without second entries of one IP in a space. */
export const listAddresses = (device: Device, masks: Masks): DeviceAddress[] => {
  const seen = new Set<string>()
  return device.addresses.flatMap((_, position) => {
    const one = { device, position, mask: masks.get(buildMaskKey(device.id, position)) }
    const key = getAddressKey(one)
    if (seen.has(key)) return []
    seen.add(key)
    return [one]
  })
}

export const getInterfaceName = ({ interface: name }: Address): string => name?.trim() || UNNAMED

/** An address has its label as description, unless that is the name of its interface. */
export const describeAddress = (address: Address): string => {
  const { label } = address
  return label === address.interface ? '' : toDescription(label)
}

export const nestAddress = (world: World, one: DeviceAddress, more: Record<string, unknown> = {}): Numbered | null => {
  const shape = () => {
    const address = getAddress(one)
    const text = withMask(address.ip, one.mask)
    const family = toFamily(getFamily(address.ip))
    return { fields: { display: text, family, address: text, description: describeAddress(address), ...more } }
  }
  return world.nest('ipam.ipaddress', getAddressKey(one), shape, Object.keys(more).join())
}
