/** The kinds of objects in the inventory, with the bodies and rules for the tests of all kinds. */
import type { Inventory } from './inventory.ts'

export type Kind = {
  readonly kind: string
  /** The path of objects by id. */
  readonly path: string
  /** The path for creating one, and its minimal body. */
  readonly collection: (site: Site) => string
  readonly least: (site: Site) => Record<string, unknown>
  /** The optional fields, each with its value when absent. */
  readonly defaults: Readonly<Record<string, unknown>>
  readonly full: (site: Site) => Record<string, unknown>
  /** A change of one field that needs no other. */
  readonly change: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
  readonly readOnly: readonly string[]
  readonly texts: Readonly<Record<string, number>>
  readonly hasName: boolean
}

export type Site = {
  readonly datacenter: string
  readonly network: string
  readonly pool: string
  readonly ip: () => string
}

let made = 0
/** No two spaces have one name. */
const newSpaceName = () => `Space ${++made}`
/** No two fields of a resource have one name. */
const newFieldName = () => `field_${++made}`
/** No two VLANs without a datacenter and a group have one number. */
const newVlan = () => 1 + (++made % 4094)
const newRefs = () => ({ netbox: `dcim.${++made}`, servicenow: `CI${made}` })

export const KINDS: readonly Kind[] = [
  {
    kind: 'custom field',
    path: '/api/custom-fields',
    collection: () => '/api/custom-fields',
    least: () => ({ resource: 'cables', name: newFieldName(), type: 'text', label: 'L' }),
    defaults: {
      ...{ multiple: false, choices: [], reference_to: null, required: false, unique: false, default: null },
      ...{ pattern: '', minimum: null, maximum: null, searchable: false, description: '', group: '', position: 0 },
      ...{ refs: {}, managed_by: '' },
    },
    full: () => ({
      ...{ resource: 'cables', name: newFieldName(), type: 'text', label: 'Tier', multiple: false, choices: [] },
      ...{
        reference_to: null,
        required: true,
        unique: false,
        default: 'a',
        pattern: 'a+',
        minimum: null,
        maximum: null,
      },
      ...{ searchable: true, description: 'Help', group: 'Ops', position: 4, refs: newRefs(), managed_by: 'git' },
    }),
    change: { description: 'Other help' },
    required: ['resource', 'name', 'type'],
    readOnly: ['id', 'created_at', 'updated_at'],
    texts: { label: 128, description: 4096, group: 128 },
    hasName: false,
  },
  {
    kind: 'datacenter',
    path: '/api/datacenters',
    collection: () => '/api/datacenters',
    least: () => ({ name: 'DC' }),
    defaults: { location: '', description: '', refs: {}, managed_by: '' },
    full: () => ({
      name: 'DC',
      location: 'Berlin',
      description: 'Hall 3',
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { location: 'Bonn' },
    required: ['name'],
    readOnly: ['id', 'created_at', 'updated_at'],
    texts: { location: 255, description: 4096 },
    hasName: true,
  },
  {
    kind: 'space',
    path: '/api/spaces',
    collection: () => '/api/spaces',
    least: () => ({ name: newSpaceName() }),
    defaults: { description: '', reachable: false, refs: {}, managed_by: '' },
    full: () => ({
      name: newSpaceName(),
      description: 'The lab',
      reachable: true,
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { description: 'The other lab' },
    required: ['name'],
    readOnly: ['id', 'created_at', 'updated_at'],
    texts: { description: 4096 },
    hasName: true,
  },
  {
    kind: 'vlan',
    path: '/api/vlans',
    collection: () => '/api/vlans',
    least: () => ({ vlan_id: newVlan(), name: 'Web' }),
    defaults: { datacenter_id: null, group: '', description: '', refs: {}, managed_by: '' },
    full: ({ datacenter }) => ({
      vlan_id: newVlan(),
      name: 'Web',
      datacenter_id: datacenter,
      group: 'Fabric B',
      description: 'Servers',
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { description: 'Storage' },
    required: ['vlan_id', 'name'],
    readOnly: ['id', 'network_ids', 'created_at', 'updated_at'],
    texts: { group: 255, description: 4096 },
    hasName: true,
  },
  {
    kind: 'device type',
    path: '/api/device-types',
    collection: () => '/api/device-types',
    least: () => ({ manufacturer: 'Acme', model: newFieldName() }),
    defaults: {
      ...{ slug: '', part_number: '', height: 1, full_depth: true, power_w: null, description: '', ports: [] },
      ...{ refs: {}, managed_by: '' },
    },
    full: () => ({
      ...{ manufacturer: 'Acme', model: newFieldName(), slug: 'acme-x', part_number: 'X-1', height: 0.5 },
      ...{ full_depth: false, power_w: 90, description: 'A switch', refs: newRefs(), managed_by: 'git' },
      ports: [{ name: 'eth0', kind: 'network', type: '1000base-t', pass_through: false }],
    }),
    change: { description: 'Another switch' },
    required: ['manufacturer', 'model'],
    readOnly: ['id', 'name', 'created_at', 'updated_at'],
    texts: { slug: 100, part_number: 100, description: 4096 },
    hasName: false,
  },
  {
    kind: 'rack',
    path: '/api/racks',
    collection: () => '/api/racks',
    least: () => ({ name: 'R1' }),
    defaults: {
      ...{ datacenter_id: null, location: '', description: '', height: 42, first_unit: 1, numbering: 'bottom_up' },
      ...{ max_power_w: null, refs: {}, managed_by: '' },
    },
    full: ({ datacenter }) => ({
      ...{
        name: 'R1',
        datacenter_id: datacenter,
        location: 'Row 3',
        description: 'Servers',
        height: 20,
        first_unit: 0,
      },
      ...{ numbering: 'top_down', max_power_w: 4000, refs: newRefs(), managed_by: 'git' },
    }),
    change: { location: 'Row 4' },
    required: ['name'],
    readOnly: ['id', 'created_at', 'updated_at'],
    texts: { location: 255, description: 4096 },
    hasName: true,
  },
  {
    kind: 'network',
    path: '/api/networks',
    collection: () => '/api/networks',
    least: () => ({ name: 'LAN', subnet: '172.16.0.0/24' }),
    defaults: { vlan_id: null, datacenter_id: null, description: '', refs: {}, managed_by: '' },
    full: ({ datacenter }) => ({
      name: 'LAN',
      subnet: '172.16.0.0/24',
      vlan_id: 12,
      datacenter_id: datacenter,
      description: 'Office',
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { vlan_id: 13 },
    required: ['name', 'subnet'],
    readOnly: ['id', 'created_at', 'updated_at', 'utilization'],
    texts: { description: 4096 },
    hasName: true,
  },
  {
    kind: 'pool',
    path: '/api/pools',
    collection: ({ network }) => `/api/networks/${network}/pools`,
    least: () => ({ name: 'P', start_ip: '10.0.0.10', end_ip: '10.0.0.20' }),
    defaults: { description: '', tags: [], refs: {}, managed_by: '' },
    full: () => ({
      name: 'P',
      start_ip: '10.0.0.10',
      end_ip: '10.0.0.20',
      description: 'Hosts',
      tags: ['a', 'b'],
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { end_ip: '10.0.0.30' },
    required: ['name', 'start_ip', 'end_ip'],
    readOnly: ['id', 'created_at', 'updated_at', 'utilization'],
    texts: { description: 4096 },
    hasName: true,
  },
  {
    kind: 'device',
    path: '/api/devices',
    collection: () => '/api/devices',
    least: () => ({ name: 'web' }),
    defaults: {
      hostname: '',
      description: '',
      make_model: '',
      os: '',
      status: 'active',
      datacenter_id: null,
      username: '',
      location: '',
      tags: [],
      addresses: [],
      domains: [],
      refs: {},
      managed_by: '',
    },
    full: ({ datacenter, network }) => ({
      name: 'web',
      hostname: 'web-1.example.com',
      description: 'Front',
      make_model: 'Dell R640',
      os: 'Debian 13',
      status: 'maintenance',
      datacenter_id: datacenter,
      username: 'root',
      location: 'Rack 4',
      tags: ['web', 'prod'],
      addresses: [
        {
          ip: '10.0.0.1',
          port: 22,
          type: 'mgmt',
          label: 'eth0',
          network_id: network,
          switch_port: 'Gi1/0/1',
          interface: 'eth0',
          pool_id: null,
        },
        { ip: '2001:db8::1', port: null, type: 'ipv6', label: '', network_id: null, switch_port: '', pool_id: null },
      ],
      domains: ['example.com', '*.example.com', '_sip._tcp.example.com'],
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { os: 'Debian 14' },
    required: ['name'],
    readOnly: ['id', 'created_at', 'updated_at'],
    texts: { description: 4096, make_model: 255, os: 255, username: 255, location: 255 },
    hasName: true,
  },
  {
    kind: 'reservation',
    path: '/api/reservations',
    collection: ({ pool }) => `/api/pools/${pool}/reservations`,
    least: ({ ip }) => ({ ip_address: ip() }),
    defaults: { hostname: '', purpose: '', notes: '', expires_at: null, refs: {}, managed_by: '' },
    full: ({ ip }) => ({
      ip_address: ip(),
      hostname: 'db-1',
      mac_address: '52:54:00:00:00:07',
      purpose: 'Database',
      notes: 'Ask Ada',
      expires_at: '2030-01-01T00:00:00.000Z',
      refs: newRefs(),
      managed_by: 'git',
    }),
    change: { purpose: 'Cache' },
    required: [],
    readOnly: ['id', 'pool_id', 'ip_address', 'created_by', 'created_at', 'updated_at'],
    texts: { purpose: 255, notes: 4096 },
    hasName: false,
  },
]

export const makeSite = async ({ api }: Inventory): Promise<Site> => {
  const datacenter = await api.datacenters.create({ name: 'Main' })
  const network = await api.networks.create({ name: 'Main', subnet: '10.0.0.0/16' })
  const range = { network_id: network.id, start_ip: '10.0.128.0', end_ip: '10.0.255.254' }
  const pool = await api.pools.create({ name: 'Main', ...range })
  let used = 0
  const ip = () => {
    used += 1
    return `10.0.${128 + (used >> 8)}.${used & 255}`
  }
  return { datacenter: datacenter.id, network: network.id, pool: pool.id, ip }
}
