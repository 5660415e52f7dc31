// Address spaces: the same addresses, subnets, pools and reservations in three of them, each right by itself.
import { beforeAll, describe, expect, test } from 'bun:test'
import { alreadyExists, failure, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const inUse = failure(409, 'IN_USE')

describe.each(onSqlite())('address spaces on %s', (dialect) => {
  const inv = inventory(dialect)
  let acme = ''
  let beta = ''
  /** The spaces by their name; the default one has no id. */
  const spaces = () => [undefined, acme, beta]
  const inSpace = (space_id: string | undefined) => (space_id === undefined ? {} : { space_id })

  beforeAll(async () => {
    acme = (await inv.api.spaces.create({ name: 'Acme' })).id
    beta = (await inv.api.spaces.create({ name: 'beta', reachable: true, description: 'the lab' })).id
  })

  const network = (subnet: string, space_id?: string) =>
    inv.api.networks.create({ name: `n ${subnet}`, subnet, ...inSpace(space_id) })
  const device = (name: string, ...addresses: { ip: string; network_id?: string; space_id?: string }[]) =>
    inv.api.devices.create({ name, addresses })
  const openConflicts = async () => (await inv.api.conflicts.list({})).filter(({ status }) => status === 'active')

  describe('as objects', () => {
    test('have a unique name, in any case, and are not the default one', async () => {
      expect(await inv.ask('POST /api/spaces', { name: 'ACME' })).toMatchObject(alreadyExists)
      expect(await inv.ask('POST /api/spaces', { name: 'Default' })).toMatchObject(refusal('name'))
      expect(await inv.ask('POST /api/spaces', { name: 'x', id: 'default' })).toMatchObject(refusal('id'))
      expect(await inv.ask(`PUT /api/spaces/${acme}`, { name: 'beta' })).toMatchObject(alreadyExists)
    })

    test('are listed by name, and changed in part', async () => {
      const listed = await inv.ask('GET /api/spaces')
      expect(listed).toMatchObject({
        status: 200,
        total: '2',
        body: [
          { name: 'Acme', reachable: false },
          { name: 'beta', reachable: true },
        ],
      })
      expect(await inv.ask('GET /api/spaces?name=ET')).toMatchObject({ total: '1', body: [{ id: beta }] })
      const { description } = await inv.api.spaces.update({ id: beta, description: 'another lab' })
      expect(description).toBe('another lab')
    })

    test('are deleted only when nothing is in them', async () => {
      const { id } = await inv.api.spaces.create({ name: 'passing' })
      const inside = await network('10.250.0.0/24', id)
      expect(await inv.ask(`DELETE /api/spaces/${id}`)).toMatchObject(inUse)
      const { id: deviceId } = await device('in passing', { ip: '10.250.0.9', network_id: inside.id })
      await inv.api.networks.delete({ id: inside.id })
      // The address stays in its space when its network goes.
      expect(await inv.api.devices.get({ id: deviceId })).toMatchObject({
        addresses: [{ network_id: null, space_id: id }],
      })
      expect(await inv.ask(`DELETE /api/spaces/${id}`)).toMatchObject(inUse)
      await inv.api.devices.delete({ id: deviceId })
      expect(await inv.ask(`DELETE /api/spaces/${id}`)).toMatchObject({ status: 204 })
    })
  })

  describe('hold the same numbers without knowing of each other', () => {
    let nets: { id: string }[] = []
    let pools: { id: string }[] = []
    beforeAll(async () => {
      nets = await Promise.all(spaces().map((space) => network('10.1.0.0/24', space)))
      pools = await Promise.all(
        nets.map(({ id }) =>
          inv.api.pools.create({ network_id: id, name: 'p', start_ip: '10.1.0.1', end_ip: '10.1.0.9' }),
        ),
      )
    })

    test('a network is sent with its space, and without one in the default space', async () => {
      const [plain, other] = await Promise.all(nets.slice(0, 2).map(({ id }) => inv.api.networks.get({ id })))
      expect(plain && 'space_id' in plain).toBe(false)
      expect(other).toMatchObject({ space_id: acme })
      const listed = async (space_id: string) => (await inv.api.networks.list({ space_id })).map(({ subnet }) => subnet)
      expect(await listed(acme)).toEqual(['10.1.0.0/24'])
      expect(await listed('default')).toEqual(['10.1.0.0/24'])
      const poolsOf = async (space_id: string) => (await inv.api.pools.all({ space_id })).map(({ id }) => id)
      expect([await poolsOf('default'), await poolsOf(acme), await poolsOf('nowhere')]).toEqual([
        [pools[0]?.id ?? ''],
        [pools[1]?.id ?? ''],
        [],
      ])
    })

    test('each gives out its own addresses', async () => {
      const given = await Promise.all(pools.map(({ id }) => inv.api.reservations.allocate({ id, count: 2 })))
      expect(given.map(({ ips }) => ips)).toEqual(spaces().map(() => ['10.1.0.1', '10.1.0.2']))
      const [first, second] = pools
      const reserve = (pool_id = '') => inv.api.reservations.create({ pool_id, ip_address: '10.1.0.5' })
      const reserved = await Promise.all([reserve(first?.id), reserve(second?.id)])
      expect(reserved.map(({ ip_address }) => ip_address)).toEqual(['10.1.0.5', '10.1.0.5'])
      expect(reserve(second?.id)).rejects.toMatchObject({ code: 'IP_NOT_AVAILABLE' })
    })

    test('each counts its own devices', async () => {
      const conflicts = (await openConflicts()).length
      // Router: one device with the same address in all of them.
      await device('router', ...spaces().map((space) => ({ ip: '10.1.0.7', ...inSpace(space) })))
      await device('host', { ip: '10.1.0.8', ...inSpace(acme) })
      const used = await Promise.all(nets.map(({ id }) => inv.api.networks.utilization({ id })))
      expect(used.map(({ used_ips }) => used_ips)).toEqual([1, 2, 1])
      const next = await Promise.all(pools.map(({ id }) => inv.api.pools.nextIp({ id })))
      expect(next.map(({ ip }) => ip)).toEqual(['10.1.0.3', '10.1.0.3', '10.1.0.3'])
      const listed = await inv.api.pools.all({ include: 'utilization' })
      const free = pools.map((pool) => listed.find(({ id }) => id === pool.id)?.utilization)
      expect(free.map((one) => one?.used_ips)).toEqual([1, 2, 1])
      expect((await openConflicts()).length).toBe(conflicts)
      expect((await inv.api.devices.list({ space_id: acme })).map(({ name }) => name)).toEqual(['host', 'router'])
    })

    test('a second device in one of them is a conflict there, resolved there', async () => {
      const { id: keeper } = await device('keeper', { ip: '10.1.0.77', ...inSpace(beta) })
      const { id: other } = await device('other', { ip: '10.1.0.77', ...inSpace(beta) }, { ip: '10.1.0.77' })
      const [raised] = await inv.api.conflicts.list({ space_id: beta })
      expect(raised).toMatchObject({ type: 'duplicate_ip', space_id: beta, device_ids: [keeper, other].sort() })
      await inv.api.conflicts.resolve({ id: raised?.id ?? '', keep_device_id: keeper })
      const { addresses } = await inv.api.devices.get({ id: other })
      expect(addresses.map((one) => ('space_id' in one ? one.space_id : null))).toEqual([null])
    })

    test('equal subnets are a conflict only within one space', async () => {
      expect((await inv.api.conflicts.list({ type: 'overlapping_subnet' })).length).toBe(0)
      const twin = await network('10.1.0.0/24', acme)
      expect(await inv.api.conflicts.list({ type: 'overlapping_subnet', status: 'active' })).toMatchObject([
        { space_id: acme, network_ids: [nets[1]?.id ?? '', twin.id].sort() },
      ])
      await inv.api.networks.update({ id: twin.id, space_id: 'default' })
      const after = await inv.api.conflicts.list({ type: 'overlapping_subnet', status: 'active' })
      expect(after.map((one) => ('space_id' in one ? one.space_id : null))).toEqual([null])
      await inv.api.networks.delete({ id: twin.id })
      expect(await inv.api.conflicts.list({ type: 'overlapping_subnet', status: 'active' })).toEqual([])
    })

    test('search looks in all of them', async () => {
      const found = async (q: string) =>
        (await inv.api.search.all({ q })).results.map(({ type, name }) => `${type} ${name}`)
      expect(await found('10.1.0.8')).toEqual(expect.arrayContaining(['device host']))
      expect((await found('10.1.0.0/28')).filter((one) => one === 'network n 10.1.0.0/24')).toHaveLength(3)
      const spacesOf = async (q: string, name: string) =>
        (await inv.api.search.all({ q })).results.filter((one) => one.name === name).map(({ space_id }) => space_id)
      for (const [q, name] of [
        ['10.1.0.0/28', 'n 10.1.0.0/24'],
        ['n 10.1.0', 'n 10.1.0.0/24'],
        ['10.1.0.0/28', 'p'],
        ['p', 'p'],
      ] as const)
        expect(new Set(await spacesOf(q, name))).toEqual(new Set(spaces()))
      expect((await inv.api.devices.search({ q: '10.1.0.0/28' })).map(({ name }) => name)).toEqual(['host', 'router'])
    })
  })

  describe('of an address', () => {
    test('are that of its network or pool, and nothing else is accepted', async () => {
      const { id: network_id } = await network('10.2.0.0/24', acme)
      const { id: pool_id } = await inv.api.pools.create({
        network_id,
        name: 'q',
        start_ip: '10.2.0.1',
        end_ip: '10.2.0.9',
      })
      const { id: plain } = await network('10.2.0.0/24')
      const add = (address: object) =>
        inv.ask('POST /api/devices', { name: 'd', addresses: [{ ip: '10.2.0.3', ...address }] })
      expect(await add({ network_id })).toMatchObject({ status: 201, body: { addresses: [{ space_id: acme }] } })
      expect(await add({ network_id, space_id: acme })).toMatchObject({ status: 201 })
      for (const silent of [null, '', 'default'])
        expect(await add({ network_id, space_id: silent })).toMatchObject({ body: { addresses: [{ space_id: acme }] } })
      expect(await add({ pool_id })).toMatchObject({ body: { addresses: [{ space_id: acme }] } })
      expect(await add({ network_id, space_id: beta })).toMatchObject(refusal('addresses[0].space_id'))
      expect(await add({ network_id: plain, space_id: beta })).toMatchObject(refusal('addresses[0].space_id'))
      expect(await add({ network_id: plain, pool_id })).toMatchObject(refusal('addresses[0].pool_id'))
      expect(await add({ space_id: 'nowhere' })).toMatchObject(refusal('addresses[0].space_id'))
      expect(
        await inv.ask('POST /api/networks', { name: 'n', subnet: '10.9.0.0/24', space_id: 'nowhere' }),
      ).toMatchObject(refusal('space_id'))
    })

    test('stay when the address is written again as it was read', async () => {
      const { id, addresses } = await device('again', { ip: '10.3.0.1', space_id: acme })
      await inv.api.devices.update({ id, name: 'renamed' })
      const answer = await inv.ask(`PUT /api/devices/${id}`, { addresses })
      expect(answer).toMatchObject({ status: 200, body: { name: 'renamed', addresses: [{ space_id: acme }] } })
    })
  })

  describe('a network that moves', () => {
    test('takes its pools, reservations and addresses with it', async () => {
      const { id } = await network('10.4.0.0/24')
      const { id: wide } = await network('10.4.0.0/16')
      const { id: pool_id } = await inv.api.pools.create({
        network_id: id,
        name: 'a',
        start_ip: '10.4.0.1',
        end_ip: '10.4.0.9',
      })
      const { id: widePool } = await inv.api.pools.create({
        network_id: wide,
        name: 'w',
        start_ip: '10.4.0.1',
        end_ip: '10.4.9.9',
      })
      await inv.api.reservations.create({ pool_id, ip_address: '10.4.0.2' })
      const moved = await inv.api.devices.create({
        name: 'moves',
        addresses: [
          { ip: '10.4.0.3' },
          { ip: '10.4.0.4', network_id: id, pool_id },
          { ip: '10.4.0.5', network_id: id, pool_id: widePool },
          { ip: '10.4.7.7' },
        ],
      })
      const waiting = await device('waits', { ip: '10.4.0.3', space_id: acme })
      const { updated_at: _, ...network_ } = await inv.api.networks.update({ id, space_id: acme })
      expect(network_).toMatchObject({ space_id: acme, subnet: '10.4.0.0/24' })
      expect(await inv.api.devices.get({ id: moved.id })).toMatchObject({
        addresses: [
          { ip: '10.4.0.3', space_id: acme, network_id: null },
          { ip: '10.4.0.4', space_id: acme, network_id: id, pool_id },
          { ip: '10.4.0.5', space_id: acme, network_id: id, pool_id: null },
          { ip: '10.4.7.7', pool_id: null },
        ],
      })
      expect((await inv.api.networks.devices({ id })).map(({ name }) => name)).toEqual(['moves', 'waits'])
      expect(await inv.api.networks.utilization({ id })).toMatchObject({ used_ips: 3 })
      expect(await inv.api.networks.utilization({ id: wide })).toMatchObject({ used_ips: 1 })
      expect(await inv.api.pools.nextIp({ id: pool_id })).toMatchObject({ ip: '10.4.0.1' })
      expect(await inv.api.reservations.list({ pool_id })).toMatchObject([{ ip_address: '10.4.0.2' }])
      const conflictsAt = async (ip: string) =>
        (await inv.api.conflicts.list({ space_id: acme, status: 'active' })).filter((one) => one.ip_address === ip)
      expect(await conflictsAt('10.4.0.3')).toMatchObject([
        { ip_address: '10.4.0.3', device_ids: [moved.id, waiting.id].sort() },
      ])
      // In the space that it left, everything is free again.
      const { id: again } = await network('10.4.0.0/24')
      const { id: againPool } = await inv.api.pools.create({
        network_id: again,
        name: 'b',
        start_ip: '10.4.0.2',
        end_ip: '10.4.0.9',
      })
      expect(await inv.api.pools.nextIp({ id: againPool })).toMatchObject({ ip: '10.4.0.2' })
      await inv.api.networks.update({ id, space_id: null })
      expect(await conflictsAt('10.4.0.3')).toEqual([])
      const back = await inv.api.networks.get({ id })
      expect('space_id' in back).toBe(false)
    })

    test('leaves what a network of the same subnet holds too', async () => {
      const [{ id }, { id: twin }] = [await network('10.5.0.0/24'), await network('10.5.0.0/24')]
      const { id: contained } = await device('contained', { ip: '10.5.0.1' })
      const { id: named } = await device('named', { ip: '10.5.0.2', network_id: id })
      await inv.api.networks.update({ id, space_id: beta })
      const spaceOf = async (deviceId: string) =>
        (await inv.api.devices.get({ id: deviceId })).addresses.map((one) => one.space_id)
      expect([await spaceOf(contained), await spaceOf(named)]).toEqual([[undefined], [beta]])
      expect((await inv.api.networks.devices({ id: twin })).map(({ name }) => name)).toEqual(['contained'])
    })

    test('is refused where an address of it is reserved already', async () => {
      const make = async (space_id?: string) => {
        const { id } = await network('10.6.0.0/24', space_id)
        const { id: pool_id } = await inv.api.pools.create({
          network_id: id,
          name: 'r',
          start_ip: '10.6.0.1',
          end_ip: '10.6.0.9',
        })
        await inv.api.reservations.create({ pool_id, ip_address: '10.6.0.4' })
        return id
      }
      const [id] = [await make(), await make(acme)]
      expect(await inv.ask(`PUT /api/networks/${id}`, { space_id: acme })).toMatchObject(refusal('space_id'))
      expect(await inv.ask(`PUT /api/networks/${id}`, { space_id: 'nowhere' })).toMatchObject(refusal('space_id'))
      expect(await inv.ask(`PUT /api/networks/${id}`, { space_id: beta })).toMatchObject({
        status: 200,
        body: { space_id: beta },
      })
    })
  })

  describe('in a lookup', () => {
    const look = async (query: string, space_id?: string) => inv.api.lookup.show({ query, ...inSpace(space_id) })

    test('an address is answered of one of them, and the others are told', async () => {
      await network('10.7.0.0/24', acme)
      await network('10.7.0.0/24', beta)
      await device('in beta', { ip: '10.7.0.1', space_id: beta })
      const first = await look('10.7.0.1')
      expect(first).toMatchObject({ state: 'free', space_id: acme, known: true })
      expect(first.summary).toEndWith(', in the space Acme')
      expect(first.elsewhere).toEqual([
        {
          space_id: beta,
          space: 'beta',
          state: 'assigned',
          summary: '10.7.0.1 belongs to in beta, active, in n 10.7.0.0/24 (10.7.0.0/24)',
        },
      ])
      expect(await look('10.7.0.1', beta)).toMatchObject({
        state: 'assigned',
        space_id: beta,
        elsewhere: [{ space_id: acme }],
      })
      const plain = await look('10.7.0.1', 'default')
      expect([plain.state, plain.space_id, plain.elsewhere?.length]).toEqual(['outside', undefined, 2])
      await device('in default', { ip: '10.7.0.1' })
      expect((await look('10.7.0.1')).space_id).toBeUndefined()
      expect(await look('10.7.0.1', acme)).toMatchObject({
        elsewhere: [{ space_id: null, space: 'default' }, { space: 'beta' }],
      })
    })

    test('so is a block', async () => {
      expect(await look('10.7.0.0/24')).toMatchObject({
        state: 'assigned',
        elsewhere: [
          { space: 'Acme', state: 'network' },
          { space: 'beta', state: 'network' },
        ],
      })
    })

    test('an unknown address is in none of them', async () => {
      const answer = await look('203.0.113.9')
      expect(answer).toMatchObject({ state: 'outside', known: false })
      expect('elsewhere' in answer).toBe(false)
      expect(await inv.ask('GET /api/lookup/10.7.0.1?space_id=nowhere')).toMatchObject(refusal('space_id'))
      expect(await inv.ask(`GET /api/lookup/some-name?space_id=${acme}`)).toMatchObject(refusal('space_id'))
    })
  })
})
