// The free addresses of a network: the next one, the map, and the allocation to a device or as reservations.
import { describe, expect, test } from 'bun:test'
import { failure, fieldsOf, inventory, missing, noneFree, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { HeatmapEntry } from '../pools/api.ts'
import type { Allocation } from '../reservations/api.ts'

describe.each(engines())('the free addresses of a network on %s', (dialect) => {
  const inv = inventory(dialect)
  const network = async (subnet: string, more: { space_id?: string; name?: string } = {}) =>
    (await inv.api.networks.create({ name: subnet, subnet, ...more })).id
  const pool = async (network_id: string, start_ip: string, end_ip: string) =>
    (await inv.api.pools.create({ network_id, name: `${start_ip} - ${end_ip}`, start_ip, end_ip })).id
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })
  const next = (id: string, count?: number) =>
    inv.ask(`GET /api/networks/${id}/next-ip${count === undefined ? '' : `?count=${count}`}`)
  const map = async (id: string) => (await inv.ask(`GET /api/networks/${id}/heatmap`)).body as HeatmapEntry[]
  const allocate = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
    inv.ask(`POST /api/networks/${id}/allocate-ip`, body, headers)

  describe('the next address', () => {
    test('is the lowest that no device and no live reservation has', async () => {
      const id = await network('10.1.0.0/24')
      const pool_id = await pool(id, '10.1.0.1', '10.1.0.9')
      expect(await next(id)).toMatchObject({ status: 200, body: { ip: '10.1.0.1' } })
      await host('10.1.0.1', '10.1.0.4')
      await inv.api.reservations.create({ pool_id, ip_address: '10.1.0.2', expires_at: inv.inMs(1000) })
      expect((await next(id)).body).toEqual({ ip: '10.1.0.3' })
      inv.advance(1000)
      expect((await next(id)).body).toEqual({ ip: '10.1.0.2' })
      expect((await next(id, 3)).body).toEqual({ ip: '10.1.0.2', ips: ['10.1.0.2', '10.1.0.3', '10.1.0.5'] })
    })

    test.each([
      ['10.2.0.0/30', ['10.2.0.1', '10.2.0.2']],
      ['10.2.1.0/31', ['10.2.1.0', '10.2.1.1']],
      ['10.2.2.7/32', ['10.2.2.7']],
      ['2001:db8:2::/126', ['2001:db8:2::1', '2001:db8:2::2', '2001:db8:2::3']],
      ['2001:db8:2:1::/127', ['2001:db8:2:1::', '2001:db8:2:1::1']],
      ['2001:db8:2:2::1/128', ['2001:db8:2:2::1']],
    ])('of %s is never its network, broadcast or subnet-router anycast address', async (subnet, ips) => {
      const id = await network(subnet)
      expect((await next(id, 1000)).body).toEqual({ ip: ips[0], ips })
      await host(...ips)
      expect(await next(id)).toMatchObject(noneFree)
      expect(await next(id, 2)).toMatchObject(noneFree)
    })

    test('is in no network inside, and of a /8 is found at once', async () => {
      const id = await network('11.0.0.0/8')
      await network('11.0.0.0/24')
      await network('11.0.1.0/24')
      expect((await next(id, 2)).body).toEqual({ ip: '11.0.2.0', ips: ['11.0.2.0', '11.0.2.1'] })
      const around = await network('2001:db8:3::/48')
      await network('2001:db8:3::/64')
      expect((await next(around)).body).toEqual({ ip: '2001:db8:3:1::' })
    })

    test('of a network that others cover wholly is a conflict', async () => {
      const id = await network('10.3.0.0/31')
      await network('10.3.0.0/32')
      await network('10.3.0.1/32')
      expect(await next(id)).toMatchObject(noneFree)
    })

    test('is one of its own address space', async () => {
      const { id: space_id } = await inv.api.spaces.create({ name: 'lab' })
      const [here, there] = [await network('10.4.0.0/24'), await network('10.4.0.0/24', { space_id })]
      await host('10.4.0.1')
      expect([(await next(here)).body, (await next(there)).body]).toEqual([{ ip: '10.4.0.2' }, { ip: '10.4.0.1' }])
    })

    test('of a pool takes a count as well', async () => {
      const id = await network('10.5.0.0/24')
      const pool_id = await pool(id, '10.5.0.8', '10.5.0.10')
      await host('10.5.0.9')
      const asked = (query: string) => inv.ask(`GET /api/pools/${pool_id}/next-ip${query}`)
      expect((await asked('')).body).toEqual({ ip: '10.5.0.8' })
      expect((await asked('?count=1')).body).toEqual({ ip: '10.5.0.8', ips: ['10.5.0.8'] })
      expect((await asked('?count=1000')).body).toEqual({ ip: '10.5.0.8', ips: ['10.5.0.8', '10.5.0.10'] })
      for (const count of ['0', '1001', 'x', '1.5'])
        expect(await asked(`?count=${count}`)).toMatchObject(refusal('count'))
    })

    test('needs a network, and a count of 1 to 1,000', async () => {
      expect(await next('none')).toMatchObject(missing)
      const id = await network('10.6.0.0/16')
      expect(((await next(id, 1000)).body as { ips: string[] }).ips).toHaveLength(1000)
      for (const count of [0, 1001]) expect(await next(id, count)).toMatchObject(refusal('count'))
    })
  })

  describe('the map', () => {
    test('shows the status of each address, and the network inside that it belongs to', async () => {
      const id = await network('10.10.0.0/28')
      const outer = await network('10.10.0.8/29')
      const inner = await network('10.10.0.8/30')
      const pool_id = await pool(id, '10.10.0.1', '10.10.0.7')
      await inv.api.reservations.create({ pool_id, ip_address: '10.10.0.2' })
      const { id: device_id } = await host('10.10.0.1', '10.10.0.9')
      const reserved = { status: 'reserved' as const }
      expect(await map(id)).toEqual([
        { ip: '10.10.0.0', ...reserved },
        { ip: '10.10.0.1', status: 'used', device_id },
        { ip: '10.10.0.2', ...reserved },
        ...[3, 4, 5, 6, 7].map((n) => ({ ip: `10.10.0.${n}`, status: 'available' as const })),
        { ip: '10.10.0.8', ...reserved, network_id: inner },
        { ip: '10.10.0.9', status: 'used', device_id, network_id: inner },
        ...[10, 11].map((n) => ({ ip: `10.10.0.${n}`, ...reserved, network_id: inner })),
        ...[12, 13, 14, 15].map((n) => ({ ip: `10.10.0.${n}`, ...reserved, network_id: outer })),
      ])
      const page = await inv.ask(`GET /api/networks/${id}/heatmap?limit=2&offset=1`)
      expect(page).toMatchObject({ total: '16', body: [{ ip: '10.10.0.1' }, { ip: '10.10.0.2' }] })
    })

    test('shows each address as available that is given out, and no other', async () => {
      for (const subnet of ['10.11.0.0/29', '10.11.1.0/31', '2001:db8:11::/125', '2001:db8:11:1::/127']) {
        const id = await network(subnet)
        const free = (await map(id)).filter(({ status }) => status === 'available').map(({ ip }) => ip)
        expect((await next(id, 1000)).body).toEqual({ ip: free[0] ?? '', ips: free })
      }
    })

    test('covers 65,536 addresses, and no more', async () => {
      const exactly = await network('10.12.0.0/16')
      expect(await map(exactly)).toHaveLength(65_536)
      for (const subnet of ['12.0.0.0/15', '13.0.0.0/8', '2001:db8:12::/64'])
        expect(await inv.ask(`GET /api/networks/${await network(subnet)}/heatmap`)).toMatchObject(
          failure(400, 'INVALID_INPUT'),
        )
    })

    test('of a moment is that of then', async () => {
      // The history of a database begins with its migration, by the clock of the machine.
      inv.advance(Date.parse('2100-01-01T00:00:00Z') - Date.parse(inv.now()))
      const id = await network('10.13.0.0/30')
      await host('10.13.0.1')
      const at = inv.now()
      inv.advance(1000)
      const device = await host('10.13.0.2')
      const inner = await network('10.13.0.2/31')
      const then = (await inv.ask(`GET /api/networks/${id}/heatmap?as_of=${encodeURIComponent(at)}`)).body
      expect((then as HeatmapEntry[]).map(({ status }) => status)).toEqual([
        'reserved',
        'used',
        'available',
        'reserved',
      ])
      expect((await map(id))[2]).toEqual({ ip: '10.13.0.2', status: 'used', device_id: device.id, network_id: inner })
    })
  })

  describe('an allocation', () => {
    test('adds the lowest address to a device, with the network and the smallest pool that holds it', async () => {
      const id = await network('10.20.0.0/24')
      await pool(id, '10.20.0.0', '10.20.0.255')
      const small = await pool(id, '10.20.0.2', '10.20.0.3')
      const { id: device_id } = await host('10.99.0.1')
      const fields = { label: 'eth1', mac_address: '52-54-00-AB-CD-EF', dns_name: 'Db.Example.' }
      expect(await allocate(id, { device_id, ...fields, ip: '10.20.0.3' })).toMatchObject({
        status: 201,
        body: { ips: ['10.20.0.3'], reservations: [] },
      })
      expect((await allocate(id, { device_id, count: 2 })).body).toEqual({
        ips: ['10.20.0.1', '10.20.0.2'],
        reservations: [],
      })
      const { addresses } = await inv.api.devices.get({ id: device_id })
      expect(addresses[1]).toMatchObject({
        ...{ ip: '10.20.0.3', network_id: id, pool_id: small, label: 'eth1' },
        ...{ mac_address: '52:54:00:ab:cd:ef', dns_name: 'db.example' },
      })
      expect(addresses.slice(2).map(({ ip, pool_id }) => [ip, pool_id === small])).toEqual([
        ['10.20.0.1', false],
        ['10.20.0.2', true],
      ])
    })

    test('gives a device an address of a network without a pool', async () => {
      const id = await network('2001:db8:21::/64')
      const { id: device_id } = await host()
      expect((await allocate(id, { device_id })).body).toEqual({ ips: ['2001:db8:21::1'], reservations: [] })
      const { addresses } = await inv.api.devices.get({ id: device_id })
      expect(addresses).toMatchObject([{ ip: '2001:db8:21::1', type: 'ipv6', network_id: id, pool_id: null }])
    })

    test('without a device is a reservation in the smallest pool that holds it', async () => {
      const id = await network('10.22.0.0/24')
      const wide = await pool(id, '10.22.0.1', '10.22.0.254')
      const small = await pool(id, '10.22.0.3', '10.22.0.4')
      const answer = await allocate(id, { count: 3, hostname: 'db', purpose: 'Tests', ttl_seconds: 60 })
      expect(answer).toMatchObject({ status: 201, body: { ips: ['10.22.0.1', '10.22.0.2', '10.22.0.3'] } })
      const { reservations } = answer.body as Allocation
      const each = { hostname: 'db', purpose: 'Tests', expires_at: inv.inMs(60_000) }
      expect(reservations).toMatchObject([
        { ip_address: '10.22.0.1', pool_id: wide, ...each },
        { ip_address: '10.22.0.2', pool_id: wide, ...each },
        { ip_address: '10.22.0.3', pool_id: small, ...each },
      ])
      expect(await inv.api.reservations.list({ pool_id: wide })).toHaveLength(2)
    })

    test('without a device and without a pool that holds the address is refused, and takes nothing', async () => {
      const id = await network('10.23.0.0/24')
      await pool(id, '10.23.0.2', '10.23.0.9')
      expect(await allocate(id)).toMatchObject(refusal('device_id'))
      expect(await allocate(id, { count: 3 })).toMatchObject(refusal('device_id'))
      expect(await allocate(id, { ip: '10.23.0.10' })).toMatchObject(refusal('device_id'))
      expect((await next(id)).body).toEqual({ ip: '10.23.0.1' })
      expect((await allocate(id, { ip: '10.23.0.9' })).status).toBe(201)
    })

    test('takes a run of addresses on request', async () => {
      const id = await network('10.24.0.0/27')
      await pool(id, '10.24.0.0', '10.24.0.31')
      await network('10.24.0.4/31')
      await host('10.24.0.9')
      expect((await allocate(id, { count: 4, contiguous: true })).body).toMatchObject({
        ips: ['10.24.0.10', '10.24.0.11', '10.24.0.12', '10.24.0.13'],
      })
      expect(await allocate(id, { count: 20, contiguous: true })).toMatchObject(noneFree)
      expect(await allocate(id, { count: 24 })).toMatchObject(noneFree)
      expect((await allocate(id, { count: 23 })).status).toBe(201)
      expect(await allocate(id)).toMatchObject(noneFree)
    })

    test('of a certain address names the field of an address that is not of the network', async () => {
      const id = await network('10.25.0.0/24')
      await pool(id, '10.25.0.0', '10.25.0.255')
      await network('10.25.0.8/29')
      for (const ip of ['10.26.0.1', '2001:db8::1', '10.25.0.9', '10.25.0', ''])
        expect(await allocate(id, { ip })).toMatchObject(refusal('ip'))
      expect(await allocate(id, { ip: '10.25.0.1', count: 2 })).toMatchObject(refusal('ip'))
      expect((await allocate(id, { ip: '10.25.0.1', count: 1 })).body).toMatchObject({ ips: ['10.25.0.1'] })
    })

    test('of a certain address that is not free is a conflict', async () => {
      const id = await network('10.27.0.0/24')
      const pool_id = await pool(id, '10.27.0.0', '10.27.0.255')
      const six = await network('2001:db8:27::/64')
      await host('10.27.0.1')
      await inv.api.reservations.create({ pool_id, ip_address: '10.27.0.2', expires_at: inv.inMs(1000) })
      for (const ip of ['10.27.0.0', '10.27.0.1', '10.27.0.2', '10.27.0.255'])
        expect(await allocate(id, { ip })).toMatchObject(noneFree)
      const { id: device_id } = await host()
      expect(await allocate(six, { ip: '2001:db8:27::', device_id })).toMatchObject(noneFree)
      inv.advance(1000)
      expect((await allocate(id, { ip: '10.27.0.2' })).status).toBe(201)
    })

    test('is bounded as one of a pool', async () => {
      const id = await network('10.28.0.0/16')
      await pool(id, '10.28.0.1', '10.28.255.254')
      const bad = {
        count: [0, 1001, 1.5, '2', null],
        contiguous: ['yes', null],
        ttl_seconds: [0, -1, 1.5, 315_360_001],
        hostname: ['a b', 'x'.repeat(254)],
        purpose: ['x'.repeat(256)],
        label: ['x'.repeat(129)],
        dns_name: ['a b', 'x'.repeat(255)],
        mac_address: ['x', '52:54'],
        device_id: ['nope', 7],
        ip: [7, 'x'.repeat(65)],
      }
      for (const [field, values] of Object.entries(bad))
        for (const value of values) expect(fieldsOf(await allocate(id, { [field]: value }))).toEqual([field])
      expect(await allocate('none')).toMatchObject(missing)
      const { id: device_id } = await host()
      expect(await allocate(id, { device_id, ttl_seconds: 60 })).toMatchObject(refusal('ttl_seconds'))
      expect(await allocate(id, { count: 2, mac_address: '52:54:00:00:00:01' })).toMatchObject(refusal('mac_address'))
      expect(((await allocate(id, { count: 1000 })).body as Allocation).ips).toHaveLength(1000)
      expect(await allocate(id, { count: 1000, device_id: (await host('10.28.200.1')).id })).toMatchObject(
        refusal('device_id'),
      )
    })

    test('answers a retry with the same key as before', async () => {
      const id = await network('10.29.0.0/24')
      const { id: device_id } = await host()
      const key = { 'Idempotency-Key': 'of a network' }
      const first = await allocate(id, { device_id }, key)
      expect((await allocate(id, { device_id }, key)).body).toEqual(first.body)
      expect(await allocate(id, { device_id, label: 'x' }, key)).toMatchObject({ status: 400 })
      expect((await inv.api.devices.get({ id: device_id })).addresses).toHaveLength(1)
    })

    test('is one change, which a dry run shows and an undo takes back', async () => {
      const id = await network('10.30.0.0/24')
      const { id: device_id } = await host()
      const dry = await inv.ask(`POST /api/networks/${id}/allocate-ip?dry_run=true`, { device_id, count: 2 })
      expect(dry.body).toMatchObject({ ips: ['10.30.0.1', '10.30.0.2'] })
      expect((await next(id)).body).toEqual({ ip: '10.30.0.1' })
      expect((await allocate(id, { device_id, count: 2 })).status).toBe(201)
      const [change] = await inv.api.history.list({ operation: 'networks.allocate-ip', limit: 1 })
      expect(change).toMatchObject({ operation: 'networks.allocate-ip', counts: { update: { device: 1 } } })
      await inv.api.history.undo({ id: change?.id ?? '' })
      expect((await inv.api.devices.get({ id: device_id })).addresses).toEqual([])
      await pool(id, '10.30.0.1', '10.30.0.9')
      expect((await allocate(id, { count: 2 })).status).toBe(201)
      const [second] = await inv.api.history.list({ limit: 1 })
      expect(second).toMatchObject({ counts: { create: { reservation: 2 } } })
      await inv.api.history.undo({ id: second?.id ?? '' })
      expect((await next(id)).body).toEqual({ ip: '10.30.0.1' })
    })

    test('gives no address twice to many callers, of a network and of its pools', async () => {
      const id = await network('10.31.0.0/24')
      const pool_id = await pool(id, '10.31.0.1', '10.31.0.60')
      const { id: device_id } = await host()
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => {
          if (i % 4 === 0) return inv.ask(`POST /api/pools/${pool_id}/allocate`, {})
          return allocate(id, i % 4 === 1 ? { device_id } : { count: 1 + (i % 2) })
        }),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
      const ips = answers.flatMap(({ body }) => (body as Allocation).ips)
      expect(ips).toHaveLength(50)
      expect(new Set(ips).size).toBe(50)
    })
  })
})
