// Every object that a change alters has one event, also if the call names another object.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { expectAsHistory, findLastSeq, type RecordedEvent, readEvents } from '../../../testing/recorded-events.ts'
import { engines } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

describe.each(engines())('events on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    app = await testApp({ dialect, env: { RATE_LIMIT_ENABLED: 'false', DISCOVERY_ALLOWED_SUBNETS: '10.0.0.0/8' } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  /** Returns the events of some calls, each of which is compared with the history of its change. */
  const listen = async (work: () => Promise<unknown>): Promise<readonly RecordedEvent[]> => {
    const after = await findLastSeq(app)
    const known = new Set((await admin.api.history.list({ limit: 1000 })).map(({ id }) => id))
    await work()
    const events = await readEvents(app, after)
    const changes = (await admin.api.history.list({ limit: 1000 })).filter(({ id }) => !known.has(id))
    let compared = 0
    for (const { id } of changes) compared += await expectAsHistory(admin, id, events)
    expect(compared).toBe(events.filter(({ change_id }) => change_id !== '').length)
    return events
  }

  /** Returns name and changed fields of each event, as the history is silent on their order sorted. */
  const formatEvents = (events: readonly RecordedEvent[]): string[] =>
    events.map(({ event, data }) => (data.changes === undefined ? event : `${event} ${String(data.changes)}`)).sort()

  const listChangeIds = (events: readonly RecordedEvent[]) => [...new Set(events.map(({ change_id }) => change_id))]

  /** Makes a datacenter with one object of each kind that names it, and a pool with a reservation and an address. */
  const makeEstate = async () => {
    const n = ++count
    const net = `10.${n}.0`
    const { id: datacenter_id } = await admin.api.datacenters.create({ name: `dc ${n}` })
    const network = await admin.api.networks.create({
      name: `net ${n}`,
      subnet: `${net}.0/24`,
      datacenter_id,
      vlan_id: n,
    })
    const pool = await admin.api.pools.create({
      ...{ network_id: network.id, name: `pool ${n}`, start_ip: `${net}.10`, end_ip: `${net}.99` },
    })
    const reservation = await admin.api.reservations.create({ pool_id: pool.id, ip_address: `${net}.11` })
    const rack = await admin.api.racks.create({ name: `rack ${n}`, datacenter_id })
    const type = await admin.api.deviceTypes.create({ manufacturer: 'Acme', model: `M${n}`, height: 1 })
    const vlan = await admin.api.vlans.create({ vlan_id: n, name: `vlan ${n}`, datacenter_id })
    const device = await admin.api.devices.create({
      ...{ name: `device ${n}`, datacenter_id, device_type_id: type.id, mount: { rack_id: rack.id, position: 1 } },
      addresses: [{ ip: `${net}.10`, network_id: network.id, pool_id: pool.id }],
    })
    return { n, net, datacenter_id, network, pool, reservation, rack, type, vlan, device }
  }

  test('the deletion of a datacenter sends an event of each object that names it', async () => {
    const { datacenter_id, vlan, network } = await makeEstate()
    const events = await listen(() => admin.api.datacenters.delete({ id: datacenter_id }))
    expect(formatEvents(events)).toEqual([
      'datacenter.deleted',
      'device.updated datacenter_id',
      'network.updated datacenter_id',
      'rack.updated datacenter_id',
      'vlan.updated datacenter_id',
    ])
    expect(listChangeIds(events)).toHaveLength(1)
    const { id, network_ids } = await admin.api.vlans.get({ id: vlan.id })
    const told = events.find(({ event }) => event === 'vlan.updated')
    expect([told?.data.id, told?.data.network_ids]).toEqual([id, network_ids])
    expect(network_ids).toEqual([network.id])
  })

  test('the deletion of a network sends an event of its pools, their reservations and its devices', async () => {
    const { network, vlan } = await makeEstate()
    const events = await listen(() => admin.api.networks.delete({ id: network.id }))
    expect(formatEvents(events)).toEqual([
      'device.updated addresses',
      'network.deleted',
      'pool.deleted',
      'reservation.deleted',
    ])
    expect(listChangeIds(events)).toHaveLength(1)
    expect((await admin.api.vlans.get({ id: vlan.id })).network_ids).toEqual([])
  })

  test('the deletion of a pool sends an event of its reservations and devices', async () => {
    const { pool } = await makeEstate()
    const events = await listen(() => admin.api.pools.delete({ id: pool.id }))
    expect(formatEvents(events)).toEqual(['device.updated addresses', 'pool.deleted', 'reservation.deleted'])
  })

  test('the deletion of a rack sends an event of its devices', async () => {
    const { rack } = await makeEstate()
    const events = await listen(() => admin.api.racks.delete({ id: rack.id }))
    expect(formatEvents(events)).toEqual(['device.updated mount', 'rack.deleted'])
  })

  test('the deletion of a device type sends an event of its devices', async () => {
    const { type } = await makeEstate()
    const events = await listen(() => admin.api.deviceTypes.delete({ id: type.id }))
    expect(formatEvents(events)).toEqual(['device.updated device_type_id', 'device_type.deleted'])
  })

  test('a rack that moves to another datacenter sends an event of each device that follows it', async () => {
    const { rack, device } = await makeEstate()
    const other = await admin.api.datacenters.create({ name: `other ${count}` })
    const events = await listen(() => admin.api.racks.update({ id: rack.id, datacenter_id: other.id }))
    expect(formatEvents(events)).toEqual(['device.updated datacenter_id', 'rack.updated datacenter_id'])
    const told = events.find(({ event }) => event === 'device.updated')
    const { changes, ip_address, ...data } = told?.data ?? {}
    expect(data).toEqual({ ...(await admin.api.devices.get({ id: device.id })) })
    expect([changes, ip_address]).toEqual([['datacenter_id'], device.addresses[0]?.ip])
  })

  test('the split of a network sends an event of the pools and devices that move', async () => {
    const { network } = await makeEstate()
    const events = await listen(() => admin.api.networks.split({ id: network.id, prefix_length: 25 }))
    expect(formatEvents(events)).toEqual([
      'device.updated addresses',
      'network.created',
      'network.created',
      'pool.updated network_id',
    ])
    expect(listChangeIds(events)).toHaveLength(1)
  })

  test('the merge of networks sends an event of the pools and devices that move', async () => {
    const { net, datacenter_id, n } = await makeEstate()
    const halves = await admin.api.networks.bulk({
      atomic: true,
      operations: [0, 128].map((host) => ({
        ...{ op: 'create' as const },
        network: { name: `half ${n} ${host}`, subnet: `10.${n}.1.${host}/25`, datacenter_id },
      })),
    })
    const ids = halves.results.map(({ network }) => network?.id ?? '')
    await admin.api.pools.create({
      ...{ network_id: ids[1] ?? '', name: `upper ${n}`, start_ip: `10.${n}.1.200`, end_ip: `10.${n}.1.210` },
    })
    await admin.api.devices.create({
      name: `upper ${n}`,
      addresses: [{ ip: `10.${n}.1.201`, network_id: ids[1] ?? '' }],
    })
    const events = await listen(() => admin.api.networks.merge({ network_ids: ids }))
    expect(net).toBe(`10.${n}.0`)
    expect(formatEvents(events)).toEqual([
      'device.updated addresses',
      'network.deleted',
      'network.updated subnet',
      'pool.updated network_id',
    ])
  })

  test('a network that moves to another space and gets another name sends one event, and one of each device in it', async () => {
    const { network } = await makeEstate()
    const space = await admin.api.spaces.create({ name: `space ${count}` })
    const events = await listen(() =>
      admin.api.networks.update({ id: network.id, space_id: space.id, name: `moved ${count}` }),
    )
    expect(formatEvents(events)).toEqual(['device.updated addresses', 'network.updated name,space_id'])
  })

  test('the deletion of an object that custom fields name sends an event of each holder', async () => {
    const { rack, device, datacenter_id, pool } = await makeEstate()
    const fields = await Promise.all(
      (['devices', 'datacenters', 'pools'] as const).map((resource) =>
        admin.api.customFields.create({ resource, name: 'home', type: 'reference', reference_to: 'racks' }),
      ),
    )
    const custom = { home: rack.id }
    await admin.api.devices.update({ id: device.id, custom, mount: null })
    await admin.api.datacenters.update({ id: datacenter_id, custom })
    await admin.api.pools.update({ id: pool.id, custom })
    const events = await listen(() => admin.api.racks.delete({ id: rack.id }))
    expect(formatEvents(events)).toEqual([
      'datacenter.updated custom.home',
      'device.updated custom.home',
      'pool.updated custom.home',
      'rack.deleted',
    ])
    for (const { id } of fields) await admin.api.customFields.delete({ id, force: true })
  })

  test('the forced deletion of a custom field sends an event of each object with a value', async () => {
    const { reservation, network } = await makeEstate()
    const ofAddresses = await admin.api.customFields.create({ resource: 'addresses', name: 'owner', type: 'text' })
    const ofNetworks = await admin.api.customFields.create({ resource: 'networks', name: 'owner', type: 'text' })
    await admin.api.reservations.update({ id: reservation.id, custom: { owner: 'ann' } })
    await admin.api.networks.update({ id: network.id, custom: { owner: 'ann' } })
    const events = await listen(async () => {
      await admin.api.customFields.delete({ id: ofAddresses.id, force: true })
      await admin.api.customFields.delete({ id: ofNetworks.id, force: true })
    })
    expect(formatEvents(events)).toEqual([
      'custom_field.deleted',
      'custom_field.deleted',
      'network.updated custom.owner',
      'reservation.updated custom.owner',
    ])
  })

  test('the deletion of a device sends an event of its ports, cables and relationships', async () => {
    const { device, n } = await makeEstate()
    const other = await admin.api.devices.create({ name: `peer ${n}` })
    await admin.api.relationships.create({ device_id: device.id, child_id: other.id, type: 'connected_to' })
    const cable = await admin.api.cables.create({
      a: { device_id: device.id, port: 'eth0' },
      b: { device_id: other.id, port: 'eth1' },
    })
    const events = await listen(() => admin.api.devices.delete({ id: device.id }))
    expect(formatEvents(events)).toEqual(['cable.deleted', 'device.deleted', 'port.deleted', 'relationship.deleted'])
    const findEvent = (name: string) => events.find(({ event }) => event === name)
    // The event has the names of its ends.
    expect(findEvent('cable.deleted')?.data).toEqual({ ...cable })
    expect(findEvent('relationship.deleted')?.resource_id).toBe(`${device.id} ${other.id} connected_to`)
  })

  test('an undo sends one event of each object', async () => {
    const { network } = await makeEstate()
    await admin.api.networks.delete({ id: network.id })
    const [change] = await admin.api.history.list({ limit: 1 })
    const events = await listen(() => admin.api.history.undo({ id: change?.id ?? '' }))
    expect(formatEvents(events)).toEqual([
      'device.updated addresses',
      'network.created',
      'pool.created',
      'reservation.created',
    ])
    expect(listChangeIds(events)).toHaveLength(1)
  })

  test('an apply sends one event of each object', async () => {
    const { n, network, device } = await makeEstate()
    const events = await listen(() =>
      admin.api.estate.apply({
        datacenters: [{ name: `applied ${n}` }],
        networks: [{ name: network.name, subnet: network.subnet, datacenter: `applied ${n}` }],
        devices: [{ name: device.name, os: 'Debian', datacenter: `dc ${n}` }, { name: `new ${n}` }],
      }),
    )
    expect(formatEvents(events)).toEqual(
      expect.arrayContaining(['datacenter.created', 'device.created', 'device.updated os']),
    )
    expect(listChangeIds(events)).toHaveLength(1)
  })

  test('a bulk call sends one event of each object, with its last state', async () => {
    const { device, n } = await makeEstate()
    const id = `bulk-${n}`
    const update = (of: string, device: Record<string, unknown>) => ({ op: 'update' as const, id: of, device })
    const events = await listen(() =>
      admin.api.devices.bulk({
        atomic: true,
        operations: [
          { op: 'create', id, device: { name: 'first', addresses: [] } },
          update(id, { name: 'second' }),
          update(device.id, { os: 'a' }),
          update(device.id, { os: 'b', description: 'c' }),
          { op: 'create', id: `${id}-gone`, device: { name: 'gone' } },
          { op: 'delete', id: `${id}-gone` },
        ],
      }),
    )
    expect(events.map(({ event, data }) => [event, data.name, data.os, data.changes])).toEqual([
      ['device.created', 'second', '', undefined],
      ['device.updated', device.name, 'b', ['description', 'os']],
    ])
  })

  test('a change and its reverse in one bulk call send no event', async () => {
    const { device } = await makeEstate()
    const events = await listen(() =>
      admin.api.devices.bulk({
        atomic: true,
        operations: ['Debian', device.os].map((os) => ({ op: 'update' as const, id: device.id, device: { os } })),
      }),
    )
    expect(events).toEqual([])
  })

  test('an event of a conflict stands behind the events of the devices that cause it', async () => {
    const ip = `10.${++count}.0.1`
    const events = await listen(() =>
      admin.api.devices.bulk({
        atomic: true,
        operations: ['one', 'two', 'three'].map((name) => ({
          op: 'create' as const,
          device: { name: `${name} ${count}`, addresses: name === 'three' ? [] : [{ ip }] },
        })),
      }),
    )
    expect(events.map(({ event }) => event)).toEqual([
      'device.created',
      'device.created',
      'conflict.detected',
      'device.created',
    ])
    expect(events.map(({ change_id }) => change_id === '')).toEqual([false, false, true, false])
  })

  test('a failed item of a bulk call sends no event of its conflict', async () => {
    const ip = `10.${++count}.0.1`
    await admin.api.devices.create({ name: `holder ${count}`, addresses: [{ ip }] })
    const type = await admin.api.deviceTypes.create({
      ...{ manufacturer: 'Acme', model: `failing ${count}`, ports: [{ name: 'p1' }] },
    })
    const required = await admin.api.customFields.create({ resource: 'racks', name: 'unused', type: 'text' })
    const events = await listen(() =>
      admin.api.devices.bulk({
        atomic: false,
        operations: [
          { op: 'create', device: { name: 'fails', device_type_id: 'none', addresses: [{ ip }] } },
          { op: 'create', device: { name: 'works', device_type_id: type.id } },
        ],
      }),
    )
    expect(formatEvents(events)).toEqual(['device.created', 'port.created'])
    await admin.api.customFields.delete({ id: required.id })
  })

  test('a subscribed webhook gets a delivery of each event, with the change', async () => {
    const { datacenter_id } = await makeEstate()
    const { id } = await admin.api.webhooks.create({
      ...{ name: `hook ${count}`, url: 'https://192.0.2.1/hook', events: ['device.updated', 'datacenter.deleted'] },
    })
    const events = await listen(() => admin.api.datacenters.delete({ id: datacenter_id }))
    const deliveries = await admin.api.webhooks.deliveries({ id })
    const rows = await app.db.read
      .selectFrom('webhook_deliveries')
      .select(['event', 'change_id'])
      .where('webhook_id', '=', id)
      .orderBy('id')
      .execute()
    const own = events.filter(({ event }) => ['device.updated', 'datacenter.deleted'].includes(event))
    expect(rows).toEqual(own.map(({ event, change_id }) => ({ event, change_id })))
    expect(deliveries.map(({ payload }) => payload?.data).reverse()).toEqual(own.map(({ data }) => data))
    await admin.api.webhooks.delete({ id })
  })

  test(
    'an import of more documents than are kept in memory sends the stored devices',
    async () => {
      const description = 'x'.repeat(4000)
      const names = Array.from({ length: 1300 }, (_, i) => `large ${i}`)
      const rows = names.map((name) => ({ name, description }))
      const events = await listen(async () =>
        // The answer ends with the import.
        (await admin.request('POST', '/api/estate/import?resource=devices', rows)).text(),
      )
      expect(events.map(({ event, data }) => [event, data.name])).toEqual(names.map((name) => ['device.created', name]))
      const last = events.at(-1)
      expect(last?.data).toEqual({ ...(await admin.api.devices.get({ id: last?.resource_id ?? '' })), ip_address: '' })
    },
    TIMEOUT_MS,
  )
})
