/** Objects of the kinds of packs: tenants, contacts, circuits, parts, routing, services, VPNs and rules of translation. */
import { expect, test } from 'bun:test'
import { documentProblems } from '../../../testing/estates/estate-document.ts'
import { pgDump } from '../../../testing/netbox/forms.ts'
import type { Conversion } from '../converter.ts'
import { convertNetbox } from './netbox.ts'

const convert = async (file: string | Record<string, object[]>): Promise<Conversion> => {
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  const conversion = await convertNetbox(new TextEncoder().encode(text), { now: new Date(0) })
  expect(documentProblems(conversion.documents, conversion.packs)).toEqual([])
  return conversion
}

const estate = await convert(pgDump('4.6'))
const find = (ref: string, list: 'objects' | 'devices' | 'datacenters' | 'spaces' | 'networks' | 'ports' = 'objects') =>
  estate.documents[list]?.find(({ refs }) => (refs as { netbox?: string }).netbox === ref)
const ref = (of: string) => ({ ref: `netbox:${of}` })

test('the document names the packs of its rows', () => {
  expect(estate.packs).toEqual([
    ...['circuits', 'contacts', 'nat', 'parts', 'power', 'racks', 'redundancy', 'routing', 'services', 'tenancy'],
    ...['virtualization', 'vpn', 'wireless'],
  ])
})

test('tenants are below their groups, and a name that is taken has its number behind it', () => {
  const tenants = estate.documents.objects?.filter(({ kind }) => kind === 'tenants')
  expect(tenants).toEqual([
    { kind: 'tenants', name: 'Customers', refs: { netbox: 'tenancy.tenantgroup.1' } },
    {
      ...{ kind: 'tenants', name: 'Acme Corp #1', custom: { slug: 'acme-corp' } },
      refs: { netbox: 'tenancy.tenant.1' },
    },
    {
      ...{ kind: 'tenants', name: 'ACME CORP', parent: ref('tenancy.tenantgroup.1') },
      refs: { netbox: 'tenancy.tenantgroup.2' },
    },
    {
      ...{ kind: 'tenants', name: 'Branch', parent: ref('tenancy.tenantgroup.1'), description: 'Since 2019' },
      refs: { netbox: 'tenancy.tenant.2' },
    },
  ])
  expect(find('dcim.site.1', 'datacenters')?.custom).toMatchObject({ tenant: ref('tenancy.tenant.1') })
})

test('contacts of an object stand in the field of their role, the first one by priority', () => {
  expect(find('tenancy.contact.1')).toEqual({
    ...{ kind: 'contacts', name: 'Ada', parent: ref('tenancy.contactgroup.1') },
    custom: { title: 'Engineer', phone: '+49 30 1', email: 'ada@example.net' },
    refs: { netbox: 'tenancy.contact.1' },
  })
  expect(find('dcim.site.1', 'datacenters')?.custom).toMatchObject({
    contacts_on_call: [ref('tenancy.contact.1'), ref('tenancy.contact.2')],
  })
  expect(find('circuits.circuit.1')?.custom).toMatchObject({ contacts: [ref('tenancy.contact.1')] })
})

test('a circuit has its provider, its ends and the device that its cables lead to', () => {
  expect(find('circuits.circuit.1')).toEqual({
    ...{ kind: 'circuits', name: 'CID-1', description: 'A description: cage 2\nRing north' },
    custom: {
      ...{ provider: ref('circuits.provider.2'), type: 'Dark fiber', status: 'active', install_date: '2024-03-01' },
      ...{ commit_kbps: 500000, device: ref('circuits.circuit.1'), tags: ['prod'], tenant: ref('tenancy.tenant.1') },
      ...{ a_place: ref('dcim.site.2'), a_speed_kbps: 1000000, a_cross_connect: 'X-17', a_patch_panel: 'PP 3/4' },
      ...{ z_place: ref('dcim.site.1'), z_upstream_kbps: 200000, contacts: [ref('tenancy.contact.1')] },
    },
    refs: { netbox: 'circuits.circuit.1' },
  })
  expect(find('circuits.providernetwork.1')).toMatchObject({
    ...{ kind: 'provider-networks', name: 'Metro' },
    custom: { provider: ref('circuits.provider.2'), service_id: 'MAN-7' },
  })
})

test('a status that the field of a circuit does not have is a line', () => {
  expect(find('circuits.circuit.2')).toMatchObject({
    description: 'status: lent-out',
    custom: { type: 'Dark fiber', a_network: ref('circuits.providernetwork.1') },
  })
})

test('modules are parts in their bays, and an asset tag that another part has is a line', () => {
  const custom = { device: ref('dcim.device.1') }
  expect(find('dcim.modulebay.1')).toMatchObject({ name: 'Slot 1', custom: { ...custom, type: 'bay', position: '1' } })
  expect(find('dcim.module.1')).toMatchObject({
    ...{ kind: 'parts', name: 'LC-32', parent: ref('dcim.modulebay.1') },
    custom: {
      ...{ ...custom, type: 'module', position: 'Slot 1', manufacturer: 'Arista', part_number: 'LC-32-R' },
      ...{ serial: 'M-1', asset_tag: 'P-1', status: 'active' },
    },
  })
  expect(find('dcim.inventoryitem.1')).toMatchObject({
    description: 'role: Optics\nasset_tag: p-1',
    custom: { ...custom, type: 'part', part_number: '0017', serial: 'I-1' },
  })
  expect(find('dcim.devicebay.1')).toMatchObject({ name: 'Bay 1', custom: { ...custom, type: 'bay' } })
  expect(find('virtualization.virtualdisk.1')).toMatchObject({
    ...{ name: 'vda', description: 'size: 20000' },
    custom: { type: 'disk', device: ref('virtualization.virtualmachine.1') },
  })
})

test('a stack has its master, and its members their numbers', () => {
  expect(find('dcim.virtualchassis.1')).toMatchObject({
    ...{ kind: 'stacks', name: 'stack-1' },
    custom: { domain: 'd1', master: ref('dcim.device.3') },
  })
  expect(find('dcim.device.3', 'devices')?.custom).toEqual({
    ...{ stack: ref('dcim.virtualchassis.1'), stack_member: 2, status: 'staged' },
  })
})

test('a group of gateways has its addresses and devices', () => {
  expect(find('ipam.fhrpgroup.1')).toEqual({
    ...{ kind: 'fhrp-groups', name: 'gw', description: 'auth_type: plaintext\nsw-1 Ethernet10: priority 100' },
    custom: { protocol: 'vrrp2', number: 10, addresses: ['10.40.1.1'], devices: [ref('dcim.device.1')] },
    refs: { netbox: 'ipam.fhrpgroup.1' },
  })
})

test('AS numbers have their registry and places, and spaces their route targets', () => {
  expect(find('ipam.asn.1')).toMatchObject({
    ...{ kind: 'as-numbers', name: 'AS64500' },
    custom: { asn: 64500, rir: 'RFC 1918', places: [ref('dcim.site.1')], tenant: ref('tenancy.tenant.1') },
  })
  expect(find('ipam.vrf.1', 'spaces')).toMatchObject({
    custom: { rd: '65000:1', import_targets: [ref('ipam.routetarget.1')] },
  })
  expect(find('ipam.aggregate.1', 'networks')?.custom).toMatchObject({ rir: 'RFC 1918' })
})

test('a service has its device, ports and addresses', () => {
  expect(find('ipam.service.1')).toMatchObject({
    ...{ kind: 'services', name: 'SSH' },
    custom: { device: ref('dcim.device.1'), protocol: 'tcp', ports: '22, 2222-2223', addresses: ['10.40.1.2'] },
  })
})

test('tunnels and L2VPNs have their devices, addresses and VLANs', () => {
  expect(find('vpn.tunnel.1')).toMatchObject({
    ...{ kind: 'vpns', name: 'ams-ber' },
    description: 'group: Sites\npeer: sw-1 Ethernet10 10.40.1.2\npeer: vm-1 ens3',
    custom: {
      ...{ type: 'tunnel', identifier: '7', status: 'active', encapsulation: 'gre', addresses: ['10.40.1.2'] },
      ...{ devices: [ref('dcim.device.1'), ref('virtualization.virtualmachine.1')], tenant: ref('tenancy.tenant.1') },
    },
  })
  expect(find('vpn.l2vpn.1')).toMatchObject({
    description: 'import_targets: 65000:100',
    custom: { type: 'vpls', identifier: '42', vlans: [ref('ipam.vlan.1')] },
  })
})

test('a wireless network is in its place', () => {
  expect(find('wireless.wirelesslan.1')).toMatchObject({
    ...{ kind: 'wireless-networks', name: 'guests', datacenter: ref('dcim.site.1') },
    custom: { status: 'active', authentication: 'wpa-personal', vlan: ref('ipam.vlan.1') },
  })
})

test('an address that is translated to another one is a rule of its device', () => {
  expect(find('ipam.ipaddress.21.nat')).toEqual({
    ...{ kind: 'nat-rules', name: '203.0.113.5 - 10.40.1.2' },
    custom: { type: 'static', inside: ['10.40.1.2'], outside: ['203.0.113.5'], device: ref('dcim.device.1') },
    refs: { netbox: 'ipam.ipaddress.21.nat' },
  })
})

test('reserved units of a rack are an object with the reason as its name', () => {
  expect(find('dcim.rackreservation.1')).toMatchObject({
    ...{ kind: 'rack-reservations', name: 'For the new chassis' },
    custom: { rack: ref('dcim.rack.1'), units: '1-3, 7' },
  })
})

test('the values of a power feed are fields of its port', () => {
  expect(find('dcim.powerfeed.1', 'ports')?.custom).toEqual({
    ...{ voltage: 230, amperage: 16, phase: 'three-phase', supply: 'ac' },
  })
})

test('no place, tenant, contact, circuit, cluster, part or number of routing is left over', () => {
  const kinds =
    /^(dcim\.(region|location|module|modulebay|virtualchassis)|tenancy\.[a-z]+|circuits\.circuit[a-z]*|ipam\.(asn|routetarget|vrf)|virtualization\.cluster)$/
  expect(estate.report.left.filter(({ what }) => kinds.test(what))).toEqual([])
})

test('no tag stands for a role, a tenant or a cluster', () => {
  const tags = estate.documents.devices?.flatMap((device) => (device.tags ?? []) as string[])
  expect(tags).toEqual(['prod', 'vm'])
})

test('a circuit without a provider in the file is left over', async () => {
  const { documents, leftover } = await convert({ 'circuits/circuits': [{ id: 1, cid: 'C', provider: { id: 9 } }] })
  expect(documents.objects).toBeUndefined()
  expect(leftover['circuits.circuit']).toEqual([{ id: 1, cid: 'C', provider: 9 }])
})

test('accounts of a provider are joined, and a circuit names its own where there are several', async () => {
  const provider = { id: 1 }
  const { documents, report } = await convert({
    'circuits/providers': [{ id: 1, name: 'P' }],
    'circuits/provider-accounts': [
      { id: 1, provider, account: 'A-1', name: 'Main' },
      { id: 2, provider, account: 'A-2' },
    ],
    'circuits/circuits': [{ id: 1, cid: 'C', provider, provider_account: { id: 1 } }],
  })
  expect(documents.objects).toMatchObject([
    { name: 'P', description: 'account A-1: Main', custom: { account: 'A-1, A-2' } },
    { name: 'C', description: 'provider_account: Main' },
  ])
  expect(report.left).toEqual([])
})

test('groups that are one below another in a circle are cut apart', async () => {
  const { documents, report } = await convert({
    'tenancy/tenant-groups': [
      { id: 1, name: 'a', parent: { id: 2 } },
      { id: 2, name: 'b', parent: { id: 1 } },
    ],
  })
  expect(documents.objects?.map(({ name, parent }) => [name, parent])).toEqual([
    ['b', undefined],
    ['a', ref('tenancy.tenantgroup.2')],
  ])
  expect(report.left).toMatchObject([{ what: 'tenants.parent', why: 'is below itself' }])
})

test.each([
  ['in gigabytes before 4.1', { 'ipam/vlan-groups': [{ id: 1, name: 'g', min_vid: 1 }] }, 20, 20],
  ['in megabytes since', {}, 20000, 20],
])('the disk of a machine is %s', async (_, lists, disk, gigabytes) => {
  const { documents } = await convert({ 'virtualization/virtual-machines': [{ id: 1, name: 'vm', disk }], ...lists })
  expect(documents.devices?.[0]?.custom).toEqual({ disk_gb: gigabytes })
})

test('a custom field that refers to a tenant is a reference to its object', async () => {
  const { documents } = await convert({
    'tenancy/tenants': [
      { id: 1, name: 'Acme', custom_fields: { partner: { id: 2 } } },
      { id: 2, name: 'Best' },
    ],
    'extras/custom-fields': [
      {
        id: 1,
        name: 'partner',
        type: 'object',
        object_types: ['tenancy.tenant'],
        related_object_type: 'tenancy.tenant',
      },
    ],
  })
  expect(documents['custom-fields']).toMatchObject([
    { resource: 'tenants', name: 'partner_ref', type: 'reference', reference_to: 'tenants' },
  ])
  expect(documents.objects?.[0]?.custom).toEqual({ partner_ref: ref('tenancy.tenant.2') })
})

test('a custom field with the name of a field of a pack and another type gets a number', async () => {
  const { documents } = await convert({
    'tenancy/tenants': [{ id: 1, name: 'Acme' }],
    'dcim/devices': [{ id: 1, name: 'd', tenant: { id: 1 }, custom_fields: { tenant: 'Other' } }],
  })
  expect(documents.devices?.[0]?.custom).toEqual({ tenant_2: 'Other', tenant: ref('tenancy.tenant.1') })
})

const PLUGIN = 'plugins/custom-objects'
const dcim = (model: string) => ({ id: 1, app_label: 'dcim', model })
const LISTS = {
  'dcim/devices': [{ id: 7, name: 'd' }],
  'extras/custom-field-choice-sets': [{ id: 5, name: 'Tiers', extra_choices: [['gold', 'Gold']] }],
  [`${PLUGIN}/custom-object-types`]: [
    { id: 1, name: 'dhcp_scope', slug: 'dhcp_scope', verbose_name: 'DHCP scope', description: 'Of servers' },
    // The words are those of a resource and of a kind of a pack.
    { id: 2, name: 'device', slug: 'device', verbose_name_plural: 'Providers' },
  ],
  [`${PLUGIN}/custom-object-type-fields`]: [
    { id: 1, custom_object_type: 1, name: 'name', type: 'text', primary: true, required: true },
    { id: 2, custom_object_type: 1, name: 'internal_id', label: 'Internal ID', type: 'integer', unique: true },
    { id: 3, custom_object_type: 1, name: 'servers', type: 'multiobject', related_object_type: dcim('device') },
    { id: 4, custom_object_type: 1, name: 'scope', type: 'boolean' },
    { id: 5, custom_object_type: 1, name: 'tier', type: 'select', choice_set: { id: 5 } },
    { id: 6, custom_object_type: 1, name: 'other', type: 'object', is_polymorphic: true },
    {
      ...{ id: 7, custom_object_type: 2, name: 'parent', type: 'object' },
      related_object_type: { id: 9, app_label: 'netbox_custom_objects', model: 'table1model' },
    },
    { id: 8, custom_object_type: 2, name: 'label', type: 'text', primary: true },
  ],
  [`${PLUGIN}/dhcp_scope`]: [
    {
      ...{ id: 3, name: 'Office', internal_id: 102, servers: [{ id: 7, display: 'd' }], scope: false },
      ...{ tier: { value: 'gold', label: 'Gold' }, tags: [{ id: 1, name: 'prod' }] },
      other: { _content_type: 'dcim.device', id: 7, display: 'd (7)' },
    },
  ],
  [`${PLUGIN}/device`]: [
    { id: 1, label: 'Sub', parent: { id: 3, display: 'Office' } },
    { id: 2, parent: null },
  ],
}

test('types of the plugin of custom objects are kinds, with their fields and objects', async () => {
  const { documents, report } = await convert(LISTS)
  expect(documents.kinds).toEqual([
    {
      ...{ id: 'dhcp-scope', name: 'DHCP scopes', singular: 'DHCP scope', description: 'Of servers' },
      ...{ unique_names: false, refs: { netbox: 'netbox_custom_objects.customobjecttype.1' } },
    },
    {
      ...{ id: 'device-2', name: 'Providers #2', singular: 'Device', unique_names: false },
      refs: { netbox: 'netbox_custom_objects.customobjecttype.2' },
    },
  ])
  const fields = documents['custom-fields']?.map(({ resource, name, type }) => `${resource} ${name} ${type}`)
  expect(fields).toEqual([
    ...['device-2 label text', 'device-2 parent reference', 'dhcp-scope internal_id integer'],
    ...['dhcp-scope other text', 'dhcp-scope scope boolean', 'dhcp-scope servers reference'],
    ...['dhcp-scope tier choice', 'dhcp-scope tags choice'],
  ])
  expect(documents.objects).toEqual([
    {
      ...{ kind: 'dhcp-scope', name: 'Office', refs: { netbox: 'custom-objects:dhcp-scope.3' } },
      custom: {
        ...{ internal_id: 102, other: 'd (7)', scope: false, servers: [ref('dcim.device.7')], tier: 'gold' },
        tags: ['prod'],
      },
    },
    {
      ...{ kind: 'device-2', name: 'Sub', refs: { netbox: 'custom-objects:device-2.1' } },
      custom: { label: 'Sub', parent: ref('custom-objects:dhcp-scope.3') },
    },
    { kind: 'device-2', name: 'Device #2', refs: { netbox: 'custom-objects:device-2.2' } },
  ])
  expect(report.left.filter(({ what }) => what.startsWith('netbox_custom_objects'))).toEqual([])
})

test('a dump has the objects of the plugin in a table for each type, and several objects in a table of pairs', async () => {
  const table = (name: string, columns: string, ...rows: string[]) =>
    `COPY public.${name} (${columns}) FROM stdin;\n${rows.map((row) => `${row.replaceAll('|', '\t')}\n`).join('')}\\.\n\n`
  const { documents } = await convert(
    [
      '-- PostgreSQL database dump\n',
      table('django_content_type', 'id, app_label, model', '1|dcim|device', '2|netbox_custom_objects|table1model'),
      table('dcim_device', 'id, name', '7|d'),
      table('netbox_custom_objects_customobjecttype', 'id, name, slug, object_type_id', '1|scope|scope|2'),
      table(
        'netbox_custom_objects_customobjecttypefield',
        'id, custom_object_type_id, name, type, related_object_type_id, required',
        '1|1|number|integer|\\N|f',
        '2|1|main_device|object|1|f',
        '3|1|all_devices|multiobject|1|f',
        '4|1|is_on|boolean|\\N|f',
        '5|1|parent|object|2|f',
      ),
      table('custom_objects_1', 'id, number, main_device_id, is_on, parent_id', '1|0017|7|f|\\N', '2|18|\\N|t|1'),
      table('custom_objects_1_all_devices', 'id, source_id, target_id', '1|2|7'),
      '-- PostgreSQL database dump complete\n',
    ].join('\n'),
  )
  expect(documents.objects?.map(({ name, custom }) => [name, custom])).toEqual([
    ['Scope #1', { number: 17, main_device: ref('dcim.device.7'), is_on: false }],
    [
      'Scope #2',
      { number: 18, is_on: true, parent: ref('custom-objects:scope.1'), all_devices: [ref('dcim.device.7')] },
    ],
  ])
})

test('a virtual circuit has the provider of its network, and its ends and groups', async () => {
  const { documents, report } = await convert({
    'circuits/providers': [{ id: 1, name: 'P' }],
    'circuits/provider-networks': [{ id: 1, name: 'N', provider: { id: 1 } }],
    'circuits/circuit-groups': [{ id: 1, name: 'Ring' }],
    'circuits/circuit-group-assignments': [
      { id: 1, group: { id: 1 }, member_type: 'circuits.virtualcircuit', member_id: 1 },
    ],
    'circuits/virtual-circuit-types': [{ id: 1, name: 'EPL' }],
    'circuits/virtual-circuits': [
      { id: 1, cid: 'V-1', provider_network: { id: 1 }, type: { id: 1 }, status: { value: 'active', label: 'Active' } },
    ],
    'circuits/virtual-circuit-terminations': [
      { id: 1, virtual_circuit: { id: 1 }, role: { value: 'peer', label: 'Peer' }, interface: { id: 1 } },
    ],
    'dcim/devices': [{ id: 1, name: 'd' }],
    'dcim/interfaces': [{ id: 1, name: 'eth0', device: { id: 1 } }],
  })
  expect(documents.objects?.at(-1)).toEqual({
    ...{ kind: 'circuits', name: 'V-1', description: 'peer: d eth0' },
    custom: {
      ...{ provider: ref('circuits.provider.1'), type: 'EPL', status: 'active' },
      ...{ a_network: ref('circuits.providernetwork.1'), groups: ['Ring'] },
    },
    refs: { netbox: 'circuits.virtualcircuit.1' },
  })
  expect(report.left).toEqual([])
})
