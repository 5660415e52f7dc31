// Networks as a tree, and subnets that are allocated, split and merged.
import { describe, expect, test } from 'bun:test'
import { forbidden, type Inventory, inventory, missing, noneFree, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Network } from './api.ts'

const TIMEOUT_MS = 120_000

const subnetsOf = (networks: readonly Network[]): string[] => networks.map(({ subnet }) => subnet)

/** The estate without times, which every change of an object sets. */
const estateOf = async ({ api }: Inventory) => {
  const untimed = (rows: readonly object[]) =>
    rows.map((row) => JSON.parse(JSON.stringify(row, (key, value) => (key === 'updated_at' ? undefined : value))))
  const networks = await api.networks.list({ include: ['utilization', 'tree'], sort: 'subnet' })
  const members = Object.fromEntries(
    await Promise.all(
      networks.map(async ({ id }) => [id, (await api.networks.devices({ id })).map(({ name }) => name)]),
    ),
  )
  return {
    networks: untimed(networks),
    pools: untimed(await api.pools.all({ include: 'utilization' })),
    reservations: untimed(await api.reservations.all({})),
    devices: untimed(await api.devices.list({})),
    members,
  }
}

describe.each(onSqlite())('planning on %s', (dialect) => {
  const inv = inventory(dialect)
  const network = (subnet: string, more: { name?: string; datacenter_id?: string; space_id?: string } = {}) =>
    inv.api.networks.create({ name: subnet, subnet, ...more })
  const post = (path: string, body: object, headers?: Record<string, string>) =>
    inv.ask(`POST /api/networks/${path}`, body, headers)
  const newestChange = async () => {
    const [change] = await inv.api.history.list({ limit: 1 })
    if (!change) throw new Error('there is no change')
    return change
  }

  test('the list has the place of each network, in the order that is asked for', async () => {
    const wide = await network('10.1.0.0/16', { name: 'Wide' })
    const middle = await network('10.1.4.0/22', { name: 'a' })
    const narrow = await network('10.1.5.0/24', { name: 'b' })
    const six = await network('2001:db8:1::/48', { name: 'aa' })
    const space = await inv.api.spaces.create({ name: 'lab' })
    const other = await network('10.1.5.0/25', { name: 'zz', space_id: space.id })
    const own = new Set([wide, middle, narrow, six, other].map(({ id }) => id))
    const listed = async (input: Parameters<typeof inv.api.networks.list>[0]) =>
      (await inv.api.networks.list(input)).filter(({ id }) => own.has(id))
    expect(
      (await listed({ include: ['tree'], sort: 'subnet' })).map(({ id, parent_id, depth, children }) => [
        ...[id, parent_id, depth, children],
      ]),
    ).toEqual([
      [wide.id, null, 0, 1],
      [middle.id, wide.id, 1, 1],
      [narrow.id, middle.id, 2, 0],
      [six.id, null, 0, 0],
      [other.id, null, 0, 0],
    ])
    expect((await listed({})).map(({ name }) => name)).toEqual(['a', 'aa', 'b', 'Wide', 'zz'])
    expect((await listed({ sort: '-name' })).map(({ name }) => name)).toEqual(['zz', 'Wide', 'b', 'aa', 'a'])
    expect((await listed({ sort: '-subnet' })).map(({ id }) => id)).toEqual(
      [wide, middle, narrow, six, other].map(({ id }) => id).reverse(),
    )
    expect(await listed({})).toEqual([middle, six, narrow, wide, other])
    const paged = await inv.ask('GET /api/networks?include=tree&include=utilization&sort=subnet&limit=1&offset=1')
    expect(paged).toMatchObject({
      status: 200,
      total: '5',
      body: [{ id: middle.id, depth: 1, utilization: { children: 1 } }],
    })
    expect(await inv.ask('GET /api/networks?sort=prefix')).toMatchObject(refusal('sort'))
    expect(await inv.ask('GET /api/networks?sort=-created_at')).toMatchObject({ status: 200 })
    expect(await inv.ask('GET /api/networks?include=trees')).toMatchObject({ status: 400 })
    for (const { id } of [wide, middle, narrow, six, other]) await inv.api.networks.delete({ id })
  })

  test('of two networks with a subnet, that of the same datacenter is the parent', async () => {
    const { id: datacenter_id } = await inv.api.datacenters.create({ name: 'dc' })
    const one = await network('10.2.0.0/16')
    const two = await network('10.2.0.0/16', { datacenter_id })
    const inner = await network('10.2.1.0/24', { datacenter_id })
    const tree = await inv.api.networks.tree({ id: two.id })
    expect(subnetsOf(tree.children)).toEqual([inner.subnet])
    expect((await inv.api.networks.tree({ id: one.id })).children).toEqual([])
    expect((await inv.api.networks.tree({ id: inner.id })).parents.map(({ id }) => id)).toEqual([two.id])
    // Free space only follows from containment.
    expect((await inv.api.networks.tree({ id: one.id })).free).toEqual(tree.free)
    for (const { id } of [one, two, inner]) await inv.api.networks.delete({ id })
  })

  test('a tree has parents, children with utilization, and free blocks with what is in them', async () => {
    const outer = await network('10.3.0.0/16', { name: 'outer' })
    const mid = await network('10.3.0.0/24', { name: 'mid' })
    const low = await network('10.3.0.0/26', { name: 'low' })
    const twin = await network('10.3.0.0/26', { name: 'twin' })
    const high = await network('10.3.0.192/26', { name: 'high' })
    const range = { start_ip: '10.3.0.100', end_ip: '10.3.0.150' }
    const pool = await inv.api.pools.create({ network_id: mid.id, name: 'p', ...range })
    await inv.api.reservations.create({ pool_id: pool.id, ip_address: '10.3.0.101' })
    const expiring = await inv.api.reservations.allocate({ id: pool.id, ttl_seconds: 60 })
    expect(expiring.ips).toEqual(['10.3.0.100'])
    await inv.api.devices.create({
      name: 'd3',
      addresses: [
        ...[{ ip: '10.3.0.1' }, { ip: '10.3.0.2' }, { ip: '10.3.0.101' }, { ip: '10.3.0.200' }],
        { ip: '10.3.0.3', network_id: mid.id },
      ],
    })
    await inv.api.devices.create({ name: 'e3', addresses: [{ ip: '10.3.0.3' }] })
    inv.advance(61_000)
    const { network: shown, parents, children, free, more } = await inv.api.networks.tree({ id: mid.id })
    expect(shown).toEqual(mid)
    expect(parents.map(({ name }) => name)).toEqual(['outer'])
    expect(children.map(({ name, utilization }) => [name, utilization?.used_ips])).toEqual([
      ['low', 3],
      ['twin', 3],
      ['high', 1],
    ])
    const pools = [{ id: pool.id, name: 'p', ...range }]
    expect({ free, more }).toEqual({
      free: [
        { subnet: '10.3.0.64/26', total_ips: 64, used_ips: 1, pools },
        { subnet: '10.3.0.128/26', total_ips: 64, used_ips: 0, pools },
      ],
      more: false,
    })
    const { utilization } = (await inv.api.networks.tree({ id: outer.id })).children[0] ?? {}
    expect(utilization).toMatchObject({
      used_ips: 2,
      children: 3,
      allocated_ips: 128,
      allocated: 50,
      nested_used_ips: 5,
    })
    expect(await inv.api.networks.utilization({ id: mid.id })).toEqual(utilization as never)
    expect(await inv.ask(`GET /api/networks/${low.id}/utilization`)).toMatchObject({ status: 200 })
    expect(Object.keys(await inv.api.networks.utilization({ id: low.id }))).toEqual([
      ...['network_id', 'total_ips', 'used_ips', 'reserved_ips', 'available_ips', 'utilization'],
    ])
    expect((await inv.api.networks.tree({ id: low.id })).free).toEqual([
      { subnet: '10.3.0.0/26', total_ips: 64, used_ips: 3, pools: [] },
    ])
    expect(await inv.ask('GET /api/networks/none/tree')).toMatchObject(missing)
    const [device] = await inv.api.devices.list({ network_id: high.id })
    await inv.api.devices.delete({ id: device?.id ?? '' })
    for (const { id } of [outer, mid, low, twin, high]) await inv.api.networks.delete({ id })
  })

  test('the next subnet overlaps no network, no pool and no taken address', async () => {
    const { id } = await network('10.4.0.0/16')
    await network('10.4.0.0/25')
    await inv.api.pools.create({ network_id: id, name: 'p', start_ip: '10.4.1.250', end_ip: '10.4.2.3' })
    await inv.api.devices.create({ name: 'd4', addresses: [{ ip: '10.4.4.0' }] })
    const next = (prefix_length: number, count = 1) =>
      inv.ask(`GET /api/networks/${id}/next-subnet?prefix_length=${prefix_length}&count=${count}`)
    expect(await next(24, 2)).toMatchObject({ status: 200, body: { subnets: ['10.4.3.0/24', '10.4.5.0/24'] } })
    expect((await next(26, 3)).body).toEqual({ subnets: ['10.4.0.128/26', '10.4.0.192/26', '10.4.1.0/26'] })
    expect(await next(17, 2)).toMatchObject(noneFree)
    for (const bad of [16, 33, -1, 1.5]) expect(await next(bad)).toMatchObject(refusal('prefix_length'))
    for (const bad of [0, 257]) expect(await next(24, bad)).toMatchObject(refusal('count'))
    expect(await inv.ask(`GET /api/networks/${id}/next-subnet`)).toMatchObject(refusal('prefix_length'))
    const six = await network('2001:db8:4::/48')
    expect(await inv.api.networks.nextSubnet({ id: six.id, prefix_length: 128 })).toEqual({
      subnets: ['2001:db8:4::/128'],
    })
    const host = await network('192.0.2.4/32')
    expect(await inv.ask(`GET /api/networks/${host.id}/next-subnet?prefix_length=32`)).toMatchObject(
      refusal('prefix_length'),
    )
  })

  test.each([
    ['10.70.0.0/24', '10.70.0.1', '10.70.0.254', ['10.70.0.0/26', '10.70.0.64/26']],
    ['10.71.0.0/24', '10.71.0.0', '10.71.0.255', ['10.71.0.0/26', '10.71.0.64/26']],
    ['10.72.0.0/24', '10.72.0.1', '10.72.0.255', ['10.72.0.0/26', '10.72.0.64/26']],
  ])('a pool of all usable addresses of %s sets nothing aside', async (subnet, start_ip, end_ip, subnets) => {
    const { id } = await network(subnet)
    await inv.api.pools.create({ network_id: id, name: 'all', start_ip, end_ip })
    expect(await inv.api.networks.nextSubnet({ id, prefix_length: 26, count: 2 })).toEqual({ subnets })
    const { networks } = await inv.api.networks.allocate({ id, prefix_length: 26 })
    expect(subnetsOf(networks)).toEqual(subnets.slice(0, 1))
    await inv.api.pools.create({ network_id: id, name: 'part', start_ip: start_ip.replace(/\d+$/, '70'), end_ip })
    expect(await inv.ask(`GET /api/networks/${id}/next-subnet?prefix_length=26`)).toMatchObject(noneFree)
  })

  test('a pool of all usable addresses of an IPv6 network sets nothing aside, with or without the anycast address', async () => {
    for (const { n, start } of [
      { n: 1, start: '' },
      { n: 2, start: '1' },
    ]) {
      const { id } = await network(`2001:db8:70:${n}::/64`)
      const range = { start_ip: `2001:db8:70:${n}::${start}`, end_ip: `2001:db8:70:${n}:ffff:ffff:ffff:ffff` }
      await inv.api.pools.create({ network_id: id, name: 'all', ...range })
      expect(await inv.api.networks.nextSubnet({ id, prefix_length: 65 })).toEqual({
        subnets: [`2001:db8:70:${n}::/65`],
      })
    }
    const { id } = await network('2001:db8:71::/64')
    const range = { start_ip: '2001:db8:71::2', end_ip: '2001:db8:71::ffff:ffff:ffff:ffff' }
    await inv.api.pools.create({ network_id: id, name: 'part', ...range })
    expect(await inv.ask(`GET /api/networks/${id}/next-subnet?prefix_length=65`)).toMatchObject(noneFree)
  })

  test('an allocated network takes over space and datacenter, and a key gets the same answer', async () => {
    const space = await inv.api.spaces.create({ name: 'customer' })
    const { id: datacenter_id } = await inv.api.datacenters.create({ name: 'dc5' })
    const { id } = await network('10.5.0.0/16', { datacenter_id, space_id: space.id })
    const body = { prefix_length: 24, count: 2, name: 'web', vlan_id: 7, description: 'of a plan' }
    const first = await post(`${id}/allocate`, body, { 'Idempotency-Key': 'k5' })
    expect(first).toMatchObject({
      status: 201,
      body: {
        networks: [
          {
            name: 'web-1',
            subnet: '10.5.0.0/24',
            space_id: space.id,
            datacenter_id,
            vlan_id: 7,
            description: 'of a plan',
          },
          { name: 'web-2', subnet: '10.5.1.0/24' },
        ],
      },
    })
    expect((await post(`${id}/allocate`, body, { 'Idempotency-Key': 'k5' })).body).toEqual(first.body)
    expect(await post(`${id}/allocate`, { ...body, count: 1 }, { 'Idempotency-Key': 'k5' })).toMatchObject(
      refusal('Idempotency-Key'),
    )
    const named = await post(`${id}/allocate`, { prefix_length: 23, datacenter_id: null })
    expect(named.body).toMatchObject({
      networks: [{ name: '10.5.2.0/23', subnet: '10.5.2.0/23', datacenter_id: null }],
    })
    expect(await post(`${id}/allocate?dry_run=true`, { prefix_length: 24 })).toMatchObject({
      status: 200,
      body: { networks: [{ subnet: '10.5.4.0/24' }] },
    })
    expect(await post(`${id}/allocate`, { prefix_length: 17, count: 2 })).toMatchObject(noneFree)
    expect(await post(`${id}/allocate`, { prefix_length: 24, datacenter_id: 'none' })).toMatchObject(
      refusal('datacenter_id'),
    )
    expect(await post(`${id}/allocate`, { prefix_length: 24, count: 2, name: 'x'.repeat(254) })).toMatchObject(
      refusal('name'),
    )
    expect(await post(`${id}/allocate`, {})).toMatchObject(refusal('prefix_length'))
    const viewer = await inv.app.as('viewer')
    expect((await viewer.request('POST', `/api/networks/${id}/allocate`, { prefix_length: 24 })).status).toBe(403)
    expect((await inv.api.networks.list({ space_id: space.id })).length).toBe(4)
  })

  test(
    'parallel allocations get distinct subnets, also in a network and in one around it',
    async () => {
      const { id: space_id } = await inv.api.spaces.create({ name: 'parallel' })
      const outer = await network('10.0.0.0/8', { space_id })
      const inner = await network('10.0.0.0/17', { space_id })
      const allocated = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          inv.api.networks.allocate({ id: i % 2 === 0 ? outer.id : inner.id, prefix_length: 24 }),
        ),
      )
      expect(new Set(allocated.flatMap(({ networks }) => subnetsOf(networks))).size).toBe(100)
      const tree = await inv.api.networks.list({ include: ['tree'], space_id })
      const inOf = (parent: string) => tree.filter(({ parent_id }) => parent_id === parent).length
      expect([inOf(outer.id), inOf(inner.id)]).toEqual([51, 50])
    },
    TIMEOUT_MS,
  )

  /** A network with two pools, of which one has a reservation, and addresses that name it, a pool or nothing. */
  const filled = async (third: number) => {
    const base = await network(`10.6.${third}.0/24`, { name: `n${third}` })
    const ip = (last: number) => `10.6.${third}.${last}`
    const low = await inv.api.pools.create({
      network_id: base.id,
      name: `low ${third}`,
      start_ip: ip(0),
      end_ip: ip(20),
    })
    await inv.api.pools.create({ network_id: base.id, name: `high ${third}`, start_ip: ip(200), end_ip: ip(210) })
    await inv.api.reservations.create({ pool_id: low.id, ip_address: ip(9) })
    await inv.api.devices.create({
      name: `d6 ${third}`,
      addresses: [
        { ip: ip(5), network_id: base.id, pool_id: low.id },
        ...[{ ip: ip(100), network_id: base.id }, { ip: ip(130) }],
      ],
    })
    return { base, low, ip }
  }

  test(
    'a split moves pools, reservations and addresses, a merge moves them back, and each is undone at once',
    async () => {
      const { base, low, ip } = await filled(0)
      const before = await estateOf(inv)
      const rehearsed = await post(`${base.id}/split?dry_run=true`, { prefix_length: 26 })
      expect(rehearsed).toMatchObject({ status: 200, body: { moved: { pools: 2, reservations: 1, addresses: 2 } } })
      expect(await estateOf(inv)).toEqual(before)
      const split = await post(`${base.id}/split`, { prefix_length: 26 })
      expect(split).toMatchObject({
        status: 201,
        body: {
          network: { id: base.id, subnet: base.subnet },
          networks: [
            ...[
              { name: 'n0 1', subnet: '10.6.0.0/26' },
              { name: 'n0 2', subnet: '10.6.0.64/26' },
            ],
            ...[
              { name: 'n0 3', subnet: '10.6.0.128/26' },
              { name: 'n0 4', subnet: '10.6.0.192/26' },
            ],
          ],
          moved: { pools: 2, reservations: 1, addresses: 2 },
        },
      })
      const { networks: parts } = split.body as { networks: Network[] }
      const after = await estateOf(inv)
      expect((await inv.api.pools.get({ id: low.id })).network_id).toBe(parts[0]?.id as string)
      const device = (await inv.api.devices.list({})).find(({ name }) => name === 'd6 0')
      expect(device?.addresses.map(({ network_id, pool_id }) => [network_id, pool_id])).toEqual([
        [parts[0]?.id ?? '', low.id],
        [parts[1]?.id ?? '', null],
        [null, null],
      ])
      expect(parts.map(({ id }) => after.members[id])).toEqual([['d6 0'], ['d6 0'], ['d6 0'], []])
      expect(after.members[base.id]).toEqual([])
      expect(await inv.api.networks.utilization({ id: base.id })).toMatchObject({
        ...{ used_ips: 0, children: 4, allocated_ips: 256, allocated: 100, nested_used_ips: 3 },
      })
      // The reserved address is still taken, and so are the addresses of the device.
      expect((await inv.api.reservations.allocate({ id: low.id, count: 7 })).ips).toEqual([1, 2, 3, 4, 6, 7, 8].map(ip))
      const undoAllocation = await newestChange()
      await inv.api.history.undo({ id: undoAllocation.id })
      expect(await estateOf(inv)).toEqual(after)

      const splitChange = (await inv.api.history.list({ operation: 'networks.split' }))[0]
      const undone = await inv.ask(`POST /api/history/${splitChange?.id}/undo`)
      expect(undone).toMatchObject({ status: 200 })
      expect(await estateOf(inv)).toEqual(before)
      await inv.api.history.undo({ id: (await newestChange()).id })
      expect(await estateOf(inv)).toEqual(after)

      // All but the highest are merged, so that the remaining ones make up no block.
      const ids = parts.map(({ id }) => id)
      const refused = await post('merge', { network_ids: ids.slice(0, 3) })
      expect(refused).toMatchObject(refusal('network_ids'))
      expect(JSON.stringify(refused.body)).toContain('10.6.0.192/26')
      const merged = await post('merge', { network_ids: ids.toReversed(), name: 'one' })
      expect(merged).toMatchObject({
        status: 200,
        body: {
          network: { id: ids[0], name: 'one', subnet: '10.6.0.0/24' },
          removed: ids.slice(1).map((id) => ({ id })),
          moved: { pools: 1, reservations: 0, addresses: 1 },
          lost: { scans: 0, discovered_devices: 0, rules: 0 },
        },
      })
      const together = await estateOf(inv)
      expect(together.pools.filter(({ network_id }) => network_id === ids[0])).toHaveLength(2)
      expect(together.networks.find(({ id }) => id === ids[0])?.utilization).toMatchObject({ used_ips: 3 })
      await inv.api.history.undo({ id: (await newestChange()).id })
      expect(await estateOf(inv)).toEqual(after)
      for (const id of ids) await inv.api.networks.delete({ id })
      await inv.api.networks.delete({ id: base.id })
      await inv.api.devices.delete({ id: device?.id ?? '' })
    },
    TIMEOUT_MS,
  )

  test('a split that cuts a pool, or makes none or too many networks, is refused', async () => {
    const { base } = await filled(1)
    const cut = await post(`${base.id}/split`, { prefix_length: 28 })
    expect(cut).toMatchObject(refusal('prefix_length'))
    expect(JSON.stringify(cut.body)).toContain('high 1')
    expect((await inv.api.networks.tree({ id: base.id })).children).toEqual([])
    const large = await network('10.7.0.0/16')
    expect(await post(`${large.id}/split`, { prefix_length: 25 })).toMatchObject(refusal('prefix_length'))
    expect(await post(`${large.id}/split`, { prefix_length: 16 })).toMatchObject(refusal('prefix_length'))
    expect(await post(`${large.id}/split`, { prefix_length: 17 })).toMatchObject({ status: 201 })
    expect(await post(`${large.id}/split`, { prefix_length: 17 })).toMatchObject(refusal('prefix_length'))
    const operator = await inv.app.as('operator')
    expect((await operator.request('POST', '/api/networks/merge', { network_ids: ['a', 'b'] })).status).toBe(
      forbidden.status,
    )
  })

  test('a merge names what is wrong with its networks', async () => {
    const one = await network('10.8.0.0/24')
    const two = await network('10.8.1.0/24')
    const in1 = await network('10.8.1.0/25')
    const { id: space_id } = await inv.api.spaces.create({ name: 'apart' })
    const apart = await network('10.8.1.0/24', { space_id })
    const six = await network('2001:db8:8::/64')
    const merged = (...network_ids: string[]) => post('merge', { network_ids })
    expect(await merged(one.id)).toMatchObject(refusal('network_ids'))
    expect(await merged(one.id, 'none')).toMatchObject(refusal('network_ids[1]'))
    expect(await merged(one.id, one.id)).toMatchObject(refusal('network_ids[1]'))
    expect(await merged(one.id, apart.id)).toMatchObject(refusal('network_ids'))
    expect(await merged(one.id, six.id)).toMatchObject(refusal('network_ids'))
    const overlapping = await merged(one.id, two.id, in1.id)
    expect(overlapping).toMatchObject(refusal('network_ids'))
    expect(JSON.stringify(overlapping.body)).toContain('overlaps')
    expect(await merged(one.id, two.id)).toMatchObject({ status: 200, body: { network: { subnet: '10.8.0.0/23' } } })
  })
})
