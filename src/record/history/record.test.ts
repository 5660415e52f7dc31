/** The change that a transaction records, and the part of it that a caller may read. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async () => (await admin.api.history.list({ limit: 1 }))[0]

  test('a create is one change with one item, and all of its fields come from nothing', async () => {
    const device = await admin.api.devices.create({ name: 'web-1', tags: ['a'], addresses: [{ ip: '10.0.0.1' }] })
    const [change] = await admin.api.history.list({ object_id: device.id })
    expect(change).toMatchObject({
      operation: 'devices.create',
      via: 'key',
      summary: 'creates 1 device',
      counts: { create: { device: 1 } },
      undoes: null,
      proposal_id: '',
      undone_by: null,
    })
    const { items = [] } = await admin.api.history.get({ id: change?.id ?? '' })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ kind: 'device', id: device.id, name: 'web-1', change: 'create' })
    expect(items[0]?.fields.tags).toEqual({ from: null, to: ['a'] })
    expect(Object.keys(items[0]?.fields ?? {})).not.toContain('created_at')
  })

  test('an update lists the fields that differ', async () => {
    const { id } = await admin.api.devices.create({ name: 'web-2' })
    await admin.api.devices.update({ id, name: 'web-two', os: 'Debian' })
    const [entry] = await admin.api.histories.device({ id })
    expect(entry).toMatchObject({
      change: 'update',
      fields: { name: { from: 'web-2', to: 'web-two' }, os: { from: '', to: 'Debian' } },
    })
  })

  test('a write that alters nothing is no change', async () => {
    const { id } = await admin.api.devices.create({ name: 'web-3' })
    const before = await newest()
    await admin.api.devices.update({ id, name: 'web-3' })
    expect(await newest()).toEqual(before)
  })

  test('a delete has its cascade in the same change, and its history stays', async () => {
    const network = await admin.api.networks.create({ name: 'n', subnet: '10.1.0.0/24' })
    const pool = await admin.api.pools.create({
      network_id: network.id,
      name: 'p',
      start_ip: '10.1.0.10',
      end_ip: '10.1.0.20',
    })
    const device = await admin.api.devices.create({ name: 'd', addresses: [{ ip: '10.1.0.10', pool_id: pool.id }] })
    await admin.api.reservations.create({ pool_id: pool.id, ip_address: '10.1.0.11' })
    await admin.api.networks.delete({ id: network.id })
    expect(await newest()).toMatchObject({
      operation: 'networks.delete',
      summary: 'deletes 1 network, 1 pool and 1 reservation; changes 1 device',
    })
    const [entry] = await admin.api.histories.network({ id: network.id })
    expect(entry).toMatchObject({ change: 'delete', fields: { subnet: { from: '10.1.0.0/24', to: null } } })
    const [ofDevice] = await admin.api.histories.device({ id: device.id })
    expect(Object.keys(ofDevice?.fields ?? {})).toEqual(['addresses'])
  })

  test('the id of the change is in the answer and in the audit trail, the note in the history', async () => {
    const response = await admin.request(
      'POST',
      '/api/devices',
      { name: 'noted' },
      { 'X-Change-Note': 'caf%C3%A9 100%' },
    )
    const id = response.headers.get('x-change-id') ?? ''
    expect(await admin.api.history.get({ id })).toMatchObject({ note: 'café 100%' })
    const [entry] = await admin.api.audit.list({ limit: 1 })
    expect(entry?.change_id).toBe(id)
  })

  test('the history of a device has its relationships from both ends, created and deleted', async () => {
    const { id: parent } = await admin.api.devices.create({ name: 'parent' })
    const { id: child } = await admin.api.devices.create({ name: 'child' })
    await admin.api.relationships.create({ device_id: parent, child_id: child, type: 'contains' })
    await admin.api.relationships.delete({ device_id: parent, child_id: child, type: 'contains' })
    for (const id of [parent, child]) {
      const entries = await admin.api.histories.device({ id })
      const ofRelationship = entries.filter(({ kind }) => kind === 'relationship')
      expect(ofRelationship.map(({ change }) => change)).toEqual(['delete', 'create'])
    }
  })

  test('the list takes times before the history and in the future, as a filter', async () => {
    const { id } = await admin.api.devices.create({ name: 'timed' })
    const [change] = await admin.api.history.list({ object_id: id })
    const within = { object_id: id, from: '9999d', to: '2999-01-01T00:00:00Z' }
    expect(await admin.api.history.list(within)).toEqual(change ? [change] : [])
    expect(await admin.api.history.list({ object_id: id, to: '1d' })).toEqual([])
    expect(await admin.api.history.list({ object_id: id, from: change?.id, to: change?.id })).toHaveLength(1)
  })

  test('a failed item of a bulk call leaves no trace', async () => {
    const results = await admin.request('POST', '/api/devices/bulk', {
      atomic: false,
      operations: [
        { op: 'create', device: { name: 'bulk-1' } },
        { op: 'update', id: 'missing', device: { name: 'x' } },
      ],
    })
    expect(results.status).toBeLessThan(300)
    expect(await newest()).toMatchObject({ operation: 'devices.bulk', summary: 'creates 1 device' })
  })

  test('a kind or a user that the caller may not see filters everything out', async () => {
    const reader = await app.as(['networks:list', 'networks:read'])
    await admin.api.networks.create({ name: 'seen', subnet: '10.9.0.0/24' })
    expect(await reader.api.history.list({})).not.toEqual([])
    expect(await reader.api.history.list({ kind: 'device' })).toEqual([])
    expect(await reader.api.history.list({ user_id: admin.userId })).toEqual([])
    expect(await admin.api.history.list({ user_id: 'unknown' })).toEqual([])
  })

  test('the ETag follows the rights of the caller, and a moment that is relative to now', async () => {
    const { id } = await admin.api.networks.create({ name: 'tagged', subnet: '10.9.1.0/24' })
    const reader = await app.as(['networks:list', 'networks:read', 'devices:read'])
    const other = await app.as(['networks:list', 'networks:read'])
    const etag = async (who: TestCaller, path: string) => (await who.request('GET', path)).headers.get('etag')
    const [change] = await admin.api.history.list({ object_id: id })
    for (const path of ['/api/history', `/api/history/${change?.id}/items`, `/api/networks/${id}/history`]) {
      expect([path, await etag(reader, path)]).toEqual([path, await etag(reader, path)])
      expect(await etag(reader, path)).not.toBe(await etag(other, path))
    }
    const before = await etag(admin, '/api/history?from=1s')
    const at = Date.now()
    await until('later time', () => Date.now() > at || undefined)
    expect(await etag(admin, '/api/history?from=1s')).not.toBe(before)
  })

  test('a caller sees the kinds that it may read, and no others', async () => {
    const reader = await app.as(['networks:list', 'networks:read'])
    const changes = await reader.api.history.list({})
    expect(
      new Set(changes.flatMap(({ counts }) => Object.values(counts).flatMap((of) => Object.keys(of ?? {})))),
    ).toEqual(new Set(['network']))
    const hidden = (await admin.api.history.list({ kind: 'device', operation: 'devices.create', limit: 1 }))[0]
    expect((await reader.request('GET', `/api/history/${hidden?.id}`)).status).toBe(404)
    expect((await reader.request('GET', '/api/devices/x/history')).status).toBe(403)
  })
})
