// The rules of all inventory lists: order, paging, totals, and ETags that change with their content.
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  type Answer,
  failure,
  type Inventory,
  inventory,
  missing,
  refusal,
} from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'

type Estate = Readonly<Record<'dc' | 'net' | 'pool' | 'hub' | 'reservation' | 'spare', string>>

/** The path of each list; `{net}` and the like stand for ids of the test data. */
const LISTS = {
  datacenters: '/api/datacenters',
  'devices of a datacenter': '/api/datacenters/{dc}/devices',
  networks: '/api/networks',
  'networks with utilization': '/api/networks?include=utilization',
  'devices of a network': '/api/networks/{net}/devices',
  pools: '/api/pools',
  'pools with utilization': '/api/pools?include=utilization',
  'pools of a network': '/api/networks/{net}/pools',
  'pools of a network with utilization': '/api/networks/{net}/pools?include=utilization',
  devices: '/api/devices',
  'devices by network': '/api/devices?network_id={net}',
  'found devices': '/api/devices/search?q=hub',
  relationships: '/api/relationships',
  'relationships of a device': '/api/devices/{hub}/relationships',
  'related devices': '/api/devices/{hub}/related',
  reservations: '/api/reservations',
  'reservations of a pool': '/api/pools/{pool}/reservations',
} as const
type List = keyof typeof LISTS
const NAMES = Object.keys(LISTS) as List[]

/** Creates five objects for each list. */
const makeEstate = async ({ api, advance, inMs }: Inventory): Promise<Estate> => {
  const many = async <T>(make: (i: number) => Promise<T>): Promise<T[]> => {
    const made: T[] = []
    for (let i = 0; i < 5; i++) made.push(await make(i))
    return made
  }
  const [dc] = await many((i) => api.datacenters.create({ name: `dc ${i}` }))
  const [net] = await many((i) => api.networks.create({ name: `net ${i}`, subnet: `10.${i}.0.0/24` }))
  const inNet = { network_id: net?.id ?? '', start_ip: '10.0.0.1', end_ip: '10.0.0.99' }
  const [pool] = await many((i) => api.pools.create({ ...inNet, name: `pool ${i}` }))
  const [hub, ...spokes] = await many((i) =>
    api.devices.create({
      name: `device ${i}`,
      description: 'one of the hub',
      datacenter_id: dc?.id ?? '',
      addresses: [{ ip: `10.0.0.${i + 1}` }],
    }),
  )
  const spare = await api.devices.create({ name: 'spare', description: 'hub', datacenter_id: dc?.id ?? '' })
  await api.devices.update({ id: spare.id, addresses: [{ ip: '10.0.0.200' }] })
  const [reservation] = await many(async (i) => {
    advance(1000)
    const expiry = i === 4 ? { expires_at: inMs(3_600_000) } : {}
    return api.reservations.create({ pool_id: pool?.id ?? '', ip_address: `10.0.0.${50 + i}`, ...expiry })
  })
  for (const spoke of [...spokes, spare]) {
    advance(1000)
    await api.relationships.create({ device_id: hub?.id ?? '', child_id: spoke.id, type: 'contains' })
  }
  const ids = { dc, net, pool, hub, reservation, spare }
  return Object.fromEntries(Object.entries(ids).map(([name, object]) => [name, object?.id ?? ''])) as Estate
}

const idOfRow = (row: unknown): string => {
  const { id, parent_id, child_id } = row as { id?: string; parent_id?: string; child_id?: string }
  return id ?? `${parent_id} ${child_id}`
}
const idsIn = (answer: Answer): string[] => (answer.body as unknown[]).map(idOfRow)

describe.each(onSqlite())('lists of the inventory on %s', (dialect) => {
  const inv = inventory(dialect)
  let estate: Estate
  beforeAll(async () => {
    estate = await makeEstate(inv)
  })

  const pathOf = (list: List, query = '') => {
    const path = LISTS[list].replace(/\{(\w+)\}/g, (_, name: keyof Estate) => estate[name])
    return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
  }
  const read = (list: List, query = '', headers: Record<string, string> = {}) =>
    inv.ask(`GET ${pathOf(list, query)}`, undefined, headers)

  test('the cached count of a filter is read again after each change', async () => {
    const { api } = inv
    const network = await api.networks.create({ name: 'counted', subnet: '10.77.0.0/24' })
    const paths = [
      '/api/devices?tags=counted',
      `/api/devices?network_id=${network.id}`,
      `/api/networks/${network.id}/devices`,
    ]
    // Reads twice: the cached count must equal the first.
    const counts = async (): Promise<string[]> => {
      const both = [...paths, ...paths].map((path) => inv.ask(`GET ${path}${path.includes('?') ? '&' : '?'}limit=1`))
      return [...new Set((await Promise.all(both)).map(({ total }) => total ?? ''))]
    }
    const made = (i: number) => ({
      name: `counted ${i}`,
      tags: ['counted', 'other'],
      addresses: [{ ip: `10.77.0.${2 * i + 1}` }, { ip: `10.77.0.${2 * i + 2}` }],
    })
    expect(await counts()).toEqual(['0'])
    const first = await api.devices.create(made(0))
    const second = await api.devices.create(made(1))
    expect(await counts()).toEqual(['2'])
    await api.devices.update({ id: first.id, description: 'neither its tags nor its addresses' })
    expect(await counts()).toEqual(['2'])
    await api.devices.update({ id: first.id, tags: ['other'], addresses: [] })
    expect(await counts()).toEqual(['1'])
    await api.devices.delete({ id: second.id })
    expect(await counts()).toEqual(['0'])
    await api.devices.delete({ id: first.id })
    await api.networks.delete({ id: network.id })
  })

  test.each([
    'GET /api/datacenters/nope/devices',
    'GET /api/networks/nope/devices',
    'GET /api/networks/nope/pools',
    'GET /api/networks/nope/utilization',
    'POST /api/networks/nope/pools',
    'GET /api/pools/nope/next-ip',
    'GET /api/pools/nope/heatmap',
    'GET /api/pools/nope/reservations',
    'POST /api/pools/nope/reservations',
    'POST /api/pools/nope/allocate',
    'GET /api/devices/nope/relationships',
    'POST /api/devices/nope/relationships',
    'GET /api/devices/nope/related',
    'DELETE /api/devices/nope/relationships/nope/contains',
  ])('%s is of nothing', async (http) => {
    const bodies: Record<string, unknown> = {
      'POST /api/networks/nope/pools': { name: 'p', start_ip: '10.0.0.1', end_ip: '10.0.0.2' },
      'POST /api/pools/nope/reservations': { ip_address: '10.0.0.1' },
      'POST /api/devices/nope/relationships': { child_id: estate.hub, type: 'contains' },
    }
    expect(await inv.ask(http, bodies[http])).toMatchObject(missing)
  })

  describe('an ETag', () => {
    /** Returns the lists with an ETag that `change` changes. */
    const movedBy = async (change: () => Promise<unknown>): Promise<List[]> => {
      const before = new Map<List, string | null>()
      for (const list of NAMES) before.set(list, (await read(list)).etag)
      await change()
      const moved: List[] = []
      for (const list of NAMES) if ((await read(list)).etag !== before.get(list)) moved.push(list)
      return moved
    }
    const listsOfDevices: List[] = [
      'devices of a datacenter',
      'devices of a network',
      'devices',
      'devices by network',
      'found devices',
      'related devices',
    ]
    const listsOfPools: List[] = [
      'pools',
      'pools with utilization',
      'pools of a network',
      'pools of a network with utilization',
    ]
    const listsOfReservations: List[] = ['reservations', 'reservations of a pool']
    const poolUtilizations: List[] = ['pools with utilization', 'pools of a network with utilization']
    const inOrder = (...lists: List[]) => NAMES.filter((name) => lists.includes(name))

    test('moves with a datacenter', async () => {
      const moved = await movedBy(() => inv.api.datacenters.update({ id: estate.dc, location: 'Bonn' }))
      // A datacenter may have others below it, whose devices are in its list too.
      expect(moved).toEqual(['datacenters', 'devices of a datacenter'])
    })

    test('moves with a network', async () => {
      const moved = await movedBy(() => inv.api.networks.update({ id: estate.net, vlan_id: 7 }))
      expect(moved).toEqual(inOrder('networks', 'networks with utilization', ...poolUtilizations))
    })

    test('moves with a pool', async () => {
      const moved = await movedBy(() => inv.api.pools.update({ id: estate.pool, tags: ['x'] }))
      expect(moved).toEqual(inOrder(...listsOfPools))
    })

    test('moves with the text of a device', async () => {
      const moved = await movedBy(() => inv.api.devices.update({ id: estate.spare, os: 'BSD' }))
      expect(moved).toEqual(inOrder(...listsOfDevices))
    })

    test('changes with the addresses of a device, in each list with utilization', async () => {
      const moved = await movedBy(() => inv.api.devices.update({ id: estate.spare, addresses: [{ ip: '10.0.0.77' }] }))
      expect(moved).toEqual(inOrder(...listsOfDevices, 'networks with utilization', ...poolUtilizations))
    })

    test('moves with a reservation', async () => {
      const moved = await movedBy(() => inv.api.reservations.update({ id: estate.reservation, purpose: 'new' }))
      expect(moved).toEqual(inOrder(...listsOfReservations, 'networks with utilization', ...poolUtilizations))
    })

    test('moves with an allocation', async () => {
      const moved = await movedBy(() => inv.api.reservations.allocate({ id: estate.pool }))
      expect(moved).toEqual(inOrder(...listsOfReservations, 'networks with utilization', ...poolUtilizations))
    })

    test('moves with a relationship', async () => {
      const triple = { device_id: estate.hub, child_id: estate.spare, type: 'depends_on' } as const
      const moved = await movedBy(() => inv.api.relationships.create(triple))
      expect(moved).toEqual(inOrder('relationships', 'relationships of a device', 'related devices'))
    })

    test('stays when nothing was written', async () => {
      expect(await movedBy(() => inv.api.devices.update({ id: estate.spare, os: 'BSD' }))).toEqual([])
      const refused = () => inv.ask(`PUT /api/devices/${estate.spare}`, { addresses: [{ ip: 'x' }] })
      expect(await movedBy(refused)).toEqual([])
    })

    // The last test: afterwards a job may delete expired reservations at any time.
    test('changes when a reservation expires without a write', async () => {
      const moved = await movedBy(async () => inv.advance(3_600_000))
      expect(moved).toEqual(inOrder(...listsOfReservations, 'networks with utilization', ...poolUtilizations))
    })
  })

  test('an unknown include is refused', async () => {
    for (const path of ['/api/pools', `/api/networks/${estate.net}/pools`])
      expect(await inv.ask(`GET ${path}?include=everything`)).toMatchObject(refusal('include'))
    // It may repeat.
    expect(await inv.ask('GET /api/networks?include=everything')).toMatchObject(refusal('include[0]'))
  })

  test('a method that a path does not have is not allowed', async () => {
    expect(await inv.ask('PUT /api/devices', {})).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'))
    expect(await inv.ask('DELETE /api/pools')).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'))
  })
})

describe.each(engines())('the order of lists on %s', (dialect) => {
  const inv = inventory(dialect)
  // Two names differ in case only; their ids decide the order.
  const ROWS = [
    ['b', 'id-5'],
    ['A', 'id-4'],
    ['a', 'id-3'],
    ['B', 'id-2'],
    ['ä', 'id-1'],
    ['Ä', 'id-0'],
    ['a2', 'id-6'],
    ['_', 'id-7'],
    ['10', 'id-8'],
    ['9', 'id-9'],
    ['vm10', 'vm-10'],
    ['VM2', 'vm-2'],
    ['10.250.10.0/24', 'net-10'],
    ['10.250.9.0/24', 'net-9'],
    ['zebra', 'zebra'],
    ['a\u0308pfel', 'apple'],
  ] as const
  const ORDER = [
    ...['id-9', 'id-8', 'net-9', 'net-10', 'id-7', 'id-3', 'id-4', 'id-0', 'id-1', 'id-6', 'apple', 'id-2', 'id-5'],
    ...['vm-2', 'vm-10', 'zebra'],
  ]

  beforeAll(async () => {
    const { api } = inv
    for (const [name, id] of ROWS) {
      await api.datacenters.create({ name, id })
      await api.networks.create({ name, id, subnet: '10.0.0.0/24' })
    }
    for (const [name, id] of ROWS) {
      await api.pools.create({ name, id, network_id: 'id-0', start_ip: '10.0.0.1', end_ip: '10.0.0.2' })
      await api.devices.create({ name, id, datacenter_id: 'id-0', addresses: [{ ip: '10.0.0.9' }], tags: ['t'] })
    }
    await api.devices.create({ name: 'zzz', id: 'zzz' })
    for (const [, id] of ROWS) await api.relationships.create({ device_id: id, child_id: 'zzz', type: 'contains' })
  })

  test.each([
    '/api/datacenters',
    '/api/networks',
    '/api/pools',
    '/api/networks/id-0/pools',
    '/api/devices?tags=t',
    '/api/datacenters/id-0/devices',
    '/api/networks/id-0/devices',
    '/api/devices/search?q=10.0.0.9%2F32',
    '/api/devices/zzz/related',
  ])('%s is by name in any case, then by id', async (path) => {
    expect(idsIn(await inv.ask(`GET ${path}`))).toEqual(ORDER)
  })
})
