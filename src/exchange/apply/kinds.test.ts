// Kinds and their objects in documents: names of kinds, references by name in a kind, order, pruning, export and import.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type TestCaller, testApp } from '../../../testing/app/app.ts'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'

const KINDS = [
  { name: 'Power feeds', located: true },
  { id: 'tenants', name: 'Customers', nested: true },
  { id: 'circuits', name: 'Circuits', unique_names: false },
]
const FIELDS = [
  { resource: 'tenants', name: 'code', type: 'text' },
  { resource: 'tenants', name: 'partner', type: 'reference', reference_to: 'tenants' },
  { resource: 'circuits', name: 'tenant', type: 'reference', reference_to: 'tenants', required: true },
  { resource: 'circuits', name: 'feeds', type: 'reference', reference_to: 'power-feeds', multiple: true },
  { resource: 'circuits', name: 'device', type: 'reference', reference_to: 'devices' },
  { resource: 'devices', name: 'tenant', type: 'reference', reference_to: 'tenants' },
  { resource: 'racks', name: 'tenant', type: 'reference', reference_to: 'tenants', default: 'ACME' },
]
const OBJECTS = [
  { kind: 'circuits', name: 'CID-1', custom: { tenant: 'branch', feeds: ['A', 'B'], device: 'sw-1' } },
  { kind: 'circuits', name: 'CID-1', refs: { x: '2' }, custom: { tenant: { ref: 'x:acme' } } },
  { kind: 'customers', name: 'Branch', parent: 'acme', custom: { partner: 'Acme' } },
  { kind: { name: 'Power feeds' }, name: 'A', datacenter: 'Ams' },
  { kind_id: 'power-feeds', name: 'B' },
  { kind: 'tenants', name: 'A', parent: 'B' },
  { kind: 'Customers', name: 'B', parent: 'branch' },
  { kind: 'tenants', name: 'Acme', refs: { x: 'acme' }, custom: { code: 'A', partner: 'Branch' } },
]
const DOCUMENT = {
  objects: OBJECTS,
  'custom-fields': FIELDS,
  kinds: KINDS,
  datacenters: [{ name: 'Ams' }],
  racks: [
    { name: 'R1', datacenter: 'Ams', custom: { tenant: 'Branch' } },
    { name: 'R2', datacenter: 'Ams' },
  ],
  devices: [{ name: 'sw-1', custom: { tenant: 'A' } }],
}

type Api = ReturnType<typeof inventory>

type Document = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
const exportText = async (by: Pick<TestCaller, 'request'>): Promise<string> =>
  (await by.request('GET', '/api/estate/export')).text()
const mapNames = async ({ api }: Api, kind: string) =>
  new Map((await api.objects.list({ kind_id: kind })).map(({ id, name }) => [name, id]))

describe.each(engines())('on %s', (dialect) => {
  const inv = inventory(dialect)

  beforeAll(async () => {
    const plan = await inv.api.estate.apply({ ...DOCUMENT, dry_run: true })
    expect(plan).toMatchObject({ changed: true, lacking: [], errors: [] })
    expect(await inv.api.estate.apply({ ...DOCUMENT, expect: plan.fingerprint })).toMatchObject({ applied: true })
  })

  test('kinds get the id of the row, or one made of the name', async () => {
    const kinds = await inv.api.kinds.list({})
    expect(kinds.map(({ id, name }) => [id, name])).toEqual([
      ['circuits', 'Circuits'],
      ['tenants', 'Customers'],
      ['power-feeds', 'Power feeds'],
    ])
  })

  test('parents and values are looked up by name in their kind', async () => {
    const [tenants, feeds] = [await mapNames(inv, 'tenants'), await mapNames(inv, 'power-feeds')]
    const all = await inv.api.objects.list({ kind_id: 'tenants' })
    expect(all.map(({ name, parent_id }) => [name, parent_id])).toEqual([
      ['A', tenants.get('B') ?? ''],
      ['Acme', null],
      ['B', tenants.get('Branch') ?? ''],
      ['Branch', tenants.get('Acme') ?? ''],
    ])
    expect(all[1]?.custom).toEqual({ code: 'A', partner: tenants.get('Branch') ?? '' })
    const [device] = await inv.api.devices.list({})
    expect(device?.custom).toEqual({ tenant: tenants.get('A') ?? '' })
    const circuits = await inv.api.objects.list({ kind_id: 'circuits' })
    expect(circuits.map(({ custom }) => custom)).toContainEqual({
      device: device?.id ?? '',
      feeds: [feeds.get('A') ?? '', feeds.get('B') ?? ''],
      tenant: tenants.get('Branch') ?? '',
    })
    const racks = await inv.api.racks.list({})
    expect(racks.map(({ custom }) => custom?.tenant)).toEqual([tenants.get('Branch') ?? '', tenants.get('Acme') ?? ''])
  })

  test('a second apply changes nothing', async () => {
    expect(await inv.api.estate.apply(DOCUMENT)).toMatchObject({ changed: false, changes: [] })
    expect(await inv.api.estate.apply({ kinds: [{ id: 'tenants', name: 'Customers', singular: '' }] })).toMatchObject({
      changed: false,
    })
  })

  test('an export makes the same export on an empty server', async () => {
    const text = await exportText(inv.admin)
    const document = JSON.parse(text) as Document
    expect(document.kinds?.map(({ id }) => id)).toEqual(['circuits', 'tenants', 'power-feeds'])
    expect(document.objects?.find(({ name }) => name === 'Branch')).toEqual({
      name: 'Branch',
      kind: 'tenants',
      parent: 'Acme',
      custom: { partner: 'Acme' },
    })
    expect(await inv.api.estate.apply(document)).toMatchObject({ changed: false })
    const other = await testApp({ dialect })
    try {
      const admin = await other.as('admin')
      expect((await admin.request('POST', '/api/estate/apply', document)).status).toBe(200)
      expect(await exportText(admin)).toBe(text)
    } finally {
      await other.close()
    }
  })

  test('a row finds its object by its id or ref without a kind', async () => {
    const objects = [{ refs: { x: '2' }, description: 'second', custom: { feeds: 'B' } }]
    expect(await inv.api.estate.apply({ objects })).toMatchObject({ counts: { objects: { updated: 1 } } })
    expect(await inv.api.estate.apply({ objects })).toMatchObject({ changed: false })
  })
})
