// Two instances on one PostgreSQL give out the addresses of one network at the same time: none twice, and none is left.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Allocation } from '../../src/inventory/reservations/api.ts'
import { cidrContains, parseCidrOrThrow } from '../../src/net/cidr.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { type Instance, instanceBeside } from '../../testing/servers/instances.ts'
import { engines } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  let other: Instance
  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres' })
    admin = await app.as('admin')
    other = await instanceBeside(app)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other.close()
    await app.close()
  }, TIMEOUT_MS)

  const post = (at: number, path: string, body: object): Promise<Response> =>
    at % 2 === 0
      ? admin.request('POST', path, body)
      : other.fetch('POST', path, { Authorization: `Bearer ${admin.key}` }, body)

  type Call = { readonly path: string; readonly body: object }

  /** Sends calls to both instances in turn, all at once. Returns the addresses that they got. */
  const race = async (calls: readonly Call[]): Promise<{ ips: string[]; statuses: number[] }> => {
    const answers = await Promise.all(calls.map(({ path, body }, at) => post(at, path, body)))
    const ips: string[] = []
    for (const answer of answers) {
      const body = await answer.json()
      if (answer.status === 201) ips.push(...Allocation.parse(body).ips)
    }
    return { ips, statuses: answers.map(({ status }) => status) }
  }

  test(
    'an address of a network is given to one caller only, to devices of both instances',
    async () => {
      const { id } = await admin.api.networks.create({ name: 'raced', subnet: '10.60.0.0/26' })
      const { id: inner } = await admin.api.networks.create({ name: 'inside', subnet: '10.60.0.16/28' })
      const devices = await Promise.all([1, 2, 3, 4].map((n) => admin.api.devices.create({ name: `d${n}` })))
      const path = `/api/networks/${id}/allocate-ip`
      // 62 addresses without the 16 of the network inside.
      const { ips, statuses } = await race(
        Array.from({ length: 50 }, (_, n) => ({ path, body: { device_id: devices[(n >> 1) % 4]?.id } })),
      )
      expect([ips.length, new Set(ips).size]).toEqual([46, 46])
      expect(statuses.filter((status) => status !== 201)).toEqual([409, 409, 409, 409])
      const held = await Promise.all(devices.map(({ id }) => admin.api.devices.get({ id })))
      expect(held.flatMap(({ addresses }) => addresses.map(({ ip }) => ip)).sort()).toEqual(ips.toSorted())
      expect((await admin.api.networks.devices({ id: inner })).length).toBe(0)
    },
    TIMEOUT_MS,
  )

  test(
    'an address is given to one caller only, through a network, through its pools and by its name',
    async () => {
      const { id } = await admin.api.networks.create({ name: 'mixed', subnet: '10.61.0.0/26' })
      const range = { start_ip: '10.61.0.1', end_ip: '10.61.0.62' }
      const pool = await admin.api.pools.create({ network_id: id, name: 'all', ...range })
      const { id: device_id } = await admin.api.devices.create({ name: 'mixed' })
      const [ofNetwork, ofPool] = [`/api/networks/${id}/allocate-ip`, `/api/pools/${pool.id}/allocate`]
      const calls = Array.from({ length: 66 }, (_, n): Call => {
        const kind = (n >> 1) % 4
        if (kind === 0) return { path: ofNetwork, body: { device_id } }
        if (kind === 1) return { path: ofPool, body: {} }
        return { path: ofNetwork, body: kind === 2 ? {} : { ip: `10.61.0.${62 - (n >> 3)}` } }
      })
      const { ips } = await race(calls)
      expect(new Set(ips).size).toBe(ips.length)
      const reserved = await admin.api.reservations.list({ pool_id: pool.id })
      const { addresses } = await admin.api.devices.get({ id: device_id })
      const held = [...reserved.map(({ ip_address }) => ip_address), ...addresses.map(({ ip }) => ip)]
      expect(held.sort()).toEqual(ips.toSorted())
    },
    TIMEOUT_MS,
  )

  test(
    'an address that is asked for at both instances at once is a conflict for one of them',
    async () => {
      const { id } = await admin.api.networks.create({ name: 'named', subnet: '10.62.0.0/24' })
      const { id: device_id } = await admin.api.devices.create({ name: 'named' })
      const { id: second } = await admin.api.devices.create({ name: 'named too' })
      for (let n = 1; n <= 10; n++) {
        const path = `/api/networks/${id}/allocate-ip`
        const ip = `10.62.0.${n}`
        const { statuses } = await race([
          { path, body: { ip, device_id } },
          { path, body: { ip, device_id: second } },
        ])
        expect(statuses.toSorted()).toEqual([201, 409])
      }
    },
    TIMEOUT_MS,
  )

  test(
    'both instances make one pool together for a network without one',
    async () => {
      const { id } = await admin.api.networks.create({ name: 'without a pool', subnet: '10.63.0.0/24' })
      const path = `/api/networks/${id}/allocate-ip`
      const { ips, statuses } = await race(Array.from({ length: 100 }, () => ({ path, body: { create_pool: true } })))
      expect(statuses.filter((status) => status !== 201)).toEqual([])
      expect(new Set(ips).size).toBe(100)
      const pools = await admin.api.pools.list({ network_id: id })
      expect(pools.map(({ name, start_ip, end_ip }) => [name, start_ip, end_ip])).toEqual([
        ['addresses', '10.63.0.1', '10.63.0.254'],
      ])
      expect((await admin.api.reservations.list({ pool_id: pools[0]?.id ?? '' })).length).toBe(100)
    },
    TIMEOUT_MS,
  )

  test(
    'subnets and addresses of one network that are allocated at the same time do not overlap',
    async () => {
      const { id } = await admin.api.networks.create({ name: 'divided', subnet: '10.64.0.0/23' })
      const calls = Array.from({ length: 80 }, (_, n): Call => {
        if ((n >> 1) % 4 === 3) return { path: `/api/networks/${id}/allocate`, body: { prefix_length: 28 } }
        return { path: `/api/networks/${id}/allocate-ip`, body: { create_pool: true } }
      })
      const answers = await Promise.all(calls.map(({ path, body }, at) => post(at, path, body)))
      expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 201))
      const [pool, ...others] = await admin.api.pools.list({ network_id: id })
      expect(others).toEqual([])
      const subnets = (await admin.api.networks.tree({ id })).children.map(({ subnet }) => parseCidrOrThrow(subnet))
      expect(subnets.length).toBe(20)
      const reserved = await admin.api.reservations.list({ pool_id: pool?.id ?? '' })
      expect(reserved.length).toBe(60)
      const isInSubnet = (ip: string) => subnets.some((subnet) => cidrContains(subnet, parseCidrOrThrow(`${ip}/32`)))
      expect(reserved.map(({ ip_address }) => ip_address).filter(isInSubnet)).toEqual([])
    },
    TIMEOUT_MS,
  )
}
