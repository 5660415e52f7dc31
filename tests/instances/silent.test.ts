// The network path to the database drops all packets: no connection is refused and no answer arrives. Requests end
// nevertheless, and succeed afterwards.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { type Relay, startRelay } from '../../testing/servers/relay.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let relay: Relay
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    database = await postgresDatabase()
    const url = new URL(database.url)
    relay = await startRelay({ hostname: url.hostname, port: Number(url.port) })
    url.port = String(relay.port)
    app = await testApp({ env: { DATABASE_URL: url.href, REQUEST_TIMEOUT: '1s' } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await relay.close()
    await database.drop()
  }, TIMEOUT_MS)

  test(
    'a request ends after REQUEST_TIMEOUT, and later ones work when the connection is back',
    async () => {
      await admin.api.devices.create({ id: 'before', name: 'before' })
      relay.block()
      const answers = await Promise.all([
        admin.request('GET', '/api/devices/before'),
        admin.request('POST', '/api/devices', { name: 'meanwhile' }),
        app.guest('GET', '/readyz'),
      ])
      const statuses = answers.map(({ status }) => status)
      relay.unblock()
      const found = await until('an answer again', async () => {
        const response = await admin.request('GET', '/api/devices/before')
        const body: unknown = await response.json()
        return response.status === 200 ? body : undefined
      })
      expect([statuses, found]).toEqual([[503, 503, 503], expect.objectContaining({ id: 'before' })])
    },
    TIMEOUT_MS,
  )
}
