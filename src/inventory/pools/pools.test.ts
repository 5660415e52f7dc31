// The rules that only pools have: their range, their tags, their utilization, and the effects of deleting them.
import { describe, expect, test } from 'bun:test'
import { failure, inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Pool } from './api.ts'

describe.each(engines())('pools on %s', (dialect) => {
  const inv = inventory(dialect)
  const net = async (subnet: string) => (await inv.api.networks.create({ name: 'n', subnet })).id
  const pool = (network_id: string, start_ip: string, end_ip: string, more: { name?: string; tags?: string[] } = {}) =>
    inv.api.pools.create({ network_id, name: 'p', start_ip, end_ip, ...more })
  const post = (network_id: string, body: Record<string, unknown>) =>
    inv.ask(`POST /api/networks/${network_id}/pools`, { name: 'p', ...body })
  const put = ({ id }: Pool, body: Record<string, unknown>) => inv.ask(`PUT /api/pools/${id}`, body)
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })

  describe('a range', () => {
    test('may be all of its network, or one address', async () => {
      const network_id = await net('10.1.0.0/24')
      expect(await pool(network_id, '10.1.0.0', '10.1.0.255')).toMatchObject({
        start_ip: '10.1.0.0',
        end_ip: '10.1.0.255',
      })
      expect(await pool(network_id, '10.1.0.7', '10.1.0.7')).toMatchObject({ start_ip: '10.1.0.7', end_ip: '10.1.0.7' })
    })

    test('is stored in canonical form', async () => {
      const network_id = await net('2001:db8::/64')
      const made = await post(network_id, { start_ip: '2001:DB8:0:0::0A', end_ip: '2001:0db8::00ff' })
      expect(made).toMatchObject({ status: 201, body: { start_ip: '2001:db8::a', end_ip: '2001:db8::ff' } })
    })

    test.each([
      ['10.2.0.9', '10.2.0.8', ['end_ip']],
      ['10.1.255.255', '10.2.0.8', ['start_ip']],
      ['10.2.0.1', '10.2.1.0', ['end_ip']],
      ['10.3.0.1', '10.3.0.2', ['start_ip', 'end_ip']],
      ['2001:db8::1', '2001:db8::2', ['start_ip', 'end_ip']],
      ['10.2.0.1', '::ffff:10.2.0.2', ['end_ip']],
      ['10.2.0.1/24', '10.2.0.2', ['start_ip']],
      ['10.2.0.01', 'x', ['start_ip', 'end_ip']],
      [' 10.2.0.1', '', ['start_ip', 'end_ip']],
    ])('is never %s to %s', async (start_ip, end_ip, fields) => {
      expect(await post(await net('10.2.0.0/24'), { start_ip, end_ip })).toMatchObject(refusal(...fields))
    })

    test('stays sound when one end of it moves', async () => {
      const made = await pool(await net('10.4.0.0/24'), '10.4.0.10', '10.4.0.20')
      expect(await put(made, { start_ip: '10.4.0.21' })).toMatchObject(refusal('end_ip'))
      expect(await put(made, { end_ip: '10.4.1.1' })).toMatchObject(refusal('end_ip'))
      expect(await put(made, { start_ip: '10.4.0.20' })).toMatchObject({ status: 200, body: { start_ip: '10.4.0.20' } })
    })

    test('keeps the addresses that name the pool', async () => {
      const network_id = await net('10.5.0.0/24')
      const made = await pool(network_id, '10.5.0.10', '10.5.0.20')
      await inv.api.devices.create({ name: 'h', addresses: [{ ip: '10.5.0.12', pool_id: made.id }] })
      expect(await put(made, { start_ip: '10.5.0.13' })).toMatchObject(refusal('start_ip'))
      expect(await put(made, { end_ip: '10.5.0.11' })).toMatchObject(refusal('end_ip'))
      expect(await put(made, { start_ip: '10.5.0.12', end_ip: '10.5.0.12' })).toMatchObject({ status: 200 })
    })

    test('keeps the live reservations of the pool', async () => {
      const network_id = await net('10.6.0.0/24')
      const made = await pool(network_id, '10.6.0.10', '10.6.0.20')
      const expires_at = inv.inMs(60_000)
      await inv.api.reservations.create({ pool_id: made.id, ip_address: '10.6.0.15', expires_at })
      expect(await put(made, { end_ip: '10.6.0.14' })).toMatchObject(refusal('end_ip'))
      expect(await put(made, { start_ip: '10.6.0.16' })).toMatchObject(refusal('start_ip'))
      inv.advance(60_000)
      expect(await put(made, { end_ip: '10.6.0.14' })).toMatchObject({ status: 200 })
    })
  })

  test('never change their network', async () => {
    const [here, there] = [await net('10.7.0.0/24'), await net('10.7.0.0/24')]
    const made = await pool(here, '10.7.0.1', '10.7.0.2')
    expect(await put(made, { network_id: there })).toMatchObject(refusal('network_id'))
    expect(await put(made, { network_id: here, name: 'q' })).toMatchObject({
      status: 200,
      body: { network_id: here, name: 'q' },
    })
  })

  test('have trimmed tags of 1 to 128 characters, once each, in their order, at most 100', async () => {
    const network_id = await net('10.8.0.0/24')
    const range = { start_ip: '10.8.0.1', end_ip: '10.8.0.2' }
    const made = await pool(network_id, '10.8.0.1', '10.8.0.2', { tags: [' b ', 'a', 'b', 'B', 'a a'] })
    expect(made.tags).toEqual(['b', 'a', 'B', 'a a'])
    expect(await put(made, { tags: ['z'] })).toMatchObject({ body: { tags: ['z'] } })
    expect((await inv.api.pools.update({ id: made.id, tags: [] })).tags).toEqual([])
    const many = (n: number) => Array.from({ length: n }, (_, i) => `t${i}`)
    expect(await post(network_id, { ...range, tags: many(100) })).toMatchObject({ status: 201 })
    expect(await post(network_id, { ...range, tags: many(101) })).toMatchObject(refusal('tags'))
    expect(await post(network_id, { ...range, tags: ['x'.repeat(128)] })).toMatchObject({ status: 201 })
    expect(await post(network_id, { ...range, tags: ['ok', 'x'.repeat(129), ' '] })).toMatchObject(
      refusal('tags[1]', 'tags[2]'),
    )
  })

  test('are filtered by name and by tags, every one of which must be there', async () => {
    const network_id = await net('10.9.0.0/24')
    const elsewhere = await net('10.9.1.0/24')
    await pool(network_id, '10.9.0.1', '10.9.0.2', { name: 'f1', tags: ['red', 'big one'] })
    await pool(network_id, '10.9.0.1', '10.9.0.2', { name: 'f2', tags: ['red'] })
    await pool(elsewhere, '10.9.1.1', '10.9.1.2', { name: 'f3 50%', tags: ['Red', 'big one'] })
    const here = async (tags: string[]) => (await inv.api.pools.list({ network_id, tags })).map(({ name }) => name)
    const all = async (filter: Parameters<typeof inv.api.pools.all>[0]) =>
      (await inv.api.pools.all(filter)).map(({ name }) => name)
    expect(await here([])).toEqual(['f1', 'f2'])
    expect(await here(['red'])).toEqual(['f1', 'f2'])
    expect(await here(['red', 'big one'])).toEqual(['f1'])
    expect(await here(['red', 'none'])).toEqual([])
    expect(await here(['re'])).toEqual([])
    expect(await all({ tags: ['big one'] })).toEqual(['f1', 'f3 50%'])
    expect(await all({ name: 'F', tags: ['big one', 'red'] })).toEqual(['f1'])
    expect(await all({ name: '50%' })).toEqual(['f3 50%'])
    expect(await all({ name: 'f_' })).toEqual([])
  })

  test('are deleted with their reservations, and leave the addresses of devices', async () => {
    const { api } = inv
    const network_id = await net('10.10.0.0/24')
    const gone = await pool(network_id, '10.10.0.1', '10.10.0.9')
    const stays = await pool(network_id, '10.10.0.1', '10.10.0.9')
    const device = await api.devices.create({
      name: 'h',
      addresses: [
        { ip: '10.10.0.1', pool_id: gone.id, network_id },
        { ip: '10.10.0.2', pool_id: stays.id },
      ],
    })
    const held = await api.reservations.create({ pool_id: gone.id, ip_address: '10.10.0.3' })
    inv.advance(1000)
    await api.pools.delete({ id: gone.id })
    const [first, second] = device.addresses
    const after = { ...device, addresses: [{ ...first, pool_id: null }, second], updated_at: inv.now() }
    expect(await api.devices.get({ id: device.id })).toEqual(after as typeof device)
    expect(await inv.ask(`GET /api/reservations/${held.id}`)).toMatchObject(missing)
    expect((await api.pools.heatmap({ id: stays.id })).map(({ status }) => status).slice(0, 4)).toEqual([
      'used',
      'used',
      'available',
      'available',
    ])
    expect(await api.pools.nextIp({ id: stays.id })).toEqual({ ip: '10.10.0.3' })
  })

  describe('the heatmap', () => {
    test('shows each address as used before reserved before available', async () => {
      const network_id = await net('10.11.0.0/29')
      const { id } = await pool(network_id, '10.11.0.0', '10.11.0.7')
      const { id: device_id } = await host('10.11.0.7', '10.11.0.2')
      await inv.api.reservations.create({ pool_id: id, ip_address: '10.11.0.3' })
      await inv.api.reservations.create({ pool_id: id, ip_address: '10.11.0.4' })
      const other = await host('10.11.0.4')
      expect(await inv.api.pools.heatmap({ id })).toEqual([
        { ip: '10.11.0.0', status: 'reserved' },
        { ip: '10.11.0.1', status: 'available' },
        { ip: '10.11.0.2', status: 'used', device_id },
        { ip: '10.11.0.3', status: 'reserved' },
        { ip: '10.11.0.4', status: 'used', device_id: other.id },
        { ip: '10.11.0.5', status: 'available' },
        { ip: '10.11.0.6', status: 'available' },
        { ip: '10.11.0.7', status: 'used', device_id },
      ])
      await inv.api.devices.delete({ id: other.id })
      expect((await inv.api.pools.heatmap({ id }))[4]).toEqual({ ip: '10.11.0.4', status: 'reserved' })
    })

    test('knows no network or broadcast address in /31, /32 and IPv6', async () => {
      const ranges = [
        ['10.12.0.0/31', '10.12.0.0', '10.12.0.1'],
        ['10.12.1.1/32', '10.12.1.1', '10.12.1.1'],
        ['2001:db8::/126', '2001:db8::', '2001:db8::3'],
      ] as const
      for (const [subnet, start, end] of ranges) {
        const { id } = await pool(await net(subnet), start, end)
        const statuses = new Set((await inv.api.pools.heatmap({ id })).map(({ status }) => status))
        expect([...statuses]).toEqual(['available'])
      }
    })

    test('covers 65,536 addresses, and no more', async () => {
      const network_id = await net('10.128.0.0/9')
      const exactly = await pool(network_id, '10.130.0.0', '10.130.255.255')
      const { body, total } = await inv.ask(`GET /api/pools/${exactly.id}/heatmap`)
      expect([(body as unknown[]).length, total]).toEqual([65536, '65536'])
      const more = await pool(network_id, '10.130.0.0', '10.131.0.0')
      expect(await inv.ask(`GET /api/pools/${more.id}/heatmap`)).toMatchObject(failure(400, 'INVALID_INPUT'))
      const wide = await pool(await net('2001:db8:1::/64'), '2001:db8:1::', '2001:db8:1::ffff:ffff:ffff:ffff')
      expect(await inv.ask(`GET /api/pools/${wide.id}/heatmap`)).toMatchObject(failure(400, 'INVALID_INPUT'))
    })

    test('the heatmap has an ETag that only changes with the statuses', async () => {
      const { id } = await pool(await net('10.13.0.0/24'), '10.13.0.1', '10.13.0.9')
      const etag = async () => (await inv.ask(`GET /api/pools/${id}/heatmap`)).etag ?? ''
      const before = await etag()
      await host('10.13.0.99')
      expect(await etag()).toBe(before)
      expect(await inv.ask(`GET /api/pools/${id}/heatmap`, undefined, { 'If-None-Match': before })).toMatchObject({
        status: 304,
      })
      await host('10.13.0.1')
      expect(await etag()).not.toBe(before)
    })
  })

  describe('utilization', () => {
    const of = async (id: string) =>
      (await inv.api.pools.all({ include: 'utilization' })).find((one) => one.id === id)?.utilization

    test('counts used, reserved and available addresses', async () => {
      const network_id = await net('10.14.0.0/29')
      const { id } = await pool(network_id, '10.14.0.0', '10.14.0.7')
      const empty = { pool_id: id, total_ips: 8, used_ips: 0, reserved_ips: 2, available_ips: 6, utilization: 25 }
      expect(await of(id)).toEqual(empty)
      await host('10.14.0.7', '10.14.0.1')
      await host('10.14.0.1')
      await inv.api.reservations.create({ pool_id: id, ip_address: '10.14.0.2' })
      const some = { ...empty, used_ips: 2, reserved_ips: 2, available_ips: 4, utilization: 50 }
      expect(await of(id)).toEqual(some)
      const [listed] = await inv.api.pools.list({ network_id, include: 'utilization' })
      expect(listed?.utilization).toEqual(some)
      expect((await inv.api.pools.list({ network_id }))[0]).not.toHaveProperty('utilization')
    })

    test('utilization counts the reservations of each pool from its first address to its last, and of a single pool all of them', async () => {
      const network_id = await net('10.17.0.0/24')
      const first = await pool(network_id, '10.17.0.10', '10.17.0.19')
      const next = await pool(network_id, '10.17.0.20', '10.17.0.29')
      const after = await pool(network_id, '10.17.0.30', '10.17.0.39')
      for (const ip_address of ['10.17.0.10', '10.17.0.19'])
        await inv.api.reservations.create({ pool_id: first.id, ip_address })
      await inv.api.reservations.create({ pool_id: next.id, ip_address: '10.17.0.20' })
      for (const [{ id }, reserved] of [
        [first, 2],
        [next, 1],
        [after, 0],
      ] as const) {
        expect(await of(id)).toMatchObject({ reserved_ips: reserved, available_ips: 10 - reserved })
        const { samples } = await inv.api.utilization.ofPool({ id })
        expect(samples.at(-1)).toMatchObject({ used_ips: reserved, total_ips: 10 })
      }
    })

    test('is of pools of any size', async () => {
      const { id } = await pool(await net('2001:db8:2::/48'), '2001:db8:2::', '2001:db8:2:ffff:ffff:ffff:ffff:ffff')
      await host('2001:db8:2::5')
      expect(await of(id)).toEqual({
        pool_id: id,
        total_ips: 9007199254740991,
        used_ips: 1,
        reserved_ips: 0,
        available_ips: 9007199254740991,
        utilization: 0,
      })
    })
  })
})
