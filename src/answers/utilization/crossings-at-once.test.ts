// Callers that change a pool at the same time: exactly one of them reports that it crosses the threshold.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type PoolEvents, poolEvents } from '../../../testing/pool-events.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000
const CALLERS = 32

describe.each(engines())('callers at once on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let on: PoolEvents
  let other: Instance | undefined
  beforeAll(async () => {
    const env = { POOL_UTILIZATION_THRESHOLD: '80', DATABASE_CONNECTIONS: '20' }
    app = await testApp({ dialect, env })
    admin = await app.as('admin')
    on = poolEvents(app, admin, '10.33')
    if (dialect === 'postgres') other = await instanceBeside(app)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other?.close()
    await app.close()
  }, TIMEOUT_MS)

  /** Calls as the admin, at this instance and at the other one by turns. */
  const post = async (n: number, path: string, body: unknown): Promise<number> => {
    const headers = { Authorization: `Bearer ${admin.key}` }
    const response = await (other && n % 2 === 1
      ? other.fetch('POST', path, headers, body)
      : admin.request('POST', path, body))
    return response.status
  }
  const all = (call: (n: number) => Promise<number>) => Promise.all(Array.from({ length: CALLERS }, (_, n) => call(n)))
  const created = Array.from({ length: CALLERS }, () => 201)

  test(
    'allocate from one pool: one event',
    async () => {
      const { id } = await on.poolOf(1, 40)
      expect(await all((n) => post(n, `/api/pools/${id}/allocate`, { count: 1 }))).toEqual(created)
      expect(await on.reported(id)).toEqual([80])
    },
    TIMEOUT_MS,
  )

  test(
    'create devices in one pool, in several blocks and without its name: one event',
    async () => {
      const network = await admin.api.networks.create({ name: 'blocks', subnet: '10.34.0.0/21' })
      // Twenty addresses at the end of a block of 256, and twenty in the next one.
      const range = { start_ip: '10.34.1.236', end_ip: '10.34.2.19' }
      const { id } = await admin.api.pools.create({ network_id: network.id, name: 'blocks', ...range })
      const ipOf = (n: number) => (n % 2 === 0 ? `10.34.1.${236 + (n >> 1)}` : `10.34.2.${n >> 1}`)
      const place = (n: number) => post(n, '/api/devices', { name: `d ${n}`, addresses: [{ ip: ipOf(n) }] })
      const reserve = (n: number) => post(n, `/api/pools/${id}/reservations`, { ip_address: ipOf(n) })
      expect(await all((n) => (n % 4 < 2 ? place(n) : reserve(n)))).toEqual(created)
      expect(await on.reported(id)).toEqual([80])
    },
    TIMEOUT_MS,
  )

  test(
    'create and delete devices across the threshold, round after round: one event a round',
    async () => {
      const { id, net } = await on.poolOf(1, 40)
      await on.fill(net, 1, 28)
      const rounds = 5
      for (let round = 0; round < rounds; round++) {
        const devices = await Promise.all(
          Array.from({ length: 6 }, (_, n) => on.fill(net, 30 + n, 30 + n).then((device) => device.id)),
        )
        await Promise.all(devices.map((device) => admin.api.devices.delete({ id: device })))
      }
      expect(await on.reported(id)).toEqual(Array.from({ length: rounds }, () => 80))
    },
    TIMEOUT_MS,
  )
})
