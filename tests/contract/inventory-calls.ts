/** Calls that make the inventory: names that collations sort differently, equal sort keys, and every write of its operations. */

import { call, refuse, type Step } from './engine-pair.ts'
import { kindCalls } from './kind-calls.ts'

/** Names that differ by case, accents, digits and punctuation, in an order that no engine sorts them by. */
export const NAMES = [
  ...['web-10', 'Zebra', 'äpfel', 'a_b', 'Apfel', 'zebra 2', 'a-b', 'Web-2', 'ÄPFEL 2', '_x', 'Straße', 'strasse'],
  ...['10', '9', 'İstanbul', 'A b', 'a.b', '東京', '🗺 map'],
]
const numbered = NAMES.map((name, n) => ({ name, n }))
const stale = { headers: { 'If-Match': '"stale"' } }

const sites: readonly Step[] = [
  call('custom-fields.create', { id: 'cf-owner', resource: 'devices', name: 'owner', type: 'text', searchable: true }),
  call('custom-fields.create', { id: 'cf-watts', resource: 'devices', name: 'watts', type: 'number', position: 2 }),
  call('custom-fields.create', { id: 'cf-code', resource: 'datacenters', name: 'code', type: 'text', unique: true }),
  call('custom-fields.create', {
    ...{ id: 'cf-tier', resource: 'networks', name: 'tier', type: 'choice', choices: ['B', 'a', 'Ä'] },
    ...{ refs: { netbox: 'extras.1' }, managed_by: 'git' },
  }),
  call('custom-fields.create', {
    ...{
      id: 'cf-peers',
      resource: 'devices',
      name: 'peers',
      type: 'reference',
      reference_to: 'devices',
      multiple: true,
    },
  }),
  refuse(409, 'custom-fields.create', { resource: 'devices', name: 'owner', type: 'integer' }),
  refuse(400, 'custom-fields.create', { resource: 'devices', name: 'bad', type: 'choice' }),
  call('custom-fields.update', { id: 'cf-owner', label: 'Owner', group: 'Ops', description: 'Who is asked' }),
  ...numbered.map(({ name, n }) =>
    call('spaces.create', { id: `space-${n}`, name, description: n % 2 ? 'odd' : 'even' }),
  ),
  ...numbered.map(({ name, n }) =>
    call('datacenters.create', {
      id: `dc-${n}`,
      name,
      location: n % 3 ? 'Köln' : 'Bonn',
      custom: { code: `c${n % 20}-${n}` },
    }),
  ),
  call(
    'datacenters.create',
    { name: 'With refs', refs: { netbox: 'dcim.site.1' }, managed_by: 'git' },
    { save: { dc: 'id' } },
  ),
  call('scopes.update', { id: '@{scope}', datacenter_ids: ['dc-1'] }),
  refuse(409, 'datacenters.create', { id: 'dc-0', name: 'another' }),
  refuse(409, 'datacenters.create', { name: 'other refs', refs: { netbox: 'dcim.site.1' } }),
  refuse(409, 'datacenters.create', { name: 'taken code', custom: { code: 'c0-0' } }),
  refuse(409, 'spaces.create', { name: 'ZEBRA' }),
  refuse(409, 'spaces.create', { name: 'äPFEL' }),
  refuse(400, 'spaces.create', { name: ' ' }),
  refuse(412, 'spaces.update', { id: 'space-0', name: 'x' }, stale),
  call('spaces.update', { id: 'space-0', name: 'WEB-10', reachable: true }),
  call('datacenters.update', { id: 'dc-1', location: 'Bonn', description: '' }),
  call('datacenters.update', { id: 'netbox:dcim.site.1', location: 'Ulm' }),
  ...numbered.map(({ name, n }) =>
    call('vlans.create', {
      id: `vlan-${n}`,
      vlan_id: 100 + (n % 7),
      name,
      group: `G${n}`,
      datacenter_id: n % 2 ? 'dc-1' : null,
    }),
  ),
  refuse(409, 'vlans.create', { vlan_id: 100, name: 'same', group: 'g0' }),
  call('vlans.update', { id: 'vlan-1', description: 'Servers', name: 'Servers' }),
  ...numbered.map(({ name, n }) =>
    call('racks.create', { id: `rack-${n}`, name, datacenter_id: 'dc-2', max_power_w: n * 100 + 1 }),
  ),
  call('racks.create', { id: 'rack-top', name: 'Top', numbering: 'top_down', first_unit: 0, height: 12 }),
  refuse(409, 'racks.create', { id: 'rack-0', name: 'again' }),
  call('racks.update', { id: 'rack-1', location: 'Row 4', height: 20 }),
]

const addresses: readonly Step[] = [
  call('networks.create', {
    id: 'net',
    name: 'Main',
    subnet: '10.0.0.0/16',
    datacenter_id: 'dc-0',
    custom: { tier: 'Ä' },
  }),
  ...numbered.map(({ name, n }) =>
    call('networks.create', {
      ...{ id: `net-${n}`, name, subnet: `10.0.${n}.0/24`, vlan_id: n % 2 ? 101 : null },
      custom: { tier: ['B', 'a', 'Ä'][n % 3] },
    }),
  ),
  call('networks.create', { id: 'net-red', name: 'Main', subnet: '10.0.0.0/16', space_id: 'space-1' }),
  ...[3, 2, 5].map((n) =>
    call('networks.create', { id: `net-space-${n}`, name: 'Main', subnet: '10.0.0.0/16', space_id: `space-${n}` }),
  ),
  call('networks.create', { id: 'net-six', name: 'Six', subnet: '2001:db8::/56' }),
  call('networks.create', { id: 'net-scan', name: 'scanned', subnet: '127.9.0.0/24' }),
  refuse(409, 'networks.create', { id: 'net', name: 'x', subnet: '10.99.0.0/24' }),
  refuse(400, 'networks.create', { name: 'x', subnet: '10.0.0.1/33' }),
  refuse(400, 'networks.create', { name: 'x', subnet: '10.98.0.0/24', space_id: 'none' }),
  refuse(412, 'networks.update', { id: 'net', name: 'y' }, stale),
  call('networks.update', { id: 'net-0', description: 'changed', vlan_id: 100 }),
  call('networks.next-subnet', { id: 'net', prefix_length: 26, count: 3 }),
  call(
    'networks.allocate',
    { id: 'net', prefix_length: 26, count: 2, name: 'Allocated' },
    { save: { allocated: 'networks.0.id' } },
  ),
  call(
    'networks.split',
    { id: 'net-12', prefix_length: 26 },
    { save: { part: 'networks.0.id', other: 'networks.1.id' } },
  ),
  call('networks.merge', { network_ids: ['@{part}', '@{other}'], name: 'Merged' }),
  refuse(400, 'networks.merge', { network_ids: ['net-0', 'net-5'] }),
  call('networks.bulk', {
    atomic: false,
    operations: [
      { op: 'create', network: { id: 'net-bulk', name: 'bulk', subnet: '10.200.0.0/24' } },
      { op: 'create', network: { name: 'bulk 2', subnet: 'none' } },
      { op: 'update', id: 'net-bulk', network: { name: 'Bulk' } },
      { op: 'delete', id: 'nope' },
    ],
  }),
  refuse(400, 'networks.bulk', {
    operations: [
      { op: 'create', network: { name: '' } },
      { op: 'delete', id: 'nope' },
    ],
  }),
  ...numbered.map(({ name, n }) =>
    call('pools.create', {
      ...{ network_id: 'net', id: `pool-${n}`, name, tags: n % 2 ? ['Odd', 'ä'] : ['even'] },
      ...{ start_ip: `10.0.${100 + n}.10`, end_ip: `10.0.${100 + n}.29` },
    }),
  ),
  call('pools.create', {
    network_id: 'net-six',
    id: 'pool-six',
    name: 'six',
    start_ip: '2001:db8::10',
    end_ip: '2001:db8::ff',
  }),
  call('pools.create', { network_id: 'net', name: 'over', start_ip: '10.0.100.10', end_ip: '10.0.100.12' }),
  refuse(400, 'pools.create', { network_id: 'net', name: 'out', start_ip: '10.9.0.1', end_ip: '10.9.0.2' }),
  call('pools.update', { id: 'pool-1', description: 'Hosts', end_ip: '10.0.101.25' }),
  call('pools.next-ip', { id: 'pool-0' }),
  call(
    'reservations.create',
    { pool_id: 'pool-0', ip_address: '10.0.100.12', hostname: 'Db-1', purpose: 'Database' },
    { save: { reservation: 'id' } },
  ),
  call('reservations.create', {
    pool_id: 'pool-0',
    ip_address: '10.0.100.11',
    hostname: 'ab',
    expires_at: '2027-01-01T00:00:00.000Z',
  }),
  call('reservations.create', { pool_id: 'pool-six', ip_address: '2001:db8::20', mac_address: '52:54:00:00:00:07' }),
  refuse(409, 'reservations.create', { pool_id: 'pool-0', ip_address: '10.0.100.12' }),
  refuse(400, 'reservations.create', { pool_id: 'pool-0', ip_address: '10.9.9.9' }),
  call('reservations.update', { id: '@{reservation}', purpose: 'Cache', notes: 'ask Ada' }),
  refuse(412, 'reservations.update', { id: '@{reservation}', purpose: 'x' }, stale),
  call('reservations.allocate', { id: 'pool-2', count: 3, contiguous: true, hostname: 'new', ttl_seconds: 600 }),
  call('reservations.allocate', { id: 'pool-2', idempotency_key: 'once' }),
  call('reservations.allocate', { id: 'pool-2', idempotency_key: 'once' }),
  refuse(409, 'reservations.allocate', { id: 'pool-2', count: 100 }),
  call('networks.next-ip', { id: 'net', count: 3 }),
  call('networks.next-ip', { id: 'net-six' }),
  call('networks.allocate-ip', { id: 'net', ip: '10.0.103.15', hostname: 'of-a-network', ttl_seconds: 600 }),
  call('networks.allocate-ip', { id: 'net', ip: '10.0.103.16', idempotency_key: 'once' }),
  call('networks.allocate-ip', { id: 'net', ip: '10.0.103.16', idempotency_key: 'once' }),
  refuse(409, 'networks.allocate-ip', { id: 'net', ip: '10.0.103.16' }),
  refuse(400, 'networks.allocate-ip', { id: 'net', ip: '10.0.1.16' }),
  refuse(400, 'networks.allocate-ip', { id: 'net-space-2' }),
  call('networks.allocate-ip', { id: 'net-space-2', create_pool: true, purpose: 'in a new pool' }),
  call('addresses.free', { q: '10.0.1' }),
  call('addresses.free', { datacenter_id: 'dc-0', limit: 50 }),
]

const gear: readonly Step[] = [
  call('device-types.create', {
    ...{ id: 'type-0', manufacturer: 'Acme', model: 'S48', height: 1, full_depth: false, power_w: 90 },
    ports: [{ name: 'Gi0/2' }, { name: 'Gi0/10' }, { name: 'gi0/1' }, { name: 'PSU', kind: 'power', type: 'c14' }],
  }),
  call('device-types.create', { id: 'type-1', manufacturer: 'acme', model: 'Ärger', refs: { netbox: 'dcim.type.7' } }),
  refuse(409, 'device-types.create', { manufacturer: 'ACME', model: 's48' }),
  call('device-types.update', { id: 'type-1', description: 'Another' }),
  call('device-types.import', {
    yaml: 'manufacturer: Dell\nmodel: R640\nslug: dell-r640\nu_height: 1\nis_full_depth: true\ninterfaces:\n  - name: eth0\n    type: 1000base-t\n',
  }),
  refuse(400, 'device-types.import', { yaml: 'manufacturer: [' }),
  ...numbered.map(({ name, n }) =>
    call('devices.create', {
      ...{
        id: `dev-${n}`,
        name,
        hostname: `h${n}.example.com`,
        status: n % 4 ? 'active' : 'planned',
        os: n % 2 ? 'Debian 12' : '',
      },
      ...{
        tags: n % 2 ? ['Web', 'ä', '_t'] : ['db'],
        datacenter_id: `dc-${n % 3}`,
        custom: { owner: NAMES[(n * 7) % NAMES.length], watts: (n * 37) % 11 },
      },
      ...{
        addresses: [
          { ip: `10.0.${n}.5`, interface: `eth${n}`, mac_address: `02:00:00:00:00:${(n + 16).toString(16)}` },
        ],
      },
    }),
  ),
  call('devices.create', {
    ...{
      id: 'sw',
      name: 'Switch',
      device_type_id: 'type-0',
      mount: { rack_id: 'rack-0', position: 4 },
      managed_by: 'git',
      refs: { netbox: 'dcim.device.1' },
    },
    addresses: [{ ip: '10.0.100.15', pool_id: 'pool-0', label: 'mgmt' }, { ip: '2001:db8::30' }, { ip: '10.0.3.5' }],
  }),
  call('devices.create', {
    id: 'srv',
    name: 'Server',
    mount: { rack_id: 'rack-0', position: 6, face: 'rear' },
    domains: ['Example.com', '*.example.org'],
  }),
  call('devices.create', { name: 'Own id' }, { save: { device: 'id' } }),
  refuse(409, 'devices.create', { id: 'sw', name: 'again' }),
  refuse(409, 'devices.create', { name: 'same ref', refs: { netbox: 'dcim.device.1' } }),
  refuse(400, 'devices.create', { name: 'bad address', addresses: [{ ip: '10.0.0.300' }] }),
  refuse(400, 'devices.create', { name: 'no place', mount: { rack_id: 'rack-0', position: 4 } }),
  refuse(400, 'devices.create', { name: 'no such pool', addresses: [{ ip: '10.0.100.15', pool_id: 'none' }] }),
  refuse(412, 'devices.update', { id: 'sw', os: 'x' }, stale),
  call('devices.update', { id: 'sw', os: 'owned' }),
  call(
    'devices.update',
    { id: 'dev-1', os: 'Debian 13', add_tags: ['new'], remove_tags: ['Web'] },
    { save: { change: 'header:x-change-id' }, headers: { 'X-Change-Note': 'an upgrade' } },
  ),
  call('devices.update', { id: 'dev-2', custom: { peers: ['sw', 'srv'], owner: 'ÄDA' } }),
  call('devices.update', { id: 'dev-3', addresses: [], status: 'decommissioned' }),
  call('devices.update', { id: 'netbox:dcim.device.99', name: 'By its ref' }),
  call(
    'devices.bulk',
    {
      operations: [
        { op: 'create', device: { id: 'bulk-1', name: 'Bulk 1', addresses: [{ ip: '10.0.50.1' }] } },
        { op: 'update', id: 'dev-4', device: { description: 'in bulk' } },
        { op: 'create', device: { id: 'bulk-2', name: 'Bulk 2' } },
        { op: 'delete', id: 'bulk-2' },
      ],
    },
    { save: { bulk: 'header:x-change-id' } },
  ),
  call('devices.bulk', {
    atomic: false,
    operations: [
      { op: 'create', device: { id: 'bulk-3', name: 'Bulk 3' } },
      { op: 'create', device: { id: 'bulk-3', name: 'again' } },
      { op: 'create', device: { name: '' } },
      { op: 'update', id: 'nope', device: {} },
    ],
  }),
  refuse(400, 'devices.bulk', {
    operations: [
      { op: 'create', device: { id: 'x', name: 'X' } },
      { op: 'create', device: { id: 'sw', name: 'X' } },
    ],
  }),
  call('device-types.apply', { id: 'type-0', device_ids: ['sw'] }),
  ...numbered.map(({ name, n }) =>
    call('ports.create', {
      device_id: 'srv',
      id: `port-${n}`,
      name,
      speed_mbps: n % 3 ? 1000 : 10_000,
      mac_address: `02:00:00:00:01:${(n + 16).toString(16)}`,
    }),
  ),
  call('ports.create', { device_id: 'dev-0', id: 'panel', name: 'panel', pass_through: true }),
  refuse(409, 'ports.create', { device_id: 'srv', name: 'ZEBRA' }),
  call('ports.update', { id: 'port-1', description: 'Uplink', vlan_id: 101, tagged_vlan_ids: [103, 102] }),
  call('ports.adopt', { device_id: 'dev-1' }),
  call('ports.bulk', {
    atomic: false,
    operations: [
      { op: 'create', port: { device_id: 'srv', name: 'bulk' } },
      { op: 'create', port: { device_id: 'none', name: 'bulk' } },
      { op: 'update', id: 'port-2', port: { enabled: false } },
    ],
  }),
  call('cables.create', {
    id: 'cable-1',
    a: { port_id: 'port-0' },
    b: { port_id: 'panel' },
    label: 'C-1',
    length_m: 2.5,
  }),
  call('cables.create', {
    id: 'cable-2',
    a: { port_id: 'panel', side: 'rear' },
    b: { device_id: 'dev-2', port: 'eth0' },
    label: 'c-1',
  }),
  call('cables.create', {
    id: 'cable-3',
    a: { device_id: 'dev-5', port: 'p' },
    b: { device_id: 'dev-6', port: 'p' },
    status: 'planned',
    label: 'Ä',
  }),
  refuse(400, 'cables.create', { a: { port_id: 'port-0' }, b: { port_id: 'port-5' } }),
  call('cables.update', { id: 'cable-1', color: 'blue', type: 'cat6' }),
  call('cables.bulk', {
    operations: [
      { op: 'create', cable: { id: 'cable-4', a: { port_id: 'port-7' }, b: { port_id: 'port-8' } } },
      { op: 'update', id: 'cable-3', cable: { status: 'connected' } },
    ],
  }),
  refuse(400, 'cables.bulk', {
    operations: [{ op: 'create', cable: { a: { port_id: 'port-7' }, b: { port_id: 'port-9' } } }],
  }),
  call('cables.trace', { id: 'port-0' }),
  call('cables.paths', { id: 'srv' }),
  call('relationships.create', { device_id: 'sw', child_id: 'srv', type: 'connected_to', notes: 'uplink' }),
  call('relationships.create', { device_id: 'sw', child_id: 'dev-0', type: 'contains' }),
  call('relationships.create', { device_id: 'dev-0', child_id: 'dev-1', type: 'contains' }),
  call('impact.of-device', { id: 'sw' }),
  call('impact.of-device', { id: 'sw', types: ['contains'], depth: 1 }),
  call('impact.of-network', { id: 'net' }),
  call('impact.preview', { device_ids: ['dev-0', 'srv'], datacenter_ids: ['dc-0'], network_ids: ['net'] }),
  refuse(400, 'impact.preview', { device_ids: ['none'], datacenter_ids: ['none'], network_ids: ['none'] }),
  refuse(400, 'impact.preview', {}),
  call('impact.single-points', { limit: 5 }),
  refuse(409, 'relationships.create', { device_id: 'sw', child_id: 'srv', type: 'connected_to' }),
  refuse(400, 'relationships.create', { device_id: 'sw', child_id: 'sw', type: 'contains' }),
  call('racks.elevation', { id: 'rack-0' }),
  call('racks.elevation-svg', { id: 'rack-0' }),
  call('conflicts.detect'),
]

/** Saves the moment of the newest change. */
const saveMoment = (name: string): Step => call('history.list', { limit: 1 }, { save: { [name]: '0.at' } })

export const inventoryCalls: readonly Step[] = [
  ...sites,
  ...kindCalls,
  saveMoment('after the sites'),
  ...addresses,
  saveMoment('after the addresses'),
  async ({ saved, clock }) => void saved.set('middle', new Date(clock.ms).toISOString()),
  ...gear,
]
