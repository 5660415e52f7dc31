// The figures of a network, which every surface takes from one function.
import { afterEach, describe, expect, test } from 'bun:test'
import { inventory } from '../../../../testing/estates/inventory.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { record } from '../../../answers/utilization/store.ts'

describe.each(engines())('the utilization of a network on %s', (dialect) => {
  const inv = inventory(dialect)
  afterEach(async () => {
    for (const { id } of await inv.api.networks.list({})) await inv.api.networks.delete({ id })
    for (const { id } of await inv.api.devices.list({})) await inv.api.devices.delete({ id })
  })
  const network = (subnet: string, more: { space_id?: string } = {}) =>
    inv.api.networks.create({ name: subnet, subnet, ...more })
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })
  const from = (net: string, first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => `${net}.${first + i}`)
  const show = async (id: string) => {
    const { network_id: _, ...figures } = await inv.api.networks.utilization({ id })
    const listed = (await inv.api.networks.list({ include: ['utilization'] })).find((one) => one.id === id)
    expect(listed?.utilization).toEqual({ network_id: id, ...figures })
    const { samples } = await inv.api.utilization.ofNetwork({ id })
    expect(samples.at(-1)).toMatchObject({
      total_ips: figures.total_ips,
      used_ips: figures.used_ips + figures.reserved_ips,
      utilization: figures.utilization,
    })
    return figures
  }
  const fullest = async (name: string) =>
    (await inv.api.dashboard.show()).fullest_networks?.find((one) => one.name === name)?.utilization

  test('the network and broadcast address of a /29 count neither as used nor in the total', async () => {
    const all = await network('10.1.0.0/29')
    await host(...from('10.1.0', 0, 7))
    const full = { total_ips: 6, used_ips: 6, reserved_ips: 0, available_ips: 0, utilization: 100 }
    expect(await show(all.id)).toEqual(full)
    const ends = await network('10.1.1.0/29')
    await host('10.1.1.0', '10.1.1.7')
    const empty = { total_ips: 6, used_ips: 0, reserved_ips: 0, available_ips: 6, utilization: 0 }
    expect(await show(ends.id)).toEqual(empty)
    const parent = await network('10.1.0.0/16')
    const { children } = await inv.api.networks.tree({ id: parent.id })
    expect(children.map(({ utilization: { network_id: _, ...figures } }) => figures)).toEqual([full, empty])
    expect(await fullest('10.1.0.0/29')).toBe(100)
    expect(await fullest('10.1.1.0/29')).toBeUndefined()
    expect(await show(parent.id)).toMatchObject({ used_ips: 0, nested_used_ips: 6 })
  })

  test('both addresses of a /31 and the one of a /32 count, and all of an IPv6 network', async () => {
    const pair = await network('10.2.0.0/31')
    const one = await network('10.2.0.4/32')
    const six = await network('2001:db8:2::/64')
    await host('10.2.0.0', '10.2.0.1', '10.2.0.4', '2001:db8:2::', '2001:db8:2::ffff:ffff:ffff:ffff')
    expect(await show(pair.id)).toMatchObject({ total_ips: 2, used_ips: 2, utilization: 100 })
    expect(await show(one.id)).toMatchObject({ total_ips: 1, used_ips: 1, utilization: 100 })
    expect(await show(six.id)).toMatchObject({ total_ips: Number.MAX_SAFE_INTEGER, used_ips: 2, utilization: 0 })
  })

  test('a network of addresses at the ends of the network around it does not fill that above 100 percent', async () => {
    const outer = await network('10.3.0.0/30')
    for (const ip of from('10.3.0', 0, 3)) await network(`${ip}/32`)
    await host(...from('10.3.0', 0, 3))
    expect(await show(outer.id)).toMatchObject({ total_ips: 2, used_ips: 0, nested_used_ips: 2 })
    expect(await fullest('10.3.0.0/30')).toBe(100)
  })

  test('reserved addresses stand beside used ones, and an address that is both counts as used', async () => {
    const { id } = await network('10.4.0.0/28')
    const range = { start_ip: '10.4.0.1', end_ip: '10.4.0.14' }
    const pool = await inv.api.pools.create({ network_id: id, name: 'p', ...range })
    await inv.api.reservations.allocate({ id: pool.id, count: 14 })
    const reserved = { total_ips: 14, used_ips: 0, reserved_ips: 14, available_ips: 0, utilization: 100 }
    expect(await show(id)).toEqual(reserved)
    expect(await fullest('10.4.0.0/28')).toBe(100)
    const { free } = await inv.api.networks.tree({ id })
    expect(free.map(({ used_ips }) => used_ips)).toEqual([14])
    await host('10.4.0.1', '10.4.0.2')
    const both = { ...reserved, used_ips: 2, reserved_ips: 12 }
    expect(await show(id)).toEqual(both)
    const { pool_id: _, ...ofPool } = (await inv.api.pools.all({ include: 'utilization' }))[0]?.utilization ?? {}
    expect(ofPool).toEqual(both)
  })

  test('an expired reservation counts no more, and the ETag of the list changes with it', async () => {
    const { id } = await network('10.5.0.0/28')
    const pool = await inv.api.pools.create({ network_id: id, name: 'p', start_ip: '10.5.0.1', end_ip: '10.5.0.9' })
    await inv.api.reservations.allocate({ id: pool.id, count: 3, ttl_seconds: 60 })
    const list = () => inv.ask('GET /api/networks?name=10.5.0.0&include=utilization')
    const before = await list()
    expect(await show(id)).toMatchObject({ reserved_ips: 3, available_ips: 11 })
    inv.advance(61_000)
    expect(await show(id)).toMatchObject({ reserved_ips: 0, available_ips: 14 })
    expect((await list()).etag).not.toBe(before.etag)
  })

  test('a reserved address counts in the most specific network of its own space', async () => {
    const space = await inv.api.spaces.create({ name: 'lab' })
    const outer = await network('10.6.0.0/24')
    const other = await network('10.6.0.0/24', { space_id: space.id })
    const pool = await inv.api.pools.create({
      network_id: outer.id,
      name: 'p',
      start_ip: '10.6.0.1',
      end_ip: '10.6.0.99',
    })
    await inv.api.reservations.allocate({ id: pool.id, count: 12 })
    const inner = await network('10.6.0.8/29')
    // The addresses .8 to .12, of which .8 is the network address.
    expect(await show(inner.id)).toMatchObject({ total_ips: 6, used_ips: 0, reserved_ips: 4, available_ips: 2 })
    expect(await show(outer.id)).toMatchObject({ reserved_ips: 7, nested_used_ips: 0, nested_reserved_ips: 11 })
    expect(await show(other.id)).toMatchObject({ reserved_ips: 0, available_ips: 254 })
  })

  test('the figures of a moment are those of then', async () => {
    // The history of a database begins with its migration, by the clock of the machine.
    inv.advance(Date.parse('2100-01-01T00:00:00Z') - Date.parse(inv.now()))
    const { id } = await network('10.7.0.0/28')
    const pool = await inv.api.pools.create({ network_id: id, name: 'p', start_ip: '10.7.0.1', end_ip: '10.7.0.9' })
    await inv.api.reservations.allocate({ id: pool.id, count: 3 })
    await host('10.7.0.0', '10.7.0.9')
    inv.advance(1000)
    const at = inv.now()
    const then = await show(id)
    inv.advance(1000)
    await network('10.7.0.0/30')
    await inv.api.reservations.allocate({ id: pool.id, count: 2 })
    expect(await show(id)).not.toMatchObject(then)
    const past = async (path: string) => (await inv.ask(`GET ${path}as_of=${encodeURIComponent(at)}`)).body as never
    expect(await past(`/api/networks/${id}/utilization?`)).toMatchObject(then)
    type Listed = { readonly id: string; readonly utilization: object }
    const networks: Listed[] = await past('/api/networks?include=utilization&')
    expect(networks.find((one) => one.id === id)?.utilization).toMatchObject(then)
    const pools: Listed[] = await past('/api/pools?include=utilization&')
    const figures = { total_ips: 9, used_ips: 1, reserved_ips: 3 }
    expect(pools.find((one) => one.id === pool.id)?.utilization).toMatchObject(figures)
    const heatmap: { status: string }[] = await past(`/api/pools/${pool.id}/heatmap?`)
    expect(heatmap.map(({ status }) => status[0]).join('')).toBe('rrraaaaau')
    const now = (await inv.api.pools.heatmap({ id: pool.id })).map(({ status }) => status[0]).join('')
    expect(now).toBe('rrrrraaau')
  })

  test('a stored sample with more used than usable addresses shows as full', async () => {
    const { id } = await network('10.8.0.0/29')
    const day = (ago: number) => new Date(Date.parse(inv.now()) - ago * 86_400_000).toISOString().slice(0, 10)
    await inv.app.db.write((inner) => record(inner, [{ object_id: id, day: day(1), used: 8, total: 6 }]))
    const { samples } = await inv.api.utilization.ofNetwork({ id })
    expect(samples.map(({ used_ips, utilization }) => [used_ips, utilization])).toEqual([
      [6, 100],
      [0, 0],
    ])
  })

  test('a forecast counts reserved addresses', async () => {
    const { id } = await network('10.9.0.0/28')
    const pool = await inv.api.pools.create({ network_id: id, name: 'p', start_ip: '10.9.0.1', end_ip: '10.9.0.9' })
    const day = (ago: number) => new Date(Date.parse(inv.now()) - ago * 86_400_000).toISOString().slice(0, 10)
    const rows = [3, 2, 1].map((ago) => ({ object_id: id, day: day(ago), used: 4 - ago, total: 14 }))
    await inv.app.db.write((inner) => record(inner, rows))
    await inv.api.reservations.allocate({ id: pool.id, count: 4 })
    expect((await inv.api.utilization.ofNetwork({ id })).forecast).toMatchObject({ per_day: 1, days_to_full: 10 })
    expect((await inv.api.dashboard.show()).fullest_networks?.find(({ name }) => name === '10.9.0.0/28')).toMatchObject(
      {
        utilization: 28.57,
        days_to_full: 10,
      },
    )
  })
})
