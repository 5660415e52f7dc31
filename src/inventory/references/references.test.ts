// References from the other end: which fields name an object, and how many objects that the caller may list.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type People, type Person, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { REFERENCED } from './api.ts'

type Id = { readonly id: string }

/** The reference fields of the estate: the resource of the objects, the name of the field, and the target. */
const FIELDS = [
  { resource: 'devices', name: 'tenant', label: 'Tenant', reference_to: 'tenants' },
  { resource: 'devices', name: 'backups', label: 'Backups', reference_to: 'tenants', multiple: true },
  { resource: 'addresses', name: 'tenant', label: 'Tenant', reference_to: 'tenants' },
  { resource: 'racks', name: 'tenant', label: 'Tenant', reference_to: 'tenants' },
  { resource: 'racks', name: 'near', label: 'Near', reference_to: 'datacenters' },
  { resource: 'circuits', name: 'tenant', label: 'Tenant', reference_to: 'tenants' },
  { resource: 'circuits', name: 'device', label: 'Device', reference_to: 'devices' },
]

/** The word for each resource whose objects references may name. */
const WORDS: Readonly<Record<string, object>> = {
  spaces: { name: 'space' },
  networks: { name: 'network', subnet: '10.61.0.0/24' },
  vlans: { name: 'vlan', vlan_id: 61 },
  racks: { name: 'rack' },
  devices: { name: 'device' },
}

describe.each(engines())('references from the other end on %s', (dialect) => {
  const all: People = people(dialect)
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return (answer.body as Id).id
  }
  const count = async (path: string, who: Person = all.admin): Promise<unknown> => {
    const { status, body } = await who.ask(`GET /api/${path}`)
    expect([path, status, body]).toEqual([path, 200, body])
    return body
  }
  const row = (resource: string, field: string, label: string, objects: number, kind_id: string | null = null) => ({
    ...{ resource, kind_id, field, label, objects },
  })

  let tenant = ''
  let site = ''
  let device = ''
  const inside: string[] = []
  beforeAll(async () => {
    await post('kinds', { name: 'Tenants', nested: true, located: true })
    await post('kinds', { name: 'Circuits' })
    for (const field of FIELDS) await post('custom-fields', { type: 'reference', ...field })
    site = await post('datacenters', { name: 'site' })
    tenant = await post('objects', { kind_id: 'tenants', name: 'Acme', datacenter_id: site })
    const custom = { tenant }
    for (const name of ['one', 'other']) await post('objects', { kind_id: 'tenants', name, parent_id: tenant })
    device = await post('devices', {
      name: 'inside',
      datacenter_id: site,
      custom: { tenant, backups: [tenant] },
      addresses: [{ ip: '10.60.0.1', custom }, { ip: '10.60.0.2', custom }, { ip: '10.60.0.3' }],
    })
    inside.push(device)
    await post('devices', { name: 'outside', custom, addresses: [{ ip: '10.60.0.4', custom }] })
    await post('devices', { name: 'of nobody' })
    await post('racks', { name: 'rack', datacenter_id: site, custom: { tenant, near: site } })
    await post('objects', { kind_id: 'circuits', name: 'CID-1', custom: { tenant, device } })
    const network_id = await post('networks', { name: 'net', subnet: '10.60.0.0/24' })
    const pool_id = await post(`networks/${network_id}/pools`, {
      name: 'pool',
      start_ip: '10.60.0.10',
      end_ip: '10.60.0.20',
    })
    await post(`pools/${pool_id}/reservations`, { ip_address: '10.60.0.11', custom })
  }, 60_000)

  const OF_TENANT = [
    row('racks', 'custom.tenant', 'Tenant', 1),
    row('devices', 'custom.backups', 'Backups', 1),
    row('devices', 'custom.tenant', 'Tenant', 2),
    row('addresses', 'custom.tenant', 'Tenant', 3),
    row('objects', 'custom.tenant', 'Tenant', 1, 'circuits'),
    row('objects', 'parent_id', 'Parent', 2, 'tenants'),
    row('reservations', 'custom.tenant', 'Tenant', 1),
  ]

  test('an object has a row for each field that names it, by resource, kind and field', async () => {
    expect(await count(`objects/${tenant}/references`)).toEqual(OF_TENANT)
    expect(await count(`devices/${device}/references`)).toEqual([
      row('objects', 'custom.device', 'Device', 1, 'circuits'),
    ])
    expect(await count(`datacenters/${site}/references`)).toEqual([
      row('racks', 'custom.near', 'Near', 1),
      row('objects', 'datacenter_id', 'Datacenter', 1, 'tenants'),
    ])
  })

  test.each(REFERENCED.filter((resource) => resource in WORDS))(
    'nothing refers to a new object of %s',
    async (resource) => {
      const id = await post(resource, WORDS[resource] ?? {})
      expect(await count(`${resource}/${id}/references`)).toEqual([])
    },
  )

  test.each(REFERENCED)('an unknown id of %s is 404', async (resource) => {
    expect((await all.admin.ask(`GET /api/${resource}/unknown/references`)).status).toBe(404)
  })

  test('the past has the references of then, also of an object that was deleted since', async () => {
    const id = await post('objects', { kind_id: 'tenants', name: 'of then' })
    const other = await post('devices', {
      name: 'of then',
      custom: { tenant: id, backups: [tenant, id] },
      addresses: [{ ip: '10.60.0.30', custom: { tenant: id } }],
    })
    const circuit = await post('objects', { kind_id: 'circuits', name: 'CID-then', custom: { tenant: id } })
    const renamed = await all.admin.ask(`PUT /api/objects/${id}`, { description: 'later' })
    const then = renamed.headers.get('x-change-id') ?? ''
    const expected = [
      row('devices', 'custom.backups', 'Backups', 1),
      row('devices', 'custom.tenant', 'Tenant', 1),
      row('addresses', 'custom.tenant', 'Tenant', 1),
      row('objects', 'custom.tenant', 'Tenant', 1, 'circuits'),
    ]
    expect(await count(`objects/${id}/references`)).toEqual(expected)
    await all.admin.ask(`PUT /api/devices/${other}`, { custom: { backups: [tenant] } })
    await all.admin.ask(`DELETE /api/objects/${circuit}`)
    expect(await count(`objects/${id}/references?as_of=${then}`)).toEqual(expected)
    await all.admin.ask(`DELETE /api/objects/${id}`)
    expect((await all.admin.ask(`GET /api/objects/${id}/references`)).status).toBe(404)
    expect(await count(`objects/${id}/references?as_of=${then}`)).toEqual(expected)
    await all.admin.ask(`DELETE /api/devices/${other}`)
    expect(await count(`objects/${tenant}/references`)).toEqual(OF_TENANT)
  })

  test('only the objects of resources that the caller may list are counted, now and in the past', async () => {
    const path = `objects/${tenant}/references`
    const reader = await all.person({ permissions: ['objects:read'] })
    const lister = await all.person({ permissions: ['objects:read', 'racks:list', 'reservations:list'] })
    const [rack, ...others] = OF_TENANT
    const reservation = others.at(-1)
    for (const query of ['', '?as_of=0s']) {
      expect(await count(`${path}${query}`, reader)).toEqual([])
      expect(await count(`${path}${query}`, lister)).toEqual([rack, reservation])
    }
    const stranger = await all.person({ permissions: ['devices:list'] })
    expect((await stranger.ask(`GET /api/${path}`)).status).toBe(403)
  })

  test('a caller with the list in a scope counts the objects of the scope, as the list does', async () => {
    const scope_id = await post('scopes', { name: 'the site', datacenter_ids: [site] })
    const person = await all.person({ permissions: ['objects:read'] })
    const role = await all.role('devices:list', 'racks:list', 'datacenters:list')
    await all.admin.ask('POST /api/grants', { role_id: role.id, user_id: person.id, scope_id })
    expect(await count(`objects/${tenant}/references`, person)).toEqual([
      row('racks', 'custom.tenant', 'Tenant', 1),
      row('devices', 'custom.backups', 'Backups', 1),
      row('devices', 'custom.tenant', 'Tenant', 1),
      row('addresses', 'custom.tenant', 'Tenant', 2),
    ])
    const listed = (await count(`devices?custom.tenant=${tenant}`, person)) as Id[]
    expect(listed.map(({ id }) => id)).toEqual(inside)
  })

  test('a caller with the objects of one kind counts no objects of others, and finds no object outside', async () => {
    const scope_id = await post('scopes', { name: 'circuits', kind_ids: ['circuits'] })
    const person = await all.person({ permissions: ['objects:read', 'datacenters:read'] })
    const { id: role_id } = await all.role('objects:list')
    await all.admin.ask('POST /api/grants', { role_id, user_id: person.id, scope_id })
    expect(await count(`objects/${tenant}/references`, person)).toEqual([
      row('objects', 'custom.tenant', 'Tenant', 1, 'circuits'),
    ])
    expect(await count(`datacenters/${site}/references`, person)).toEqual([])
    const reader = await all.person()
    const reading = await all.role('objects:read', 'objects:list')
    await all.admin.ask('POST /api/grants', { role_id: reading.id, user_id: reader.id, scope_id })
    expect((await reader.ask(`GET /api/objects/${tenant}/references`)).status).toBe(404)
  })
})
