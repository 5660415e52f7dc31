/** A small estate in NetBox: every kind of object that becomes a row, with values that exercise each rule. */

/** A reference to an object. */
export class Ref {
  readonly kind: string
  readonly id: number

  constructor(kind: string, id: number) {
    this.kind = kind
    this.id = id
  }
}

export type Entry = {
  readonly kind: string
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly tags?: readonly string[]
  readonly custom?: Readonly<Record<string, unknown>>
}

const ref = (kind: string, id: number) => new Ref(kind, id)
const named = (kind: string, id: number, name: string, more: Record<string, unknown> = {}): Entry => ({
  kind,
  id,
  fields: { name, slug: name.toLowerCase().replaceAll(' ', '-'), ...more },
})

const site = (id: number) => ref('dcim.site', id)
const tenant = ref('tenancy.tenant', 1)
const iface = (id: number) => ref('dcim.interface', id)
const vrf = ref('ipam.vrf', 1)

/** A text that no answer may hold. */
export const SECRET = 'hunter2-c0mmunity'

const interfaces: Entry[] = [
  ['1', 1, 'Ethernet2', '00:11:22:AA:BB:02'],
  ['2', 1, 'Ethernet10', '00:11:22:AA:BB:10'],
  ['3', 1, 'Management', ''],
  ['4', 2, 'eth0', '00:11:22:AA:CC:00'],
  ['5', 2, 'eth1', ''],
  ['6', 3, 'eth0', ''],
].map(([id, device, name, mac]) => ({
  kind: 'dcim.interface',
  id: Number(id),
  fields: {
    name,
    device: ref('dcim.device', Number(device)),
    type: '1000base-t',
    enabled: name !== 'eth1',
    mgmt_only: name === 'Management',
    mac,
    ...(name === 'Ethernet2' && { lag: iface(7), mtu: 9000, speed: 1_000_000 }),
    ...(name === 'eth0' && device === 2 && { mode: 'access', untagged_vlan: ref('ipam.vlan', 1) }),
  },
}))

/** A field of custom fields: its objects, and what it refers to. */
const customField = (id: number, name: string, types: readonly string[], more: Record<string, unknown>): Entry => ({
  kind: 'extras.customfield',
  id,
  fields: { name, types, weight: 100, search_weight: 1000, filter_logic: 'loose', ...more },
})

const device = (id: number) => ref('dcim.device', id)

/** Racks, panels, consoles, power and custom fields. */
const objects: Entry[] = [
  named('dcim.rackrole', 1, 'Network'),
  {
    kind: 'dcim.rack',
    id: 2,
    fields: { name: 'R8', site: site(2), status: 'active', u_height: 10, starting_unit: 5, width: 19 },
    custom: { serial: 'RK-2' },
  },
  {
    kind: 'dcim.devicetype',
    id: 2,
    fields: {
      manufacturer: ref('dcim.manufacturer', 1),
      model: 'Panel',
      slug: 'panel',
      u_height: 1,
      is_full_depth: true,
    },
  },
  { kind: 'dcim.interfacetemplate', id: 1, fields: template(1, 'Ethernet10', '1000base-t') },
  { kind: 'dcim.interfacetemplate', id: 2, fields: template(1, 'Ethernet2', '1000base-t') },
  { kind: 'dcim.consoleporttemplate', id: 1, fields: template(1, 'Console', 'rj-45') },
  { kind: 'dcim.powerporttemplate', id: 1, fields: { ...template(1, 'PSU1', 'iec-60320-c14'), maximum_draw: 300 } },
  { kind: 'dcim.rearporttemplate', id: 1, fields: { ...template(2, 'Trunk', 'mpo'), positions: 2 } },
  {
    kind: 'dcim.frontporttemplate',
    id: 1,
    fields: { ...template(2, 'F1', 'lc'), rear: [ref('dcim.rearporttemplate', 1), 1] },
  },
  {
    kind: 'dcim.device',
    id: 4,
    fields: panel('panel-1', { site: site(1), rack: ref('dcim.rack', 1), position: 14, face: 'rear' }),
  },
  {
    kind: 'dcim.device',
    id: 5,
    fields: panel('panel-2', { site: site(2), rack: ref('dcim.rack', 2), position: 12, face: 'front' }),
  },
  {
    kind: 'dcim.device',
    id: 6,
    fields: {
      name: 'pdu-1',
      role: ref('dcim.devicerole', 1),
      site: site(1),
      rack: ref('dcim.rack', 1),
      status: 'active',
    },
    custom: { peers: [1, 2], 'Warranty until': 'never' },
  },
  {
    kind: 'dcim.interface',
    id: 7,
    fields: {
      ...{ name: 'Port-Channel1', device: device(1), type: 'lag', enabled: true, mgmt_only: false, mac: '' },
      ...{ mode: 'tagged', tagged_vlans: [ref('ipam.vlan', 3), ref('ipam.vlan', 1)], label: 'uplinks' },
    },
  },
  { kind: 'dcim.consoleport', id: 1, fields: { name: 'Management', device: device(1), type: 'rj-45', speed: 9600 } },
  { kind: 'dcim.consoleserverport', id: 1, fields: { name: 'tty1', device: device(2) } },
  {
    kind: 'dcim.powerport',
    id: 1,
    fields: { name: 'PSU1', device: device(1), type: 'iec-60320-c14', maximum_draw: 150 },
  },
  { kind: 'dcim.poweroutlet', id: 1, fields: { name: 'A1', device: device(6), type: 'iec-60320-c13', feed_leg: 'A' } },
  {
    kind: 'dcim.rearport',
    id: 1,
    fields: { name: 'Trunk', device: device(4), type: 'mpo', positions: 2, label: 'to B' },
  },
  { kind: 'dcim.frontport', id: 1, fields: front('1', 4, 1, 1) },
  { kind: 'dcim.frontport', id: 2, fields: front('2', 4, 1, 2) },
  { kind: 'dcim.rearport', id: 2, fields: { name: 'Trunk', device: device(5), type: 'mpo', positions: 2 } },
  { kind: 'dcim.frontport', id: 3, fields: front('1', 5, 2, 1) },
  { kind: 'dcim.frontport', id: 4, fields: front('2', 5, 2, 2) },
  { kind: 'dcim.rearport', id: 3, fields: { name: '1', device: device(4), type: 'lc', positions: 1 } },
  {
    kind: 'dcim.cable',
    id: 4,
    fields: {
      a: ref('dcim.frontport', 1),
      b: iface(3),
      status: 'planned',
      color: '00ff00',
      length: 5,
      length_unit: 'ft',
    },
  },
  {
    kind: 'dcim.cable',
    id: 5,
    fields: {
      a: ref('dcim.rearport', 1),
      b: ref('dcim.rearport', 2),
      status: 'connected',
      type: 'mmf-om4',
      label: 'T1',
    },
  },
  {
    kind: 'dcim.cable',
    id: 6,
    fields: { a: ref('dcim.powerport', 1), b: ref('dcim.poweroutlet', 1), status: 'connected', type: 'power' },
  },
  {
    kind: 'dcim.cable',
    id: 7,
    fields: { a: ref('dcim.consoleport', 1), b: ref('dcim.frontport', 4), status: 'connected' },
  },
  {
    kind: 'dcim.cable',
    id: 8,
    fields: { a: ref('dcim.frontport', 3), b: ref('circuits.provider', 1), status: 'connected' },
  },
  {
    kind: 'extras.customfieldchoiceset',
    id: 1,
    fields: {
      name: 'Tiers',
      choices: [
        ['gold', 'Gold'],
        ['tin', 'Tin, old'],
      ],
    },
  },
  customField(1, 'site_code', ['dcim.site', 'tenancy.tenant'], {
    ...{ type: 'text', label: 'Site code', required: true, validation_regex: '^[A-Z]', group_name: 'Codes' },
  }),
  customField(2, 'power', ['dcim.site'], { type: 'integer', validation_minimum: 0, validation_maximum: 5, default: 3 }),
  customField(3, 'live', ['dcim.site'], { type: 'boolean' }),
  customField(4, 'tier', ['dcim.site'], { type: 'select', choices: ref('extras.customfieldchoiceset', 1) }),
  customField(5, 'router', ['dcim.site'], { type: 'object', related: 'dcim.device' }),
  customField(6, 'peers', ['dcim.device', 'virtualization.virtualmachine'], {
    type: 'multiobject',
    related: 'dcim.device',
  }),
  customField(7, 'payer', ['ipam.prefix'], { type: 'object', related: 'tenancy.tenant' }),
  customField(8, 'serial', ['dcim.rack'], { type: 'text', unique: true, description: 'Of the label' }),
]

function template(type: number, name: string, of: string) {
  return { device_type: ref('dcim.devicetype', type), name, type: of }
}

function panel(name: string, more: Record<string, unknown>) {
  return { name, device_type: ref('dcim.devicetype', 2), role: ref('dcim.devicerole', 1), status: 'active', ...more }
}

function front(name: string, of: number, rear: number, position: number) {
  return { name, device: ref('dcim.device', of), type: 'lc', rear: [ref('dcim.rearport', rear), position] }
}

export const ENTRIES: readonly Entry[] = [
  named('dcim.region', 1, 'Europe'),
  named('tenancy.tenant', 1, 'Acme Corp'),
  named('ipam.rir', 1, 'RFC 1918', { is_private: true }),
  { kind: 'ipam.role', id: 1, fields: { name: 'Production', slug: 'prod', weight: 1000 } },
  { kind: 'ipam.vrf', id: 1, fields: { name: 'red', rd: '65000:1', enforce_unique: true } },
  { kind: 'ipam.vlan', id: 1, fields: { vid: 401, name: 'Servers', status: 'active', site: site(1) } },
  { kind: 'ipam.vlan', id: 2, fields: { vid: 402, name: 'Unused', status: 'reserved' } },
  named('ipam.vlangroup', 1, 'Fabric B', { scope: site(2) }),
  {
    kind: 'ipam.vlan',
    id: 3,
    fields: { vid: 401, name: 'Storage', status: 'active', group: ref('ipam.vlangroup', 1), role: ref('ipam.role', 1) },
  },
  { kind: 'ipam.vlan', id: 4, fields: { vid: 402, name: 'Again', status: 'active' } },
  {
    kind: 'dcim.site',
    id: 1,
    fields: {
      name: 'Amsterdam',
      slug: 'ams',
      status: 'active',
      region: ref('dcim.region', 1),
      tenant,
      facility: 'AM5',
      time_zone: 'Europe/Amsterdam',
      description: 'The main site',
      physical_address: 'Street 1\n\n1012 AB Amsterdam\r\nNL',
      latitude: 52.37,
      longitude: 4.9,
      comments: 'First line\twith a tab\nSecond \\ line',
    },
    tags: ['prod', 'eu'],
    custom: {
      ...{ site_code: 'A1', power: 12, live: false, tier: 'gold', router: 2 },
      ...{ snmp_community: SECRET, none: null },
    },
  },
  { kind: 'dcim.site', id: 2, fields: { name: 'Berlin', slug: 'ber', status: 'planned' }, custom: { router: 99 } },
  named('dcim.location', 1, 'Room 1', { site: site(1) }),
  {
    kind: 'dcim.rack',
    id: 1,
    fields: {
      ...{ name: 'R7', site: site(1), location: ref('dcim.location', 1), status: 'active', u_height: 42 },
      ...{ desc_units: true, role: ref('dcim.rackrole', 1), width: 19 },
    },
    custom: { serial: 'RK-1' },
  },
  named('dcim.manufacturer', 1, 'Arista'),
  {
    kind: 'dcim.devicetype',
    id: 1,
    fields: {
      ...{ manufacturer: ref('dcim.manufacturer', 1), model: 'DCS-7050', slug: 'dcs-7050', u_height: 1 },
      ...{ is_full_depth: false, part_number: 'DCS-7050-X', airflow: 'front-to-rear' },
    },
  },
  { kind: 'dcim.devicerole', id: 1, fields: { name: 'Core switch', slug: 'core', color: 'aa1409', vm_role: false } },
  { kind: 'dcim.platform', id: 1, fields: { name: 'EOS 4.30', slug: 'eos' } },
  {
    kind: 'dcim.device',
    id: 1,
    fields: {
      name: 'sw-1',
      device_type: ref('dcim.devicetype', 1),
      role: ref('dcim.devicerole', 1),
      tenant,
      platform: ref('dcim.platform', 1),
      serial: 'SN1',
      asset_tag: 'AT-1',
      site: site(1),
      location: ref('dcim.location', 1),
      rack: ref('dcim.rack', 1),
      position: 12,
      face: 'front',
      status: 'active',
      primary_ip4: ref('ipam.ipaddress', 3),
      comments: 'A switch',
    },
    tags: ['prod'],
    custom: { 'Warranty until': '2030-01-01', admin_password: SECRET },
  },
  {
    kind: 'dcim.device',
    id: 2,
    fields: {
      name: 'srv-1',
      device_type: ref('dcim.devicetype', 1),
      role: ref('dcim.devicerole', 1),
      site: site(1),
      status: 'failed',
    },
  },
  {
    kind: 'dcim.device',
    id: 3,
    fields: {
      device_type: ref('dcim.devicetype', 1),
      role: ref('dcim.devicerole', 1),
      site: site(2),
      status: 'staged',
    },
  },
  ...interfaces,
  ...objects,
  { kind: 'dcim.cable', id: 1, fields: { a: iface(1), b: iface(4), status: 'connected', type: 'cat6' } },
  { kind: 'dcim.cable', id: 2, fields: { a: iface(5), b: iface(2), status: 'connected', label: 'second' } },
  { kind: 'dcim.cable', id: 3, fields: { a: iface(4), b: iface(5), status: 'connected', color: 'ff0000' } },
  named('virtualization.clustertype', 1, 'KVM'),
  {
    kind: 'virtualization.cluster',
    id: 1,
    fields: { name: 'kvm-1', type: ref('virtualization.clustertype', 1), scope: site(2), status: 'active' },
  },
  {
    kind: 'virtualization.virtualmachine',
    id: 1,
    fields: {
      name: 'vm-1',
      cluster: ref('virtualization.cluster', 1),
      device: ref('dcim.device', 2),
      status: 'paused',
      vcpus: 2,
      memory: 4096,
      primary_ip6: ref('ipam.ipaddress', 6),
    },
  },
  {
    kind: 'virtualization.vminterface',
    id: 1,
    fields: { name: 'ens3', virtual_machine: ref('virtualization.virtualmachine', 1), enabled: true, mac: '' },
  },
  { kind: 'ipam.aggregate', id: 1, fields: { prefix: '10.0.0.0/8', rir: ref('ipam.rir', 1), description: 'Private' } },
  { kind: 'ipam.aggregate', id: 2, fields: { prefix: '10.40.1.0/24', rir: ref('ipam.rir', 1) } },
  {
    kind: 'ipam.prefix',
    id: 1,
    fields: {
      prefix: '10.40.1.0/24',
      scope: site(1),
      vlan: ref('ipam.vlan', 1),
      status: 'active',
      role: ref('ipam.role', 1),
      is_pool: true,
      description: 'ams-web',
      tenant,
    },
    tags: ['prod'],
    custom: { payer: 1 },
  },
  { kind: 'ipam.prefix', id: 2, fields: { prefix: '10.40.0.0/16', status: 'container' } },
  { kind: 'ipam.prefix', id: 3, fields: { prefix: '10.40.1.0/24', vrf, status: 'active' } },
  { kind: 'ipam.prefix', id: 4, fields: { prefix: '2001:db8::/64', status: 'active', description: 'v6' } },
  {
    kind: 'ipam.iprange',
    id: 1,
    fields: {
      start_address: '10.40.1.100/24',
      end_address: '10.40.1.199/24',
      size: 100,
      status: 'active',
      role: ref('ipam.role', 1),
      description: 'dhcp',
    },
  },
  {
    kind: 'ipam.iprange',
    id: 2,
    fields: { start_address: '10.40.1.110/24', end_address: '10.40.1.119/24', size: 10, status: 'reserved' },
  },
  {
    kind: 'ipam.iprange',
    id: 3,
    fields: { start_address: '192.0.2.1/24', end_address: '192.0.2.9/24', size: 9, status: 'active' },
  },
  address(1, '10.40.1.21/24', iface(2), { dns_name: 'sw-1.example.net', description: 'uplink' }),
  address(2, '10.40.1.20/24', iface(1), { dns_name: 'not_a host' }),
  address(3, '10.40.1.2/24', iface(3), {}),
  address(4, '10.40.1.22/24', iface(4), { status: 'deprecated' }),
  address(5, '10.40.1.2/24', iface(6), { vrf }),
  address(6, '2001:db8::1/64', ref('virtualization.vminterface', 1), { dns_name: 'vm-1.example.net' }),
  address(7, '10.40.1.115/24', undefined, { status: 'reserved', dns_name: 'printer.example.net' }),
  address(8, '10.40.1.150/24', undefined, { description: 'spare', status: 'dhcp' }),
  address(9, '10.40.1.30/24', undefined, { description: 'migration' }),
  address(10, '10.40.1.255/24', undefined, {}),
  address(11, '10.40.1.20/24', undefined, { vrf }),
  address(12, '172.16.0.9/28', undefined, {}),
  address(13, '172.16.0.9/28', undefined, { vrf }),
  address(14, '192.0.2.77/32', undefined, { description: 'alone' }),
  named('circuits.provider', 1, 'Carrier'),
]

function address(id: number, text: string, assigned: Ref | undefined, more: Record<string, unknown>): Entry {
  return { kind: 'ipam.ipaddress', id, fields: { address: text, assigned, status: 'active', ...more } }
}
