// Custom fields, racks, device types, ports and cables in documents: their order, rules that are younger than objects, export.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { OBJECTS_ESTATE } from '../../../testing/estates/objects-estate.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

type Answer = {
  changed?: boolean
  errors?: { resource: string; row: number }[]
  counts?: Record<string, object>
  details?: { field: string; message: string }[]
}

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller

  const apply = async (document: object, by = admin): Promise<{ status: number } & Answer> => {
    const response = await by.request('POST', '/api/estate/apply', document)
    return { status: response.status, ...((await response.json()) as Answer) }
  }
  const exported = async (by = admin): Promise<string> => (await by.request('GET', '/api/estate/export')).text()
  const list = async (path: string, by = admin) =>
    (await (await by.request('GET', path)).json()) as Record<string, unknown>[]

  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
    expect(await apply(OBJECTS_ESTATE)).toMatchObject({ status: 200, changed: true })
  })
  afterAll(() => app.close())

  test('values name rows that come later, and each other', async () => {
    const devices = await list('/api/devices')
    const idOf = (name: string) => devices.find((device) => device.name === name)?.id
    const [a, b] = await list('/api/datacenters')
    const [sw1] = devices.filter(({ name }) => name === 'sw-1')
    expect([a?.custom, b?.custom]).toEqual([{ code: 'a1', router: idOf('sw-1') }, undefined])
    expect(sw1?.custom).toMatchObject({ peers: [idOf('srv-1'), idOf('sw-1')] })
    const [rack] = await list('/api/racks')
    const gear = [rack?.id]
    expect((sw1?.addresses as { custom?: object }[] | undefined)?.map(({ custom }) => custom)).toEqual([
      { gear, peer: idOf('srv-1'), ttl: 60 },
      undefined,
      { gear, ttl: 300 },
      { gear, ttl: 90 },
    ])
    expect((await list('/api/networks'))[0]?.custom).toEqual({
      gateways: ['10.0.0.1', '2001:db8::1'],
      main_rack: rack?.id,
    })
  })

  test('a definition of the document is strict once its objects are made', async () => {
    const fields = await list('/api/custom-fields?resource=devices')
    expect(fields.find(({ name }) => name === 'bought')).toMatchObject({ required: true })
    expect(fields.find(({ name }) => name === 'watts')).toMatchObject({ maximum: 5000 })
    const answer = await apply({ devices: [{ name: 'new' }] })
    expect(answer).toMatchObject({ status: 400, details: [{ field: 'devices[0].custom.bought' }] })
  })

  test('a new device gets no ports of its type if the document lists its ports', async () => {
    const [sw1] = (await list('/api/devices')).filter(({ name }) => name === 'sw-1')
    expect((await list(`/api/devices/${sw1?.id}/ports`)).map(({ name }) => name)).toEqual(['Gi0/1', 'Po1', 'PSU'])
  })

  test('the default of a reference is that of the objects that the document makes', async () => {
    const [a, b] = await list('/api/datacenters')
    expect((await list('/api/racks')).map(({ custom }) => custom)).toMatchObject([{ home: b?.id }, { home: a?.id }])
    expect(await list('/api/custom-fields?resource=racks')).toContainEqual(
      expect.objectContaining({ name: 'home', default: a?.id }),
    )
    const { 'custom-fields': fields } = JSON.parse(await exported()) as Record<string, Record<string, unknown>[]>
    const usual = fields?.filter(({ type, default: one }) => type === 'reference' && one !== undefined)
    expect(usual?.map(({ name, default: one }) => [name, one])).toEqual([
      ['gear', [{ name: 'R1', datacenter: 'A' }]],
      ['home', 'A'],
    ])
  })

  test('a second apply changes nothing', async () => {
    expect(await apply(OBJECTS_ESTATE)).toMatchObject({ status: 200, changed: false })
  })

  test('a second apply gives no device the ports of its type that were taken away', async () => {
    const devices = [{ name: 'bare', device_type: 'Acme S48', custom: { bought: '2025-01-01' } }]
    expect(await apply({ devices })).toMatchObject({ changed: true })
    const bare = (await list('/api/devices')).find(({ name }) => name === 'bare')
    const ports = await list(`/api/devices/${bare?.id}/ports`)
    expect(ports).toHaveLength(3)
    for (const { id } of ports) await admin.request('DELETE', `/api/ports/${id}`)
    expect(await apply({ devices, 'device-types': OBJECTS_ESTATE['device-types'] })).toMatchObject({ changed: false })
    expect(await list(`/api/devices/${bare?.id}/ports`)).toEqual([])
    await admin.request('DELETE', `/api/devices/${bare?.id}`)
  })

  test('only the refused row fails once all objects are made', async () => {
    const custom = (partner: string) => ({ bought: '2025-01-01', partner })
    const document = {
      'custom-fields': [
        { resource: 'devices', name: 'partner', type: 'reference', reference_to: 'devices', unique: true },
      ],
      devices: [
        { name: 'k-1', custom: custom('k-3') },
        { name: 'k-2', custom: custom('k-3') },
        { name: 'k-3', custom: custom('k-1') },
      ],
      relationships: [
        { parent: 'k-1', child: 'k-3', type: 'contains' },
        { parent: 'k-2', child: 'k-3', type: 'depends_on' },
      ],
    }
    expect(await apply(document)).toMatchObject({ status: 400, details: [{ field: 'devices[1].custom.partner' }] })
    const answer = await apply({ ...document, atomic: false })
    expect(answer).toMatchObject({
      status: 200,
      counts: { devices: { created: 2, failed: 1 }, relationships: { created: 1, failed: 1 } },
    })
    expect(answer.errors?.map(({ resource, row }) => [resource, row])).toEqual([
      ['devices', 1],
      ['relationships', 1],
    ])
    const made = (await list('/api/devices')).filter(({ name }) => String(name).startsWith('k-'))
    expect(made.map(({ name }) => name)).toEqual(['k-1', 'k-3'])
    expect(made.map(({ custom }) => (custom as { partner: unknown }).partner)).toEqual(
      made.map(({ id }) => id).toReversed(),
    )
    for (const { id } of made) await admin.request('DELETE', `/api/devices/${id}`)
    const fields = await list('/api/custom-fields?resource=devices')
    await admin.request('DELETE', `/api/custom-fields/${fields.find(({ name }) => name === 'partner')?.id}`)
  })

  test('devices exchange unique values and places in one apply, and an undo gives them back', async () => {
    const device = (name: string, position: number, tag: string) => ({
      ...{ name, mount: { rack: { name: 'R1', datacenter: 'B' }, position } },
      custom: { bought: '2025-01-01', tag },
    })
    const field = { resource: 'devices', name: 'tag', type: 'text', unique: true }
    const before = [device('x-1', 1, 'one'), device('x-2', 2, 'two'), device('x-3', 3, 'three')]
    expect(await apply({ 'custom-fields': [field], devices: before })).toMatchObject({ status: 200 })
    const state = async () =>
      (await list('/api/devices')).flatMap(({ name, mount, custom }) =>
        String(name).startsWith('x-') ? [[name, mount, custom]] : [],
      )
    const old = await state()
    const response = await admin.request('POST', '/api/estate/apply', {
      devices: [device('x-1', 2, 'TWO'), device('x-2', 3, 'three'), device('x-3', 1, 'one')],
    })
    expect(response.status).toBe(200)
    expect(await state()).toMatchObject([
      ['x-1', { position: 2 }, { tag: 'TWO' }],
      ['x-2', { position: 3 }, { tag: 'three' }],
      ['x-3', { position: 1 }, { tag: 'one' }],
    ])
    expect((await list('/api/devices?custom.tag=one')).map(({ name }) => name)).toEqual(['x-3'])
    const undone = await admin.request('POST', `/api/history/${response.headers.get('x-change-id')}/undo`)
    expect([undone.status, await state()]).toEqual([200, old])
    // The last one keeps its value and its place, so that the others do not get them.
    const refused = [device('x-1', 2, 'two'), device('x-2', 3, 'three'), device('x-3', 99, 'one')]
    const answer = await apply({ devices: refused, atomic: false })
    expect(answer.errors?.map(({ resource, row }) => [resource, row])).toEqual([0, 1, 2].map((row) => ['devices', row]))
    expect(await state()).toEqual(old)
    for (const { id, name } of await list('/api/devices'))
      if (String(name).startsWith('x-')) await admin.request('DELETE', `/api/devices/${id}`)
  })

  test('a value that names nothing is an error on its field', async () => {
    const { status, details } = await apply({
      datacenters: [{ name: 'A', custom: { router: 'nowhere' } }],
      racks: [{ name: 'R1', datacenter: 'A', custom: { home: { name: 'nowhere' } } }],
    })
    expect([status, details?.map(({ field }) => field)]).toEqual([
      400,
      ['racks[0].custom.home', 'datacenters[0].custom.router'],
    ])
  })

  test('an export of it, applied, changes nothing', async () => {
    const document = JSON.parse(await (await admin.request('GET', '/api/estate/export?format=json')).text()) as object
    expect(await apply(document)).toMatchObject({ status: 200, changed: false })
  })

  test('on an empty server it makes the same bytes', async () => {
    const before = await exported()
    const document = JSON.parse(await (await admin.request('GET', '/api/estate/export?format=json')).text()) as object
    const other = await testApp({ dialect })
    try {
      const by = await other.as('admin')
      expect(await apply(document, by)).toMatchObject({ status: 200, changed: true })
      expect(await exported(by)).toBe(before)
    } finally {
      await other.close()
    }
  })

  test('prune deletes what the owner has and the document lacks, of all lists', async () => {
    const other = await testApp({ dialect })
    try {
      const by = await other.as('admin')
      expect(await apply({ ...OBJECTS_ESTATE, managed_by: 'git' }, by)).toMatchObject({ changed: true })
      const answer = await apply({ managed_by: 'git', prune: true, datacenters: [{ name: 'B' }] }, by)
      expect(answer).toMatchObject({
        status: 200,
        changed: true,
        counts: { cables: { deleted: 2 }, racks: { deleted: 2 } },
      })
      const left = ['custom-fields', 'device-types', 'racks', 'devices', 'ports', 'cables']
      for (const resource of left) expect([resource, await list(`/api/${resource}`, by)]).toEqual([resource, []])
    } finally {
      await other.close()
    }
  })
})
