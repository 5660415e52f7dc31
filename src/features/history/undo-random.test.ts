/** Undoing all changes of a random history, from the newest to the oldest, leads back to the empty estate. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app.ts'
import { dialects } from '../../testing/servers.ts'

const ESTATE = ['datacenters', 'networks', 'pools', 'reservations', 'devices', 'relationships'] as const
const STEPS = 120

/** Mulberry32: the same numbers for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

type Row = { readonly id: string; readonly [field: string]: unknown }

describe.each(dialects())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { RATE_LIMIT_ENABLED: 'false' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const rows = async (resource: string): Promise<Row[]> =>
    (await (await admin.request('GET', `/api/${resource}`)).json()) as Row[]

  test.each([1, 2, 3])(
    'seed %d',
    async (seed) => {
      const random = randomOf(seed)
      const pick = async (resource: string): Promise<Row | undefined> => {
        const all = await rows(resource)
        return all.length > 0 ? all[random(all.length)] : undefined
      }
      const idOf = async (resource: string): Promise<string | null> => (await pick(resource))?.id ?? null
      const address = async () => {
        const pool = random(2) === 0 ? await pick('pools') : undefined
        return pool
          ? {
              ip: `10.${String(pool.start_ip).split('.')[1]}.0.${10 + random(20)}`,
              pool_id: pool.id,
              network_id: pool.network_id,
            }
          : { ip: `10.${random(3)}.0.${random(40)}` }
      }
      const steps: (() => Promise<[string, string, object?]>)[] = [
        async () => ['POST', '/api/datacenters', { name: `dc${random(9)}` }],
        async () => [
          'POST',
          '/api/networks',
          {
            name: `n${random(9)}`,
            subnet: `10.${random(3)}.0.0/${[16, 24][random(2)]}`,
            datacenter_id: await idOf('datacenters'),
          },
        ],
        async () => {
          const network = await pick('networks')
          const start = `${String(network?.subnet).split('.').slice(0, 2).join('.')}.0`
          return [
            'POST',
            '/api/pools',
            { network_id: network?.id, name: 'p', start_ip: `${start}.10`, end_ip: `${start}.29`, tags: ['t'] },
          ]
        },
        async () => {
          const pool = await pick('pools')
          const start = String(pool?.start_ip).split('.').slice(0, 3).join('.')
          return ['POST', '/api/reservations', { pool_id: pool?.id, ip_address: `${start}.${10 + random(20)}` }]
        },
        async () => ['POST', `/api/pools/${await idOf('pools')}/allocate`, { count: 1 + random(3) }],
        async () => [
          'POST',
          '/api/devices',
          {
            name: `d${random(99)}`,
            datacenter_id: await idOf('datacenters'),
            tags: ['a'],
            addresses: [await address()],
          },
        ],
        async () => [
          'PUT',
          `/api/devices/${await idOf('devices')}`,
          { os: `os${random(9)}`, addresses: [await address(), await address()] },
        ],
        async () => [
          'PUT',
          `/api/networks/${await idOf('networks')}`,
          { datacenter_id: await idOf('datacenters'), vlan_id: 1 + random(99) },
        ],
        async () => [
          'POST',
          `/api/devices/${await idOf('devices')}/relationships`,
          { child_id: await idOf('devices'), type: 'connected_to', notes: 'n' },
        ],
        async () => ['DELETE', `/api/${ESTATE[random(5)]}/${await idOf(ESTATE[random(5)] ?? '')}`],
        async () => {
          const resource = ESTATE[random(5)] ?? 'devices'
          return ['DELETE', `/api/${resource}/${await idOf(resource)}`]
        },
      ]
      for (let done = 0; done < STEPS; ) {
        const step = steps[random(steps.length)]
        if (!step) throw new Error('there is a step for each number')
        const [method, path, body] = await step()
        const { status } = await admin.request(method, path, body)
        expect(status).toBeLessThan(500)
        if (status < 300) done++
      }
      const changes = await admin.api.history.list({ limit: 1000 })
      const own = changes.filter(({ undone_by, undoes }) => undone_by === null && undoes === null)
      expect(own.length).toBeGreaterThan(STEPS / 2)
      for (const { id, operation } of own) {
        const response = await admin.request('POST', `/api/history/${id}/undo`)
        expect([operation, response.status, response.status === 200 ? '' : await response.text()]).toEqual([
          operation,
          200,
          '',
        ])
      }
      for (const resource of ESTATE) expect(await rows(resource)).toEqual([])
    },
    60_000,
  )
})
