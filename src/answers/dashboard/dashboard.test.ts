// The counts and names on the dashboard, by the permissions of the caller.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { record } from '../utilization/store.ts'
import { ATTENTION_KINDS } from './api.ts'

const TIMEOUT_MS = 60_000

describe.each(onSqlite())('the dashboard on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
    const { id: outer } = await admin.api.networks.create({ name: 'outer', subnet: '10.0.0.0/16' })
    const { id: inner } = await admin.api.networks.create({ name: 'inner', subnet: '10.0.1.0/30' })
    await admin.api.networks.create({ name: 'empty', subnet: '10.9.0.0/24' })
    await admin.api.pools.create({ network_id: inner, name: 'tight', start_ip: '10.0.1.1', end_ip: '10.0.1.1' })
    await admin.api.pools.create({ network_id: outer, name: 'wide', start_ip: '10.0.2.1', end_ip: '10.0.2.9' })
    await admin.api.devices.create({ name: 'one', addresses: [{ ip: '10.0.1.1' }] })
    await admin.api.devices.create({ name: 'two', addresses: [{ ip: '10.0.1.1' }] })
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  test('counts the objects', async () => {
    expect(await admin.api.dashboard.show()).toMatchObject({ devices: 2, networks: 3, pools: 2, datacenters: 0 })
  })

  test('names the fullest networks, with their subnets, and no empty one', async () => {
    const { fullest_networks } = await admin.api.dashboard.show()
    expect(fullest_networks?.map(({ name, subnet, utilization }) => [name, subnet, utilization])).toEqual([
      ['inner', '10.0.1.0/30', 50],
      ['outer', '10.0.0.0/16', 0],
    ])
  })

  test('names the pools that are all but full', async () => {
    const { full_pools, fullest_pools } = await admin.api.dashboard.show()
    expect(full_pools).toMatchObject({ count: 1, pools: [{ name: 'tight', available_ips: 0, utilization: 100 }] })
    expect(fullest_pools?.map(({ name }) => name)).toEqual(['tight', 'wide'])
  })

  test('forecasts when the fullest networks are full', async () => {
    const { fullest_pools } = await admin.api.dashboard.show()
    const wide = fullest_pools?.find(({ name }) => name === 'wide')
    expect(wide?.days_to_full).toBeNull()
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    // Today's sample was stored before the last change.
    const samples = [3, 2, 1, 0].map((ago) => {
      const used = ago === 0 ? 9 : 3 - ago
      return { object_id: wide?.id ?? '', day: day(ago), used, total: 9 }
    })
    await app.db.write((inner) => record(inner, samples))
    const addresses = [1, 2, 3].map((host) => ({ ip: `10.0.2.${host}` }))
    await admin.api.devices.create({ name: 'three', addresses })
    const after = (await admin.api.dashboard.show()).fullest_pools?.find(({ name }) => name === 'wide')
    expect(after?.days_to_full).toBe(6)
  })

  test('counts the active conflicts', async () => {
    expect((await admin.api.dashboard.show()).conflicts).toEqual({ duplicate_ip: 1, overlapping_subnet: 0 })
  })

  test('the dashboard names webhooks with failing deliveries, and not the ones that were tried out', async () => {
    const row = (id: string, webhook_id: string, event: string) => ({
      ...{
        id,
        webhook_id,
        event,
        body: '{}',
        change_id: '',
        status: 'failed' as const,
        attempt_number: 1,
        attempts_left: 0,
      },
      ...{ response_code: null, response_body: '', error: 'refused', duration_ms: 1, attempts: '[]', next_retry: null },
      ...{ due_ms: null, until_ms: 0, holder: '', created_at: new Date().toISOString() },
    })
    const make = (name: string) =>
      admin.api.webhooks.create({ name, url: 'https://192.0.2.1/', events: ['device.deleted'] })
    const [bad, tried] = [await make('bad'), await make('tried')]
    await app.db.write(({ db }) =>
      db
        .insertInto('webhook_deliveries')
        .values([row('d1', bad.id, 'device.deleted'), row('d2', tried.id, 'webhook.ping')])
        .execute(),
    )
    const { webhooks } = await admin.api.dashboard.show()
    expect(webhooks?.map(({ name, failed }) => [name, failed])).toEqual([['bad', 1]])
  })

  test("names the caller's keys that end soon", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    await admin.api.keys.create({ name: 'ends', expires_at: soon })
    await admin.api.keys.create({ name: 'stays' })
    const other = await app.as('admin')
    const names = async ({ api }: TestCaller) => (await api.dashboard.show()).ending_keys.map(({ name }) => name)
    expect([await names(admin), await names(other)]).toEqual([['ends'], []])
  })

  test('the dashboard names what needs attention, worst first', async () => {
    const net = await admin.api.networks.create({ name: 'brim', subnet: '10.8.0.0/30' })
    await admin.api.devices.create({ name: 'brim-1', addresses: [{ ip: '10.8.0.1' }, { ip: '10.8.0.2' }] })
    const { attention } = await admin.api.dashboard.show()
    const of = (kind: string) => attention.find((one) => one.kind === kind)
    expect(of('conflict.duplicate_ip')).toMatchObject({
      ...{ severity: 'critical', count: 1 },
      objects: [{ type: 'conflict', name: '10.0.1.1' }],
    })
    expect(of('network.full')).toEqual({
      ...{ kind: 'network.full', severity: 'critical', count: 1 },
      objects: [{ type: 'network', id: net.id, name: 'brim', note: '10.8.0.0/30, 0 free' }],
    })
    expect(of('pool.full')?.objects.map(({ name, note }) => [name, note])).toEqual([['tight', '0 free']])
    expect(of('webhook.failing')?.objects.map(({ name, note }) => [name, note])).toEqual([
      ['bad', '1 event not received in 24 hours'],
    ])
    expect(of('key.ending')).toMatchObject({ severity: 'info', count: 1, objects: [{ type: 'key', name: 'ends' }] })
    const places = attention.map(({ kind }) => ATTENTION_KINDS.indexOf(kind))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(of('scan.failed')).toBeUndefined()
  })

  test('a network with others in it is not full', async () => {
    const { id } = await admin.api.networks.create({ name: 'around', subnet: '10.8.0.0/29' })
    await admin.api.devices.create({
      name: 'brim-2',
      addresses: [3, 4, 5, 6].map((host) => ({ ip: `10.8.0.${host}`, network_id: id })),
    })
    const { attention } = await admin.api.dashboard.show()
    expect(attention.find(({ kind }) => kind === 'network.full')?.objects.map(({ name }) => name)).toEqual(['brim'])
  })

  test('a subnet of two addresses is a link, and never full', async () => {
    for (const subnet of ['10.255.0.0/31', '2001:db8:ff::/127'])
      await admin.api.networks.create({ name: subnet, subnet })
    const ends = ['10.255.0.0', '10.255.0.1', '2001:db8:ff::', '2001:db8:ff::1']
    await admin.api.devices.create({ name: 'ends of links', addresses: ends.map((ip) => ({ ip })) })
    const { attention, fullest_networks } = await admin.api.dashboard.show()
    expect(attention.find(({ kind }) => kind === 'network.full')?.objects.map(({ name }) => name)).toEqual(['brim'])
    expect(fullest_networks?.map(({ subnet }) => subnet)).not.toContain('10.255.0.0/31')
    expect(fullest_networks?.map(({ subnet }) => subnet)).not.toContain('2001:db8:ff::/127')
  })

  test('a failed scan needs attention until the next one of its network', async () => {
    const { id: network_id } = await admin.api.networks.create({ name: 'scanned', subnet: '192.0.2.0/30' })
    const row = (id: string, status: 'failed' | 'completed', created_at: string) => ({
      ...{
        id,
        network_id,
        status,
        created_at,
        updated_at: created_at,
        scan_type: 'quick' as const,
        stage: '' as const,
      },
      ...{ total_hosts: 0, scanned_hosts: 0, found_hosts: 0, hosts_per_second: 0, exclude_ips: '', rule_id: null },
      ...{ error_message: 'no route', created_by: '', started_at: null, completed_at: null, resumes: 0 },
      ...{ credential_user: null, holder: '', until_ms: 0, is_done: 0, scanner_name: '' },
    })
    const insert = (one: ReturnType<typeof row>) =>
      app.db.write(({ db }) => db.insertInto('discovery_scans').values(one).execute())
    const failed = async (caller = admin) =>
      (await caller.api.dashboard.show()).attention.find(({ kind }) => kind === 'scan.failed')
    await insert(row('s1', 'failed', '2026-01-01T00:00:00.000Z'))
    expect(await failed()).toMatchObject({ count: 1, objects: [{ id: 's1', name: 'scanned', note: 'no route' }] })
    const without = await app.as(['dashboard:read', 'discovery:list'])
    expect((await failed(without))?.objects[0]?.name).toBe(network_id)
    await insert(row('s2', 'completed', '2026-01-02T00:00:00.000Z'))
    expect(await failed()).toBeUndefined()
  })

  test('a zone that differs on its server needs attention', async () => {
    const { id } = await admin.api.dnsZones.create({ name: 'example.net' })
    await app.db.write(({ db }) =>
      db.updateTable('dns_zone_states').set({ drift_count: 2 }).where('zone_id', '=', id).execute(),
    )
    const { attention } = await admin.api.dashboard.show()
    expect(attention.find(({ kind }) => kind === 'dns.attention')?.objects).toEqual([
      { type: 'dns-zone', id, name: 'example.net', note: '2 RRsets differ on the server' },
    ])
  })

  test('hides objects that the caller may not list', async () => {
    const caller = await app.as(['dashboard:read', 'pools:list'])
    const { fullest_pools, full_pools, pools, ending_keys, attention, ...hidden } = await caller.api.dashboard.show()
    expect(pools).toBe(2)
    expect(attention.map(({ kind }) => kind)).toEqual(['pool.full'])
    expect(Object.values(hidden).every((part) => part === null)).toBe(true)
  })
})
