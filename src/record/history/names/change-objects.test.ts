/** Changes name their first objects, and are found by the names of their objects. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { listOrderRanges, toSortKey } from '../../../net/name-order.ts'

describe.each(engines())('the objects of changes on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async () => {
    const [change] = await admin.api.history.list({ limit: 1 })
    if (!change) throw new Error('there is no change')
    return change
  }
  const find = async (q: string, more: object = {}) =>
    (await admin.api.history.list({ q, ...more })).map(({ operation, objects }) => [operation, objects[0]?.name])

  test('an update has the fields that differ, with short values', async () => {
    const site = await admin.api.datacenters.create({ name: 'Amsterdam' })
    const { id } = await admin.api.devices.create({ name: 'upd-1', status: 'active', os: 'x'.repeat(60) })
    await admin.api.devices.update({ id, status: 'maintenance', datacenter_id: site.id, tags: ['edge'] })
    await admin.api.datacenters.update({ id: site.id, name: 'Rotterdam' })
    const [, change] = await admin.api.history.list({ limit: 2 })
    expect(change?.objects).toEqual([
      {
        ...{ kind: 'device', id, name: 'upd-1', change: 'update' },
        fields: [
          { field: 'status', from: 'active', to: 'maintenance' },
          { field: 'datacenter_id', from: null, to: site.id },
          { field: 'tags' },
        ],
        names: { [site.id]: 'Amsterdam' },
      },
    ])
  })

  test('a text of 81 characters is not a short value', async () => {
    const { id } = await admin.api.devices.create({ name: 'upd-2', description: 'a'.repeat(80) })
    await admin.api.devices.update({ id, description: 'b'.repeat(80) })
    expect((await newest()).objects[0]?.fields).toEqual([
      { field: 'description', from: 'a'.repeat(80), to: 'b'.repeat(80) },
    ])
    await admin.api.devices.update({ id, description: 'c'.repeat(81) })
    expect((await newest()).objects[0]?.fields).toEqual([{ field: 'description' }])
  })

  test('objects of the resource of the operation stand first, with their name as of then', async () => {
    const { id } = await admin.api.devices.create({ name: 'del-1' })
    const { id: child } = await admin.api.devices.create({ name: 'del-2' })
    const port = await admin.api.ports.create({ device_id: id, name: 'eth0' })
    await admin.api.relationships.create({ device_id: id, child_id: child, type: 'contains' })
    expect((await newest()).objects[0]).toMatchObject({ kind: 'relationship', change: 'create' })
    await admin.api.devices.delete({ id })
    const { objects } = await newest()
    expect(objects.map(({ kind, name, change }) => [kind, name, change])).toEqual([
      ['device', 'del-1', 'delete'],
      ['port', 'del-1 eth0', 'delete'],
      ['relationship', 'del-1 contains del-2', 'delete'],
    ])
    expect(objects.every(({ fields }) => fields.length === 0)).toBe(true)
    expect(objects[1]?.id).toBe(port.id)
  })

  test('a change of many objects names three of them, and a preview and a single change the same', async () => {
    const operations = Array.from({ length: 20 }, (_, i) => ({
      ...{ op: 'create' as const, device: { name: `many-${String(i).padStart(2, '0')}` } },
    }))
    await admin.api.devices.bulk({ operations })
    const change = await newest()
    expect(change.objects.map(({ kind, change: done }) => `${kind} ${done}`)).toEqual(Array(3).fill('device create'))
    expect(new Set(change.objects.map(({ name }) => name)).size).toBe(3)
    const { objects } = await admin.api.history.get({ id: change.id })
    expect(objects).toEqual(change.objects)
    const undone = await admin.api.history.undo({ id: change.id })
    expect(undone.objects.map((one) => [one.change, one.id])).toEqual(objects.map(({ id }) => ['delete', id]))
  })

  test('a part of the present name finds all changes of the object, in any case', async () => {
    const { id } = await admin.api.devices.create({ name: 'Fünd-Köln-7' })
    await admin.api.devices.update({ id, os: 'one' })
    const found = [
      ['devices.update', 'Fünd-Köln-7'],
      ['devices.create', 'Fünd-Köln-7'],
    ]
    expect(await find('ND-KÖLN')).toEqual(found)
    expect(await find('nd-köln', { limit: 1, offset: 1 })).toEqual(found.slice(1))
    expect(await find('nd-köln', { kind: 'network' })).toEqual([])
    expect(await find('nd-köln', { object_id: id, operation: 'devices.create' })).toEqual(found.slice(1))
    expect(await find('n_-köln')).toEqual([])
    expect(await find('%')).toEqual([])
  })

  test('the beginning of an earlier name finds the changes of a renamed and of a deleted object', async () => {
    const { id } = await admin.api.devices.create({ name: 'before-12' })
    await admin.api.devices.update({ id, name: 'after-12' })
    const { id: gone } = await admin.api.networks.create({ name: 'before-128', subnet: '10.99.0.0/24' })
    await admin.api.networks.delete({ id: gone })
    const all = [
      ['networks.delete', 'before-128'],
      ['networks.create', 'before-128'],
      ['devices.update', 'after-12'],
      ['devices.create', 'before-12'],
    ]
    for (const q of ['before', 'BEFORE-1', 'before-12', 'before-012'.replace('0', '')])
      expect(await find(q)).toEqual(all)
    expect(await find('before-128')).toEqual(all.slice(0, 2))
    expect(await find('efore-12')).toEqual([])
    expect(await find('before-2')).toEqual([])
  })

  test('more objects than a list takes are found with the same changes and their number', async () => {
    const create = (from: number) =>
      admin.api.devices.bulk({
        operations: Array.from({ length: 600 }, (_, i) => ({
          ...{ op: 'create' as const, device: { name: `crowd-${from + i}` } },
        })),
      })
    await create(0)
    await create(600)
    const { id } = await admin.api.devices.create({ name: 'aside' })
    await admin.api.devices.update({ id, name: 'crowd again' })
    await admin.api.devices.update({ id, name: 'aside' })
    const { status, headers } = await admin.request('GET', '/api/history?q=crowd-&limit=1')
    expect([status, headers.get('x-total-count')]).toEqual([200, '2'])
    expect((await find('crowd')).map(([operation]) => operation)).toEqual([
      ...['devices.update', 'devices.update', 'devices.create', 'devices.bulk', 'devices.bulk'],
    ])
    expect((await find('crowd', { object_id: id })).length).toBe(3)
    expect((await find('crowd-11')).length).toBe(2)
  })

  test('a text of no or of too many characters is refused on its field', async () => {
    for (const q of ['', 'x'.repeat(129)]) {
      const answer = await admin.request('GET', `/api/history?q=${q}`)
      expect([answer.status, JSON.stringify(await answer.json())]).toEqual([400, expect.stringContaining('"q"')])
    }
    expect((await admin.request('GET', `/api/history?q=${'x'.repeat(128)}`)).status).toBe(200)
  })
})

test('the ranges of collation keys hold the names that begin with a text', () => {
  const names = [
    'web-1',
    'web-10',
    'web-19',
    'web-100',
    'web-2',
    'web-01',
    'web-123456789012',
    'web',
    'wéb-1',
    '1',
    '10.0.0.1',
  ]
  for (const text of ['web-1', 'web-10', 'web', 'web-', 'web-0', '1', '10.0', 'web-123456789', 'wéb-1']) {
    const ranges = listOrderRanges(text)
    for (const name of names.filter((one) => one.startsWith(text)))
      expect([text, name, ranges.some(({ from, to }) => toSortKey(name) >= from && toSortKey(name) < to)]).toEqual([
        ...[text, name, true],
      ])
  }
  const ranges = listOrderRanges('web-19')
  const holds = (name: string) => ranges.some(({ from, to }) => toSortKey(name) >= from && toSortKey(name) < to)
  expect(['web-1', 'web-2', 'web-200'].filter(holds)).toEqual([])
})
