// The rules that only networks have: subnets, VLANs, filters, utilization, and the effects of deleting them.
import { describe, expect, test } from 'bun:test'
import { inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('networks on %s', (dialect) => {
  const inv = inventory(dialect)
  const create = (body: Record<string, unknown>) =>
    inv.ask('POST /api/networks', { name: 'n', subnet: '10.0.0.0/24', ...body })

  test.each([
    ['10.0.0.5/24', '10.0.0.0/24'],
    ['192.168.255.255/17', '192.168.128.0/17'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['1.2.3.4/32', '1.2.3.4/32'],
    ['2001:DB8:0:0::5/64', '2001:db8::/64'],
    ['2001:0db8:0000:0000:0001:0000:0000:0001/128', '2001:db8::1:0:0:1/128'],
    ['::1/0', '::/0'],
    ['fe80::/10', 'fe80::/10'],
  ])('write the subnet %s as %s', async (given, stored) => {
    const made = await create({ subnet: given })
    expect(made).toMatchObject({ status: 201, body: { subnet: stored } })
    const { id } = made.body as { id: string }
    expect(await inv.ask(`GET /api/networks/${id}`)).toMatchObject({ body: { subnet: stored } })
    inv.advance(1000)
    expect(await inv.ask(`PUT /api/networks/${id}`, { subnet: given })).toMatchObject({ body: made.body as object })
  })

  test.each([
    '10.0.0.0',
    '10.0.0/24',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '/24',
    '10.0.0.0/-1',
    '10.0.0.0/024',
    ' 10.0.0.0/24',
    'x',
    24,
  ])('never have the subnet %j', async (subnet) => {
    expect(await create({ subnet })).toMatchObject(refusal('subnet'))
  })

  test('are filtered by name, datacenter and VLAN, all of them at once', async () => {
    const { api } = inv
    const { id: datacenter_id } = await api.datacenters.create({ name: 'f' })
    const draft = { subnet: '10.1.0.0/24' }
    await api.networks.create({ ...draft, name: 'f 100%', datacenter_id, vlan_id: 21 })
    await api.networks.create({ ...draft, name: 'f 1000', datacenter_id, vlan_id: 22 })
    await api.networks.create({ ...draft, name: 'f Größe_1', vlan_id: 21 })
    await api.networks.create({ ...draft, name: 'f Größex1' })
    const names = async (filter: Parameters<typeof api.networks.list>[0]) =>
      (await api.networks.list(filter)).map(({ name }) => name)
    expect(await names({ name: 'f 100' })).toEqual(['f 100%', 'f 1000'])
    expect(await names({ name: '100%' })).toEqual(['f 100%'])
    expect(await names({ name: 'GRÖSSE' })).toEqual([])
    expect(await names({ name: 'GRÖßE_' })).toEqual(['f Größe_1'])
    expect(await names({ vlan_id: 21 })).toEqual(['f 100%', 'f Größe_1'])
    expect(await names({ datacenter_id })).toEqual(['f 100%', 'f 1000'])
    expect(await names({ datacenter_id, vlan_id: 21, name: 'F ' })).toEqual(['f 100%'])
    expect(await names({ datacenter_id, vlan_id: 23 })).toEqual([])
    expect(await names({ datacenter_id: 'nope' })).toEqual([])
    expect(await inv.ask('GET /api/networks?vlan_id=x')).toMatchObject(refusal('vlan_id'))
  })

  test.each([
    ['10.20.0.0/24', 254],
    ['10.20.1.0/30', 2],
    ['10.20.2.0/31', 2],
    ['10.20.3.3/32', 1],
    ['10.21.0.0/16', 65534],
    ['11.0.0.0/8', 16777214],
    ['2001:db8:1::/128', 1],
    ['2001:db8:2::/127', 2],
    ['2001:db8:3::/76', 4503599627370496],
    ['2001:db8:4::/75', 9007199254740991],
    ['2001:db8:5::/48', 9007199254740991],
  ])('of %s have %d usable addresses', async (subnet, total) => {
    const { id } = await inv.api.networks.create({ name: 'u', subnet })
    const empty = {
      network_id: id,
      total_ips: total,
      used_ips: 0,
      reserved_ips: 0,
      available_ips: total,
      utilization: 0,
    }
    expect(await inv.api.networks.utilization({ id })).toEqual(empty)
    const listed = await inv.api.networks.list({ include: ['utilization'], name: 'u' })
    expect(listed.find((network) => network.id === id)?.utilization).toEqual(empty)
  })

  test('count distinct addresses in use, and say so in percent of two decimals', async () => {
    const { api } = inv
    const { id } = await api.networks.create({ name: 'pct', subnet: '10.30.0.0/28' })
    await api.devices.create({
      name: 'a',
      addresses: [{ ip: '10.30.0.1' }, { ip: '10.30.0.2' }, { ip: '10.30.0.2', port: 22 }],
    })
    const { id: other } = await api.devices.create({ name: 'b', addresses: [{ ip: '10.30.0.2' }, { ip: '10.30.0.3' }] })
    const three = { network_id: id, total_ips: 14, used_ips: 3, reserved_ips: 0, available_ips: 11, utilization: 21.43 }
    expect(await api.networks.utilization({ id })).toEqual(three)
    expect((await api.networks.list({ name: 'pct', include: ['utilization'] }))[0]?.utilization).toEqual(three)
    expect((await api.networks.list({ name: 'pct' }))[0]).not.toHaveProperty('utilization')
    await api.devices.delete({ id: other })
    expect(await api.networks.utilization({ id })).toMatchObject({ used_ips: 2, utilization: 14.29 })
  })

  test('have a cached count until an address is added or removed', async () => {
    const { api } = inv
    await api.networks.create({ name: 'anew', subnet: '10.31.0.0/28' })
    const read = async () => {
      const { body, etag } = await inv.ask('GET /api/networks?name=anew&include=utilization')
      return {
        etag,
        used: (body as { utilization: { used_ips: number } }[]).map(({ utilization }) => utilization.used_ips),
      }
    }
    const empty = await read()
    const { id: bare } = await api.devices.create({ name: 'bare', tags: ['t'], domains: ['anew.example'] })
    await api.devices.delete({ id: bare })
    expect(await read()).toEqual(empty)
    const { id } = await api.devices.create({ name: 'lives there', addresses: [{ ip: '10.31.0.1' }] })
    const inhabited = await read()
    expect(inhabited.used).toEqual([1])
    await api.devices.delete({ id })
    const left = await read()
    expect(left.used).toEqual([0])
    expect(new Set([empty.etag, inhabited.etag, left.etag]).size).toBe(3)
  })

  test('are deleted with their pools and reservations, and leave the addresses of devices', async () => {
    const { api } = inv
    const network = await api.networks.create({ name: 'gone', subnet: '10.40.0.0/24' })
    const outer = await api.networks.create({ name: 'outer', subnet: '10.40.0.0/16' })
    const range = { start_ip: '10.40.0.1', end_ip: '10.40.0.99' }
    const pool = await api.pools.create({ ...range, network_id: network.id, name: 'p', tags: ['t'] })
    const kept = await api.pools.create({ ...range, network_id: outer.id, name: 'kept' })
    const held = await api.reservations.create({ pool_id: pool.id, ip_address: '10.40.0.1' })
    const device = await api.devices.create({
      name: 'd',
      addresses: [
        { ip: '10.40.0.2', network_id: network.id, pool_id: pool.id, label: 'a' },
        { ip: '10.40.0.3', pool_id: kept.id },
        { ip: '10.40.0.4' },
      ],
    })
    expect(await api.networks.utilization({ id: outer.id })).toMatchObject({ used_ips: 0 })
    inv.advance(1000)
    await api.networks.delete({ id: network.id })

    for (const path of [
      `networks/${network.id}`,
      `pools/${pool.id}`,
      `reservations/${held.id}`,
      `networks/${network.id}/pools`,
    ])
      expect(await inv.ask(`GET /api/${path}`)).toMatchObject(missing)
    const [first, ...rest] = device.addresses
    const after = {
      ...device,
      addresses: [{ ...first, network_id: null, pool_id: null }, ...rest],
      updated_at: inv.now(),
    }
    expect(await api.devices.get({ id: device.id })).toEqual(after as typeof device)
    expect(await api.networks.devices({ id: outer.id })).toEqual([after as typeof device])
    expect(await api.networks.utilization({ id: outer.id })).toMatchObject({ used_ips: 3 })
    expect(await api.devices.list({ network_id: network.id })).toEqual([])
    expect((await api.pools.all({ name: 'kept' })).map(({ id }) => id)).toEqual([kept.id])
    const heatmap = await api.pools.heatmap({ id: kept.id })
    expect(heatmap.slice(0, 5)).toEqual([
      { ip: '10.40.0.1', status: 'available' },
      { ip: '10.40.0.2', status: 'used', device_id: device.id },
      { ip: '10.40.0.3', status: 'used', device_id: device.id },
      { ip: '10.40.0.4', status: 'used', device_id: device.id },
      { ip: '10.40.0.5', status: 'available' },
    ])
    expect(await api.pools.nextIp({ id: kept.id })).toEqual({ ip: '10.40.0.1' })
  })

  describe('a new subnet', () => {
    test('that would leave a pool outside is refused', async () => {
      const { api } = inv
      const network = await api.networks.create({ name: 'r', subnet: '10.50.0.0/24' })
      await api.pools.create({ network_id: network.id, name: 'low', start_ip: '10.50.0.1', end_ip: '10.50.0.9' })
      await api.pools.create({ network_id: network.id, name: 'high', start_ip: '10.50.0.120', end_ip: '10.50.0.130' })
      const answer = await inv.ask(`PUT /api/networks/${network.id}`, { subnet: '10.50.0.0/25', name: 'other' })
      expect(answer).toMatchObject(refusal('subnet'))
      expect((answer.body as { error: string }).error).toContain('"high" (10.50.0.120 - 10.50.0.130)')
      expect(await api.networks.get({ id: network.id })).toEqual(network)
      expect(await api.networks.update({ id: network.id, subnet: '10.50.0.0/16' })).toMatchObject({
        subnet: '10.50.0.0/16',
      })
    })

    test('that would leave an address that names the network outside is refused', async () => {
      const { api } = inv
      const network = await api.networks.create({ name: 'r', subnet: '10.51.0.0/24' })
      const ips = ['10.51.0.1', '10.51.0.200', '10.51.0.201']
      await api.devices.create({ name: 'd', addresses: ips.map((ip) => ({ ip, network_id: network.id })) })
      const answer = await inv.ask(`PUT /api/networks/${network.id}`, { subnet: '10.51.0.0/25' })
      expect(answer).toMatchObject(refusal('subnet'))
      expect((answer.body as { error: string }).error).toContain('10.51.0.200')
      expect(await inv.ask(`PUT /api/networks/${network.id}`, { subnet: '2001:db8::/64' })).toMatchObject(
        refusal('subnet'),
      )
      expect(await api.networks.get({ id: network.id })).toEqual(network)
      await api.networks.update({ id: network.id, subnet: '10.51.0.0/22' })
      expect(await api.networks.utilization({ id: network.id })).toMatchObject({ total_ips: 1022, used_ips: 3 })
    })

    test('may leave an address outside that does not name the network', async () => {
      const { api } = inv
      const network = await api.networks.create({ name: 'r', subnet: '10.52.0.0/24' })
      await api.devices.create({ name: 'd', addresses: [{ ip: '10.52.0.200' }] })
      await api.networks.update({ id: network.id, subnet: '10.52.0.0/25' })
      expect(await api.networks.devices({ id: network.id })).toEqual([])
    })
  })
})
