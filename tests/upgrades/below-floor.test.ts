// A program that had no connection while a newer one migrated the database must not go on with it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { createLogger } from '../../src/base/runtime/log.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
/** More than two ticks of the scheduler. */
const TICKS_MS = 2500

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  let drop: () => Promise<void>
  const logged: string[] = []
  let aheadMs = 0
  const AWAY = [503, 'UNAVAILABLE', 'The database needs a newer Plat']

  const answer = async (method: string, path: string, body?: unknown) => {
    const response = await admin.request(method, path, body)
    const { code, error } = (await response.json()) as { code?: string; error?: string }
    return [response.status, code, error]
  }

  beforeAll(async () => {
    const database = await postgresDatabase()
    drop = database.drop
    const log = createLogger({ level: 'error', format: 'text', write: (entry) => logged.push(entry) })
    app = await testApp({ log, env: { DATABASE_URL: database.url }, now: () => new Date(Date.now() + aheadMs) })
    admin = await app.as('admin')
    const other = new SQL({ url: database.url, max: 1 })
    await other.unsafe("INSERT INTO migrations (name, checksum, applied_at, floor) VALUES ('9999-x', '', '', '9999-x')")
    // All connections of the program are lost.
    await other.unsafe(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await other.close()
    await until('refusal', async () => {
      const [, , error] = await answer('GET', '/api/devices')
      return error === AWAY[2] || undefined
    })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await drop()
  }, TIMEOUT_MS)

  test('reads and writes answer 503', async () => {
    expect([
      await answer('GET', '/api/devices'),
      await answer('GET', '/api/devices/x'),
      await answer('POST', '/api/devices', { name: 'nowhere' }),
    ]).toEqual([AWAY, AWAY, AWAY])
  })

  test('no query reaches the database', async () => {
    const results = await Promise.allSettled([
      sql`SELECT 1`.execute(app.db.read),
      sql`SELECT 1`.execute(app.db.quick),
      app.db.write(async ({ db }) => sql`SELECT 1`.execute(db)),
      app.db.stream(app.db.read.selectFrom('devices').select('id')).next(),
    ])
    expect(results.map((result) => result.status === 'rejected' && result.reason.message)).toEqual(
      Array(4).fill(AWAY[2]),
    )
  })

  test('the process lives and is not ready', async () => {
    const ready = await app.guest('GET', '/readyz')
    const { checks } = (await ready.json()) as { checks: { database: object } }
    expect([(await app.guest('GET', '/healthz')).status, ready.status, checks.database]).toEqual([
      200,
      503,
      { status: 'unhealthy', message: 'The database needs a newer Plat' },
    ])
  })

  test('the log says so once', () => {
    expect(logged.filter((line) => line.includes('the database needs a newer Plat'))).toHaveLength(1)
  })

  test('no job begins any more', async () => {
    // A tick would tell the clock of the program.
    aheadMs = 3_600_000
    await Bun.sleep(TICKS_MS)
    const ready = await app.guest('GET', '/readyz')
    const { checks } = (await ready.json()) as { checks: { scheduler: object } }
    expect(checks.scheduler).toEqual({
      status: 'unhealthy',
      message: expect.stringMatching(/^no tick for 3[56]\d\d s$/),
    })
  })
}
