// More specific networks inside the network of a pool: their addresses are not given out for the pool.
import { describe, expect, test } from 'bun:test'
import { inventory, noneFree } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('a pool around more specific networks on %s', (dialect) => {
  const inv = inventory(dialect)
  const network = (subnet: string, more: { space_id?: string; name?: string } = {}) =>
    inv.api.networks.create({ name: subnet, subnet, ...more })
  const pool = async (network_id: string, start_ip: string, end_ip: string) =>
    (await inv.api.pools.create({ network_id, name: 'p', start_ip, end_ip })).id
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })
  const next = async (id: string) => (await inv.api.pools.nextIp({ id })).ip
  const asked = (id: string) => inv.ask(`GET /api/pools/${id}/next-ip`)
  const reserve = (id: string, ip_address: string) => inv.ask(`POST /api/pools/${id}/reservations`, { ip_address })
  const statuses = async (id: string) =>
    (await inv.api.pools.heatmap({ id })).map(({ ip, status }) => `${ip.split('.')[3]} ${status}`)
  const figures = async (id: string) => {
    const listed = (await inv.api.pools.all({ include: 'utilization' })).find((one) => one.id === id)?.utilization
    if (!listed) throw new Error('no such pool')
    const { pool_id: _, ...found } = listed
    const { samples } = await inv.api.utilization.ofPool({ id })
    expect(samples.at(-1)).toMatchObject({ total_ips: found.total_ips, utilization: found.utilization })
    return found
  }

  test('the addresses of an inner /30 are not given out for the outer network', async () => {
    const outer = await network('203.0.113.0/24')
    const id = await pool(outer.id, '203.0.113.6', '203.0.113.13')
    const inner = await network('203.0.113.8/30')
    expect(await statuses(id)).toEqual([
      ...['6 available', '7 available', '8 reserved', '9 reserved', '10 reserved', '11 reserved'],
      ...['12 available', '13 available'],
    ])
    const empty = { total_ips: 4, used_ips: 0, reserved_ips: 0, available_ips: 4, utilization: 0 }
    expect(await figures(id)).toEqual(empty)
    for (const ip of ['203.0.113.8', '203.0.113.9', '203.0.113.11'])
      expect(await reserve(id, ip)).toMatchObject(noneFree)
    const { id: device_id } = await host('203.0.113.10')
    expect((await statuses(id)).slice(4, 5)).toEqual(['10 used'])
    expect(await figures(id)).toEqual(empty)
    expect(await next(id)).toBe('203.0.113.6')
    const { ips } = await inv.api.reservations.allocate({ id, count: 3, device_id })
    expect(ips).toEqual(['203.0.113.6', '203.0.113.7', '203.0.113.12'])
    const { addresses } = await inv.api.devices.get({ id: device_id })
    expect(addresses.map(({ ip, network_id }) => [ip, network_id])).toEqual([
      ['203.0.113.10', null],
      ...ips.map((ip) => [ip, outer.id]),
    ])
    expect(await inv.api.reservations.allocate({ id })).toMatchObject({ ips: ['203.0.113.13'] })
    expect(await asked(id)).toMatchObject(noneFree)
    expect(await figures(id)).toEqual({ ...empty, used_ips: 3, reserved_ips: 1, available_ips: 0, utilization: 100 })
    await inv.api.networks.delete({ id: inner.id })
    expect(await next(id)).toBe('203.0.113.8')
  })

  test('the network and broadcast address of an inner network are reserved in its own pool as well', async () => {
    await network('10.1.0.0/24')
    const inner = await network('10.1.0.8/30')
    const id = await pool(inner.id, '10.1.0.8', '10.1.0.11')
    expect(await statuses(id)).toEqual(['8 reserved', '9 available', '10 available', '11 reserved'])
    for (const ip of ['10.1.0.8', '10.1.0.11']) expect(await reserve(id, ip)).toMatchObject(noneFree)
    expect((await reserve(id, '10.1.0.9')).status).toBe(201)
  })

  test('a contiguous run does not reach across an inner network', async () => {
    const outer = await network('10.2.0.0/24')
    const id = await pool(outer.id, '10.2.0.1', '10.2.0.30')
    await network('10.2.0.4/31')
    expect(await inv.api.reservations.allocate({ id, count: 4, contiguous: true })).toMatchObject({
      ips: ['10.2.0.6', '10.2.0.7', '10.2.0.8', '10.2.0.9'],
    })
  })

  test('a pool that begins and ends inside of inner networks gives out what is between them', async () => {
    const outer = await network('10.3.0.0/16')
    await network('10.3.0.0/23')
    await network('10.3.0.0/24')
    await network('10.3.4.0/22')
    await network('10.3.2.64/26')
    const id = await pool(outer.id, '10.3.1.7', '10.3.5.9')
    expect(await next(id)).toBe('10.3.2.0')
    expect(await figures(id)).toMatchObject({ total_ips: 512 - 64, available_ips: 512 - 64 })
    expect(await inv.api.reservations.allocate({ id, count: 448 })).toMatchObject({
      ips: { length: 448, 447: '10.3.3.255' },
    })
    expect(await asked(id)).toMatchObject(noneFree)
  })

  test('of an IPv6 /48 with a thousand networks inside, the next address is behind the first of them', async () => {
    const outer = await network('2001:db8:5::/48')
    const id = await pool(outer.id, '2001:db8:5::', '2001:db8:5:ffff:ffff:ffff:ffff:ffff')
    const operations = Array.from({ length: 600 }, (_, i) => ({
      op: 'create' as const,
      network: { name: `n${i}`, subnet: `2001:db8:5:${i.toString(16)}::/64` },
    }))
    await inv.api.networks.bulk({ operations })
    expect(await next(id)).toBe(`2001:db8:5:${(600).toString(16)}::`)
    expect(await figures(id)).toMatchObject({ total_ips: Number.MAX_SAFE_INTEGER, utilization: 0 })
  })

  test('a network of another address space takes nothing from the pool', async () => {
    const space = await inv.api.spaces.create({ name: 'other' })
    const outer = await network('10.6.0.0/24')
    const id = await pool(outer.id, '10.6.0.8', '10.6.0.12')
    await network('10.6.0.8/30', { space_id: space.id })
    expect(await next(id)).toBe('10.6.0.8')
    expect(await figures(id)).toMatchObject({ total_ips: 5 })
  })

  test('an expired reservation of an inner address is not given out', async () => {
    const outer = await network('10.7.0.0/24')
    const id = await pool(outer.id, '10.7.0.9', '10.7.0.12')
    await inv.api.reservations.allocate({ id, count: 3, ttl_seconds: 60 })
    await network('10.7.0.8/30')
    await inv.api.reservations.create({ pool_id: id, ip_address: '10.7.0.12', expires_at: inv.inMs(60_000) })
    expect(await asked(id)).toMatchObject(noneFree)
    inv.advance(61_000)
    expect(await next(id)).toBe('10.7.0.12')
    expect(await figures(id)).toMatchObject({ total_ips: 1, reserved_ips: 0, available_ips: 1 })
  })

  test('an address that is allocated while an inner network is created is not one of that network, if it comes later', async () => {
    const outer = await network('10.8.0.0/24')
    const id = await pool(outer.id, '10.8.0.1', '10.8.0.200')
    const taken: string[] = []
    let isCreated = false
    const later: string[] = []
    const take = async () => {
      for (let i = 0; i < 12; i++) {
        const wasCreated = isCreated
        const { ips } = await inv.api.reservations.allocate({ id, count: 2 })
        ;(wasCreated ? later : taken).push(...ips)
      }
    }
    const create = async () => {
      await network('10.8.0.32/27')
      isCreated = true
    }
    await Promise.all([take(), take(), take(), create()])
    expect(later.filter((ip) => Number(ip.split('.')[3]) >= 32 && Number(ip.split('.')[3]) < 64)).toEqual([])
    expect(new Set([...taken, ...later]).size).toBe(72)
  })

  test('a reservation outside of the rule comes back by an import', async () => {
    const outer = await network('10.9.0.0/24')
    const id = await pool(outer.id, '10.9.0.1', '10.9.0.20')
    await inv.api.reservations.create({ pool_id: id, ip_address: '10.9.0.9' })
    await network('10.9.0.8/30')
    const [stored] = await inv.api.reservations.list({ pool_id: id })
    await inv.api.reservations.delete({ id: stored?.id ?? '' })
    expect(await reserve(id, '10.9.0.9')).toMatchObject(noneFree)
    const rows = [{ pool_id: id, ip_address: '10.9.0.9' }]
    const response = await inv.admin.request('POST', '/api/estate/import?resource=reservations', rows)
    expect(await response.text()).toContain('"created":1')
    expect(await inv.api.reservations.list({ pool_id: id })).toMatchObject([{ ip_address: '10.9.0.9' }])
  })

  test('a pool that lies wholly inside a more specific network is named on the page System', async () => {
    const outer = await network('10.10.0.0/16', { name: 'campus' })
    await network('10.10.0.0/23', { name: 'building' })
    const id = await pool(outer.id, '10.10.1.10', '10.10.1.20')
    const half = await pool(outer.id, '10.10.1.10', '10.10.2.20')
    const ofPools = async () => (await inv.api.system.warnings()).filter(({ resource }) => resource === 'pools')
    const warning = (name: string, subnet: string) => ({
      kind: 'pool_in_more_specific_network',
      resource: 'pools',
      id,
      name: 'p',
      message:
        `The pool "p" (10.10.1.10 - 10.10.1.20) is in the network 10.10.0.0/16, but its addresses belong to the more specific network ` +
        `"${name}" (${subnet}), so none of them is given out. Create the pool in that network, and delete this one.`,
    })
    expect(await ofPools()).toEqual([warning('building', '10.10.0.0/23')])
    const floor = await network('10.10.1.0/24', { name: 'floor' })
    expect(await ofPools()).toEqual([warning('floor', '10.10.1.0/24')])
    expect(await asked(id)).toMatchObject(noneFree)
    expect(await figures(id)).toMatchObject({ total_ips: 0, available_ips: 0, utilization: 0 })
    expect(await next(half)).toBe('10.10.2.0')
    await inv.api.pools.delete({ id })
    expect(await ofPools()).toEqual([])
    await inv.api.networks.delete({ id: floor.id })
  })
})
