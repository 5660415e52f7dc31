/** The fields of a device: each is declared here once, and every place that shows devices is derived from it. */
import { type Cidr, cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { DEFAULT_SPACE, parseIp, parseIpKey } from '../../../src/net/ip.ts'
import type { Device } from '../api/contracts.ts'
import { formatPosition } from '../racks/position-text.ts'
import {
  buildNameField,
  CUSTOM_VALUES,
  type Fields,
  ID_FIELD,
  MANAGED_BY_FIELD,
  REFS_FIELD,
  TIME_FIELDS,
} from '../resource/fields.ts'

/** Names of datacenters, racks and device types by their ids; filled while it is in use. */
export type Names = ReadonlyMap<string, string>

const STATUSES = [
  ['planned', 'Planned'],
  ['active', 'Active'],
  ['maintenance', 'Maintenance'],
  ['decommissioned', 'Decommissioned'],
] as const

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
const PLACED = { isSearched: false, isOptional: true, isCompared: false } as const

/** Empty while the name is not known. */
export const getRackName = ({ mount }: Pick<Device, 'mount'>, names: Names): string =>
  (mount && names.get(mount.rack_id)) ?? ''

/** The highest unit of a rack plus one, so that the devices of a rack are in order from the top. */
const ABOVE_ALL = 1000

/** Orders by rack, from the top. Devices in no unit come last. */
const placeKey = (device: Device, names: Names): string | undefined =>
  device.mount
    ? `${getRackName(device, names).toLowerCase()} ${String(ABOVE_ALL - (device.mount.position ?? 0)).padStart(6, '0')}`
    : undefined

export const buildDeviceFields = (names: Names = new Map()): Fields<Device> => ({
  id: { ...ID_FIELD, filter: { test: 'equals' } },
  // Sorted as the server does, so that the rows arrive in order.
  name: { ...buildNameField(168), sort: ({ name }) => name.toLowerCase() },
  hostname: { label: 'Host name', column: { width: 220, isMono: true }, sort: false, filter: false },
  description: { label: 'Description', form: { kind: 'area' }, column: false, filter: false },
  make_model: {
    label: 'Model',
    form: { isHalf: true },
    column: { id: 'model', width: 186 },
    filter: { hasFacet: true },
  },
  os: {
    label: 'OS',
    form: { label: 'Operating system', isHalf: true },
    column: { width: 134 },
    filter: { hasFacet: true },
  },
  status: {
    label: 'Status',
    isSearched: false,
    form: { kind: 'select', options: STATUSES, initial: 'active', isHalf: true },
    column: { width: 128 },
    filter: { test: 'begins', hasFacet: true },
  },
  datacenter_id: {
    label: 'Datacenter',
    text: ({ datacenter_id }) => names.get(datacenter_id ?? '') ?? '',
    isSearched: false,
    form: { kind: 'select', isHalf: true },
    column: { id: 'datacenter', width: 98 },
    filter: { name: 'dc', test: 'begins', hasFacet: true },
  },
  username: {
    label: 'User name',
    isSearched: false,
    form: { isHalf: true },
    column: false,
    filter: false,
    isCompared: false,
  },
  location: { label: 'Location', form: { isHalf: true } },
  tags: {
    label: 'Tags',
    form: { kind: 'tags', hint: COMMAS },
    column: { width: 188 },
    sort: false,
    filter: { name: 'tag', test: 'begins', hasFacet: true },
  },
  addresses: {
    label: 'Addresses',
    text: ({ addresses }) => addresses.map(({ ip }) => ip),
    column: { id: 'address', text: 'Address', width: 132, isEssential: true },
    sort: buildAddressKey,
    filter: { name: 'ip', test: createIpTest() },
    cell: 'addresses',
  },
  domains: {
    label: 'Domains',
    form: { kind: 'tags', hint: COMMAS },
    column: false,
    filter: false,
    isCompared: false,
  },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  device_type_id: {
    ...PLACED,
    label: 'Device type',
    text: ({ device_type_id }) => (device_type_id ? (names.get(device_type_id) ?? device_type_id) : ''),
    form: { kind: 'select' },
    column: { id: 'type', width: 170 },
    filter: { test: 'contains', hasFacet: true },
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
    filter: { test: (device, value) => getRackName(device, names).toLowerCase().startsWith(value) },
    cell: 'record',
  },
  custom: CUSTOM_VALUES,
  created_at: TIME_FIELDS.created_at,
  updated_at: { ...TIME_FIELDS.updated_at, column: { ...TIME_FIELDS.updated_at.column, width: 120 } },
})

/** The fields without the names of datacenters. */
export const fields = buildDeviceFields()

/** The order of the fields where it is not that of the declaration. A field that is not named comes last. */
export const DEVICE_ORDER = {
  form: [
    ...['name', 'status', 'datacenter_id', 'device_type_id', 'addresses', 'hostname', 'make_model', 'os'],
    ...['location', 'username', 'mount', 'tags', 'domains', 'description'],
  ],
  /** The columns that are shown by default. */
  table: ['name', 'addresses', 'status', 'datacenter_id', 'make_model', 'os', 'tags', 'location'],
  detail: [
    ...['status', 'id', 'hostname', 'addresses', 'make_model', 'device_type_id', 'os', 'datacenter_id', 'location'],
    ...['mount', 'username', 'tags', 'domains', 'description'],
  ],
  filter: ['tags', 'os', 'datacenter_id', 'addresses', 'status', 'make_model', 'location', 'id'],
  compared: ['status', 'hostname', 'addresses', 'datacenter_id', 'location', 'make_model', 'os', 'tags', 'description'],
} as const
