/** An estate document with custom fields, racks, device types, ports and cables, which name each other in both directions. */

const field = (resource: string, name: string, type: string, more: object = {}) => ({ resource, name, type, ...more })

export const OBJECTS_ESTATE = {
  'custom-fields': [
    field('spaces', 'rd', 'text', { pattern: '[0-9]+:[0-9]+' }),
    field('datacenters', 'router', 'reference', { reference_to: 'devices', description: 'Comes later' }),
    field('datacenters', 'code', 'text', { required: true, unique: true, searchable: true }),
    field('vlans', 'owner', 'choice', { choices: ['net', 'ops'], default: 'net' }),
    field('networks', 'main_rack', 'reference', { reference_to: 'racks' }),
    field('networks', 'gateways', 'ip', { multiple: true }),
    field('pools', 'live', 'boolean'),
    field('addresses', 'peer', 'reference', { reference_to: 'devices' }),
    field('addresses', 'ttl', 'integer', { minimum: 0, default: 300 }),
    field('devices', 'watts', 'number', { minimum: 0, maximum: 5000, group: 'Power', position: 2 }),
    field('devices', 'peers', 'reference', { reference_to: 'devices', multiple: true, label: 'Peers' }),
    field('devices', 'bought', 'date', { required: true }),
    field('racks', 'link', 'url'),
    field('racks', 'home', 'reference', { reference_to: 'datacenters', default: 'A' }),
    field('addresses', 'gear', 'reference', {
      reference_to: 'racks',
      multiple: true,
      default: [{ name: 'R1', datacenter: 'A' }],
    }),
    field('ports', 'patched', 'boolean', { default: false }),
    field('cables', 'serial', 'text', { unique: true }),
  ],
  spaces: [{ name: 'red', custom: { rd: '65000:1' } }],
  datacenters: [
    { name: 'A', custom: { code: 'a1', router: 'sw-1' } },
    // The rule that wants a code is younger.
    { name: 'B' },
  ],
  vlans: [
    { vlan_id: 7, name: 'web', custom: { owner: 'ops' } },
    { vlan_id: 8, name: 'lab', custom: { owner: null } },
  ],
  networks: [
    {
      ...{ name: 'lan', subnet: '10.0.0.0/24', datacenter: 'A' },
      custom: { main_rack: { name: 'R1', datacenter: 'A' }, gateways: ['10.0.0.1', '2001:DB8::1'] },
    },
  ],
  pools: [{ name: 'p', network: 'lan', start_ip: '10.0.0.10', end_ip: '10.0.0.20', custom: { live: false } }],
  'device-types': [
    {
      ...{ manufacturer: 'Acme', model: 'S48', height: 1, full_depth: false, power_w: 90 },
      ports: [{ name: 'Gi0/1' }, { name: 'Gi0/2' }, { name: 'PSU', kind: 'power', type: 'c14' }],
    },
    { manufacturer: 'Acme', model: 'Panel', height: 1, ports: [{ name: '1', pass_through: true }] },
  ],
  racks: [
    {
      ...{ name: 'R1', datacenter: 'A', location: 'Row 1', height: 20, first_unit: 3, numbering: 'top_down' },
      ...{ max_power_w: 4000, custom: { link: 'https://wiki.example/r1', home: 'B' } },
    },
    { name: 'R1', datacenter: 'B' },
  ],
  devices: [
    {
      ...{ name: 'sw-1', datacenter: 'A', device_type: 'Acme S48', make_model: 'Acme S48' },
      mount: {
        rack: { name: 'R1', datacenter: 'A' },
        position: 4.5,
        height: 1.5,
        face: 'rear',
        slot: '2/2',
        power_w: 80,
      },
      addresses: [
        { ip: '10.0.0.5', network: 'lan', interface: 'Gi0/1', custom: { ttl: 60, peer: 'srv-1' } },
        { ip: '10.0.0.6', network: 'lan', custom: { ttl: null, gear: null } },
        // Gets the defaults, also at the second apply.
        { ip: '10.0.0.7', network: 'lan' },
        { ip: '10.0.0.8', network: 'lan', custom: { ttl: '90' } },
      ],
      custom: { watts: 80.5, bought: '2024-02-29', peers: ['srv-1', 'sw-1'] },
    },
    {
      ...{ name: 'srv-1', datacenter: 'A', mount: { rack: { name: 'R1', datacenter: 'A' }, position: null } },
      custom: { bought: '2025-01-01', peers: ['sw-1'] },
    },
    // Stored before the rules: it has no date and too many watts.
    { name: 'old', custom: { watts: 9000 } },
    { name: 'panel', device_type: 'Acme Panel', make_model: 'Acme Panel', custom: { bought: '2025-01-01' } },
  ],
  ports: [
    {
      device: 'sw-1',
      name: 'Gi0/1',
      parent: 'Po1',
      mac_address: '00:11:22:33:44:55',
      speed_mbps: 1000,
      custom: { patched: true },
    },
    // A port of the type was taken away.
    { device: 'sw-1', name: 'PSU', kind: 'power', type: 'c14', custom: { patched: null } },
    { device: 'sw-1', name: 'Po1', type: 'lag', vlan_id: 7, tagged_vlan_ids: [8, 9], enabled: false },
    { device: 'srv-1', name: 'eth0' },
    { device: 'panel', name: '1', pass_through: true, description: 'rear: Trunk' },
  ],
  cables: [
    {
      ...{ a: { device: 'sw-1', port: 'Gi0/1' }, b: { device: 'panel', port: '1', side: 'rear' } },
      ...{ type: 'cat6', label: 'c-1', color: 'blue', length_m: 2.5, status: 'planned', custom: { serial: 'X1' } },
    },
    { a: { device: 'panel', port: '1' }, b: { device: 'srv-1', port: 'eth0' } },
  ],
  relationships: [{ parent: 'sw-1', child: 'srv-1', type: 'connected_to' }],
  reservations: [{ pool: 'p', ip_address: '10.0.0.12', custom: { peer: 'old' } }],
}
