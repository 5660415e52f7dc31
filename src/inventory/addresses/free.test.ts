// The pools and networks that an address field offers for a text: with a free address, the best match first.
import { afterEach, describe, expect, test } from 'bun:test'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { FreeAddress } from './api.ts'

describe.each(engines())('the pools and networks with a free address on %s', (dialect) => {
  const inv = inventory(dialect)
  afterEach(async () => {
    for (const { id } of await inv.api.devices.list({})) await inv.api.devices.delete({ id })
    const operations = (await inv.api.networks.list({})).map(({ id }) => ({ op: 'delete' as const, id }))
    await inv.api.networks.bulk({ operations })
  })
  const network = (subnet: string, more: { name?: string; space_id?: string; datacenter_id?: string } = {}) =>
    inv.api.networks.create({ name: subnet, subnet, ...more })
  const pool = (network_id: string, name: string, start_ip: string, end_ip: string) =>
    inv.api.pools.create({ network_id, name, start_ip, end_ip })
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })
  const free = async (query: Readonly<Record<string, string | number>> = {}): Promise<FreeAddress[]> => {
    const params = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    const answer = await inv.ask(`GET /api/addresses/free?${params.join('&')}`)
    expect(answer.status).toBe(200)
    return answer.body as FreeAddress[]
  }
  const names = async (query: Readonly<Record<string, string | number>> = {}) =>
    (await free(query)).map(({ name }) => name)

  test('have their network, their place, the next address and the number of free addresses', async () => {
    const { id: datacenter_id } = await inv.api.datacenters.create({ name: 'Amsterdam' })
    const { id: space_id } = await inv.api.spaces.create({ name: 'lab' })
    const web = await network('10.1.0.0/24', { name: 'web-net', datacenter_id, space_id })
    const { id } = await pool(web.id, 'web', '10.1.0.250', '10.1.0.255')
    await inv.api.reservations.allocate({ id, count: 2 })
    const place = { network_id: web.id, subnet: '10.1.0.0/24', space_id, datacenter_id }
    expect(await free()).toEqual([
      { kind: 'pool', id, name: 'web', ...place, ip: '10.1.0.252', available_ips: 3 },
      { kind: 'network', id: web.id, name: 'web-net', ...place, ip: '10.1.0.1', available_ips: 252 },
    ])
    const plain = await network('2001:db8:1::/64')
    expect(await free({ q: '2001:db8:1::' })).toEqual([
      {
        ...{ kind: 'network', id: plain.id, name: plain.name, network_id: plain.id, subnet: '2001:db8:1::/64' },
        ...{ datacenter_id: null, ip: '2001:db8:1::1', available_ips: Number.MAX_SAFE_INTEGER },
      },
    ])
  })

  test('answer what next-ip and the utilization of the pool answer, however they overlap', async () => {
    const outer = await network('10.2.0.0/22')
    const inner = await network('10.2.1.0/24')
    await network('10.2.1.64/26')
    await pool(outer.id, 'across', '10.2.0.128', '10.2.3.255')
    await pool(inner.id, 'a', '10.2.1.0', '10.2.1.70')
    await pool(inner.id, 'b', '10.2.1.60', '10.2.1.255')
    await host('10.2.0.1', '10.2.0.128', '10.2.1.1', '10.2.1.60', '10.2.1.64', '10.2.2.0')
    const [held] = await inv.api.pools.all({ name: 'a' })
    await inv.api.reservations.allocate({ id: held?.id ?? '', count: 3, ttl_seconds: 1 })
    const check = async () => {
      const listed = await free({ limit: 50 })
      expect(listed).toHaveLength(6)
      const pools = await inv.api.pools.all({ include: 'utilization' })
      for (const { kind, id, ip, available_ips } of listed) {
        const path = `/api/${kind}s/${id}`
        expect((await inv.ask(`GET ${path}/next-ip`)).body).toEqual({ ip })
        const map = (await inv.ask(`GET ${path}/heatmap`)).body as { status: string }[]
        expect(available_ips).toBe(map.filter(({ status }) => status === 'available').length)
        const used = pools.find((one) => one.id === id)?.utilization
        if (used) expect(available_ips).toBe(used.available_ips)
      }
    }
    await check()
    inv.advance(1000)
    await check()
  })

  test('without a free address are left out, up to the limit', async () => {
    const full = await network('10.3.0.0/30', { name: 'a full' })
    await pool(full.id, 'a full pool', '10.3.0.1', '10.3.0.2')
    await host('10.3.0.1', '10.3.0.2')
    const around = await network('10.4.0.0/31', { name: 'a covered' })
    await network('10.4.0.0/32', { name: 'b' })
    await network('10.4.0.1/32', { name: 'c' })
    await pool(around.id, 'a covered pool', '10.4.0.0', '10.4.0.1')
    for (let n = 0; n < 60; n++) await network(`10.5.${n}.0/24`, { name: `n${String(n).padStart(2, '0')}` })
    expect(await names()).toEqual(['b', 'c', 'n00', 'n01', 'n02', 'n03', 'n04', 'n05'])
    expect(await names({ limit: 1 })).toEqual(['b'])
    expect(await names({ limit: 50 })).toHaveLength(50)
    for (const limit of ['0', '51', 'x'])
      expect(await inv.ask(`GET /api/addresses/free?limit=${limit}`)).toMatchObject(refusal('limit'))
    expect(await inv.ask(`GET /api/addresses/free?q=${'x'.repeat(257)}`)).toMatchObject(refusal('q'))
    expect(await names({ q: 'x'.repeat(256) })).toEqual([])
  })

  test('are found behind hundreds of full ones', async () => {
    const operations = Array.from({ length: 300 }, (_, n) => ({
      op: 'create' as const,
      network: { name: `f${String(n).padStart(3, '0')}`, subnet: `10.${20 + (n >> 8)}.${n & 255}.0/31` },
    }))
    await inv.api.networks.bulk({ operations })
    const full = operations.slice(0, 299).flatMap(({ network: { subnet } }) => {
      const ip = subnet.replace('/31', '')
      return [{ ip }, { ip: ip.replace(/0$/, '1') }]
    })
    await inv.api.devices.create({ name: 'all', addresses: full })
    expect(await names()).toEqual(['f299'])
  })

  test('come in the order: of the datacenter, whole name, beginning, part, name', async () => {
    const { id: datacenter_id } = await inv.api.datacenters.create({ name: 'Berlin' })
    await network('10.6.0.0/24', { name: 'Web' })
    await network('10.6.1.0/24', { name: 'web-b' })
    await network('10.6.2.0/24', { name: 'WEB-a' })
    await network('10.6.3.0/24', { name: 'old web' })
    await network('10.6.4.0/24', { name: 'other' })
    const here = await network('10.6.5.0/24', { name: 'the web', datacenter_id })
    await pool(here.id, 'web', '10.6.5.1', '10.6.5.9')
    expect(await names({ q: 'web' })).toEqual(['web', 'Web', 'WEB-a', 'web-b', 'old web', 'the web'])
    expect(await names({ q: ' WEB ', datacenter_id })).toEqual(['web', 'the web', 'Web', 'WEB-a', 'web-b', 'old web'])
    expect(await names({ datacenter_id, limit: 3 })).toEqual(['the web', 'web', 'old web'])
    expect(await names({ q: 'web', datacenter_id: 'none' })).toHaveLength(6)
    expect(await names({ q: '%' })).toEqual([])
  })

  test('for an address hold it, the most specific first', async () => {
    const { id: space_id } = await inv.api.spaces.create({ name: 'other lab' })
    const wide = await network('10.0.0.0/8', { name: 'a wide' })
    const middle = await network('10.7.0.0/16', { name: 'b middle' })
    await network('10.7.1.0/24', { name: 'c near' })
    await network('10.7.2.0/24', { name: 'd elsewhere' })
    await network('10.7.0.0/16', { name: 'e space', space_id })
    await pool(middle.id, 'f pool', '10.7.1.0', '10.7.2.0')
    await pool(wide.id, 'g pool', '10.7.1.5', '10.7.1.5')
    // The address of the last pool belongs to a more specific network.
    expect(await names({ q: '10.7.1.5' })).toEqual(['c near', 'b middle', 'e space', 'a wide'])
    expect(await names({ q: '10.7.3.5' })).toEqual(['b middle', 'e space', 'a wide'])
    expect(await names({ q: '10.7.3.5', space_id })).toEqual(['e space'])
    expect(await names({ q: '10.7.3.5', space_id: 'default' })).toEqual(['b middle', 'a wide'])
    expect(await names({ q: '192.0.2.1' })).toEqual([])
  })

  test('for the beginning of an address hold such addresses, or have it in their name', async () => {
    await network('10.0.0.0/8', { name: 'a wide' })
    await network('10.8.0.0/24', { name: 'b' })
    await network('10.80.0.0/24', { name: 'c' })
    await network('10.9.0.0/24', { name: 'd' })
    await network('10.9.1.0/24', { name: 'floor 10.8' })
    await network('2001:db8:8::/64', { name: 'six' })
    expect(await names({ q: '10.8' })).toEqual(['b', 'c', 'a wide', 'floor 10.8'])
    expect(await names({ q: '10.8.' })).toEqual(['b', 'a wide'])
    expect(await names({ q: '10.8.0.0/16' })).toEqual(['b', 'a wide'])
    expect(await names({ q: '2001:db8:' })).toEqual(['six'])
    expect(await names({ q: '2001:DB8:8' })).toEqual(['six'])
    expect(await names({ q: '10.300' })).toEqual([])
  })
})
