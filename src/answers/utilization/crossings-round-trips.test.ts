// Round trips of a change on PostgreSQL. The pools around an address are read beside queries that are sent anyway; a pool costs one round trip for its count.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type PoolEvents, poolEvents } from '../../../testing/pool-events.ts'
import { type Relay, startRelay } from '../../../testing/servers/relay.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000
/** Long enough for all that a call sends without waiting. */
const DELAY_MS = 15
const CALLS = 12

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let relay: Relay
  let app: TestApp
  let admin: TestCaller
  let on: PoolEvents
  beforeAll(async () => {
    database = await postgresDatabase()
    const url = new URL(database.url)
    relay = await startRelay({ hostname: url.hostname, port: Number(url.port) }, { delayMs: DELAY_MS })
    url.port = String(relay.port)
    app = await testApp({ env: { DATABASE_URL: url.href } })
    admin = await app.as('admin')
    on = poolEvents(app, admin, '10.35')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await relay.close()
    await database.drop()
  }, TIMEOUT_MS)

  let called = 0
  /**
   * Counts the round trips of the transaction's connection, which has sent the name. The fewest of several calls count, because a pause
   * while statements are sent adds to some.
   */
  const tripsOf = async (call: (name: string, n: number) => Promise<unknown>): Promise<number> => {
    const counts: number[] = []
    for (let n = 1; n <= CALLS; n++) {
      const name = `call-${++called}.test`
      const before = relay.trips()
      await call(name, n)
      const sender = relay.senderOf(name)
      counts.push((relay.trips()[sender] ?? Number.NaN) - (before[sender] ?? 0))
    }
    return Math.min(...counts)
  }

  type Place = { readonly poolId: string; readonly net: string; readonly outside: string }
  let place: Place
  beforeAll(async () => {
    const { id: poolId, net } = await on.poolOf(1, 200)
    const { net: outside } = await on.poolOf(1, 10)
    place = { poolId, net, outside }
  }, TIMEOUT_MS)

  const create = (name: string, ip: string) => admin.api.devices.create({ name, addresses: [{ ip }] })

  const widePool = async (): Promise<string> => {
    const network = await admin.api.networks.create({ name: 'wide', subnet: '10.36.0.0/16' })
    const range = { start_ip: '10.36.0.1', end_ip: '10.36.255.254' }
    return (await admin.api.pools.create({ network_id: network.id, name: 'wide', ...range })).id
  }

  test(
    'an allocation from a small pool takes at most five',
    async () => {
      const trips = await tripsOf((hostname) =>
        admin.api.reservations.allocate({ id: place.poolId, count: 1, hostname }),
      )
      expect(trips).toBeLessThanOrEqual(5)
    },
    TIMEOUT_MS,
  )

  test(
    'an allocation from a pool of 65,536 addresses takes at most five',
    async () => {
      const id = await widePool()
      const allocate = (hostname: string) => admin.api.reservations.allocate({ id, count: 1, hostname })
      expect(await tripsOf(allocate)).toBeLessThanOrEqual(5)
    },
    TIMEOUT_MS,
  )

  test(
    'a device in a pool takes at most five',
    async () => {
      expect(await tripsOf((name, n) => create(name, `${place.net}.${100 + n}`))).toBeLessThanOrEqual(5)
    },
    TIMEOUT_MS,
  )

  test(
    'a device in a network and in no pool takes at most four',
    async () => {
      expect(await tripsOf((name, n) => create(name, `${place.outside}.${100 + n}`))).toBeLessThanOrEqual(4)
    },
    TIMEOUT_MS,
  )
}
