/** Tenants, contacts, parts, routing, services and VPNs of the small estate in NetBox, which become objects of packs. */
import { device, type Entry, iface, named, ref, site, tenant, vrf } from './entry.ts'

const contact = ref('tenancy.contact', 1)

const people: readonly Entry[] = [
  named('tenancy.tenantgroup', 1, 'Customers'),
  named('tenancy.tenant', 2, 'Branch', { group: ref('tenancy.tenantgroup', 1), comments: 'Since 2019' }),
  // The name is taken, in another case.
  named('tenancy.tenantgroup', 2, 'ACME CORP', { parent: ref('tenancy.tenantgroup', 1) }),
  named('tenancy.contactgroup', 1, 'Operations'),
  named('tenancy.contactrole', 1, 'On call'),
  {
    kind: 'tenancy.contact',
    id: 1,
    fields: {
      name: 'Ada',
      title: 'Engineer',
      phone: '+49 30 1',
      email: 'ada@example.net',
      group: ref('tenancy.contactgroup', 1),
    },
  },
  { kind: 'tenancy.contact', id: 2, fields: { name: 'Bob', link: 'https://bob.example' } },
  ...(
    [
      [1, 'dcim.site', 1, 2, 'secondary'],
      [2, 'dcim.site', 1, 1, 'primary'],
      [3, 'circuits.circuit', 1, 1, 'primary'],
    ] as const
  ).map(
    ([id, kind, of, who, priority]): Entry => ({
      kind: 'tenancy.contactassignment',
      id,
      fields: {
        ...{ object: ref(kind, of), contact: who === 1 ? contact : ref('tenancy.contact', who), priority },
        ...(kind === 'dcim.site' && { role: ref('tenancy.contactrole', 1) }),
      },
    }),
  ),
]

const parts: readonly Entry[] = [
  {
    kind: 'dcim.moduletype',
    id: 1,
    fields: { model: 'LC-32', part_number: 'LC-32-R', manufacturer: ref('dcim.manufacturer', 1) },
  },
  { kind: 'dcim.modulebay', id: 1, fields: { name: 'Slot 1', device: device(1), position: '1' } },
  {
    kind: 'dcim.module',
    id: 1,
    fields: {
      ...{ device: device(1), module_bay: ref('dcim.modulebay', 1), module_type: ref('dcim.moduletype', 1) },
      ...{ serial: 'M-1', asset_tag: 'P-1', status: 'active' },
    },
  },
  named('dcim.inventoryitemrole', 1, 'Optics'),
  {
    kind: 'dcim.inventoryitem',
    id: 1,
    fields: {
      ...{ name: 'SFP 1', device: device(1), manufacturer: ref('dcim.manufacturer', 1), part_id: '0017' },
      ...{ serial: 'I-1', asset_tag: 'p-1', role: ref('dcim.inventoryitemrole', 1) },
    },
  },
  { kind: 'dcim.devicebay', id: 1, fields: { name: 'Bay 1', device: device(1) } },
  {
    kind: 'virtualization.virtualdisk',
    id: 1,
    fields: { name: 'vda', virtual_machine: ref('virtualization.virtualmachine', 1), size: 20000 },
  },
  { kind: 'dcim.virtualchassis', id: 1, fields: { name: 'stack-1', domain: 'd1', master: device(3) } },
  {
    kind: 'dcim.rackreservation',
    id: 1,
    fields: { rack: ref('dcim.rack', 1), units: [1, 2, 3, 7], description: 'For the new chassis', tenant },
  },
]

const routing: readonly Entry[] = [
  { kind: 'ipam.asn', id: 1, fields: { asn: 64500, rir: ref('ipam.rir', 1), tenant } },
  { kind: 'ipam.routetarget', id: 1, fields: { name: '65000:100', tenant } },
  {
    kind: 'ipam.service',
    id: 1,
    fields: {
      ...{ name: 'SSH', device: device(1), protocol: 'tcp', ports: [22, 2222, 2223] },
      ipaddresses: [ref('ipam.ipaddress', 3)],
    },
  },
  {
    kind: 'ipam.fhrpgroup',
    id: 1,
    fields: { name: 'gw', protocol: 'vrrp2', group_id: 10, auth_type: 'plaintext' },
  },
  {
    kind: 'ipam.fhrpgroupassignment',
    id: 1,
    fields: { group: ref('ipam.fhrpgroup', 1), on: iface(2), priority: 100 },
  },
  {
    kind: 'ipam.ipaddress',
    id: 20,
    fields: { address: '10.40.1.1/24', assigned: ref('ipam.fhrpgroup', 1), status: 'active', role: 'vrrp' },
  },
  {
    kind: 'ipam.ipaddress',
    id: 21,
    fields: { address: '203.0.113.5/32', status: 'active', nat_inside: ref('ipam.ipaddress', 3), vrf },
  },
  named('vpn.tunnelgroup', 1, 'Sites'),
  {
    kind: 'vpn.tunnel',
    id: 1,
    fields: {
      ...{ name: 'ams-ber', status: 'active', group: ref('vpn.tunnelgroup', 1), encapsulation: 'gre', tunnel_id: 7 },
      tenant,
    },
  },
  {
    kind: 'vpn.tunneltermination',
    id: 1,
    fields: { tunnel: ref('vpn.tunnel', 1), role: 'peer', end: iface(2), outside_ip: ref('ipam.ipaddress', 3) },
  },
  {
    kind: 'vpn.tunneltermination',
    id: 2,
    fields: { tunnel: ref('vpn.tunnel', 1), role: 'peer', end: ref('virtualization.vminterface', 1) },
  },
  named('vpn.l2vpn', 1, 'metro', { type: 'vpls', identifier: 42, import_targets: [ref('ipam.routetarget', 1)] }),
  { kind: 'vpn.l2vpntermination', id: 1, fields: { l2vpn: ref('vpn.l2vpn', 1), assigned: ref('ipam.vlan', 1) } },
  {
    kind: 'wireless.wirelesslan',
    id: 1,
    fields: { ssid: 'guests', status: 'active', scope: site(1), vlan: ref('ipam.vlan', 1), auth_type: 'wpa-personal' },
  },
]

export const PACK_OBJECTS: readonly Entry[] = [...people, ...parts, ...routing]
