// The data of an event has the parts of which the receiver may list the resource: on the live feed, and in the deliveries of webhooks.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask, failure } from '../../../testing/estates/inventory.ts'
import { follow } from '../../../testing/feed.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Cable } from '../../inventory/cables/api.ts'
import type { Delivery } from '../webhooks/schema.ts'
import { EVENT_NAMES, type EventName } from './catalogue.ts'

const TIMEOUT_MS = 60_000

describe.each(onSqlite())('the data of an event on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let to: Receiver
  beforeAll(async () => {
    to = await startReceiver()
    app = await testApp({ dialect, outbound: to.outbound, env: { ENCRYPTION_KEY: 'd5'.repeat(32) } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  let made = 0
  const makeCable = async (): Promise<Cable> => {
    const n = ++made
    const [one, other] = [
      await admin.api.devices.create({ name: `left ${n}` }),
      await admin.api.devices.create({ name: `right ${n}` }),
    ]
    const end = (device_id: string, port: string) => ({ device_id, port, side: 'front' as const })
    return admin.api.cables.create({ a: end(one.id, `pa-${n}`), b: end(other.id, `pb-${n}`) })
  }
  const cut = ({ a, b, ...cable }: Cable, fields: object) => ({
    ...cable,
    a: { ...a, ...fields },
    b: { ...b, ...fields },
  })
  const withoutPorts = { device_id: '', device: '', port: '' }

  test.each([
    [[], withoutPorts],
    [['devices:list'], withoutPorts],
    [['ports:list'], { device: '' }],
    [['ports:list', 'devices:list'], {}],
  ])('of a cable on the live feed, with %j, is without %j', async (permissions, fields) => {
    const feed = await follow(await app.as(['events:read', 'cables:read', ...permissions]))
    const whole = await follow(admin, '?types=cable.*')
    await Promise.all([feed.opened(), whole.opened()])
    const cable = await makeCable()
    const [heard] = await feed.hears(1)
    expect(heard?.data.data).toEqual(cut(cable, fields))
    expect((await whole.hears(1))[0]?.data.data).toEqual({ ...cable })
    await Promise.all([feed.stop(), whole.stop()])
  })

  test('an event of a VLAN has no networks for callers who may not list them', async () => {
    const numbered = { vlan_id: 33 }
    const { id } = await admin.api.networks.create({ name: 'n', subnet: '10.33.0.0/24', ...numbered })
    const feed = await follow(await app.as(['events:read', 'vlans:read']))
    const whole = await follow(await app.as(['events:read', 'vlans:read', 'networks:list']))
    await Promise.all([feed.opened(), whole.opened()])
    await admin.api.vlans.create({ ...numbered, name: 'v' })
    expect((await feed.hears(1))[0]?.data.data).toMatchObject({ network_ids: [] })
    expect((await whole.hears(1))[0]?.data.data).toMatchObject({ network_ids: [id] })
    await Promise.all([feed.stop(), whole.stop()])
  })

  test('has no word of another resource for a listener with the permission of the event only', async () => {
    const people = new Map<string, Awaited<ReturnType<typeof follow>>>()
    const names = ['cables:read', 'vlans:read', 'ports:read', 'racks:read', 'conflicts:read', 'pools:read']
    for (const name of names) people.set(name, await follow(await app.as(['events:read', name])))
    await Promise.all([...people.values()].map((feed) => feed.opened()))
    const { id: datacenter_id } = await admin.api.datacenters.create({ name: 'mark-datacenter' })
    const place = { datacenter_id, vlan_id: 44 }
    await admin.api.networks.create({ name: 'mark-network', subnet: '10.44.0.0/24', ...place })
    await admin.api.vlans.create({ ...place, name: 'a vlan' })
    await admin.api.racks.create({ name: 'a rack', datacenter_id })
    const ends = []
    for (const n of [1, 2]) {
      const addresses = [{ ip: '10.44.0.4' }]
      const device = await admin.api.devices.create({ name: `mark-device ${n}`, datacenter_id, addresses })
      ends.push(await admin.api.ports.create({ device_id: device.id, name: 'mine' }))
    }
    const [a, b] = ends.map(({ id }) => ({ port_id: id, side: 'front' as const }))
    if (!a || !b) throw new Error('there are two ports')
    await admin.api.cables.create({ a, b })
    for (const [name, feed] of people)
      if (name !== 'pools:read')
        expect([name, JSON.stringify(await feed.hears(1)).match(/mark-\w+/g)]).toEqual([name, null])
    for (const feed of people.values()) await feed.stop()
  })

  const HOOKS = ['webhook:read', 'webhook:create', 'webhook:update']
  const hook = (who: TestCaller, events: readonly EventName[]) =>
    ask(who, 'POST /api/webhooks', { name: `hook ${++made}`, url: to.url('/hook'), events })

  test('an event goes to a webhook of callers who may list all parts of it', async () => {
    const few = await app.as([...HOOKS, 'cables:read', 'ports:list'])
    const refused = { ...failure(403, 'FORBIDDEN'), body: { error: expect.stringContaining('devices:list') } }
    expect(await hook(few, ['cable.created'])).toMatchObject(refused)
    const enough = await app.as([...HOOKS, 'cables:read', 'ports:list', 'devices:list'])
    expect((await hook(enough, ['cable.created'])).status).toBe(201)
    expect((await hook(admin, EVENT_NAMES)).status).toBe(201)
  })

  test('is shown in deliveries without the parts that the reader may not list', async () => {
    const { body } = await hook(admin, ['cable.created'])
    const { id } = body as { id: string }
    const cable = await makeCable()
    const payloadFor = async (who: TestCaller) => {
      const list = (await ask(who, `GET /api/webhooks/${id}/deliveries`)).body as Delivery[]
      const [first] = list.filter(({ event }) => event === 'cable.created')
      if (!first) return undefined
      const one = (await ask(who, `GET /api/webhooks/${id}/deliveries/${first.id}`)).body as Delivery
      expect(one.payload).toEqual(first.payload)
      return first.payload as { data: unknown } | null
    }
    const payload = await until('a delivery', () => payloadFor(admin))
    expect(payload?.data).toEqual({ ...cable })
    expect(await payloadFor(await app.as(['webhook:read']))).toBeNull()
    const few = await payloadFor(await app.as(['webhook:read', 'cables:read']))
    expect(few).toEqual({ ...payload, data: cut(cable, withoutPorts) } as never)
  })
})
