// Which events pass a filter: the tags, datacenters and networks of their objects.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Webhook } from '../webhooks/schema.ts'

const TIMEOUT_MS = 60_000

describe.each(engines())('a filter on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let names = 0
  const places: Record<string, string> = {}
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
    const { api } = admin
    const datacenter = async (name: string, parent?: string) => {
      places[name] = (await api.datacenters.create({ name, ...(parent ? { parent_id: places[parent] } : {}) })).id
    }
    const network = async (name: string, subnet: string, datacenter_id?: string) => {
      places[name] = (await api.networks.create({ name, subnet, ...(datacenter_id ? { datacenter_id } : {}) })).id
    }
    await datacenter('region')
    await datacenter('room', 'region')
    await datacenter('elsewhere')
    await network('in the room', '10.1.0.0/16', places.room)
    await network('nested', '10.1.2.0/24', places.room)
    await network('anywhere', '10.2.0.0/16')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  /** Makes a webhook, runs the work, and returns the objects of the events that it was told of. */
  const told = async (filter: Webhook['filter'], events: Webhook['events'], work: () => Promise<unknown>) => {
    const { api } = admin
    const hook = await api.webhooks.create({ name: `hook ${++names}`, url: 'https://hook.example/', events, filter })
    await work()
    const deliveries = await api.webhooks.deliveries({ id: hook.id })
    await api.webhooks.delete({ id: hook.id })
    // Each body has the object as its data.
    return deliveries.map(({ payload, event }) => {
      const { data } = payload as { data: { name?: string; pool_name?: string; description?: string } }
      return `${event} ${data.name ?? data.pool_name ?? data.description}`
    })
  }
  const place = (name: string): string => places[name] ?? ''
  const device = (more: object = {}) => admin.api.devices.create({ name: `host ${++names}`, ...more })

  test.each<[string, object, (made: Record<string, string>) => Webhook['filter'], boolean]>([
    ['its tag', { tags: ['core', 'x'] }, () => ({ tags: ['core', 'edge'] }), true],
    ['another tag', { tags: ['x'] }, () => ({ tags: ['core'] }), false],
    ['no tag', {}, () => ({ tags: ['core'] }), false],
    ['its datacenter', { datacenter: 'room' }, ({ room = '' }) => ({ datacenter_ids: [room] }), true],
    ['the datacenter above', { datacenter: 'room' }, ({ region = '' }) => ({ datacenter_ids: [region] }), true],
    ['a datacenter below', { datacenter: 'region' }, ({ room = '' }) => ({ datacenter_ids: [room] }), false],
    ['another datacenter', { datacenter: 'elsewhere' }, ({ region = '' }) => ({ datacenter_ids: [region] }), false],
    ['the network of an address', { ip: '10.2.0.1' }, ({ anywhere = '' }) => ({ network_ids: [anywhere] }), true],
    ['its most specific network', { ip: '10.1.2.1' }, ({ nested = '' }) => ({ network_ids: [nested] }), true],
    ['a network around it', { ip: '10.1.2.1' }, (made) => ({ network_ids: [made['in the room'] ?? ''] }), false],
    ['the datacenter of a network only', { ip: '10.1.0.1' }, ({ room = '' }) => ({ datacenter_ids: [room] }), false],
    [
      'its tag, and another network',
      { tags: ['core'], ip: '10.2.0.2' },
      ({ nested = '' }) => ({ tags: ['core'], network_ids: [nested] }),
      false,
    ],
    [
      'its tag and its network',
      { tags: ['core'], ip: '10.2.0.3' },
      ({ anywhere = '' }) => ({ tags: ['core'], network_ids: [anywhere] }),
      true,
    ],
  ])('with %s decides on a device, also when it is deleted', async (_, more, buildFilter, passes) => {
    const { tags, datacenter, ip } = more as { tags?: string[]; datacenter?: string; ip?: string }
    const events = ['device.created', 'device.deleted'] as const
    const found = await told(buildFilter(places), [...events], async () => {
      const { id } = await device({
        ...(tags ? { tags } : {}),
        ...(datacenter ? { datacenter_id: place(datacenter) } : {}),
        ...(ip ? { addresses: [{ ip }] } : {}),
      })
      await admin.api.devices.delete({ id })
    })
    expect(found.length).toBe(passes ? 2 : 0)
  })

  test('with a network passes what is in it, and its own changes', async () => {
    const found = await told(
      { network_ids: [place('anywhere')] },
      ['network.updated', 'pool.created', 'reservation.created'],
      async () => {
        const { api } = admin
        await api.networks.update({ id: place('anywhere'), description: `${++names}` })
        await api.networks.update({ id: place('nested'), description: `${++names}` })
        await api.pools.create({
          name: 'inside',
          network_id: place('anywhere'),
          start_ip: '10.2.9.1',
          end_ip: '10.2.9.9',
        })
        await api.pools.create({
          name: 'outside',
          network_id: place('nested'),
          start_ip: '10.1.2.1',
          end_ip: '10.1.2.9',
        })
      },
    )
    expect(found.sort()).toEqual(['network.updated anywhere', 'pool.created inside'])
  })

  test('with a datacenter passes a pool of a network of it, and the datacenter itself', async () => {
    const found = await told(
      { datacenter_ids: [place('region')] },
      ['pool.updated', 'datacenter.updated'],
      async () => {
        const { api } = admin
        for (const network of ['anywhere', 'nested'])
          for (const { id } of await api.pools.list({ network_id: place(network) }))
            await api.pools.update({ id, description: `${++names}` })
        for (const name of ['room', 'elsewhere'])
          await api.datacenters.update({ id: place(name), description: `${++names}` })
      },
    )
    expect(found.sort()).toEqual(['datacenter.updated room', 'pool.updated outside'])
  })

  test('passes a conflict with one member that has each of its values', async () => {
    const conflicting = async (tags: string[]) => {
      const ip = `10.2.77.${++names % 250}`
      await device({ addresses: [{ ip }] })
      await device({ addresses: [{ ip }], tags })
    }
    const found = await told({ tags: ['core'], network_ids: [place('anywhere')] }, ['conflict.detected'], async () => {
      await conflicting(['core'])
      await conflicting(['edge'])
    })
    expect(found).toHaveLength(1)
  })

  test('passes a full pool by its tags and its network', async () => {
    const { api } = admin
    const make = async (tags: string[], octet: number) => {
      const subnet = `10.2.${octet}`
      await api.pools.create({
        name: `full ${octet}`,
        network_id: place('anywhere'),
        start_ip: `${subnet}.1`,
        end_ip: `${subnet}.2`,
        tags,
      })
      await device({ addresses: [{ ip: `${subnet}.1` }, { ip: `${subnet}.2` }] })
    }
    const found = await told(
      { tags: ['core'], network_ids: [place('anywhere')] },
      ['pool.utilization_high'],
      async () => {
        await make(['core'], 120)
        await make(['edge'], 121)
      },
    )
    expect(found).toEqual(['pool.utilization_high full 120'])
  })
})
