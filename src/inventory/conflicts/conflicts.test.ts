// When conflicts are raised and resolved, the decisions of users, and that a full check finds the same.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { countCases } from '../../../testing/cases.ts'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import type { Conflict } from './schema.ts'

const TIMEOUT_MS = 60_000

describe.each(engines())('conflicts on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let addresses = 0
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const newIp = () => `10.200.${++addresses >> 8}.${addresses & 255}`
  const device = (...ips: string[]) => admin.api.devices.create({ name: 'd', addresses: ips.map((ip) => ({ ip })) })
  const open = async (ip: string): Promise<Conflict | undefined> =>
    (await admin.api.conflicts.list({})).find((one) => one.ip_address === ip && one.status !== 'resolved')
  const eventsOf = async (id: string) =>
    (await app.db.read.selectFrom('events').select('event').where('resource_id', '=', id).orderBy('seq').execute()).map(
      ({ event }) => event,
    )

  test('an address on two devices is a conflict, with one event', async () => {
    const ip = newIp()
    const one = await device(ip)
    expect(await open(ip)).toBeUndefined()
    const two = await device(ip)
    const raised = await open(ip)
    expect(raised).toMatchObject({
      ...{ type: 'duplicate_ip', status: 'active', network_ids: [], subnets: [], resolved_at: null },
      device_ids: [one.id, two.id].sort(),
      description: `2 devices have the address ${ip}`,
    })
    const three = await device(ip)
    expect((await open(ip))?.device_ids).toEqual([one.id, two.id, three.id].sort())
    expect(await eventsOf(raised?.id ?? '')).toEqual(['conflict.detected'])
  })

  test('the same address twice on one device is none', async () => {
    const ip = newIp()
    await admin.api.devices.create({
      name: 'twice',
      addresses: [
        { ip, port: 1 },
        { ip, port: 2 },
      ],
    })
    expect(await open(ip)).toBeUndefined()
  })

  test('a device that lists an address of another device twice makes one conflict, resolved once', async () => {
    const ip = newIp()
    const one = await device(ip)
    const twice = await device(ip, ip)
    const raised = await open(ip)
    expect(raised?.device_ids).toEqual([one.id, twice.id].sort())
    await admin.api.devices.delete({ id: twice.id })
    expect(await eventsOf(raised?.id ?? '')).toEqual(['conflict.detected', 'conflict.resolved'])
  })

  test('two devices of one bulk call with the same address are one', async () => {
    const ip = newIp()
    const create = (name: string) => ({ op: 'create' as const, device: { name, addresses: [{ ip }] } })
    await admin.api.devices.bulk({ operations: [create('a'), create('b')] })
    expect((await open(ip))?.device_ids).toHaveLength(2)
  })

  test(
    'an address that very many have names a hundred of them, and is left to one all the same',
    async () => {
      const ip = newIp()
      const operations = Array.from({ length: 130 }, (_, i) => ({
        op: 'create' as const,
        device: { id: `many-${dialect}-${i}`, name: 'm', addresses: [{ ip }] },
      }))
      await admin.api.devices.bulk({ operations })
      await device(ip)
      const { id = '', device_ids = [], description } = (await open(ip)) ?? {}
      expect([device_ids.length, description]).toEqual([100, `100 or more devices have the address ${ip}`])
      await admin.api.conflicts.resolve({ id, keep_device_id: `many-${dialect}-7` })
      expect((await admin.api.conflicts.get({ id })).status).toBe('resolved')
      expect((await admin.api.devices.list({})).filter((one) => one.addresses.some((a) => a.ip === ip))).toHaveLength(1)
    },
    TIMEOUT_MS,
  )

  test.each(['an update', 'a deletion'])('is resolved by %s that removes the cause', async (how) => {
    const ip = newIp()
    const [, two] = [await device(ip), await device(ip)]
    const raised = await open(ip)
    if (how === 'an update') await admin.api.devices.update({ id: two.id, addresses: [] })
    else await admin.api.devices.delete({ id: two.id })
    const over = await admin.api.conflicts.get({ id: raised?.id ?? '' })
    expect(over).toMatchObject({ status: 'resolved', resolved_by: '', resolved_at: expect.any(String) })
    expect(await eventsOf(over.id)).toEqual(['conflict.detected', 'conflict.resolved'])
  })

  test('comes back as another one', async () => {
    const ip = newIp()
    const [one, two] = [await device(ip), await device(ip)]
    const first = await open(ip)
    await admin.api.devices.update({ id: two.id, addresses: [] })
    await admin.api.devices.update({ id: two.id, addresses: [{ ip }] })
    const second = await open(ip)
    expect(second?.id).not.toBe(first?.id ?? '')
    expect(second?.device_ids).toEqual([one.id, two.id].sort())
  })

  test('is resolved by leaving the address to one device, in one step', async () => {
    const ip = newIp()
    const [one, two, three] = [await device(ip), await device(newIp(), ip), await device(ip)]
    const raised = await open(ip)
    const resolved = await admin.api.conflicts.resolve({ id: raised?.id ?? '', keep_device_id: one.id, notes: 'moved' })
    expect(resolved).toMatchObject({ status: 'resolved', notes: 'moved', resolved_by: expect.stringMatching(/^user-/) })
    // The others lose it one after the other.
    expect([resolved.description, resolved.device_ids.length]).toEqual([`2 devices have the address ${ip}`, 2])
    const left = await Promise.all([one, two, three].map(({ id }) => admin.api.devices.get({ id })))
    expect(left.map(({ addresses: all }) => all.map((address) => address.ip === ip))).toEqual([[true], [false], []])
    expect(await open(ip)).toBeUndefined()
    expect(await eventsOf(resolved.id)).toEqual(['conflict.detected', 'conflict.resolved'])
  })

  test('a device that is no part of it cannot keep the address', async () => {
    const ip = newIp()
    await device(ip)
    await device(ip)
    const other = await device(newIp())
    const { id = '' } = (await open(ip)) ?? {}
    const response = await admin.request('POST', `/api/conflicts/${id}/resolve`, { keep_device_id: other.id })
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ details: [expect.objectContaining({ field: 'keep_device_id' })] }),
    ])
  })

  test('leaving the address needs the right to change devices', async () => {
    const ip = newIp()
    const one = await device(ip)
    await device(ip)
    const { id = '' } = (await open(ip)) ?? {}
    const resolver = await app.as(['conflicts:read', 'conflicts:resolve'])
    const response = await resolver.request('POST', `/api/conflicts/${id}/resolve`, { keep_device_id: one.id })
    expect(response.status).toBe(403)
    expect((await open(ip))?.status).toBe('active')
  })

  test('a conflict that was resolved by hand and still exists is raised by the next check', async () => {
    const ip = newIp()
    await device(ip)
    await device(ip)
    const { id = '' } = (await open(ip)) ?? {}
    await admin.api.conflicts.resolve({ id })
    expect(await open(ip)).toBeUndefined()
    const { conflicts, count } = await admin.api.conflicts.detect({})
    expect(conflicts.filter(({ ip_address }) => ip_address === ip)).toHaveLength(1)
    expect(count).toBe(conflicts.length)
  })

  test('an ignored conflict is not raised again by other devices', async () => {
    const ip = newIp()
    const [, two] = [await device(ip), await device(ip)]
    const { id = '' } = (await open(ip)) ?? {}
    const ignored = await admin.api.conflicts.ignore({ id, notes: 'a VIP' })
    expect(ignored).toMatchObject({ status: 'ignored', notes: 'a VIP' })
    await admin.api.devices.update({ id: two.id, addresses: [] })
    await device(ip)
    await admin.api.conflicts.detect({})
    const now = (await admin.api.conflicts.list({})).filter((one) => one.ip_address === ip)
    expect(now.map(({ status }) => status)).toEqual(['ignored'])
    expect(now[0]?.device_ids).not.toContain(two.id)
  })

  test('a device lists its conflicts', async () => {
    const [first, second] = [newIp(), newIp()]
    const one = await device(first, second)
    await device(first)
    await device(second)
    const mine = await admin.api.conflicts.ofDevice({ id: one.id, status: 'active' })
    expect(mine.map(({ ip_address }) => ip_address).sort()).toEqual([first, second].sort())
    expect((await admin.request('GET', '/api/devices/unknown/conflicts')).status).toBe(404)
  })

  test('a record can be deleted', async () => {
    const ip = newIp()
    await device(ip)
    await device(ip)
    const { id = '' } = (await open(ip)) ?? {}
    await admin.api.conflicts.delete({ id })
    expect((await admin.request('GET', `/api/conflicts/${id}`)).status).toBe(404)
  })

  const subnetConflict = async (subnet: string): Promise<Conflict | undefined> =>
    (await admin.api.conflicts.list({ type: 'overlapping_subnet', status: 'active' })).find(({ subnets }) =>
      subnets.includes(subnet),
    )

  test('equal subnets in one place are one conflict; nested subnets, and subnets of different datacenters, are none', async () => {
    const [a, b] = [
      await admin.api.datacenters.create({ name: 'a' }),
      await admin.api.datacenters.create({ name: 'b' }),
    ]
    const network = (subnet: string, datacenter_id: string | null) =>
      admin.api.networks.create({ name: subnet, subnet, datacenter_id })
    await network('10.210.0.0/16', a.id)
    const first = await network('10.210.1.0/24', a.id)
    await network('10.210.1.0/24', b.id)
    await network('10.210.1.0/24', null)
    expect(await subnetConflict('10.210.1.0/24')).toBeUndefined()
    const second = await network('10.210.1.0/24', a.id)
    expect(await subnetConflict('10.210.1.0/24')).toMatchObject({ network_ids: [first.id, second.id].sort() })
    await admin.api.networks.update({ id: second.id, subnet: '10.210.2.0/24' })
    expect(await subnetConflict('10.210.1.0/24')).toBeUndefined()
  })

  test('networks that lose their datacenter conflict with networks that have none', async () => {
    const place = await admin.api.datacenters.create({ name: 'closing' })
    const subnet = '10.211.0.0/24'
    await admin.api.networks.create({ name: 'in', subnet, datacenter_id: place.id })
    await admin.api.networks.create({ name: 'out', subnet })
    expect(await subnetConflict(subnet)).toBeUndefined()
    await admin.api.datacenters.delete({ id: place.id })
    expect((await subnetConflict(subnet))?.network_ids).toHaveLength(2)
  })

  test('many networks that lose their datacenter at once are compared with the networks that have none', async () => {
    const place = await admin.api.datacenters.create({ name: 'closing' })
    const subnets = Array.from({ length: 12 }, (_, i) => `10.212.${i}.0/24`)
    for (const subnet of subnets) await admin.api.networks.create({ name: 'in', subnet, datacenter_id: place.id })
    const [shared = '', doubled = ''] = subnets
    await admin.api.networks.create({ name: 'out', subnet: shared })
    await admin.api.networks.create({ name: 'also in', subnet: doubled, datacenter_id: place.id })
    const before = await subnetConflict(doubled)
    await admin.api.datacenters.delete({ id: place.id })
    const raised = await Promise.all(subnets.map(subnetConflict))
    expect(raised.map((conflict) => conflict?.network_ids.length)).toEqual([2, 2, ...Array(10)])
    expect(raised[1]?.id).not.toBe(before?.id)
    expect(await eventsOf(before?.id ?? '')).toEqual(['conflict.detected', 'conflict.resolved'])
  })

  /** Returns the names of the events that the work leaves. */
  const findEventsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const newest = () => app.db.read.selectFrom('events').select(['seq', 'event']).orderBy('seq', 'desc')
    const { seq } = await newest().executeTakeFirstOrThrow()
    await work()
    return (await newest().where('seq', '>', seq).execute()).map(({ event }) => event).reverse()
  }

  test('the events of conflicts stand behind the networks of a bulk call that cause them', async () => {
    const subnet = '10.213.0.0/24'
    const networks = ['a', 'b', 'c'].map((name) => ({ name, subnet: name === 'c' ? '10.214.0.0/24' : subnet }))
    const operations = networks.map((network) => ({ op: 'create' as const, network }))
    expect(await findEventsOf(() => admin.api.networks.bulk({ operations }))).toEqual([
      ...['network.created', 'network.created', 'conflict.detected', 'network.created'],
    ])
  })

  test('the events of conflicts stand behind the devices of a bulk call that cause them', async () => {
    const ip = newIp()
    const operations = [ip, ip, newIp()].map((one) => ({
      op: 'create' as const,
      device: { name: 'd', addresses: [{ ip: one }] },
    }))
    expect(await findEventsOf(() => admin.api.devices.bulk({ operations }))).toEqual([
      ...['device.created', 'device.created', 'conflict.detected', 'device.created'],
    ])
  })

  test('the event of a conflict stands behind all objects that are made with the device', async () => {
    const ip = newIp()
    await device(ip)
    const ports = [{ name: 'eth0' }, { name: 'eth1' }]
    const { id: device_type_id } = await admin.api.deviceTypes.create({ manufacturer: 'm', model: dialect, ports })
    const create = () => admin.api.devices.create({ name: 'd', device_type_id, addresses: [{ ip }] })
    expect(await findEventsOf(create)).toEqual([
      ...['device.created', 'port.created', 'port.created', 'conflict.detected'],
    ])
  })

  test('the conflicts of very many addresses are raised and resolved together', async () => {
    const ips = Array.from({ length: 12 }, newIp)
    const one = await device(...ips)
    const two = await device(...ips.toReversed())
    const raised = await Promise.all(ips.map(open))
    expect(raised.map((conflict) => conflict?.device_ids)).toEqual(ips.map(() => [one.id, two.id].sort()))
    const [kept, ...lost] = ips
    await admin.api.devices.update({ id: two.id, addresses: [{ ip: kept ?? '' }] })
    expect((await open(kept ?? ''))?.id).toBe(raised[0]?.id ?? '')
    expect(await Promise.all(lost.map(open))).toEqual(lost.map(() => undefined))
    expect(await eventsOf(raised.at(-1)?.id ?? '')).toEqual(['conflict.detected', 'conflict.resolved'])
  })

  test('a conflict that was resolved by hand and still exists is raised by the next change of the addresses', async () => {
    const ip = newIp()
    const [, two] = [await device(ip), await device(ip)]
    const { id = '' } = (await open(ip)) ?? {}
    await admin.api.conflicts.resolve({ id })
    await admin.api.devices.update({ id: two.id, description: 'no change of the addresses' })
    expect(await open(ip)).toBeUndefined()
    await admin.api.devices.update({ id: two.id, addresses: [{ ip, label: 'eth0' }] })
    expect((await open(ip))?.device_ids).toHaveLength(2)
  })

  test('the summary counts them', async () => {
    const all = await admin.api.conflicts.list({})
    const count = (wanted: Partial<Conflict>) =>
      all.filter(({ type, status }) => (wanted.type ?? type) === type && (wanted.status ?? status) === status).length
    expect(await admin.api.conflicts.summary({})).toEqual({
      active: count({ status: 'active' }),
      resolved: count({ status: 'resolved' }),
      ignored: count({ status: 'ignored' }),
      duplicate_ip: count({ type: 'duplicate_ip', status: 'active' }),
      overlapping_subnet: count({ type: 'overlapping_subnet', status: 'active' }),
    })
  })

  test(
    'the recorded conflicts match a full check after any changes',
    async () => {
      const ips = ['10.220.0.1', '10.220.0.2', '10.220.0.3']
      const ids: string[] = []
      const step = fc.record({
        op: fc.constantFrom('create', 'update', 'delete'),
        device: fc.nat(5),
        ips: fc.subarray(ips),
      })
      const run = async (steps: readonly { op: string; device: number; ips: string[] }[]) => {
        for (const { op, device: at, ips: wanted } of steps) {
          const id = ids[at % Math.max(1, ids.length)]
          const given = wanted.map((ip) => ({ ip }))
          if (op === 'create' || id === undefined)
            ids.push((await admin.api.devices.create({ name: 'p', addresses: given })).id)
          else if (op === 'update') await admin.api.devices.update({ id, addresses: given })
          else {
            await admin.api.devices.delete({ id })
            ids.splice(ids.indexOf(id), 1)
          }
        }
        const shape = (found: readonly Conflict[]) =>
          found
            .filter(({ ip_address }) => ips.includes(ip_address))
            .map(({ id, ip_address, device_ids }) => ({ id, ip_address, device_ids }))
        const before = shape(await admin.api.conflicts.list({ status: 'active' }))
        expect(shape((await admin.api.conflicts.detect({})).conflicts)).toEqual(before)
        const held = await Promise.all(ids.map((id) => admin.api.devices.get({ id })))
        const shared = ips.filter((ip) => held.filter((one) => one.addresses.some((a) => a.ip === ip)).length > 1)
        expect(before.map(({ ip_address }) => ip_address).sort()).toEqual(shared)
      }
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), run), {
        numRuns: countCases(15),
      })
    },
    TIMEOUT_MS,
  )
})

describe.each(onSqlite())('addresses that devices share on %s', (dialect) => {
  const inv = inventory(dialect)
  const make = async (name: string, role?: string) => {
    const answer = await inv.ask('POST /api/devices', { name, addresses: [{ ip: '10.90.0.1', ...(role && { role }) }] })
    expect([answer.status, answer.body]).toEqual([201, expect.anything()])
    return answer.body as { readonly id: string; readonly addresses: readonly object[] }
  }
  const listActive = async () =>
    (await inv.api.conflicts.list({ status: 'active' })).map(({ device_ids }) => device_ids.length)

  test('an address is a conflict only if a device has it without a role that says it is shared', async () => {
    const [one] = [await make('vrrp 1', 'vrrp'), await make('vrrp 2', 'vip')]
    expect(one?.addresses).toMatchObject([{ role: 'vrrp' }])
    expect(await listActive()).toEqual([])
    const plain = await make('plain')
    expect(await listActive()).toEqual([3])
    expect((await inv.api.conflicts.detect({})).count).toBe(1)
    await inv.ask(`PUT /api/devices/${plain.id}`, { addresses: [{ ip: '10.90.0.1', role: 'carp' }] })
    expect(await listActive()).toEqual([])
    expect((await inv.api.conflicts.detect({})).count).toBe(0)
    await inv.ask(`PUT /api/devices/${plain.id}`, { addresses: [{ ip: '10.90.0.1', role: 'secondary' }] })
    expect(await listActive()).toEqual([3])
    const cleared = await inv.ask(`PUT /api/devices/${plain.id}`, { addresses: [{ ip: '10.90.0.1', role: '' }] })
    expect(cleared.body).not.toHaveProperty(['addresses', 0, 'role'])
    await inv.ask(`DELETE /api/devices/${plain.id}`)
    expect(await listActive()).toEqual([])
  })

  test('an unknown role is refused on its field, and one from a pool stays with one device', async () => {
    const bad = await inv.ask('POST /api/devices', { name: 'x', addresses: [{ ip: '10.90.0.2', role: 'none' }] })
    expect(bad).toMatchObject({ status: 400, body: { details: [{ field: 'addresses[0].role' }] } })
    const network = await inv.api.networks.create({ name: 'n', subnet: '10.91.0.0/24' })
    const pool = await inv.api.pools.create({
      network_id: network.id,
      name: 'p',
      start_ip: '10.91.0.1',
      end_ip: '10.91.0.9',
    })
    const pooled = (name: string) =>
      inv.ask('POST /api/devices', { name, addresses: [{ ip: '10.91.0.1', pool_id: pool.id, role: 'anycast' }] })
    expect([(await pooled('a')).status, (await pooled('b')).status]).toEqual([201, 409])
  })
})
