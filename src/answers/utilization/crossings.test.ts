// `pool.utilization_high`: emitted by the change that crosses the threshold, in its transaction, once a crossing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type PoolEvents, poolEvents } from '../../../testing/pool-events.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

describe.each(onSqlite())('a pool that crosses the threshold on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let on: PoolEvents
  let aheadMs = 0
  beforeAll(async () => {
    const now = () => new Date(Date.now() + aheadMs)
    app = await testApp({ dialect, now, env: { POOL_UTILIZATION_THRESHOLD: '80' } })
    admin = await app.as('admin')
    on = poolEvents(app, admin, '10.31')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  test('is reported by the device that crosses, also when it is deleted at once', async () => {
    const { id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    expect(await on.reported(id)).toEqual([])
    const last = await on.fill(net, 8, 8)
    await admin.api.devices.delete({ id: last.id })
    expect(await on.reported(id)).toEqual([80])
  })

  test('is reported again only after it was five percent below', async () => {
    const { id, net } = await on.poolOf(1, 100)
    await on.fill(net, 1, 50)
    await on.fill(net, 51, 74)
    const middle = await on.fill(net, 75, 75)
    const top = await on.fill(net, 76, 80)
    await admin.api.devices.delete({ id: top.id })
    // At 75 percent, which is not below.
    const again = await on.fill(net, 76, 80)
    expect(await on.reported(id)).toEqual([80])
    await admin.api.devices.delete({ id: again.id })
    await admin.api.devices.delete({ id: middle.id })
    await on.fill(net, 75, 81)
    expect(await on.reported(id)).toEqual([80, 81])
  })

  test('is reported by a device that moves into it, and not by one that moves within it', async () => {
    const { id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    const device = await on.fill(net, 200, 200)
    await admin.api.devices.update({ id: device.id, addresses: [{ ip: `${net}.8` }] })
    await admin.api.devices.update({ id: device.id, addresses: [{ ip: `${net}.9` }] })
    expect(await on.reported(id)).toEqual([80])
  })

  test('is reported by a reservation, and again after it was deleted', async () => {
    const { id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    const made = await admin.api.reservations.create({ pool_id: id, ip_address: `${net}.8` })
    await admin.api.reservations.delete({ id: made.id })
    await admin.api.reservations.create({ pool_id: id, ip_address: `${net}.9` })
    expect(await on.reported(id)).toEqual([80, 80])
  })

  test('is reported by an allocation to a device', async () => {
    const { id, net } = await on.poolOf()
    const { id: device_id } = await on.fill(net, 1, 7)
    await admin.api.reservations.allocate({ id, count: 2, device_id })
    expect(await on.reported(id)).toEqual([90])
  })

  test('is reported by a network that is created inside, resized or deleted, and again after it left room', async () => {
    const { id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    const { id: inner } = await admin.api.networks.create({ name: 'inner', subnet: `${net}.10/32` })
    expect(await on.reported(id)).toEqual([])
    await admin.api.networks.update({ id: inner, subnet: `${net}.8/29` })
    expect(await on.reported(id)).toEqual([100])
    await admin.api.networks.delete({ id: inner })
    await admin.api.networks.create({ name: 'inner', subnet: `${net}.8/31` })
    expect(await on.reported(id)).toEqual([100, 87.5])
  })

  test('counts no address of a more specific network', async () => {
    const { id, net } = await on.poolOf(1, 20)
    await admin.api.networks.create({ name: 'inner', subnet: `${net}.0/29` })
    await on.fill(net, 0, 7)
    await on.fill(net, 8, 17)
    expect(await on.reported(id)).toEqual([])
    const { addresses } = await on.fill(net, 18, 18)
    await admin.api.reservations.allocate({ id, ttl_seconds: 1 })
    expect([addresses.length, await on.reported(id)]).toEqual([1, [84.62]])
    aheadMs += 2000
    await admin.api.reservations.allocate({ id })
    expect(await on.reported(id)).toEqual([84.62])
  })

  test.each(['allocation', 'device'] as const)(
    'is reported again after reservations have expired, by this kind of change: %s',
    async (by) => {
      const { id, net } = await on.poolOf()
      await on.fill(net, 1, 6)
      await admin.api.reservations.allocate({ id, count: 2, ttl_seconds: 5 })
      aheadMs += 6000
      if (by === 'allocation') await admin.api.reservations.allocate({ id, count: 2 })
      else await on.fill(net, 9, 10)
      expect(await on.reported(id)).toEqual([80, 80])
    },
  )

  test('is reported by another range, once it is smaller', async () => {
    const { id, net } = await on.poolOf(1, 20)
    await on.fill(net, 1, 8)
    const resize = (last: number) => admin.api.pools.update({ id, end_ip: `${net}.${last}` })
    await resize(10)
    await resize(9)
    await resize(20)
    await resize(8)
    expect(await on.reported(id)).toEqual([80, 100])
  })

  test('is reported when it is created around addresses in use', async () => {
    const { network_id, net } = await on.poolOf()
    await on.fill(net, 101, 108)
    const range = { start_ip: `${net}.101`, end_ip: `${net}.110` }
    const { id } = await admin.api.pools.create({ network_id, name: 'second', ...range })
    expect(await on.reported(id)).toEqual([80])
  })

  test('a crossing is reported by another subnet with its network address in it', async () => {
    const { id, network_id, net } = await on.poolOf(128, 137)
    await on.fill(net, 130, 136)
    expect(await on.reported(id)).toEqual([])
    await admin.api.networks.update({ id: network_id, subnet: `${net}.128/25` })
    expect(await on.reported(id)).toEqual([80])
  })

  const bulk = (operations: unknown[], atomic: boolean) =>
    admin.request('POST', '/api/devices/bulk', { operations, atomic })
  const creates = (ips: readonly string[]) =>
    ips.map((ip) => ({ op: 'create', device: { name: ip, addresses: [{ ip }] } }))

  test('is reported once by a bulk call, as it is in the end', async () => {
    const { id, net } = await on.poolOf()
    expect((await bulk(creates([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${net}.${n}`)), true)).status).toBe(200)
    expect(await on.reported(id)).toEqual([90])
  })

  test('is not reported by a bulk call that crosses both ways', async () => {
    const { id, net } = await on.poolOf()
    const device = await on.fill(net, 1, 7)
    const operations = [...creates([`${net}.8`]), { op: 'delete', id: device.id }]
    expect((await bulk(operations, true)).status).toBe(200)
    expect(await on.reported(id)).toEqual([])
  })

  test('is not reported by a bulk call that is rolled back', async () => {
    const { id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    const answer = await bulk([...creates([`${net}.8`]), { op: 'delete', id: 'none' }], true)
    expect(answer.status).toBe(400)
    expect(await on.reported(id)).toEqual([])
  })

  test('is reported without the items of a bulk call that failed', async () => {
    const { id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    const twice = { op: 'create', device: { name: 'd', addresses: [{ ip: `${net}.8`, pool_id: 'none' }] } }
    expect((await bulk([twice, ...creates([`${net}.9`])], false)).status).toBe(200)
    expect(await on.reported(id)).toEqual([80])
  })

  test('is reported once by an import, and not by its dry run', async () => {
    const { id, net } = await on.poolOf()
    const rows = on.addressesOf(net, 1, 9).map((address) => ({ name: address.ip, addresses: [address] }))
    const run = async (query: string) =>
      (await admin.request('POST', `/api/estate/import?resource=devices${query}`, rows)).text()
    expect(await run('&dry_run=true')).toContain('"created":9')
    expect(await on.reported(id)).toEqual([])
    expect(await run('')).toContain('"created":9')
    expect(await on.reported(id)).toEqual([90])
  })

  test('is reported with every pool that holds the address', async () => {
    const { id, network_id, net } = await on.poolOf()
    const range = { start_ip: `${net}.1`, end_ip: `${net}.5` }
    const inner = await admin.api.pools.create({ network_id, name: 'inner', ...range })
    const wide = await admin.api.pools.create({ network_id, name: 'wide', ...range, end_ip: `${net}.250` })
    await on.fill(net, 1, 4)
    expect(await Promise.all([id, inner.id, wide.id].map(on.reported))).toEqual([[], [80], []])
  })

  test('is reported with addresses of many blocks', async () => {
    const network = await admin.api.networks.create({ name: 'wide', subnet: '10.32.0.0/20' })
    const range = { start_ip: '10.32.0.1', end_ip: '10.32.7.255' }
    const { id } = await admin.api.pools.create({ network_id: network.id, name: 'wide', ...range })
    // 80 percent of 2047 addresses are 1638.
    const take = (count: number) => admin.api.reservations.allocate({ id, count, contiguous: true })
    for (let n = 0; n < 6; n++) await take(256)
    await take(1637 - 6 * 256)
    expect(await on.reported(id)).toEqual([])
    await take(1)
    expect(await on.reported(id)).toEqual([80.02])
  })

  test('is reported by one device that fills pools in many blocks, of networks of any size', async () => {
    const poolIn = async (subnet: string, start_ip: string, end_ip: string) => {
      const network = await admin.api.networks.create({ name: subnet, subnet })
      return (await admin.api.pools.create({ network_id: network.id, name: subnet, start_ip, end_ip })).id
    }
    const filled = await Promise.all([
      poolIn('10.33.0.0/16', '10.33.1.7', '10.33.1.7'),
      poolIn('10.34.0.0/22', '10.34.2.255', '10.34.3.0'),
      poolIn('10.35.5.0/24', '10.35.5.9', '10.35.5.9'),
      poolIn('10.36.5.128/28', '10.36.5.130', '10.36.5.130'),
      poolIn('10.37.5.4/32', '10.37.5.4', '10.37.5.4'),
      poolIn('2001:db8:7::/48', '2001:db8:7::ff', '2001:db8:7::ff'),
    ])
    const beside = await poolIn('10.36.5.0/28', '10.36.5.1', '10.36.5.2')
    const ips = ['10.33.1.7', '10.34.2.255', '10.34.3.0', '10.35.5.9', '10.36.5.130', '10.37.5.4', '2001:db8:7::ff']
    await admin.api.devices.create({ name: 'in many blocks', addresses: ips.map((ip) => ({ ip })) })
    expect(await Promise.all(filled.map(on.reported))).toEqual(filled.map(() => [100]))
    expect(await on.reported(beside)).toEqual([])
  })

  test('is not reported when it goes with its network', async () => {
    const { id, network_id, net } = await on.poolOf()
    await on.fill(net, 1, 7)
    await admin.api.networks.delete({ id: network_id })
    await on.fill(net, 8, 8)
    expect(await on.reported(id)).toEqual([])
  })

  test('carries its name, its network and the threshold', async () => {
    const { id, network_id, net } = await on.poolOf()
    await on.fill(net, 1, 9)
    const { data } = await app.db.read
      .selectFrom('events')
      .select('data')
      .where('event', '=', 'pool.utilization_high')
      .where('resource_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(data)).toEqual({ pool_id: id, pool_name: net, network_id, utilization: 90, threshold: 80 })
  })
})
