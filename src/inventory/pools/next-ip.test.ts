// next-ip: returns the lowest free address without iterating over the range, and never allocates it.
import { describe, expect, test } from 'bun:test'
import { inventory, noneFree } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'

describe.each(engines())('the next address on %s', (dialect) => {
  const inv = inventory(dialect)
  const pool = async (subnet: string, start_ip: string, end_ip: string) => {
    const { id: network_id } = await inv.api.networks.create({ name: 'n', subnet })
    return (await inv.api.pools.create({ network_id, name: 'p', start_ip, end_ip })).id
  }
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })
  const next = async (id: string) => (await inv.api.pools.nextIp({ id })).ip
  const asked = (id: string) => inv.ask(`GET /api/pools/${id}/next-ip`)

  test('of an empty pool is its first', async () => {
    expect(await asked(await pool('10.1.0.0/24', '10.1.0.10', '10.1.0.20'))).toMatchObject({
      status: 200,
      body: { ip: '10.1.0.10' },
    })
  })

  test('is the lowest gap', async () => {
    const id = await pool('10.2.0.0/24', '10.2.0.10', '10.2.0.20')
    await host('10.2.0.10', '10.2.0.11', '10.2.0.13')
    expect(await next(id)).toBe('10.2.0.12')
  })

  test('is neither the network nor the broadcast address', async () => {
    const id = await pool('10.3.0.0/30', '10.3.0.0', '10.3.0.3')
    expect(await next(id)).toBe('10.3.0.1')
    await host('10.3.0.1', '10.3.0.2')
    expect(await asked(id)).toMatchObject(noneFree)
  })

  test('is the first of a /31, a /32 and an IPv6 network', async () => {
    expect(await next(await pool('10.4.0.0/31', '10.4.0.0', '10.4.0.1'))).toBe('10.4.0.0')
    expect(await next(await pool('10.4.1.1/32', '10.4.1.1', '10.4.1.1'))).toBe('10.4.1.1')
    expect(await next(await pool('2001:db8:4::/64', '2001:db8:4::', '2001:db8:4::ff'))).toBe('2001:db8:4::')
  })

  test('is not changed by a read', async () => {
    const id = await pool('10.5.0.0/24', '10.5.0.1', '10.5.0.2')
    const { etag } = await inv.ask(`GET /api/pools/${id}/heatmap`)
    for (let i = 0; i < 3; i++) expect(await next(id)).toBe('10.5.0.1')
    expect((await inv.ask(`GET /api/pools/${id}/heatmap`)).etag).toBe(etag)
  })

  test('of a full pool is a conflict', async () => {
    const id = await pool('10.6.0.0/24', '10.6.0.1', '10.6.0.2')
    const device = await host('10.6.0.1', '10.6.0.2')
    expect(await asked(id)).toMatchObject(noneFree)
    await inv.api.devices.update({ id: device.id, addresses: [{ ip: '10.6.0.2' }] })
    expect(await next(id)).toBe('10.6.0.1')
  })

  test('is free again when its reservation expires, at once', async () => {
    const id = await pool('10.7.0.0/24', '10.7.0.1', '10.7.0.2')
    const hold = (ip_address: string, ms: number) =>
      inv.api.reservations.create({ pool_id: id, ip_address, expires_at: inv.inMs(ms) })
    await hold('10.7.0.2', 1000)
    expect(await next(id)).toBe('10.7.0.1')
    await hold('10.7.0.1', 2000)
    expect(await asked(id)).toMatchObject(noneFree)
    inv.advance(999)
    expect(await asked(id)).toMatchObject(noneFree)
    inv.advance(1)
    expect(await next(id)).toBe('10.7.0.2')
    inv.advance(1000)
    expect(await next(id)).toBe('10.7.0.1')
  })

  test('is never one that became the broadcast address while it was reserved', async () => {
    const id = await pool('10.8.0.0/24', '10.8.0.14', '10.8.0.15')
    const { network_id } = await inv.api.pools.get({ id })
    await inv.api.reservations.create({ pool_id: id, ip_address: '10.8.0.15', expires_at: inv.inMs(1000) })
    await inv.api.networks.update({ id: network_id, subnet: '10.8.0.0/28' })
    await host('10.8.0.14')
    inv.advance(1000)
    expect(await asked(id)).toMatchObject(noneFree)
  })

  test('is free in every pool or in none', async () => {
    const range = { start_ip: '10.9.0.1', end_ip: '10.9.0.9' }
    const one = await pool('10.9.0.0/24', range.start_ip, range.end_ip)
    const { network_id } = await inv.api.pools.get({ id: one })
    const { id: other } = await inv.api.pools.create({ network_id, name: 'q', ...range })
    await inv.api.reservations.create({ pool_id: one, ip_address: '10.9.0.1' })
    await inv.api.reservations.allocate({ id: other, count: 2 })
    expect([await next(one), await next(other)]).toEqual(['10.9.0.4', '10.9.0.4'])
  })

  test('of an IPv6 /64 with a thousand taken is found at once', async () => {
    const id = await pool('2001:db8:a::/64', '2001:db8:a::', '2001:db8:a::ffff:ffff:ffff:ffff')
    const taken = Array.from({ length: 1000 }, (_, i) => `2001:db8:a::${i.toString(16)}`)
    await host(...taken)
    expect(await next(id)).toBe('2001:db8:a::3e8')
  })

  // Filling a /16 takes seconds on PostgreSQL. A /20 is also too large to iterate over.
  const PREFIXES = { sqlite: testsAll ? 16 : 20, postgres: 20 }

  test(`of a /${PREFIXES[dialect]} with one address left is that one`, async () => {
    const last = 2 ** (32 - PREFIXES[dialect]) - 1
    const ipOf = (n: number) => `10.200.${n >> 8}.${n & 255}`
    const id = await pool(`10.200.0.0/${PREFIXES[dialect]}`, ipOf(0), ipOf(last))
    const left = last - 1234
    const all = Array.from({ length: last - 1 }, (_, i) => i + 1).filter((n) => n !== left)
    // A device has at most 1,000 addresses.
    const operations = Array.from({ length: Math.ceil(all.length / 1000) }, (_, i) => ({
      op: 'create' as const,
      device: { name: `f${i}`, addresses: all.slice(i * 1000, (i + 1) * 1000).map((n) => ({ ip: ipOf(n) })) },
    }))
    await inv.api.devices.bulk({ operations })
    expect(await next(id)).toBe(ipOf(left))
    await host(ipOf(left))
    expect(await asked(id)).toMatchObject(noneFree)
  }, 30_000)
})
