/** The endpoints, as routes need them: what they are called, and which permissions they take. Loads no store. */
import type { Permission } from '../../kernel/operation.ts'
import type { Kind } from '../numbers/kinds.ts'

export type Declared = {
  /** In messages: `No Prefix matches the given query.` */
  readonly label: string
  /** NetBox's name of the model; undefined where there is nothing to number. */
  readonly kind?: Kind
  /** The resource of which a caller needs the permission to list or read. */
  readonly resource: string
  /** The further resources of which answers show objects. */
  readonly shows?: readonly string[]
  /** The permissions by which a caller gets to a write. Each item needs the permissions of its effects. */
  readonly create?: readonly [Permission, ...Permission[]]
  readonly update?: readonly [Permission, ...Permission[]]
  readonly delete?: readonly [Permission, ...Permission[]]
}

const all = (resource: string) =>
  ({
    create: [`${resource}:create`],
    update: [`${resource}:update`],
    delete: [`${resource}:delete`],
  }) as const satisfies Partial<Declared>

const ADDRESSES = [
  'networks',
  'pools',
  'spaces',
  'datacenters',
  'devices',
  'ports',
  'cables',
  'reservations',
  'objects',
]
const NAMES = { resource: 'devices', ...all('devices') } as const
const DEVICES = [
  ...['datacenters', 'racks', 'device-types', 'networks', 'spaces', 'objects', 'ports', 'vlans'],
  'relationships',
]

/** The resources of objects that fields, custom fields and filters of others name. */
const NAMED = [
  ...['datacenters', 'networks', 'spaces', 'vlans', 'pools', 'racks', 'objects', 'device-types', 'devices'],
  ...['ports', 'cables', 'reservations'],
]

const showsBeside = (resource: string): string[] => NAMED.filter((one) => one !== resource)
const INTERFACES = {
  label: 'Interface',
  resource: 'devices',
  shows: showsBeside('devices'),
  create: ['ports:create'],
  update: ['ports:update', 'ports:create'],
  // An interface may only be in addresses.
  delete: ['ports:delete', 'devices:update'],
} as const

const PLACES = { resource: 'datacenters', shows: showsBeside('datacenters') } as const

export const DECLARED = {
  'dcim/cables': { label: 'Cable', kind: 'dcim.cable', resource: 'cables', shows: showsBeside('cables') },
  'dcim/device-roles': { label: 'Device role', kind: 'dcim.devicerole', ...NAMES },
  'dcim/device-types': {
    label: 'Device type',
    kind: 'dcim.devicetype',
    resource: 'device-types',
    shows: ['devices'],
    ...all('device-types'),
  },
  'dcim/devices': { label: 'Device', kind: 'dcim.device', resource: 'devices', shows: DEVICES, ...all('devices') },
  'extras/custom-fields': { label: 'Custom field', kind: 'extras.customfield', resource: 'custom-fields' },
  'ipam/ip-ranges': {
    label: 'IP range',
    kind: 'ipam.iprange',
    resource: 'pools',
    shows: showsBeside('pools'),
    ...all('pools'),
  },
  'ipam/prefixes': {
    label: 'Prefix',
    kind: 'ipam.prefix',
    resource: 'networks',
    shows: showsBeside('networks'),
    ...all('networks'),
  },
  'ipam/services': { label: 'Service', kind: 'ipam.service', resource: 'objects', shows: showsBeside('objects') },
  'ipam/vlans': { label: 'VLAN', kind: 'ipam.vlan', resource: 'vlans', shows: showsBeside('vlans'), ...all('vlans') },
  'ipam/vrfs': {
    label: 'VRF',
    kind: 'ipam.vrf',
    resource: 'spaces',
    shows: showsBeside('spaces'),
    ...all('spaces'),
  },
  'virtualization/virtual-machines': {
    label: 'Virtual machine',
    kind: 'virtualization.virtualmachine',
    resource: 'devices',
    shows: DEVICES,
    ...all('devices'),
  },
  'ipam/ip-addresses': {
    label: 'IP address',
    kind: 'ipam.ipaddress',
    resource: 'devices',
    shows: ADDRESSES,
    create: ['reservations:create', 'devices:update'],
    update: ['reservations:update', 'devices:update'],
    delete: ['reservations:delete', 'devices:update'],
  },
  'dcim/interfaces': { ...INTERFACES, kind: 'dcim.interface' },
  'dcim/mac-addresses': {
    label: 'MAC address',
    kind: 'dcim.macaddress',
    resource: 'devices',
    shows: showsBeside('devices'),
  },
  'virtualization/interfaces': { ...INTERFACES, kind: 'virtualization.vminterface' },
  'dcim/locations': { label: 'Location', kind: 'dcim.location', ...PLACES },
  'dcim/manufacturers': {
    label: 'Manufacturer',
    kind: 'dcim.manufacturer',
    resource: 'device-types',
    shows: ['devices'],
    ...all('device-types'),
  },
  'dcim/platforms': { label: 'Platform', kind: 'dcim.platform', ...NAMES },
  'dcim/racks': {
    label: 'Rack',
    kind: 'dcim.rack',
    resource: 'racks',
    shows: showsBeside('racks'),
  },
  'dcim/regions': { label: 'Region', kind: 'dcim.region', ...PLACES },
  'dcim/site-groups': { label: 'Site group', kind: 'dcim.sitegroup', ...PLACES },
  'dcim/sites': { label: 'Site', kind: 'dcim.site', ...PLACES, ...all('datacenters') },
  'extras/tags': {
    label: 'Tag',
    kind: 'extras.tag',
    ...NAMES,
    shows: ['pools', 'networks', 'vlans', 'datacenters', 'spaces', 'racks', 'ports', 'cables'],
  },
  'ipam/roles': {
    label: 'Role',
    kind: 'ipam.role',
    resource: 'networks',
    shows: ['vlans', 'pools'],
    ...all('networks'),
  },
  'ipam/vlan-groups': { label: 'VLAN group', kind: 'ipam.vlangroup', resource: 'vlans' },
  'tenancy/tenants': {
    label: 'Tenant',
    kind: 'tenancy.tenant',
    resource: 'objects',
    shows: showsBeside('objects'),
    ...all('objects'),
  },
  'virtualization/clusters': {
    label: 'Cluster',
    kind: 'virtualization.cluster',
    resource: 'objects',
    shows: showsBeside('objects'),
    ...all('objects'),
  },
  'virtualization/cluster-types': {
    label: 'Cluster type',
    kind: 'virtualization.clustertype',
    resource: 'objects',
  },
} as const satisfies Readonly<Record<string, Declared>>

export type Path = keyof typeof DECLARED

/** Endpoints of NetBox of which Plat has nothing: their lists are empty. */
export const EMPTY: Readonly<Record<string, string>> = {
  'dcim/rack-roles': 'Rack role',
  'dcim/virtual-chassis': 'Virtual chassis',
  'dcim/inventory-items': 'Inventory item',
  'virtualization/cluster-groups': 'Cluster group',
  'virtualization/virtual-disks': 'Virtual disk',
  'tenancy/tenant-groups': 'Tenant group',
  'tenancy/contacts': 'Contact',
  'ipam/aggregates': 'Aggregate',
  'ipam/rirs': 'RIR',
  'extras/config-contexts': 'Config context',
  'extras/journal-entries': 'Journal entry',
}
