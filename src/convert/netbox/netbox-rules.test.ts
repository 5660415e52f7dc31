/** Rules of the mapping that the small estate does not exercise. */
import { expect, test } from 'bun:test'
import { documentProblems } from '../../../testing/estates/estate-document.ts'
import type { Conversion } from '../converter.ts'
import { convertNetbox } from './netbox.ts'

const convert = async (lists: Record<string, object[]>): Promise<Conversion> => {
  const conversion = await convertNetbox(new TextEncoder().encode(JSON.stringify(lists)), { now: new Date(0) })
  expect(documentProblems(conversion.documents, conversion.packs)).toEqual([])
  return conversion
}

const on = (id: number) => ({ assigned_object_type: 'dcim.interface', assigned_object_id: id })
const device = (id: number, more: object = {}) => ({
  id,
  name: `d${id}`,
  status: { value: 'active', label: 'Active' },
  ...more,
})
const iface = (id: number, of: number, name = 'eth0') => ({ id, name, device: { id: of } })

test.each([
  ['active', 'active', {}],
  ['planned', 'planned', {}],
  ['staged', 'planned', { custom: { status: 'staged' } }],
  ['inventory', 'planned', { custom: { status: 'inventory' } }],
  ['offline', 'maintenance', {}],
  ['failed', 'maintenance', { custom: { status: 'failed' } }],
  ['decommissioning', 'decommissioned', {}],
  ['lent-out', 'active', { description: 'status: lent-out' }],
])('the status %s becomes %s, and is kept where that one says less', async (value, status, more) => {
  const { documents } = await convert({ 'dcim/devices': [{ id: 1, name: 'x', status: { value, label: value } }] })
  expect(documents.devices).toEqual([{ name: 'x', status, ...more, refs: { netbox: 'dcim.device.1' } }])
})

test('names that say more than their name are kept for the NetBox API, and what does not fit is left over', async () => {
  const { names, leftover } = await convert({
    'dcim/device-roles': [
      { id: 1, name: 'Gateway', slug: 'gw', color: '2196F3', vm_role: false },
      { id: 2, name: 'Server', slug: 'server', color: '9e9e9e', vm_role: true, weight: 5 },
      { id: 3, name: 'Odd', slug: 'od d', color: 'red' },
      { id: 4, name: 'Unused', slug: 'u' },
    ],
    'dcim/devices': [1, 2, 3].map((id) => device(id, { role: { id } })),
  })
  expect(names).toEqual([{ kind: 'dcim.devicerole', name: 'Gateway', slug: 'gw', color: '2196f3', vm_role: false }])
  expect(Object.keys(leftover)).toEqual([
    'dcim.devicerole.weight',
    'dcim.devicerole.slug',
    'dcim.devicerole.color',
    'dcim.devicerole',
  ])
})

test('a prefix with a location as its scope is in the datacenter that the location became', async () => {
  const { documents } = await convert({
    'dcim/sites': [{ id: 1, name: 'A' }],
    'dcim/locations': [{ id: 5, name: 'Room', site: { id: 1 } }],
    'ipam/prefixes': [{ id: 1, prefix: '10.0.0.0/24', scope_type: 'dcim.location', scope_id: 5 }],
  })
  expect(documents.networks?.[0]).toMatchObject({
    datacenter: { ref: 'netbox:dcim.location.5' },
  })
  expect(documents.datacenters?.[1]).toMatchObject({ name: 'Room', parent: { ref: 'netbox:dcim.site.1' } })
})

test('a prefix with a region as its scope is in the datacenter that the region became', async () => {
  const { documents } = await convert({
    'dcim/regions': [{ id: 2, name: 'Europe' }],
    'ipam/prefixes': [{ id: 1, prefix: '10.0.0.0/24', scope_type: 'dcim.region', scope_id: 2 }],
  })
  expect(documents.networks?.[0]).toEqual({
    name: '10.0.0.0/24',
    subnet: '10.0.0.0/24',
    datacenter: { ref: 'netbox:dcim.region.2' },
    refs: { netbox: 'ipam.prefix.1' },
  })
})

test('names of objects that are not in the file are taken from the objects that name them', async () => {
  const url = (path: string) => `https://n.example/api/${path}/`
  const { documents } = await convert({
    'dcim/devices': [
      device(1, {
        site: { id: 3, url: url('dcim/sites/3'), name: 'Elsewhere' },
        tenant: { id: 4, url: url('tenancy/tenants/4'), name: 'Acme', slug: 'acme' },
        device_type: {
          id: 5,
          url: url('dcim/device-types/5'),
          model: 'R750',
          manufacturer: { id: 6, url: url('dcim/manufacturers/6'), name: 'Dell' },
        },
      }),
    ],
  })
  expect(documents.devices?.[0]).toMatchObject({
    make_model: 'Dell R750',
    description: 'tenant: Acme\nsite: Elsewhere',
  })
})

test('an address that stands twice on its device is kept once', async () => {
  const { documents, report } = await convert({
    'dcim/devices': [device(1)],
    'dcim/interfaces': [iface(1, 1)],
    'ipam/ip-addresses': [
      { id: 1, address: '10.0.0.1/24', ...on(1) },
      { id: 2, address: '10.0.0.1/32', ...on(1) },
    ],
  })
  expect(documents.devices?.[0]?.addresses).toEqual([{ ip: '10.0.0.1', label: 'eth0', interface: 'eth0' }])
  expect(report.left).toContainEqual(
    expect.objectContaining({ what: 'ipam.ipaddress', count: 1, why: 'is on its device twice' }),
  )
})

test('a device has 1,000 addresses at most', async () => {
  const addresses = Array.from({ length: 1002 }, (_, i) => ({
    id: i + 1,
    address: `10.0.${i >> 8}.${i & 255}/16`,
    ...on(1),
  }))
  const { documents, report } = await convert({
    'dcim/devices': [device(1)],
    'dcim/interfaces': [iface(1, 1)],
    'ipam/ip-addresses': addresses,
  })
  expect(documents.devices?.[0]?.addresses).toHaveLength(1000)
  expect(report.left).toContainEqual(
    expect.objectContaining({
      what: 'ipam.ipaddress',
      count: 2,
      why: 'is beyond the 1000 addresses of its device',
    }),
  )
})

test('texts are cut to the length of their fields, and left over whole', async () => {
  const long = 'x'.repeat(300)
  const { documents, leftover } = await convert({
    'dcim/sites': [{ id: 1, name: long, description: 'd'.repeat(5000), comments: 'c'.repeat(4096) }],
    'dcim/devices': [
      device(1, {
        tags: [
          { id: 1, name: 'y'.repeat(129) },
          { id: 2, name: 'ok' },
        ],
      }),
    ],
  })
  expect(documents.datacenters?.[0]?.name).toBe('x'.repeat(255))
  expect(documents.devices?.[0]?.tags).toEqual(['ok'])
  expect(leftover).toMatchObject({
    'dcim.site.name': [{ id: 1, value: long }],
    'dcim.site.description': [{ id: 1, value: 'd'.repeat(5000) }],
    'dcim.site.comments': [{ id: 1, value: 'c'.repeat(4096) }],
    'dcim.device.tags': [{ id: 1, value: 'y'.repeat(129) }],
  })
})

test('NUL characters and lone surrogates become U+FFFD', async () => {
  const { documents } = await convert({ 'dcim/sites': [{ id: 1, name: 'a\u0000b\ud800c' }] })
  expect(documents.datacenters?.[0]?.name).toBe('a\ufffdb\ufffdc')
})

test('an object without a number, and one that stands twice, are left over', async () => {
  const { documents, report } = await convert({
    'dcim/sites': [{ id: 1, name: 'A' }, { id: 1, name: 'B' }, { name: 'C' }, { id: 'four', name: 'D' }],
  })
  expect(documents.datacenters).toEqual([{ name: 'A', refs: { netbox: 'dcim.site.1' } }])
  expect(report.left).toMatchObject([
    { what: 'dcim.site', count: 1, why: 'stands in the file twice' },
    { what: 'dcim.site', count: 2, why: 'has no number' },
  ])
})

test('a cable with several ends on a side is a line for each pair, and one inside a device is none', async () => {
  const end = (id: number) => ({ object_type: 'dcim.interface', object_id: id })
  const { documents } = await convert({
    'dcim/devices': [device(1), device(2)],
    'dcim/interfaces': [iface(1, 1, 'a'), iface(2, 2, 'b'), iface(3, 2, 'c')],
    'dcim/cables': [
      { id: 1, a_terminations: [end(1)], b_terminations: [end(2), end(3)] },
      { id: 2, a_terminations: [end(2)], b_terminations: [end(3)] },
    ],
  })
  expect(documents.relationships?.map(({ notes }) => notes)).toEqual(['a - b\na - c'])
})

test('a primary address on another device is a line', async () => {
  const { documents } = await convert({
    'dcim/devices': [device(1, { primary_ip4: { id: 1 } }), device(2)],
    'dcim/interfaces': [iface(1, 2)],
    'ipam/ip-addresses': [{ id: 1, address: '10.0.0.1/24', ...on(1) }],
  })
  expect(documents.devices?.[0]).toMatchObject({ description: 'primary_ip4: 10.0.0.1/24' })
})

test('an address of a group of routers is reserved', async () => {
  const { documents } = await convert({
    'ipam/prefixes': [{ id: 1, prefix: '10.0.0.0/24' }],
    'ipam/ip-addresses': [
      {
        id: 1,
        address: '10.0.0.1/24',
        assigned_object_type: 'ipam.fhrpgroup',
        assigned_object_id: 3,
        role: { value: 'vrrp', label: 'VRRP' },
      },
    ],
  })
  expect(documents.reservations?.[0]).toMatchObject({
    ip_address: '10.0.0.1',
    notes: 'assigned_object_id: 3\nassigned_object_type: ipam.fhrpgroup\nrole: vrrp',
  })
})

test('both addresses of a /31 can be reserved, and all of an IPv6 network', async () => {
  const { documents } = await convert({
    'ipam/ip-addresses': [
      { id: 1, address: '10.0.0.0/31' },
      { id: 2, address: '10.0.0.1/31' },
      { id: 3, address: '2001:db8::/64' },
    ],
  })
  expect(documents.pools?.map(({ start_ip, end_ip }) => `${start_ip}-${end_ip}`)).toEqual([
    '10.0.0.0-10.0.0.1',
    '2001:db8::-2001:db8::ffff:ffff:ffff:ffff',
  ])
  expect(documents.reservations).toHaveLength(3)
})

test('a VRF is an address space, in which subnets and addresses of others occur again', async () => {
  const vrf = { id: 1 }
  const { documents, report, leftover } = await convert({
    'ipam/vrfs': [
      { id: 1, name: 'red', rd: '65000:1', enforce_unique: false },
      { id: 2, name: 'Red', description: 'unused' },
      { id: 3, name: 'default', rd: '65000:3' },
    ],
    'ipam/prefixes': [
      { id: 1, prefix: '10.0.0.0/24' },
      { id: 2, prefix: '10.0.0.0/24', vrf },
      // The list of VRFs may lack it.
      { id: 3, prefix: '10.0.0.0/24', vrf: { id: 9, name: 'brief', url: 'https://nb/api/ipam/vrfs/9/' } },
    ],
    'ipam/ip-ranges': [{ id: 1, start_address: '10.0.0.1/24', end_address: '10.0.0.9/24', vrf }],
    'dcim/devices': [{ id: 1, name: 'router' }],
    'dcim/interfaces': [{ id: 1, name: 'eth0', device: { id: 1 } }],
    'ipam/ip-addresses': [
      { id: 1, address: '10.0.0.5/24' },
      { id: 2, address: '10.0.0.5/24', vrf },
      { id: 3, address: '10.0.0.5/24' },
      { id: 4, address: '10.0.0.7/24', vrf, assigned_object_type: 'dcim.interface', assigned_object_id: 1 },
      { id: 5, address: '10.0.0.7/24', assigned_object_type: 'dcim.interface', assigned_object_id: 1 },
      { id: 6, address: '172.16.0.7/24', vrf, assigned_object_type: 'dcim.interface', assigned_object_id: 1 },
      { id: 7, address: '10.0.0.7/24', vrf },
      { id: 8, address: '172.16.1.8/24', vrf },
    ],
  })
  expect(documents.spaces).toEqual([
    { name: 'red', description: 'enforce_unique: false', custom: { rd: '65000:1' }, refs: { netbox: 'ipam.vrf.1' } },
    { name: 'Red (#2)', description: 'unused', refs: { netbox: 'ipam.vrf.2' } },
    { name: 'default (65000:3)', custom: { rd: '65000:3' }, refs: { netbox: 'ipam.vrf.3' } },
    { name: 'brief', refs: { netbox: 'ipam.vrf.9' } },
  ])
  const red = { ref: 'netbox:ipam.vrf.1' }
  expect(documents.networks?.map(({ subnet, space, description }) => [subnet, space, description])).toEqual([
    ['10.0.0.0/24', undefined, undefined],
    ['10.0.0.0/24', red, undefined],
    ['10.0.0.0/24', { ref: 'netbox:ipam.vrf.9' }, undefined],
    ['172.16.1.0/24', red, undefined],
  ])
  expect(documents.devices?.[0]?.addresses).toEqual([
    { ip: '10.0.0.7', label: 'eth0', interface: 'eth0', network: { ref: 'netbox:ipam.prefix.2' } },
    { ip: '10.0.0.7', label: 'eth0', interface: 'eth0', network: { ref: 'netbox:ipam.prefix.1' } },
    { ip: '172.16.0.7', label: 'eth0', interface: 'eth0', space: red },
  ])
  expect(
    documents.reservations?.map(({ pool, ip_address }) => `${ip_address} ${(pool as { ref: string }).ref}`),
  ).toEqual([
    '10.0.0.5 netbox:ipam.prefix.1.addresses',
    '10.0.0.5 netbox:ipam.iprange.1',
    '172.16.1.8 netbox:ipam.prefix.172.16.1.0/24.vrf1.addresses',
  ])
  expect(leftover['ipam.ipaddress']).toMatchObject([{ id: 3 }, { id: 7 }])
  expect(report.left.filter(({ what }) => what === 'ipam.ipaddress').map(({ why }) => why)).toMatchObject([
    'is reserved already',
    'is an address of a device',
  ])
})

test('places that are one below another in a circle, or too many, are cut apart', async () => {
  const regions = Array.from({ length: 22 }, (_, at) => ({
    id: at + 1,
    name: `r${at}`,
    parent: at === 0 ? null : { id: at },
  }))
  const { documents, report } = await convert({
    'dcim/regions': [...regions, { id: 51, name: 'a', parent: { id: 52 } }, { id: 52, name: 'b', parent: { id: 51 } }],
  })
  const parents = Object.fromEntries(
    documents.datacenters?.map(({ name, parent }) => [name, parent !== undefined]) ?? [],
  )
  expect(parents).toMatchObject({ r0: false, r19: true, r20: false, r21: true, a: true, b: false })
  expect(report.left).toMatchObject([
    { what: 'dcim.region.parent', count: 1, why: 'is below more than 20 places' },
    { what: 'dcim.region.parent', count: 1, why: 'is below itself' },
  ])
})

test('a device is in the location of its rack, and a rack of another room takes the room into its text', async () => {
  const [site, rack] = [{ id: 1 }, { id: 1 }]
  const { documents } = await convert({
    'dcim/sites': [{ id: 1, name: 'A' }],
    'dcim/locations': [
      { id: 5, name: 'Hall', site },
      { id: 6, name: 'Cage', site, parent: { id: 5 } },
    ],
    'dcim/racks': [{ id: 1, name: 'R1', site, location: { id: 5 }, u_height: 42 }],
    'dcim/devices': [
      device(1, { site, rack, position: 1 }),
      device(2, { site, rack, location: { id: 6 }, position: 2 }),
      device(3, { site, location: { id: 6 } }),
    ],
  })
  const hall = { ref: 'netbox:dcim.location.5' }
  expect(documents.devices).toMatchObject([
    { datacenter: hall, mount: { position: 1 } },
    { datacenter: hall, mount: { position: 2 }, location: 'Cage' },
    { datacenter: { ref: 'netbox:dcim.location.6' } },
  ])
})

test('a network in a location has the VLAN of its number of the nearest place above', async () => {
  const site = { id: 1 }
  const { documents } = await convert({
    'dcim/sites': [{ id: 1, name: 'A' }],
    'dcim/locations': [{ id: 5, name: 'Hall', site }],
    'ipam/vlans': [
      { id: 1, vid: 10, name: 'Own', site },
      { id: 2, vid: 10, name: 'Other' },
    ],
    'ipam/prefixes': [1, 2].map((id) => ({
      ...{ id, prefix: `10.0.${id}.0/24`, scope_type: 'dcim.location', scope_id: 5, vlan: { id } },
    })),
  })
  expect(documents.networks?.map(({ description }) => description)).toEqual([undefined, 'vlan: Other'])
})

test('an asset tag that two devices have, in any case, is left over at the second', async () => {
  const { documents, leftover } = await convert({
    'dcim/devices': [device(1, { asset_tag: 'A-1' }), device(2, { asset_tag: 'a-1' })],
  })
  expect(documents.devices?.map(({ asset_tag }) => asset_tag)).toEqual(['A-1', undefined])
  expect(leftover['dcim.device.asset_tag']).toEqual([{ id: 2, value: 'a-1' }])
})

test('a custom field of NetBox keeps its name beside a value that becomes a custom field', async () => {
  const { documents } = await convert({
    'ipam/prefixes': [{ id: 1, prefix: '10.0.0.0/24', status: 'reserved', custom_fields: { status: 'sold' } }],
  })
  expect(documents.networks?.[0]?.custom).toEqual({ status: 'sold', status_2: 'reserved' })
})

test('a field that names places is a reference beside the text that an earlier import has made', async () => {
  const { documents } = await convert({
    'dcim/regions': [{ id: 2, name: 'Europe' }],
    'extras/custom-fields': [
      { id: 1, name: 'market', type: 'object', object_types: ['dcim.device'], related_object_type: 'dcim.region' },
    ],
    'dcim/devices': [device(1, { custom_fields: { market: { id: 2 } } })],
  })
  expect(documents['custom-fields']).toContainEqual({
    ...{ resource: 'devices', name: 'market_ref', label: 'market', type: 'reference', reference_to: 'datacenters' },
    refs: { netbox: 'extras.customfield.1.devices.ref' },
  })
  expect(documents.devices?.[0]?.custom).toEqual({ market_ref: { ref: 'netbox:dcim.region.2' } })
})
