/** Undo of each sort of change, and of undos. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { callTool, Plan } from '../../../../testing/mcp.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import type { Change } from '../api.ts'

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true', DISCOVERY_ALLOWED_SUBNETS: '10.0.0.0/8' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async (): Promise<Change> => {
    const [change] = await admin.api.history.list({ limit: 1 })
    if (!change) throw new Error('there is no change')
    return change
  }
  const undo = (id: string, query = '') => admin.request('POST', `/api/history/${id}/undo${query}`)
  const undone = async (id: string): Promise<Change> => {
    const response = await undo(id)
    const body = await response.json()
    expect([response.status, body]).toEqual([200, expect.anything()])
    return body as Change
  }

  test('a create, without a body, and the undo of the undo to depth 3', async () => {
    const device = await admin.api.devices.create({ name: 'u1', tags: ['a'], addresses: [{ ip: '10.9.0.1' }] })
    const created = await newest()
    const first = await undone(created.id)
    expect(first).toMatchObject({
      operation: 'history.undo',
      undoes: created.id,
      note: `undo of ${created.id}`,
      summary: 'deletes 1 device',
      items: [{ kind: 'device', id: device.id, change: 'delete' }],
    })
    expect((await newest()).id).toBe(first.id)
    expect((await admin.request('GET', `/api/devices/${device.id}`)).status).toBe(404)
    expect((await admin.api.history.get({ id: created.id })).undone_by).toBe(first.id)

    const second = await undone(first.id)
    const again = await admin.api.devices.get({ id: device.id })
    expect({ ...again, updated_at: '' }).toEqual({ ...device, updated_at: '' })
    expect(again.updated_at >= device.updated_at).toBe(true)
    expect((await admin.api.history.get({ id: created.id })).undone_by).toBeNull()
    expect((await admin.api.history.get({ id: first.id })).undone_by).toBe(second.id)

    const third = await undone(second.id)
    expect((await admin.request('GET', `/api/devices/${device.id}`)).status).toBe(404)
    expect((await admin.api.history.get({ id: first.id })).undone_by).toBeNull()
    expect((await admin.api.history.get({ id: created.id })).undone_by).toBe(first.id)
    expect((await admin.api.history.get({ id: second.id })).undone_by).toBe(third.id)
    const twice = await undo(created.id)
    expect(twice.status).toBe(409)
    expect(await twice.json()).toMatchObject({ code: 'UNDO_CONFLICT', error: expect.stringContaining(first.id) })
  })

  test('an update only sets the changed fields', async () => {
    const { id } = await admin.api.devices.create({ name: 'u2', os: 'Debian' })
    await admin.api.devices.update({ id, name: 'u2-new', tags: ['x'] })
    const change = await newest()
    await admin.api.devices.update({ id, os: 'Fedora' })
    await undone(change.id)
    expect(await admin.api.devices.get({ id })).toMatchObject({ name: 'u2', tags: [], os: 'Fedora' })
    expect(await (await undo(change.id)).json()).toMatchObject({ code: 'UNDO_CONFLICT' })
  })

  test('the delete of a network brings back its pools, reservations, rules, and the references of devices', async () => {
    const datacenter = await admin.api.datacenters.create({ name: 'dc' })
    const network = await admin.api.networks.create({ name: 'n', subnet: '10.8.0.0/24', datacenter_id: datacenter.id })
    const pool = await admin.api.pools.create({
      network_id: network.id,
      name: 'p',
      start_ip: '10.8.0.10',
      end_ip: '10.8.0.20',
      tags: ['t'],
    })
    const reservation = await admin.api.reservations.create({ pool_id: pool.id, ip_address: '10.8.0.11', purpose: 'x' })
    const rule = await admin.api.discoveryRules.create({ network_id: network.id, interval_hours: 24, enabled: false })
    const device = await admin.api.devices.create({
      name: 'u3',
      addresses: [
        { ip: '10.8.0.10', pool_id: pool.id, network_id: network.id },
        { ip: '10.8.0.11', pool_id: pool.id },
      ],
    })
    await admin.api.networks.delete({ id: network.id })
    const change = await newest()
    const preview = await undo(change.id, '?dry_run=true')
    const shown = (await preview.json()) as Change
    expect([preview.status, shown.id, shown.at, shown.undoes]).toEqual([200, '', '', change.id])
    const made = await undone(change.id)
    expect({ ...shown, id: made.id, at: made.at, request_id: made.request_id }).toEqual(made)
    const { updated_at: _, ...wanted } = network
    expect(await admin.api.networks.get({ id: network.id })).toMatchObject(wanted)
    expect(await admin.api.pools.get({ id: pool.id })).toMatchObject({ tags: ['t'], created_at: pool.created_at })
    expect(await admin.api.reservations.get({ id: reservation.id })).toMatchObject({
      created_by: reservation.created_by,
      created_at: reservation.created_at,
      purpose: 'x',
    })
    expect(await admin.api.discoveryRules.get({ id: rule.id })).toMatchObject({ interval_hours: 24, enabled: false })
    expect((await admin.api.devices.get({ id: device.id })).addresses).toEqual(device.addresses)
  })

  test('an import, an allocation and a bulk call', async () => {
    const rows = Array.from({ length: 600 }, (_, i) => ({
      name: `bulk-${i}`,
      addresses: [{ ip: `10.7.${i >> 8}.${i & 255}` }],
    }))
    const answer = await admin.request('POST', '/api/estate/import?resource=devices', rows)
    // The answer ends when the import is committed.
    expect(await answer.text()).toContain('"created":600')
    const imported = await newest()
    const { id: network_id } = await admin.api.networks.create({ name: 'a', subnet: '10.6.0.0/24' })
    const pool = await admin.api.pools.create({ network_id, name: 'a', start_ip: '10.6.0.10', end_ip: '10.6.0.20' })
    await admin.api.reservations.allocate({ id: pool.id, count: 3 })
    expect((await undone((await newest()).id)).summary).toBe('deletes 3 reservations')
    expect(await admin.api.pools.nextIp({ id: pool.id })).toEqual({ ip: '10.6.0.10' })
    const devices = (await admin.api.devices.search({ q: 'bulk-' })).slice(0, 3)
    await admin.api.devices.bulk({
      operations: devices.map(({ id }) => ({ op: 'update' as const, id, device: { add_tags: ['x'] } })),
      atomic: true,
    })
    expect((await undone((await newest()).id)).summary).toBe('changes 3 devices')
    const first = await undone(imported.id)
    expect([first.summary, first.items?.length]).toEqual(['deletes 600 devices', 100])
    expect(await admin.api.devices.search({ q: 'bulk-' })).toEqual([])
    expect((await undone(first.id)).summary).toBe('creates 600 devices')
    expect(await admin.api.devices.search({ q: 'bulk-599' })).toHaveLength(1)
  })

  test('an AI client gets a plan, and applies it', async () => {
    const { id } = await admin.api.devices.create({ name: 'planned' })
    const change = await newest()
    const on = { fetch: app.fetch, key: admin.key }
    const planned = Plan.parse(
      (await callTool(on, 'call_operation', { operation: 'history.undo', input: { id: change.id } })).value,
    )
    expect((await admin.api.devices.get({ id })).name).toBe('planned')
    expect(planned.summary).toContain('1 device')
    await callTool(on, 'apply_plan', { plan_id: planned.plan_id })
    expect((await admin.request('GET', `/api/devices/${id}`)).status).toBe(404)
  })
})
