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
    enabled: true,
    mgmt_only: name === 'Management',
    mac,
  },
}))

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
    custom: { site_code: 'A1', power: 12, live: false, snmp_community: SECRET, none: null },
  },
  { kind: 'dcim.site', id: 2, fields: { name: 'Berlin', slug: 'ber', status: 'planned' } },
  named('dcim.location', 1, 'Room 1', { site: site(1) }),
  { kind: 'dcim.rack', id: 1, fields: { name: 'R7', site: site(1), status: 'active', u_height: 42 } },
  named('dcim.manufacturer', 1, 'Arista'),
  {
    kind: 'dcim.devicetype',
    id: 1,
    fields: { manufacturer: ref('dcim.manufacturer', 1), model: 'DCS-7050', slug: 'dcs-7050', u_height: 1 },
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
