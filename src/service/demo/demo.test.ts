// The demo: what it holds, how it is loaded and removed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'

type Loaded = { readonly change_ids: readonly string[]; readonly counts: Readonly<Record<string, number>> }

describe.each(engines())('the demo on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let api: TestCaller['api']
  let loaded: Loaded
  beforeAll(async () => {
    app = await testApp({ dialect, env: { DISCOVERY_ALLOWED_SUBNETS: '' } })
    admin = await app.as('admin')
    api = admin.api
    expect(await api.demo.show({})).toEqual({ loaded: false, objects: 0 })
    const { status, body } = await ask(admin, 'POST /api/demo', {})
    expect([status, body]).toEqual([201, expect.anything()])
    loaded = body as Loaded
  }, 60_000)
  afterAll(() => app.close())

  test('has the objects that its design names', async () => {
    expect(loaded.counts).toMatchObject({
      ...{ datacenters: 3, spaces: 1, networks: 25, 'device-types': 3, racks: 4, devices: 77 },
      ...{ feeds: 2, 'dns-zones': 2, scans: 4 },
    })
    const { objects, loaded: isLoaded } = await api.demo.show({})
    expect(isLoaded).toBe(true)
    expect(objects).toBeGreaterThan(250)
  })

  test('is loaded once', async () => {
    const { status, body } = await ask(admin, 'POST /api/demo', { force: true })
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'ALREADY_EXISTS' })])
  })

  test('has something in every bucket of the inbox', async () => {
    const { ignored: _, ...buckets } = await api.inbox.summary()
    expect(Object.entries(buckets).filter(([, count]) => count === 0)).toEqual([])
  })

  test('has one conflict, of two devices with one address', async () => {
    const conflicts = await api.conflicts.list({ status: 'active' })
    expect(conflicts.map(({ type, device_ids }) => [type, [...device_ids].sort()])).toEqual([
      ['duplicate_ip', ['demo-fra-erp-test', 'demo-fra-erp1']],
    ])
  })

  test('has six changes with notes, one of them undone by a seventh', async () => {
    const history = await api.history.list({})
    expect(history.map(({ id }) => id).toReversed()).toEqual([...loaded.change_ids])
    expect(history.filter(({ note }) => note === '')).toEqual([])
    expect(history.filter(({ undone_by }) => undone_by !== null).map(({ operation }) => operation)).toEqual([
      'devices.delete',
    ])
    expect(history.length).toBe(7)
  })

  test('a cable between the racks is traced through both panels', async () => {
    const [port] = (await api.ports.list({ device_id: 'demo-fra-sw1' })).filter(({ name }) => name === 'Ethernet49')
    const { hops, ends } = await api.cables.trace({ id: port?.id ?? '' })
    expect(hops.map(({ to }) => `${to.device} ${to.port} ${to.side}`)).toEqual([
      'fra-a01-pp1 1 front',
      'fra-a02-pp1 1 rear',
      'fra-sw2 Ethernet49 front',
    ])
    expect(ends.length).toBe(2)
  })

  test('its zones and feeds have content', async () => {
    for (const id of ['demo-feed-prometheus', 'demo-feed-ansible']) {
      const response = await admin.request('GET', `/api/feeds/${id}/content`)
      expect([id, response.status, (await response.text()).includes('fra-hv01')]).toEqual([id, 200, true])
    }
  })

  test('its removal is previewed, needs the rights, and leaves nothing', async () => {
    const stale = await admin.request('DELETE', '/api/demo', undefined, { 'If-Match': '"another"' })
    expect(stale.status).toBe(412)
    const preview = await admin.request('DELETE', '/api/demo?dry_run=changes')
    expect(preview.status).toBe(200)
    expect((await preview.json()) as unknown).toMatchObject({ counts: { delete: { device: 77, network: 25 } } })
    expect((await api.demo.show({})).loaded).toBe(true)
    expect((await ask(await app.as('viewer'), 'DELETE /api/demo')).status).toBe(403)
    const response = await admin.request('DELETE', '/api/demo')
    expect(response.status).toBe(204)
    const [change] = await api.history.list({ limit: 1 })
    expect([change?.id, change?.operation]).toEqual([response.headers.get('x-change-id') ?? '', 'demo.remove'])
    expect(await api.demo.show({})).toEqual({ loaded: false, objects: 0 })
    const left = await Promise.all([
      ...[api.devices.list({}), api.networks.list({}), api.feeds.list({}), api.dnsZones.list({}), api.ports.list({})],
      ...[api.customFields.list({}), api.spaces.list({}), api.discovery.list({ network_id: '*' }), api.scans.list({})],
    ])
    expect(left.flat()).toEqual([])
    expect((await ask(admin, 'DELETE /api/demo')).status).toBe(404)
  })

  test('is there again after its removal is undone', async () => {
    const [change] = await api.history.list({ limit: 1 })
    await api.history.undo({ id: change?.id ?? '' })
    expect((await api.demo.show({})).loaded).toBe(true)
    expect((await api.devices.list({})).length).toBe(77)
  })
})

describe.each(onSqlite())('a server with other objects on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { DISCOVERY_ALLOWED_SUBNETS: '' } })
    admin = await app.as('admin')
    await admin.api.devices.create({ name: 'fra-hv01', tags: ['mine'] })
    await admin.api.datacenters.create({ name: 'Frankfurt' })
  })
  afterAll(() => app.close())
  const run = (...argv: readonly string[]) => runCommand({ app, key: admin.key }, { argv })

  test('refuses the demo without force, for users without the rights and for scoped ones', async () => {
    const { status, body } = await ask(admin, 'POST /api/demo', {})
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'IN_USE' })])
    for (const role of ['viewer', 'operator'] as const)
      expect((await ask(await app.as(role), 'POST /api/demo', { force: true })).status).toBe(403)
  })

  test('has nothing of the demo after a step has failed', async () => {
    const zone = await admin.api.dnsZones.create({ name: 'example.net' })
    const { status } = await ask(admin, 'POST /api/demo', { force: true })
    expect(status).toBe(409)
    expect(await admin.api.demo.show({})).toEqual({ loaded: false, objects: 0 })
    expect((await admin.api.devices.list({})).map(({ name }) => name)).toEqual(['fra-hv01'])
    await admin.api.dnsZones.delete({ id: zone.id })
  })

  test('keeps its objects when the demo is loaded by force and removed', async () => {
    expect((await run('demo', 'load', '--force')).code).toBe(0)
    expect((await admin.api.devices.list({})).filter(({ name }) => name === 'fra-hv01').length).toBe(2)
    expect((await run('demo', 'show', '-o', 'json')).out).toContain('"loaded":true')
    expect((await run('demo', 'remove')).code).toBe(0)
    expect((await admin.api.devices.list({})).map(({ name, tags }) => [name, tags])).toEqual([['fra-hv01', ['mine']]])
    expect((await admin.api.datacenters.list({})).length).toBe(1)
  })

  test('gets the demo by "plat demo" as by "plat demo load"', async () => {
    expect((await run('demo', '--force')).code).toBe(0)
    expect((await admin.api.demo.show({})).loaded).toBe(true)
    await admin.api.demo.remove({})
  })

  test.each(['--devices', '--seed'])('says by exit code 2 that %s is gone', async (flag) => {
    const ran = await run('demo', flag, '10')
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('plat demo load')])
  })
})
