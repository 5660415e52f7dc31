/** The fields of a device: each is declared here once, and every place that shows devices is derived from it. */

import { deviceFacts } from '../../../src/inventory/devices/resource.ts'
import { type Cidr, cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { DEFAULT_SPACE, parseIp, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { Device } from '../api/contracts.ts'
import { formatPosition } from '../racks/position-text.ts'
import { buildFields, type Names } from '../resource/facts/from-facts.ts'

/** The names of datacenters, racks and device types are filled while they are in use. */
export type { Names }

/** Orders by number and not by text: 10.0.0.9 is before 10.0.0.10, and IPv4 before IPv6. */
const buildAddressKey = (device: Device): string => {
  const ip = device.addresses[0]?.ip
  return (ip && parseIpKey(ip, DEFAULT_SPACE)) || '~'
}

/** `10.0.` is a beginning, `10.0.0.0/24` a network. */
const createIpTest = () => {
  let parsedValue = ''
  let cidr: Cidr | undefined
  return (device: Device, value: string): boolean => {
    if (value !== parsedValue) {
      parsedValue = value
      cidr = value.includes('/') ? parseCidr(value) : undefined
    }
    const network = cidr
    if (!network) return device.addresses.some(({ ip }) => ip.startsWith(value))
    return device.addresses.some(({ ip }) => {
      const parsed = parseIp(ip)
      return parsed !== undefined && cidrHolds(network, parsed)
    })
  }
}

const COMMAS = 'With commas between them'

/** Shown only where it has a value. */
const PLACED = { isSearched: false, isCompared: false } as const

/** Empty while the name is not known. */
export const getRackName = ({ mount }: Pick<Device, 'mount'>, names: Names): string =>
  (mount && names.get(mount.rack_id)) ?? ''

/** The highest unit of a rack plus one, so that the devices of a rack are in order from the top. */
const ABOVE_ALL = 1000

/** Orders by rack, from the top. Devices in no unit come last. */
const placeKey = (device: Device, names: Names): string | undefined =>
  device.mount
    ? `${toSortKey(getRackName(device, names))} ${String(ABOVE_ALL - (device.mount.position ?? 0)).padStart(6, '0')}`
    : undefined

export const buildDeviceFields = (names: Names = new Map()) =>
  buildFields(
    deviceFacts,
    {
      id: { filter: { test: 'equals' } },
      // Sorted as the server does, so that the rows arrive in order.
      name: { column: { width: 168 }, sort: ({ name }) => toSortKey(name) },
      hostname: {
        label: 'Host name',
        form: { isHalf: true },
        column: { width: 220, isMono: true },
        sort: false,
        filter: false,
      },
      description: { column: false },
      make_model: { label: 'Model', form: { isHalf: true }, column: { id: 'model', width: 186 } },
      os: { form: { label: 'Operating system', isHalf: true }, column: { width: 134 } },
      status: { form: { isHalf: true }, column: { width: 128, least: 122 } },
      datacenter_id: { form: { isHalf: true }, column: { width: 98 }, filter: { name: 'dc' } },
      username: {
        label: 'User name',
        isSearched: false,
        form: { isHalf: true },
        column: false,
        filter: false,
        isCompared: false,
      },
      location: { form: { isHalf: true }, filter: { hasFacet: false } },
      tags: { column: { width: 188 } },
      addresses: {
        text: ({ addresses }) => addresses.map(({ ip }) => ip),
        column: { id: 'address', text: 'Address', width: 132, least: 126, isEssential: true },
        sort: buildAddressKey,
        filter: { name: 'ip', test: createIpTest() },
      },
      domains: { form: { kind: 'tags', hint: COMMAS }, column: false, filter: false, isCompared: false },
      device_type_id: {
        ...PLACED,
        text: ({ device_type_id }) => (device_type_id ? (names.get(device_type_id) ?? device_type_id) : ''),
        form: { hint: '', isHalf: true },
        column: { id: 'type', width: 170 },
        filter: { test: 'contains' },
      },
      mount: {
        ...PLACED,
        label: 'Place in a rack',
        text: (device) =>
          device.mount
            ? [getRackName(device, names), formatPosition(device.mount)].filter((part) => part !== '').join(', ')
            : '',
        column: { id: 'rack', text: 'Rack', width: 180 },
        sort: (device) => placeKey(device, names),
        filter: { test: (device, value) => toSortKey(getRackName(device, names)).startsWith(value) },
      },
      serial: {
        label: 'Serial number',
        form: { isHalf: true },
        column: { width: 150, isMono: true },
        isCompared: false,
      },
      asset_tag: { form: { isHalf: true }, column: { width: 120, isMono: true }, isCompared: false },
      role: { form: { isHalf: true }, column: { width: 130 }, isCompared: false },
      updated_at: { column: { width: 120 } },
    },
    { names },
  )

/** The fields without the names of datacenters. */
export const fields = buildDeviceFields()

/** The order of the fields where it is not that of the declaration. A field that is not named comes last. */
export const DEVICE_ORDER = {
  form: [
    ['Identity', ['name', 'status', 'device_type_id', 'hostname', 'make_model', 'os']],
    ['', ['addresses']],
    ['Place', ['datacenter_id', 'location', 'mount']],
    // The values of custom fields have the headings of their groups.
    ['', ['custom']],
    ['More', ['role', 'serial', 'asset_tag', 'description', 'tags', 'domains', 'username']],
  ],
  /** The columns that are shown by default. */
  table: ['name', 'addresses', 'status', 'datacenter_id', 'make_model', 'os', 'tags', 'location'],
  detail: [
    ...['status', 'id', 'hostname', 'addresses', 'make_model', 'device_type_id', 'os', 'datacenter_id', 'location'],
    ...['mount', 'role', 'serial', 'asset_tag', 'username', 'tags', 'domains', 'description'],
  ],
  filter: [
    ...['tags', 'os', 'datacenter_id', 'addresses', 'status', 'make_model', 'location', 'role', 'serial', 'asset_tag'],
    'id',
  ],
  compared: ['status', 'hostname', 'addresses', 'datacenter_id', 'location', 'make_model', 'os', 'tags', 'description'],
} as const
