/** What tools of a NetBox read back of an import: the slugs of places and tenants, the primary addresses, and the descriptions of addresses. */
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

test.each([
  [{ primary_ip: { id: 3 } }, ['2001:db8::1', '10.0.0.2', '10.0.0.1']],
  [{ primary_ip: { id: 2 } }, ['10.0.0.2', '2001:db8::1', '10.0.0.1']],
  [{}, ['10.0.0.2', '2001:db8::1', '10.0.0.1']],
])('the primary address that NetBox prefers comes first, then those of the families: %j', async (preferred, ips) => {
  const { documents, report } = await convert({
    'dcim/devices': [{ id: 1, name: 'd1', primary_ip4: { id: 2 }, primary_ip6: { id: 3 }, ...preferred }],
    'dcim/interfaces': [{ id: 1, name: 'eth0', device: { id: 1 } }],
    'virtualization/virtual-machines': [{ id: 1, name: 'vm1', primary_ip4: { id: 5 }, primary_ip: { id: 5 } }],
    'virtualization/interfaces': [{ id: 1, name: 'eth0', virtual_machine: { id: 1 } }],
    'ipam/ip-addresses': [
      ...['10.0.0.1/24', '10.0.0.2/24', '2001:db8::1/64'].map((address, i) => ({ id: i + 1, address, ...on(1) })),
      ...['10.0.1.1/24', '10.0.1.2/24'].map((address, i) => ({
        ...{ id: i + 4, address, assigned_object_type: 'virtualization.vminterface', assigned_object_id: 1 },
      })),
    ],
  })
  const ipsOf = (at: number) => ((documents.devices?.[at]?.addresses ?? []) as { ip: string }[]).map(({ ip }) => ip)
  expect(ipsOf(0)).toEqual(ips)
  expect(ipsOf(1)).toEqual(['10.0.1.2', '10.0.1.1'])
  expect(documents.devices?.map(({ description }) => description)).toEqual([undefined, undefined])
  expect(report.left).toEqual([])
})

test('a slug of a place or tenant is kept unless it follows from the name', async () => {
  const { documents, report } = await convert({
    'dcim/regions': [{ id: 1, name: 'Europe', slug: 'eu' }],
    'dcim/site-groups': [{ id: 1, name: 'Labs', slug: 'labs' }],
    'dcim/sites': [
      { id: 1, name: 'Zürich, Büro 7', slug: 'zurich-buro-7' },
      { id: 2, name: 'Amsterdam', slug: 'ams' },
    ],
    'dcim/locations': [{ id: 1, name: 'Keller', slug: 'cellar', site: { id: 2 } }],
    'tenancy/tenant-groups': [{ id: 1, name: 'Kunden', slug: 'customers' }],
    'tenancy/tenants': [
      { id: 1, name: 'Acme', slug: 'acme' },
      { id: 2, name: 'Kunden', slug: 'kunden' },
    ],
  })
  const listSlugs = (rows: readonly object[] = []) =>
    rows.map((row) => {
      const { name, custom } = row as { name: string; custom?: { slug?: string } }
      return [name, custom?.slug]
    })
  expect(listSlugs(documents.datacenters)).toEqual([
    ...[
      ['Europe', 'eu'],
      ['Labs', undefined],
      ['Zürich, Büro 7', undefined],
      ['Amsterdam', 'ams'],
      ['Keller', 'cellar'],
    ],
  ])
  expect(listSlugs(documents.objects)).toEqual([
    ...[
      ['Kunden', 'customers'],
      ['Acme', undefined],
      ['Kunden #2', 'kunden'],
    ],
  ])
  expect(documents['custom-fields']?.filter(({ name }) => name === 'slug')).toEqual([
    { resource: 'datacenters', name: 'slug', label: 'Slug', type: 'text', refs: { netbox: 'field.slug.datacenters' } },
    { resource: 'tenants', name: 'slug', label: 'Slug', type: 'text', refs: { netbox: 'field.slug.tenants' } },
  ])
  expect(documents.datacenters?.map(({ description }) => description)).toEqual(Array(5).fill(undefined))
  expect(report.left.filter(({ what }) => what.endsWith('slug'))).toEqual([])
})

test('the description of an address is its label, and that of a free address its purpose, if there is any', async () => {
  const long = 'x'.repeat(129)
  const { documents } = await convert({
    'ipam/prefixes': [{ id: 1, prefix: '10.0.0.0/24' }],
    'dcim/devices': [{ id: 1, name: 'd1' }],
    'dcim/interfaces': [{ id: 1, name: 'eth0', device: { id: 1 } }],
    'ipam/ip-addresses': [
      { id: 1, address: '10.0.0.1/24', ...on(1) },
      { id: 2, address: '10.0.0.2/24', ...on(1), description: ' Main address ' },
      { id: 3, address: '10.0.0.3/24', ...on(1), description: long },
      { id: 4, address: '10.0.0.4/24', description: 'spare' },
      { id: 5, address: '10.0.0.5/24', status: 'reserved' },
    ],
  })
  const [device] = documents.devices ?? []
  const labels = ((device?.addresses ?? []) as { label: string; interface: string }[]).map((one) => [
    ...[one.label, one.interface],
  ])
  expect(labels).toEqual([
    ['eth0', 'eth0'],
    ['Main address', 'eth0'],
    ['eth0', 'eth0'],
  ])
  expect(device?.description).toBe(`10.0.0.3 description: ${long}`)
  expect(documents.reservations?.map(({ purpose, custom }) => [purpose, custom])).toEqual([
    ['spare', undefined],
    [undefined, { status: 'reserved' }],
  ])
})

test('stand-ins of another Plat, and fields as NetBox fills them, say nothing', async () => {
  const url = (path: string, id: number) => `https://plat.example/netbox/api/${path}/${id}/`
  const standIn = (path: string, name: string) => ({
    id: 1_000_000_001,
    url: url(path, 1_000_000_001),
    name,
    slug: 'x',
  })
  const site = standIn('dcim/sites', 'Unassigned')
  const manufacturer = standIn('dcim/manufacturers', 'Unknown')
  const box = { id: 1_000_000_002, url: url('dcim/device-types', 1_000_000_002), model: 'Box 7', manufacturer }
  const { documents } = await convert({
    'dcim/sites': [site],
    'dcim/manufacturers': [manufacturer],
    'dcim/device-types': [box],
    'dcim/racks': [{ id: 1, name: 'R1', site, width: { value: 19, label: '19 inches' } }],
    'dcim/devices': [
      { id: 1, name: 'd1', site, role: standIn('dcim/device-roles', 'Unassigned'), device_type: box },
      { id: 2, name: 'd2', role: { ...standIn('dcim/device-roles', 'Unassigned'), id: 7 } },
    ],
    'virtualization/virtual-machines': [{ id: 1, name: 'vm1', start_on_boot: { value: 'off', label: 'Off' } }],
    'ipam/vrfs': [{ id: 1, name: 'red', enforce_unique: true }],
    'extras/custom-fields': [
      { id: 1, name: 'code', type: 'text', object_types: ['dcim.device'], validation_regex: '(?:^[A-Z])(?s:.*)' },
    ],
  })
  expect(documents.datacenters).toEqual([])
  expect(documents['device-types']).toBeUndefined()
  expect(documents.racks?.map(({ name, description }) => [name, description])).toEqual([['R1', undefined]])
  expect(documents.devices).toEqual([
    { name: 'd1', make_model: 'Box 7', status: 'active', refs: { netbox: 'dcim.device.1' } },
    { name: 'd2', role: 'Unassigned', status: 'active', refs: { netbox: 'dcim.device.2' } },
    { name: 'vm1', status: 'active', tags: ['vm'], refs: { netbox: 'virtualization.virtualmachine.1' } },
  ])
  expect(documents.spaces).toEqual([{ name: 'red', refs: { netbox: 'ipam.vrf.1' } }])
  expect(documents['custom-fields']).toMatchObject([{ name: 'code', pattern: '(?:^[A-Z])(?s:.*)' }])
})
