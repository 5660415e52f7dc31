// Plat behind PgBouncer: refused at its start, or at a reconnect, unless each connection has its own session.
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { testApp } from '../../testing/app/app.ts'
import { migratedPostgres } from '../../testing/app/migrated.ts'
import { IGNORED, type PoolerOptions, pgbouncer } from '../../testing/pgbouncer.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const TIMEOUT_MS = 120_000

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
}, TIMEOUT_MS)

const behind = async (url: string, options: PoolerOptions) => {
  const pooler = await pgbouncer(url, options)
  open.push(pooler.stop)
  return pooler
}
const sharing = (host: string): string =>
  `${host} is a connection pooler that shares connections by transactions (PgBouncer: pool_mode = transaction): connect Plat to PostgreSQL itself, or use pool_mode = session`

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  test.each([
    ['transaction', IGNORED, sharing],
    [
      'session',
      [],
      (host: string) => `the connection pooler at ${host} refuses the setting statement_timeout: connect Plat to Post`,
    ],
  ] as const)(
    'a start in %s mode ends with 1 and the reason, before anything is migrated',
    async (mode, ignores, message) => {
      const database = await postgresDatabase()
      open.push(database.drop)
      const { url, host } = await behind(database.url, { mode, ignores })
      const server = Bun.spawn([process.execPath, '--no-env-file', MAIN, 'serve'], {
        env: { ...process.env, LISTEN_ADDR: '127.0.0.1:0', DATABASE_URL: url },
        stderr: 'pipe',
        stdout: 'ignore',
      })
      const shown = await new Response(server.stderr).text()
      expect(await server.exited).toBe(1)
      expect(shown).toContain(message(host))

      const client = new SQL({ url: database.url, max: 1 })
      const tables = await client`SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'`
      await client.close()
      expect(tables[0].n).toBe(0)
    },
    TIMEOUT_MS,
  )

  test(
    'one that is found at a reconnect answers 503 with the reason, until each connection has its session again',
    async () => {
      const database = await migratedPostgres()
      open.push(database.drop)
      const ignores = IGNORED
      const before = await behind(database.url, { mode: 'session', ignores })
      const port = Number(before.host.split(':')[1])
      const app = await testApp({ env: { DATABASE_URL: before.url } })
      open.push(app.close)
      const admin = await app.as('admin')
      const list = async () => {
        const response = await admin.request('GET', '/api/devices')
        const { error } = (await response.json()) as { error?: string }
        return [response.status, error]
      }
      const readiness = async () => {
        const response = await app.guest('GET', '/readyz')
        const { checks } = (await response.json()) as { checks: { database: { message: string } } }
        return [response.status, checks.database.message]
      }
      const created = await admin.request('POST', '/api/devices', { name: 'through-a-pooler' })
      expect([created.status, await list()]).toEqual([201, [200, undefined]])

      await before.stop()
      const shared = await behind(database.url, { mode: 'transaction', ignores, port })
      const refused = await until('a refusal by the reason', async () => {
        const answer = await list()
        return answer[1] === sharing(shared.host) ? answer : undefined
      })
      expect(refused[0]).toBe(503)
      expect(await readiness()).toEqual([503, sharing(shared.host)])

      await shared.stop()
      await behind(database.url, { mode: 'session', ignores, port })
      await until('an answer again', async () => (await list())[0] === 200 || undefined)
      expect((await readiness())[0]).toBe(200)
    },
    TIMEOUT_MS,
  )
}
