// The JSON Schema of an estate document takes and refuses what the server does, but for references.
import { describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { inventory } from '../../../testing/estates/inventory.ts'
import { formatEstateSchema, getEstateSchema } from './json-schema.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
const validate = ajv.compile(getEstateSchema() as object)

const device = (more: object) => ({ devices: [{ name: 'd', ...more }] })
const address = (more: object) => device({ addresses: [{ ip: '10.0.0.1', ...more }] })

describe('a document', () => {
  const inv = inventory('sqlite')
  const validateBoth = async (document: object) => {
    const { status } = await inv.ask('POST /api/estate/apply?dry_run=true', document)
    return [status === 200, validate(document)]
  }

  test.each<[string, object]>([
    ['without rows', {}],
    ['with an address of the schema', { $schema: 'estate.schema.json', devices: [] }],
    [
      'of each resource',
      { datacenters: [{ name: 'a' }], networks: [{ name: 'n', subnet: '10.0.0.0/24', datacenter: 'a' }] },
    ],
    [
      'with a pool and a reservation',
      {
        networks: [{ name: 'n', subnet: '10.0.0.0/24' }],
        pools: [{ name: 'p', network: { name: 'n', subnet: '10.0.0.0/24' }, start_ip: '10.0.0.1', end_ip: '10.0.0.9' }],
        reservations: [{ pool: 'p', ip_address: '10.0.0.5', expires_at: '2099-01-01T00:00:00Z' }],
      },
    ],
    [
      'with devices that depend on each other',
      {
        devices: [{ name: 'a' }, { name: 'b' }],
        relationships: [{ parent: 'a', child: { name: 'b' }, type: 'depends_on', notes: null }],
      },
    ],
    ['with read-only fields', device({ created_at: 'x', updated_at: null, id: 'an-id' })],
    [
      'with cleared fields',
      device({ os: null, tags: null, addresses: null, refs: null, datacenter: null, status: '', managed_by: '' }),
    ],
    [
      'with references in values and in a default',
      {
        'custom-fields': [
          {
            ...{ resource: 'devices', name: 'sites', type: 'reference', reference_to: 'datacenters', multiple: true },
            default: [{ name: 'a' }],
          },
          { resource: 'devices', name: 'site', type: 'reference', reference_to: 'datacenters', default: { name: 'a' } },
        ],
        datacenters: [{ name: 'a' }],
        devices: [{ name: 'd', custom: { site: { name: 'a' }, sites: ['a', { name: 'a' }] } }],
      },
    ],
    [
      'with packs, kinds and objects',
      {
        packs: ['tenancy'],
        kinds: [{ id: 'lines', name: 'Lines', nested: true, icon: 'zap' }],
        'custom-fields': [{ resource: 'lines', name: 'tenant', type: 'reference', reference_to: 'tenants' }],
        objects: [
          { kind: 'tenants', name: 'Acme' },
          { kind: { name: 'Lines' }, name: 'below', parent: { name: 'a', kind: 'lines' } },
          { kind_id: 'lines', name: 'a', custom: { tenant: { name: 'acme', kind: 'tenants' } } },
        ],
      },
    ],
    ['with refs', device({ refs: { netbox: 'dcim.device.1', other: null } })],
    [
      'with an address',
      address({ port: 22, type: 'x', label: 'y', switch_port: 'z', interface: 'e', network: null, pool: null }),
    ],
  ])('%s is taken by both', async (_, document) => {
    expect(await validateBoth(document)).toEqual([true, true])
  })

  test.each<[string, object]>([
    ['with a field that is none', device({ hostnam: 'x' })],
    ['with a list that is no list', { devices: {} }],
    ['with a pack that is none', { packs: ['circuit'] }],
    ['with an icon that is none', { kinds: [{ name: 'Lines', icon: 'odd' }] }],
    ['with fields in the row of a kind', { kinds: [{ name: 'Lines', fields: [{ name: 'a', type: 'text' }] }] }],
    ['with a row that is no object', { devices: ['x'] }],
    ['with a number as text', device({ os: 12 })],
    ['with a blank name', device({ name: ' ' })],
    ['with a status that is none', device({ status: 'odd' })],
    ['with an address that is none', address({ ip: '10.0.0.256' })],
    ['with an unknown field of an address', address({ nic: 'x' })],
    ['with a port that is too large', address({ port: 65_536 })],
    ['with a reference of another form', device({ datacenter: 7 })],
    ['with an unknown field of a reference', device({ datacenter: { nam: 'x' } })],
    ['with a subnet that is none', { networks: [{ name: 'n', subnet: '10.0.0.0' }] }],
    ['with a VLAN that is too large', { networks: [{ name: 'n', subnet: '10.0.0.0/24', vlan_id: 4095 }] }],
    ['with a source that is none', device({ refs: { 'Net Box': '1' } })],
    ['with an owner that is none', device({ managed_by: '-x' })],
    [
      'with a type that is none',
      { devices: [{ name: 'a' }, { name: 'b' }], relationships: [{ parent: 'a', child: 'b', type: 'odd' }] },
    ],
    ['with a host name that is none', device({ hostname: 'a b' })],
    ['with too long a text', device({ os: 'x'.repeat(256) })],
    ['with an id that no URL can hold', device({ id: 'a/b' })],
  ])('%s is refused by both', async (_, document) => {
    expect(await validateBoth(document)).toEqual([false, false])
  })

  test('of the server is described by it', async () => {
    const schema = await inv.admin.request('GET', '/api/estate/schema')
    expect([schema.headers.get('content-type'), await schema.text()]).toEqual([
      'application/schema+json',
      formatEstateSchema(),
    ])
    const headers = { 'If-None-Match': schema.headers.get('etag') ?? '' }
    expect((await inv.admin.request('GET', '/api/estate/schema', undefined, headers)).status).toBe(304)
    await inv.ask('POST /api/estate/apply', device({ os: 'x', addresses: [{ ip: '10.0.0.1' }] }))
    const exported = await (await inv.admin.request('GET', '/api/estate/export')).json()
    expect([validate(exported), validate.errors]).toEqual([true, null])
  })
})

test('every field has a description', () => {
  const { properties = {} } = getEstateSchema()
  for (const { items } of Object.values(properties))
    for (const [field, { description = '' }] of Object.entries(items?.properties ?? {}))
      expect([field, description.length > 8]).toEqual([field, true])
})
