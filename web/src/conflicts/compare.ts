/** The fields of the devices or networks of a conflict side by side, and whether they differ. */
import type { Address, Conflict, Device, Network } from '../api/contracts.ts'
import { buildDeviceFields, DEVICE_ORDER } from '../devices/fields.ts'
import { joinText, listShownFields } from '../resource/fields.ts'
import type { VlanNames } from '../vlans/names.ts'

export type Line = {
  readonly name: string
  /** One value for each object, in their order. */
  readonly values: readonly string[]
  readonly differs: boolean
}

type Field<T> = readonly [name: string, value: (one: T) => string]
type Names = ReadonlyMap<string, string>

/** Returns the lines in which an object has a value. */
export const buildLines = <T>(all: readonly T[], fields: readonly Field<T>[]): Line[] =>
  fields
    .map(([name, value]) => {
      const values = all.map(value)
      return { name, values, differs: new Set(values).size > 1 }
    })
    .filter(({ values }) => values.some((value) => value !== ''))

type Place = Pick<Conflict, 'ip_address' | 'space_id'>

export const listDeviceFields = (place: Place, datacenters: Names): readonly Field<Device>[] => {
  const isShared = ({ ip, space_id }: Address) => ip === place.ip_address && space_id === place.space_id
  const shared = ({ addresses }: Device) => addresses.filter(isShared)
  const words = (texts: readonly string[]) => texts.filter((text) => text !== '').join(', ')
  const ofAddresses: readonly Field<Device>[] = [
    ['Label', (device) => words(shared(device).map(({ label }) => label))],
    ['DNS name', (device) => words(shared(device).map(({ dns_name }) => dns_name))],
    ['MAC address', (device) => words(shared(device).map(({ mac_address }) => mac_address))],
    ['Interface', (device) => words(shared(device).map((address) => address.interface ?? ''))],
    ['Switch port', (device) => words(shared(device).map(({ switch_port }) => switch_port))],
    [
      'Other addresses',
      ({ addresses }) => words(addresses.filter((address) => !isShared(address)).map((one) => one.ip)),
    ],
  ]
  return listShownFields(buildDeviceFields(datacenters), 'isCompared', DEVICE_ORDER.compared).flatMap(
    ({ name, field, read }) =>
      name === 'addresses' ? ofAddresses : [[field.label, (one: Device) => joinText(read(one))]],
  )
}

/** @param vlans the names of VLANs, if there are any */
export const listNetworkFields = (datacenters: Names, vlans?: VlanNames): readonly Field<Network>[] => [
  ['Subnet', ({ subnet }) => subnet],
  ['Datacenter', ({ datacenter_id }) => datacenters.get(datacenter_id ?? '') ?? datacenter_id ?? 'none'],
  ['VLAN', (network) => `${network.vlan_id ?? ''} ${vlans?.(network) ?? ''}`.trim()],
  ['Used addresses', ({ utilization }) => String(utilization?.used_ips ?? '')],
  ['Description', ({ description }) => description],
]
