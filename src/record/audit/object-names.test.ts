// Entries of the trail name their objects: by the current name, or by the last known name of a deleted object. Only
// callers who may read the object get the name.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Permission } from '../../kernel/operation.ts'
import type { AuditEntry } from './api.ts'

describe.each(onSqlite())('the names in the trail on %s', (dialect) => {
  const d = discoveryApp(dialect, { AUDIT_ENABLED: 'true' })
  const namedBy = async (permissions: readonly Permission[], resource_id: string) => {
    const { api } = await d.app.as([...permissions])
    const [entry] = await api.audit.list({ resource_id, include: 'names' })
    return entry?.object
  }
  const named = async (resource_id: string): Promise<AuditEntry['object']> => {
    const [entry] = await d.api.audit.list({ resource_id, include: 'names' })
    return entry?.object
  }

  test('an entry has the name that its object has now', async () => {
    const { id } = await d.api.devices.create({ name: 'before' })
    await d.api.devices.update({ id, name: 'after' })
    const entries = await d.api.audit.list({ resource_id: id, include: 'names' })
    const now = { type: 'device', name: 'after', is_deleted: false }
    expect(entries.map(({ action, object }) => [action, object])).toEqual([
      ['update', now],
      ['create', now],
    ])
  })

  test('a deleted object keeps the last name in its entries', async () => {
    const { id } = await d.api.devices.create({ name: 'old' })
    await d.api.devices.update({ id, name: 'renamed' })
    await d.api.devices.update({ id, os: 'Plan 9' })
    await d.api.devices.delete({ id })
    expect(await named(id)).toEqual({ type: 'device', name: 'renamed', is_deleted: true })
  })

  test('a name that was refused is not the name of a deleted object', async () => {
    const { id } = await d.api.devices.create({ name: 'accepted' })
    await d.ask(`PUT /api/devices/${id}`, { name: 'refused', addresses: [{ ip: 'none' }] })
    await d.api.devices.delete({ id })
    expect(await named(id)).toMatchObject({ name: 'accepted' })
  })

  test('an object without a name in its entries has none', async () => {
    const { results } = await d.api.devices.bulk({ operations: [{ op: 'create', device: { name: 'in bulk' } }] })
    const id = results[0]?.device?.id ?? ''
    await d.api.devices.delete({ id })
    expect(await named(id)).toBeNull()
  })

  test('an id that never was an object has no name', async () => {
    await d.ask('DELETE /api/devices/no-such-device')
    expect(await named('no-such-device')).toBeNull()
  })

  test('every kind of object is named', async () => {
    const { api } = d
    const datacenter = await api.datacenters.create({ name: 'the datacenter' })
    const network = await d.network()
    await api.networks.update({ id: network.id, name: 'the network' })
    const range = { start_ip: network.at(5), end_ip: network.at(9) }
    const pool = await api.pools.create({ name: 'the pool', network_id: network.id, ...range })
    const reservation = await api.reservations.create({ pool_id: pool.id, ip_address: network.at(6) })
    const device = await api.devices.create({ name: 'the device' })
    const user = await api.users.create({ username: 'the-user', password: 'long enough' })
    const role = await api.roles.create({ name: 'the role', permissions: [] })
    const key = await api.keys.create({ name: 'the key' })
    const hook = { name: 'the webhook', url: 'https://192.0.2.1/', events: ['device.deleted'] }
    const webhook = await api.webhooks.create({ ...hook, events: ['device.deleted'] })
    const rule = await api.discoveryRules.create({ network_id: network.id })
    const made = { datacenter, network, pool, reservation, device, user, role, key, webhook, 'discovery-rule': rule }
    const names = await Promise.all(
      Object.entries(made).map(async ([type, { id }]) => {
        const object = await named(id)
        return [type === object?.type, object?.name]
      }),
    )
    expect(names).toEqual(
      [
        ...[
          'the datacenter',
          'the network',
          'the pool',
          network.at(6),
          'the device',
          'the-user',
          'the role',
          'the key',
        ],
        ...['the webhook', 'the network'],
      ].map((name) => [true, name]),
    )
  })

  test('an entry of a view has its name for those who see the view', async () => {
    const view = await d.api.views.create({ name: 'the view', path: '/devices', search: '?q=a' })
    expect(await named(view.id)).toEqual({ type: 'view', name: 'the view', is_deleted: false })
    expect(await namedBy(['audit:list', 'audit:read'], view.id)).toBeNull()
    await d.api.views.update({ id: view.id, is_shared: true })
    expect(await namedBy(['audit:list', 'audit:read'], view.id)).toMatchObject({ name: 'the view' })
  })

  test('a scan is called after its network', async () => {
    const { id: networkId } = await d.network()
    await d.api.networks.update({ id: networkId, name: 'scanned' })
    expect(await named(await d.scan(networkId, []))).toEqual({ type: 'scan', name: 'scanned', is_deleted: false })
  })

  test('a relationship is found under the device that it belongs to', async () => {
    const [parent, child] = [
      await d.api.devices.create({ name: 'parent' }),
      await d.api.devices.create({ name: 'child' }),
    ]
    await d.api.relationships.create({ device_id: parent.id, child_id: child.id, type: 'depends_on' })
    expect(await named(parent.id)).toEqual({ type: 'device', name: 'parent', is_deleted: false })
  })

  test('a name is hidden from callers who may not read its object', async () => {
    const { id } = await d.api.devices.create({ name: 'secret' })
    expect(await namedBy(['audit:list'], id)).toBeNull()
    expect(await namedBy(['audit:list', 'networks:read', 'devices:list'], id)).toBeNull()
    expect(await namedBy(['audit:list', 'devices:read'], id)).toMatchObject({ name: 'secret' })
  })

  test('the last name of a deleted object is hidden from callers without its permission', async () => {
    const { id } = await d.api.devices.create({ name: 'secret and gone' })
    await d.api.devices.delete({ id })
    expect(await namedBy(['audit:list', 'networks:read'], id)).toBeNull()
  })

  test('an entry of a scan does not reveal the name of its network', async () => {
    const { id: networkId } = await d.network()
    const scan = await d.scan(networkId, [])
    expect(await namedBy(['audit:list', 'discovery:read'], scan)).toBeNull()
  })

  test('callers see the names of their own keys, and of no others', async () => {
    const caller = await d.app.as(['audit:list', 'audit:read'])
    const own = await caller.api.keys.create({ name: 'mine' })
    const other = await d.api.keys.create({ name: 'theirs' })
    const see = async (resource_id: string) =>
      (await caller.api.audit.list({ resource_id, include: 'names' }))[0]?.object
    expect([(await see(own.id))?.name, await see(other.id)]).toEqual(['mine', null])
  })

  test('one entry has the name, and hides it from callers who may not read the object', async () => {
    const { id } = await d.api.devices.create({ name: 'single' })
    const [entry] = await d.api.audit.list({ resource_id: id })
    const get = async ({ api }: typeof d.admin) => (await api.audit.get({ id: entry?.id ?? '' })).object
    expect([(await get(d.admin))?.name, await get(await d.app.as(['audit:read']))]).toEqual(['single', null])
  })

  test('lists without names are as before', async () => {
    const { id } = await d.api.devices.create({ name: 'plain' })
    const [entry] = await d.api.audit.list({ resource_id: id })
    expect(Object.keys(entry ?? {})).not.toContain('object')
  })

  test('a list with names is another one after a renaming', async () => {
    const { id } = await d.api.devices.create({ name: 'first name' })
    const path = `GET /api/audit?resource_id=${id}&action=create&include=names`
    const { etag } = await d.ask(path)
    await d.api.devices.update({ id, name: 'second name' })
    const after = await d.ask(path, undefined, { 'If-None-Match': etag ?? '' })
    expect(after).toMatchObject({ status: 200, body: [{ object: { name: 'second name' } }] })
  })

  test('the dashboard names changed objects, for callers who may read them', async () => {
    const { id } = await d.api.devices.create({ name: 'on the dashboard' })
    const newest = async ({ api }: typeof d.admin) => (await api.dashboard.show()).changes?.[0]
    const reader = await d.app.as(['dashboard:read', 'audit:list'])
    const known = { type: 'device', name: 'on the dashboard', is_deleted: false }
    expect(await newest(d.admin)).toMatchObject({ resource_id: id, object: known })
    expect((await newest(reader))?.object).toBeNull()
  })
})
