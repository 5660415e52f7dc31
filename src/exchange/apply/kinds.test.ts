// Kinds and their objects in documents: names of kinds, references by name in a kind, order, pruning, export and import.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type TestCaller, testApp } from '../../../testing/app/app.ts'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
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

const SITES = {
  kinds: [{ name: 'Sites' }],
  'custom-fields': [
    { resource: 'sites', name: 'hub', type: 'reference', reference_to: 'sites', required: true },
    { resource: 'sites', name: 'peers', type: 'reference', reference_to: 'sites', multiple: true },
    { resource: 'links', name: 'a', type: 'reference', reference_to: 'sites' },
  ],
}
const LINKS = { id: 'links', name: 'Links', unique_names: false }

describe.each(onSqlite())('on %s, rows', (dialect) => {
  const inv = inventory(dialect)
  const apply = (document: object) => inv.ask('POST /api/estate/apply', document)
  const site = (name: string, hub: string, more: object = {}) => ({ kind: 'sites', name, custom: { hub }, ...more })
  const listNames = async (kind_id: string) => (await inv.api.objects.list({ kind_id })).map(({ name }) => name)

  test('require each other, if the document makes the definition', async () => {
    const first = { ...SITES, kinds: [...SITES.kinds, LINKS], objects: [site('One', 'Two'), site('Two', 'one')] }
    expect(await apply(first)).toMatchObject({ status: 200, body: { changed: true } })
    expect(await apply(first)).toMatchObject({ status: 200, body: { changed: false } })
  })

  test('require later rows', async () => {
    const objects = [site('a', 'b'), site('b', 'c'), site('c', 'd'), site('d', 'One')]
    const names = Array.from({ length: 30 }, (_, i) => `n${i}`)
    const chain = names.map((name, i) => site(name, names[i + 1] ?? 'One'))
    expect(await apply({ objects: [...objects, ...chain] })).toMatchObject({ status: 200 })
    expect(await listNames('sites')).toHaveLength(36)
  })

  test('are refused if they require each other', async () => {
    const objects = [site('x', 'y'), site('y', 'x'), site('z', 'y'), site('self', 'self')]
    expect(await apply({ objects })).toMatchObject({
      status: 400,
      body: {
        details: [
          { field: 'objects[0].custom.hub', message: expect.stringContaining('requires objects[1]') },
          { field: 'objects[1].custom.hub' },
          { field: 'objects[3].custom.hub', message: expect.stringContaining('requires itself') },
        ],
      },
    })
  })

  test('are looked up in the kind of the field', async () => {
    expect(await apply({ objects: [{ kind: 'links', name: 'L', custom: { a: 'L' } }] })).toMatchObject({
      status: 400,
      body: {
        details: [{ field: 'objects[0].custom.a', message: 'there is no object of the kind sites with id "L"' }],
      },
    })
    const { id } = await inv.api.objects.create({ kind_id: 'links', name: 'L' })
    expect(await apply({ objects: [site('q', id)] })).toMatchObject(refusal('objects[0].custom.hub'))
    const wrong = { kind: 'links', name: 'One' }
    expect(await apply({ objects: [{ ...site('q', 'One'), custom: { hub: wrong } }] })).toMatchObject(
      refusal('objects[0].custom.hub'),
    )
  })

  test('name a kind that exists', async () => {
    expect(await apply({ objects: [{ kind: 'nothing', name: 'x' }, { name: 'y' }] })).toMatchObject({
      status: 400,
      body: {
        details: [
          { field: 'objects[0].kind', message: 'there is no kind called "nothing"' },
          { field: 'objects[1].kind' },
        ],
      },
    })
    expect(await apply({ kinds: [{ name: '###' }] })).toMatchObject(refusal('kinds[0].id'))
    expect(await apply({ kinds: [{ name: 'Devices' }] })).toMatchObject(refusal('kinds[0].id'))
    const fields = [{ resource: 'nothing', name: 'x', type: 'text' }]
    expect(await apply({ 'custom-fields': fields })).toMatchObject(refusal('custom-fields[0].resource'))
  })

  test('keep their kind', async () => {
    const [one] = await inv.api.objects.list({ kind_id: 'sites' })
    expect(await apply({ objects: [{ id: one?.id, kind: 'links' }] })).toMatchObject(refusal('objects[0].kind'))
  })

  test('of a name that several objects of the kind have need an id or a ref', async () => {
    await inv.api.objects.create({ kind_id: 'links', name: 'L' })
    const objects = [{ kind: 'links', name: 'L', description: 'x' }]
    expect(await apply({ objects })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'objects[0].name', message: '2 objects are called "L": give the id or a ref' }] },
    })
    const [, second] = await inv.api.objects.list({ kind_id: 'links' })
    expect(await apply({ objects: [{ ...objects[0], id: second?.id }] })).toMatchObject({ status: 200 })
  })

  test('are pruned before their kind, which takes its fields along', async () => {
    const own = { managed_by: 'git', prune: true }
    const document = {
      kinds: [{ name: 'Old' }, { name: 'Newer' }],
      'custom-fields': [
        { resource: 'old', name: 'next', type: 'reference', reference_to: 'newer', required: true },
        { resource: 'devices', name: 'old', type: 'reference', reference_to: 'old' },
      ],
      objects: [
        { kind: 'old', name: 'o', custom: { next: 'n' } },
        { kind: 'newer', name: 'n' },
      ],
    }
    await inv.api.estate.apply({ ...document, ...own })
    await inv.api.customFields.create({ resource: 'old', name: 'note', type: 'text' })
    const left = { kinds: [{ name: 'Newer' }], objects: [{ kind: 'newer', name: 'n' }] }
    const answer = await inv.api.estate.apply({ ...left, ...own })
    expect(answer.counts).toMatchObject({
      kinds: { deleted: 1, unchanged: 1 },
      'custom-fields': { deleted: 2 },
      objects: { deleted: 1, unchanged: 1 },
    })
    expect(await inv.api.customFields.list({ resource: 'old' })).toEqual([])
  })

  test('a deleted object is taken out of the values that name it', async () => {
    const { id } = await inv.api.objects.create({ kind_id: 'links', name: 'gone' })
    const [hub] = await inv.api.objects.list({ kind_id: 'sites' })
    const spare = await inv.api.objects.create({ kind_id: 'sites', name: 'spare', custom: { hub: hub?.id ?? '' } })
    await inv.api.objects.update({ id, custom: { a: spare.id } })
    await inv.api.objects.delete({ id: spare.id })
    expect((await inv.api.objects.get({ id })).custom).toBeUndefined()
  })
})

describe.each(onSqlite())('on %s, a file', (dialect) => {
  const inv = inventory(dialect)
  const load = async (resource: string, rows: readonly object[], query = '') => {
    const response = await inv.admin.request('POST', `/api/estate/import?resource=${resource}${query}`, rows)
    const last = (await response.text()).trimEnd().split('\n').at(-1) ?? ''
    const { result } = JSON.parse(last) as { result: { created: number; unchanged: number; failed: number } }
    return { created: result.created, unchanged: result.unchanged, failed: result.failed }
  }
  const site = (id: string, hub: string, more: object = {}) => ({
    ...{ id, kind_id: 'sites', name: id },
    custom: { hub },
    ...more,
  })

  test('makes kinds and objects, with parents and required references in later rows', async () => {
    expect(await load('kinds', [{ name: 'Sites', nested: true }])).toEqual({ created: 1, unchanged: 0, failed: 0 })
    expect(await load('custom-fields', SITES['custom-fields'].slice(0, 2))).toMatchObject({ created: 2 })
    const { id: hub } = await (async () => {
      const field = (await inv.api.customFields.list({ resource: 'sites' })).find(({ name }) => name === 'hub')
      await inv.api.customFields.update({ id: field?.id ?? '', required: false })
      const root = await inv.api.objects.create({ kind_id: 'sites', name: 'root' })
      await inv.api.customFields.update({ id: field?.id ?? '', required: true })
      return root
    })()
    const rows = [
      site('a', 'b', { parent_id: 'c' }),
      site('b', 'c'),
      site('c', hub, { custom: { hub, peers: ['a', 'd'] } }),
      site('d', hub),
    ]
    expect(await load('objects', rows)).toEqual({ created: 4, unchanged: 0, failed: 0 })
    inv.advance(1000)
    expect(await load('objects', rows)).toEqual({ created: 0, unchanged: 4, failed: 0 })
    const stored = await inv.api.objects.list({ kind_id: 'sites' })
    expect(stored.map(({ name, parent_id, custom }) => [name, parent_id, custom?.peers])).toEqual([
      ['a', 'c', undefined],
      ['b', null, undefined],
      ['c', null, ['a', 'd']],
      ['d', null, undefined],
      ['root', null, undefined],
    ])
  })

  test('tells which objects require each other', async () => {
    expect(await load('objects', [site('x', 'y'), site('y', 'x')])).toEqual({ created: 0, unchanged: 0, failed: 2 })
  })

  test('finds an object without id by its kind and name', async () => {
    inv.advance(1000)
    expect(await load('objects', [{ kind_id: 'sites', name: 'root' }])).toEqual({ created: 0, unchanged: 1, failed: 0 })
  })
})
