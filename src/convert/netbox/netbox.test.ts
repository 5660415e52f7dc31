/** The small estate, written by several versions of NetBox in all forms. */
import { describe, expect, test } from 'bun:test'
import { documentProblems } from '../../../testing/estates/estate-document.ts'
import { type Entry, Ref } from '../../../testing/netbox/entry.ts'
import { ENTRIES, SECRET } from '../../../testing/netbox/estate.ts'
import { dumpdata, pgDump, rest, VERSIONS, type Version } from '../../../testing/netbox/forms.ts'
import type { Conversion } from '../converter.ts'
import { convertNetbox } from './netbox.ts'

const convert = async (text: string): Promise<Conversion> =>
  convertNetbox(new TextEncoder().encode(text), { now: new Date(0) })

const FORMS = {
  dumpdata: (version: Version) => dumpdata(version),
  'dumpdata with natural keys': (version: Version) => dumpdata(version, { natural: true }),
  pg_dump: pgDump,
  rest: (version: Version) => rest(version),
  'rest in pages': (version: Version) => rest(version, { paged: true }),
} as const

const cases = VERSIONS.flatMap((version) => Object.entries(FORMS).map(([form, write]) => ({ version, form, write })))

describe.each(cases)('NetBox $version as $form', ({ version, form, write }) => {
  test('gives the same document as the other forms and versions', async () => {
    // 2.11 has neither ranges nor hosts of machines.
    const expected = await convert(dumpdata(version === '2.11' ? '2.11' : '4.6'))
    expect((await convert(write(version))).documents).toEqual(expected.documents)
  })

  test('says its form, and holds no secret', async () => {
    const conversion = await convert(write(version))
    expect(form).toStartWith(conversion.source)
    expect(JSON.stringify(conversion)).not.toContain(SECRET)
    const secrets = conversion.report.left.filter(({ why }) => why === 'is a secret').map(({ what }) => what)
    expect(secrets.sort()).toEqual([
      'dcim.device.custom_field_data.admin_password',
      'dcim.site.custom_field_data.snmp_community',
      'vpn.ikepolicy.preshared_key',
    ])
    expect(conversion.report.left).toContainEqual({ what: 'users.token', count: 1, why: 'is not read' })
  })
})

test('each row fits its resource, and each reference leads to a row', async () => {
  const { documents, packs } = await convert(pgDump('4.6'))
  expect(documentProblems(documents, packs)).toEqual([])
})

test('a device has the values of its model, role, place, interfaces and cables', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const network = { ref: 'netbox:ipam.prefix.1' }
  expect(documents.devices?.[0]).toEqual({
    name: 'sw-1',
    make_model: 'Arista DCS-7050',
    os: 'EOS 4.30',
    status: 'active',
    role: 'Core switch',
    serial: 'SN1',
    asset_tag: 'AT-1',
    datacenter: { ref: 'netbox:dcim.location.1' },
    device_type: { ref: 'netbox:dcim.devicetype.1' },
    mount: {
      ...{ rack: { ref: 'netbox:dcim.rack.1' }, position: 12, height: 1, face: 'front', full_depth: false },
      ...{ slot: '1/1', power_w: 300 },
    },
    tags: ['prod'],
    addresses: [
      { ip: '10.40.1.2', label: 'Management', interface: 'Management', network, role: 'anycast' },
      {
        ...{ ip: '10.40.1.20', label: 'Ethernet2', network, switch_port: 'srv-1 eth0' },
        ...{ interface: 'Ethernet2', mac_address: '00:11:22:aa:bb:02' },
      },
      {
        ...{ ip: '10.40.1.21', label: 'uplink', network, switch_port: 'srv-1 eth1' },
        ...{ interface: 'Ethernet10', mac_address: '00:11:22:aa:bb:10', dns_name: 'sw-1.example.net' },
      },
    ],
    description: ['10.40.1.20 dns_name: not_a host', 'A switch'].join('\n'),
    custom: { warranty_until: '2030-01-01', tenant: { ref: 'netbox:tenancy.tenant.1' } },
    refs: { netbox: 'dcim.device.1' },
  })
})

/** Kinds of objects that are values of others. */
const TAKEN = new Set([
  ...['circuits.circuittermination', 'dcim.moduletype', 'ipam.fhrpgroupassignment', 'tenancy.contactassignment'],
  ...['vpn.l2vpntermination', 'vpn.tunneltermination'],
])

const row = (rows: readonly Record<string, unknown>[] | undefined, ref: string) =>
  rows?.find(({ refs }) => (refs as { netbox?: string }).netbox === ref)

test('a rack has its units and is in its room, and devices are in it or, where it has no such unit, in none', async () => {
  const { documents } = await convert(pgDump('4.6'))
  expect(documents.racks).toEqual([
    {
      ...{ name: 'R7', datacenter: { ref: 'netbox:dcim.location.1' }, height: 42, first_unit: 1 },
      ...{ numbering: 'top_down', custom: { role: 'Network', serial: 'RK-1' } },
      refs: { netbox: 'dcim.rack.1' },
    },
    {
      ...{ name: 'R8', datacenter: { ref: 'netbox:dcim.site.2' }, height: 10, first_unit: 5, numbering: 'bottom_up' },
      ...{ custom: { serial: 'RK-2' }, refs: { netbox: 'dcim.rack.2' } },
    },
  ])
  const places = ['4', '5', '6'].map((id) => row(documents.devices, `dcim.device.${id}`)?.mount)
  expect(places).toMatchObject([
    { position: 14, face: 'rear', full_depth: true },
    { position: 12, face: 'front' },
    { position: null },
  ])
})

test('a device type has its size, the power of its supplies, and its ports', async () => {
  const { documents, leftover } = await convert(pgDump('4.6'))
  expect(documents['device-types']?.[0]).toEqual({
    ...{ manufacturer: 'Arista', model: 'DCS-7050', slug: 'dcs-7050', part_number: 'DCS-7050-X' },
    ...{ height: 1, full_depth: false, power_w: 300, description: 'airflow: front-to-rear' },
    ports: [
      { name: 'Console', kind: 'console', type: 'rj-45', pass_through: false },
      { name: 'Ethernet10', kind: 'network', type: '1000base-t', pass_through: false },
      { name: 'Ethernet2', kind: 'network', type: '1000base-t', pass_through: false },
      { name: 'PSU1', kind: 'power', type: 'iec-60320-c14', pass_through: false },
    ],
    refs: { netbox: 'dcim.devicetype.1' },
  })
  expect(documents['device-types']?.[1]?.ports).toEqual([
    { name: 'F1', kind: 'network', type: 'lc', pass_through: true },
  ])
  expect(leftover['dcim.rearporttemplate.name']).toEqual([{ id: 1, value: 'Trunk' }])
})

test('interfaces are ports with their speed, LAG and VLANs; a LAG comes before its members', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const device = { ref: 'netbox:dcim.device.1' }
  expect(documents.ports?.slice(2, 5)).toEqual([
    {
      ...{ device, name: 'Port-Channel1', type: 'lag', tagged_vlan_ids: [401], description: 'label: uplinks' },
      refs: { netbox: 'dcim.interface.7' },
    },
    {
      ...{ device, name: 'Ethernet2', type: '1000base-t', speed_mbps: 1000, mac_address: '00:11:22:aa:bb:02' },
      ...{ parent: 'Port-Channel1', description: 'mtu: 9000', refs: { netbox: 'dcim.interface.1' } },
    },
    {
      ...{ device, name: 'Management (console)', kind: 'console', type: 'rj-45', description: 'speed: 9600' },
      refs: { netbox: 'dcim.consoleport.1' },
    },
  ])
  expect(row(documents.ports, 'dcim.interface.4')).toMatchObject({ name: 'eth0', vlan_id: 401 })
  expect(row(documents.ports, 'dcim.interface.5')).toMatchObject({ name: 'eth1', enabled: false })
  expect(row(documents.ports, 'virtualization.vminterface.1')).toMatchObject({ name: 'ens3' })
})

test('a front port and its rear port are one port with two sides, and a trunk is a cable for each of its positions', async () => {
  const { documents } = await convert(pgDump('4.6'))
  expect(row(documents.ports, 'dcim.frontport.1')).toMatchObject({
    ...{ name: '1', pass_through: true, type: 'lc' },
    description: 'rear: Trunk\nrear label: to B\nrear positions: 2\nrear type: mpo',
  })
  expect(row(documents.ports, 'dcim.rearport.3')).toMatchObject({ name: '1 (rear)', pass_through: true })
  expect(row(documents.ports, 'dcim.rearport.1')).toBeUndefined()
  const trunk = { type: 'mmf-om4', label: 'T1' }
  const rear = (id: number) => ({ port_id: `netbox:dcim.frontport.${id}`, side: 'rear' })
  expect(documents.cables?.slice(2, 7)).toEqual([
    {
      ...{ a: { port_id: 'netbox:dcim.frontport.1' }, b: { port_id: 'netbox:dcim.interface.3' }, color: '00ff00' },
      ...{ length_m: 1.524, status: 'planned', refs: { netbox: 'dcim.cable.4' } },
    },
    { a: rear(1), b: rear(3), ...trunk, refs: { netbox: 'dcim.cable.5' } },
    { a: rear(2), b: rear(4), ...trunk, refs: { netbox: 'dcim.cable.5.2' } },
    {
      ...{ a: { port_id: 'netbox:dcim.powerport.1' }, b: { port_id: 'netbox:dcim.poweroutlet.1' }, type: 'power' },
      refs: { netbox: 'dcim.cable.6' },
    },
    {
      ...{ a: { port_id: 'netbox:dcim.consoleport.1' }, b: { port_id: 'netbox:dcim.frontport.4' } },
      refs: { netbox: 'dcim.cable.7' },
    },
  ])
})

test('a circuit with cables is a device with one port, through which both of its ends are connected', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const circuit = 'circuits.circuit.1'
  expect(row(documents.devices, circuit)).toEqual({
    ...{ name: 'Backbone CID-1', role: 'circuit', status: 'active', refs: { netbox: circuit } },
  })
  expect(row(documents.ports, circuit)).toEqual({
    ...{ device: { ref: `netbox:${circuit}` }, name: '1', pass_through: true, refs: { netbox: circuit } },
  })
  expect(row(documents.cables, 'dcim.cable.9')).toMatchObject({
    ...{ a: { port_id: 'netbox:dcim.interface.6' }, b: { port_id: `netbox:${circuit}` } },
  })
  expect(row(documents.cables, 'dcim.cable.10')).toMatchObject({
    ...{ a: { port_id: `netbox:${circuit}`, side: 'rear' }, b: { port_id: 'netbox:dcim.rearport.3', side: 'rear' } },
  })
  expect(row(documents.devices, 'circuits.circuit.2')).toBeUndefined()
})

test('a power panel is a device with its feeds as power ports', async () => {
  const { documents } = await convert(pgDump('4.6'))
  expect(row(documents.devices, 'dcim.powerpanel.1')).toEqual({
    ...{ name: 'Panel A', role: 'power-panel', datacenter: { ref: 'netbox:dcim.location.2' } },
    refs: { netbox: 'dcim.powerpanel.1' },
  })
  expect(row(documents.ports, 'dcim.powerfeed.1')).toMatchObject({
    ...{ device: { ref: 'netbox:dcim.powerpanel.1' }, name: 'A1', kind: 'power' },
  })
  expect(row(documents.cables, 'dcim.cable.11')).toMatchObject({
    ...{ a: { port_id: 'netbox:dcim.powerfeed.1' }, b: { port_id: 'netbox:dcim.powerport.2' } },
  })
})

test('a place is below the one that it is in: a site below its region, else below its group', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const places = documents.datacenters?.map(({ name, parent }) => [name, (parent as { ref: string } | undefined)?.ref])
  expect(places).toEqual([
    ['Europe', undefined],
    ['Production sites', undefined],
    ['Netherlands', 'netbox:dcim.region.1'],
    ['Berlin', 'netbox:dcim.sitegroup.1'],
    ['Amsterdam', 'netbox:dcim.region.2'],
    ['Room 1', 'netbox:dcim.site.1'],
    ['Cage 4', 'netbox:dcim.location.1'],
  ])
  expect(row(documents.datacenters, 'dcim.site.1')?.custom).toMatchObject({
    ...{ place_type: 'site', site_group: { ref: 'netbox:dcim.sitegroup.1' } },
  })
  expect(row(documents.datacenters, 'dcim.site.2')?.custom).not.toHaveProperty('site_group')
})

test('the ports of panels have the kind of the ports that they connect', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const kinds = [1, 2, 3, 4].map((id) => row(documents.ports, `dcim.frontport.${id}`)?.kind)
  expect(kinds).toEqual([undefined, 'console', undefined, 'console'])
})

test('a cable without two ports is left over, with its ends', async () => {
  const { leftover } = await convert(pgDump('4.6'))
  expect(leftover['dcim.cable']).toMatchObject([{ id: 3 }, { id: 8 }])
  expect(leftover['dcim.cabletermination']).toMatchObject([{ cable: 8 }, { cable: 8 }, { cable: 3 }, { cable: 3 }])
})

const OWN_LABELS = [
  'Contacts (On call)',
  'Place type',
  'Role',
  'Site group',
  'Slug',
  'Status',
  'Status in NetBox',
  'Tags',
  'Tenant',
]

test('custom fields keep their types, and rules that all values keep to', async () => {
  const { documents, report } = await convert(pgDump('4.6'))
  const position = 100
  const fieldRefs = (id: string) => ({ refs: { netbox: `extras.customfield.${id}` } })
  const ofNetbox = documents['custom-fields']?.filter(({ label }) => !OWN_LABELS.includes(String(label)))
  expect(ofNetbox).toEqual([
    { resource: 'datacenters', name: 'live', type: 'boolean', position, ...fieldRefs('3.datacenters') },
    {
      ...{ resource: 'datacenters', name: 'power', type: 'integer', default: 3, minimum: 0, position },
      ...fieldRefs('2.datacenters'),
    },
    {
      ...{ resource: 'datacenters', name: 'router', type: 'reference', reference_to: 'devices', position },
      ...fieldRefs('5.datacenters'),
    },
    {
      ...{ resource: 'datacenters', name: 'site_code', label: 'Site code', group: 'Codes', type: 'text', position },
      ...{ pattern: '(?:^[A-Z])(?s:.*)', searchable: true, required: false, ...fieldRefs('1.datacenters') },
    },
    {
      ...{
        resource: 'datacenters',
        name: 'tier',
        type: 'choice',
        choices: ['gold', 'tin'],
        searchable: true,
        position,
      },
      ...fieldRefs('4.datacenters'),
    },
    {
      ...{ resource: 'networks', name: 'payer_ref', label: 'payer', type: 'reference', reference_to: 'tenants' },
      ...{ position, ...fieldRefs('7.networks.ref') },
    },
    { resource: 'devices', name: 'warranty_until', label: 'Warranty until', type: 'text' },
    {
      ...{ resource: 'devices', name: 'peers', type: 'reference', reference_to: 'devices', multiple: true, position },
      ...fieldRefs('6.devices'),
    },
    {
      ...{ resource: 'tenants', name: 'site_code', label: 'Site code', group: 'Codes', type: 'text', position },
      ...{ pattern: '(?:^[A-Z])(?s:.*)', searchable: true, required: false, ...fieldRefs('1.tenants') },
    },
  ])
  const left = report.left.filter(({ what }) => /customfield\.(maximum|required|object_types|definition)/.test(what))
  expect(left.map(({ what }) => what)).toEqual([
    'extras.customfield.maximum',
    'extras.customfield.required',
    // The pack of racks has a field of that name and type.
    'extras.customfield.definition',
  ])
})

test('values of custom fields refer to rows, and values of objects without a row are their names', async () => {
  const { documents, report } = await convert(pgDump('4.6'))
  expect(row(documents.datacenters, 'dcim.site.1')?.custom).toMatchObject({
    ...{ site_code: 'A1', power: 12, live: false, tier: 'gold', router: { ref: 'netbox:dcim.device.2' } },
  })
  // No default is filled in where the source has no value.
  expect(row(documents.datacenters, 'dcim.site.2')?.custom).toEqual({ power: null, place_type: 'site', slug: 'ber' })
  expect(documents.networks?.[0]?.custom).toMatchObject({ payer_ref: { ref: 'netbox:tenancy.tenant.1' } })
  expect(row(documents.devices, 'dcim.device.6')?.custom).toEqual({
    peers: [{ ref: 'netbox:dcim.device.1' }, { ref: 'netbox:dcim.device.2' }],
    warranty_until: 'never',
  })
  expect(report.left).toContainEqual(
    expect.objectContaining({
      ...{ what: 'custom_fields.router', count: 1, why: 'refers to nothing that has a place' },
    }),
  )
})

test('roles and statuses that have no field, and tags of objects without any, are custom fields', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const own = documents['custom-fields']?.filter(({ label }) => OWN_LABELS.includes(String(label)))
  expect(own?.map(({ resource, name, type, choices }) => [`${resource} ${name}`, choices ?? type])).toEqual([
    ['datacenters contacts_on_call', 'reference'],
    ['datacenters place_type', ['region', 'site group', 'site', 'location']],
    ['datacenters site_group', 'reference'],
    ['datacenters slug', 'text'],
    ['datacenters tags', ['eu', 'prod']],
    ['networks role', ['Production']],
    ['networks status', ['container']],
    ['networks tags', ['prod']],
    ['vlans role', ['Production']],
    ['vlans status', ['reserved']],
    ['pools role', ['Production']],
    ['pools status', ['reserved']],
    ['addresses status', ['deprecated', 'dhcp', 'reserved']],
    ['devices status', ['failed', 'paused', 'staged']],
    ['circuits tags', ['prod']],
    ['rack-reservations tenant', 'reference'],
    ['route-targets tenant', 'reference'],
    ['tenants slug', 'text'],
  ])
  expect(documents.networks?.[0]?.custom).toMatchObject({ role: 'Production', tags: ['prod'] })
  expect(row(documents.pools, 'ipam.iprange.2')?.custom).toEqual({ status: 'reserved' })
})

test('a VLAN has its number, its site or that of its group, and the name of the group', async () => {
  const { documents, report } = await convert(pgDump('4.6'))
  const [ams, ber] = [{ ref: 'netbox:dcim.site.1' }, { ref: 'netbox:dcim.site.2' }]
  expect(documents.vlans).toEqual([
    { vlan_id: 401, name: 'Servers', datacenter: ams, refs: { netbox: 'ipam.vlan.1' } },
    { vlan_id: 402, name: 'Unused', custom: { status: 'reserved' }, refs: { netbox: 'ipam.vlan.2' } },
    {
      ...{ vlan_id: 401, name: 'Storage', datacenter: ber, group: 'Fabric B', custom: { role: 'Production' } },
      refs: { netbox: 'ipam.vlan.3' },
    },
    { vlan_id: 402, name: 'Again', group: '#4', refs: { netbox: 'ipam.vlan.4' } },
  ])
  expect({ read: report.read['ipam.vlan'], made: report.made.vlans }).toEqual({ read: 4, made: 4 })
  expect(documents.networks?.[0]?.description).not.toContain('vlan:')
})

test('a machine is a device that its host contains', async () => {
  const { documents } = await convert(pgDump('4.6'))
  expect(documents.devices?.[6]).toMatchObject({
    ...{ name: 'vm-1', status: 'active', tags: ['vm'] },
    custom: { cluster: { ref: 'netbox:virtualization.cluster.1' }, vcpus: 2, memory_mb: 4096 },
  })
  expect(documents.relationships?.[0]).toEqual({
    parent: { ref: 'netbox:dcim.device.2' },
    child: { ref: 'netbox:virtualization.virtualmachine.1' },
    type: 'contains',
  })
})

test('several cables between two devices are one relationship, seen from its parent', async () => {
  const { documents } = await convert(pgDump('4.6'))
  expect(documents.relationships?.slice(1)).toEqual([
    {
      parent: { ref: 'netbox:dcim.device.1' },
      child: { ref: 'netbox:dcim.device.2' },
      type: 'connected_to',
      notes: 'Ethernet2 - eth0\nEthernet10 - eth1',
    },
  ])
})

test('an address on nothing is reserved in the smallest pool, else in one that is made', async () => {
  const { documents } = await convert(pgDump('4.6'))
  const pools = documents.reservations?.map(({ ip_address, pool }) => `${ip_address} ${(pool as { ref: string }).ref}`)
  expect(pools).toEqual([
    '10.40.1.115 netbox:ipam.iprange.2',
    '10.40.1.150 netbox:ipam.iprange.1',
    '10.40.1.30 netbox:ipam.prefix.1.addresses',
    // Addresses of a VRF differ from the address of a device and of the reservation above.
    '10.40.1.20 netbox:ipam.prefix.3.addresses',
    '172.16.0.9 netbox:ipam.prefix.172.16.0.0/28.addresses',
    '172.16.0.9 netbox:ipam.prefix.172.16.0.0/28.vrf1.addresses',
    '192.0.2.77 netbox:ipam.prefix.192.0.2.77/32.addresses',
    '10.40.1.1 netbox:ipam.prefix.1.addresses',
    '203.0.113.5 netbox:ipam.prefix.203.0.113.5/32.vrf1.addresses',
  ])
})

test('an address that cannot be reserved is left over with its reason', async () => {
  const { report, leftover } = await convert(pgDump('4.6'))
  expect(report.left.filter(({ what }) => what === 'ipam.ipaddress')).toMatchObject([
    { what: 'ipam.ipaddress', count: 1, why: 'is a network or broadcast address' },
  ])
  expect(leftover['ipam.ipaddress']).toMatchObject([{ id: 10 }])
})

describe('of the small estate', () => {
  /** Fields with values that have a meaning, so that they can't hold any text. */
  const MEANS = new Set(
    (
      'status type face mac address prefix start_address end_address time_zone dns_name cable_end rd ' +
      'mode length_unit related validation_regex'
    ).split(' '),
  )
  const token = (kind: string, id: number, field: string) => `${kind}/${id}/${field}`

  /** The estate, with a text that is found again in each field of text, custom fields included. */
  const marked: Entry[] = ENTRIES.map(({ kind, id, fields, custom, ...entry }) => ({
    ...entry,
    kind,
    id,
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, value]) => {
        if (typeof value !== 'string' || MEANS.has(field)) return [field, value]
        return [field, `${value} ${token(kind, id, field)}`]
      }),
    ),
    ...(custom ? { custom: { ...custom, mark: token(kind, id, 'custom') } } : {}),
  }))

  test.each(Object.keys(FORMS) as (keyof typeof FORMS)[])('each text of %s is in a row or left over', async (form) => {
    const writers = {
      dumpdata: () => dumpdata('4.6', { entries: marked }),
      'dumpdata with natural keys': () => dumpdata('4.6', { natural: true, entries: marked }),
      pg_dump: () => pgDump('4.6', marked),
      rest: () => rest('4.6', { entries: marked }),
      'rest in pages': () => rest('4.6', { paged: true, entries: marked }),
    }
    const { documents, leftover } = await convert(writers[form]())
    const found = JSON.stringify([documents, leftover])
    const tokens = marked.flatMap(({ kind, id, fields, custom }) => [
      ...Object.entries(fields).flatMap(([field, value]) =>
        typeof value === 'string' && !MEANS.has(field) ? [token(kind, id, field)] : [],
      ),
      ...(custom ? [token(kind, id, 'custom')] : []),
    ])
    expect(tokens.length).toBeGreaterThan(60)
    expect(tokens.filter((text) => !found.includes(text))).toEqual([])
  })

  test('each object is in a row or left over', async () => {
    const { documents, names = [], leftover, report } = await convert(dumpdata('4.6'))
    const refs = new Set(
      Object.values(documents).flatMap((rows) => rows.map(({ refs }) => (refs as { netbox: string })?.netbox)),
    )
    const ips = JSON.stringify(documents.devices)
    const types = JSON.stringify(documents['device-types'])
    const makers = documents['device-types']?.map(({ manufacturer }) => manufacturer) ?? []
    const fields = JSON.stringify(documents['custom-fields'])
    const lost = ENTRIES.filter(({ kind, id, fields: { address, name, rear, device } }) => {
      if (refs.has(`${kind}.${id}`)) return false
      // Rows of other objects say them.
      if (TAKEN.has(kind)) return false
      // Their names are in the rows that use them.
      if (names.some((one) => one.kind === kind && one.name === name) || makers.includes(String(name))) return false
      if (leftover[`${kind}.slug`]?.some((value) => (value as { id: number }).id === id)) return false
      if (kind.endsWith('template') && types.includes(`"name":"${name}"`)) return false
      if (kind === 'extras.customfield' && `${fields}${JSON.stringify(leftover)}`.includes(`"${kind}.${id}.`))
        return false
      // One port with its front ports, of which the first has its values.
      if (kind === 'dcim.rearporttemplate' && leftover[`${kind}.name`] !== undefined) return false
      if (kind === 'dcim.rearport' && device instanceof Ref && rear === undefined && id < 3) return false
      if (leftover[kind]?.some((object) => (object as { id: number }).id === id)) return false
      return !address || !ips.includes(`"${String(address).split('/')[0]}"`)
    })
    expect(lost).toEqual([])
    for (const kind of new Set(ENTRIES.map((entry) => entry.kind)))
      expect([kind, report.read[kind]]).toEqual([kind, ENTRIES.filter((entry) => entry.kind === kind).length])
  })

  test('each number and reference of an object with a row is in the row', async () => {
    const { documents } = await convert(dumpdata('4.6'))
    const site = row(documents.datacenters, 'dcim.site.1')?.description
    for (const text of ['latitude: 52.37', 'longitude: 4.9']) expect(site).toContain(text)
    expect(ENTRIES.some(({ fields }) => fields.region instanceof Ref)).toBe(true)
  })
})
