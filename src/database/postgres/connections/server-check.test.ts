// Plat behind PgBouncer, and at servers that only speak the protocol of PostgreSQL.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { IGNORED, type Pooler, type PoolerOptions, pgbouncer } from '../../../../testing/pgbouncer.ts'
import { engines, postgresDatabase, type TestDatabase } from '../../../../testing/servers/servers.ts'
import { createLogger } from '../../../base/runtime/log.ts'
import { openPostgres } from '../postgres.ts'
import { describeRefusedEngine } from './server-check.ts'

describe('an engine', () => {
  test.each([
    'PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit',
    'PostgreSQL 17.4 on aarch64-unknown-linux-gnu, compiled by aarch64-unknown-linux-gnu-gcc (GCC) 9.5.0, 64-bit',
    'PostgreSQL 13.8 (EnterpriseDB Advanced Server 13.8.12) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit',
  ])('is accepted: %s', (version) => {
    expect(describeRefusedEngine(version)).toBeUndefined()
  })

  test.each([
    [
      'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15, go1.22.2)',
      'CockroachDB is not supported, because its advisory',
    ],
    [
      'PostgreSQL 15.2-YB-2.25.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6',
      'YugabyteDB is not supported',
    ],
    ['PostgreSQL 15.1 (Citus 12.1.0) on x86_64-pc-linux-gnu', 'Citus is not supported, because all locks'],
    ['CrateDB 5.7.0 (built 1234567/2024-05-02, Linux 6.1 amd64)', 'CrateDB is not supported'],
    ['', 'This server is not supported'],
  ])('is refused: %s', (version, message) => {
    expect(describeRefusedEngine(version)).toStartWith(message)
  })
})

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  let database: TestDatabase
  const poolers: Pooler[] = []
  beforeAll(async () => {
    database = await postgresDatabase()
  })
  afterAll(async () => {
    await Promise.all(poolers.map(({ stop }) => stop()))
    await database.drop()
  })

  /** PostgreSQL has the others by itself. */
  const NOT_IN_FORCE = [
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
    'tcp_user_timeout',
    'tcp_keepalives_idle',
    'tcp_keepalives_interval',
    'tcp_keepalives_count',
    'random_page_cost',
  ]
  const LIMITS = { connections: 5, statementMs: 60_000, lockMs: 10_000 }
  const pooler = async (options: PoolerOptions): Promise<Pooler> => {
    const started = await pgbouncer(database.url, options)
    poolers.push(started)
    return started
  }
  const opened = (url: string) => {
    const logged: string[] = []
    const log = createLogger({ level: 'warn', format: 'json', write: (line) => logged.push(line) })
    return { db: openPostgres(url, LIMITS, { log }), logged }
  }
  /** Returns the message with which the first query is refused. */
  const refusal = async (url: string): Promise<string> => {
    const { db } = opened(url)
    try {
      return await sql`SELECT 1`.execute(db.read).then(
        () => 'accepted',
        (error: Error) => error.message,
      )
    } finally {
      await db.close()
    }
  }

  test('a server that names another engine is refused by its host', async () => {
    const { url, drop } = await postgresDatabase()
    try {
      const client = new SQL({ url, max: 1 })
      await client.unsafe(
        "CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$ SELECT 'CockroachDB v24' $$",
      )
      await client.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`)
      await client.close()
      expect(await refusal(url)).toStartWith(
        `${new URL(url).host}: CockroachDB is not supported, because its advisory locks`,
      )
    } finally {
      await drop()
    }
  })

  describe('PgBouncer', () => {
    test.each(['session', 'transaction', 'statement'] as const)(
      'in %s mode, which refuses a setting, is named with the setting',
      async (mode) => {
        const { url, host } = await pooler({ mode })
        expect(await refusal(url)).toBe(
          `the connection pooler at ${host} refuses the setting statement_timeout: connect Plat to PostgreSQL itself, or let the pooler ignore its settings (PgBouncer: ignore_startup_parameters = ${IGNORED.join(',')}) and use pool_mode = session`,
        )
      },
    )

    test.each(['transaction', 'statement'] as const)('in %s mode is refused', async (mode) => {
      const { url, host } = await pooler({ mode, ignores: IGNORED })
      expect(await refusal(url)).toBe(
        `${host} is a connection pooler that shares connections by transactions (PgBouncer: pool_mode = transaction): connect Plat to PostgreSQL itself, or use pool_mode = session`,
      )
    })

    test('in session mode works, with one warning about the settings that it ignores', async () => {
      const { url, host } = await pooler({ mode: 'session', ignores: IGNORED })
      const { db, logged } = opened(url)
      try {
        await Promise.all([db.ping(), sql`SELECT 1`.execute(db.quick), sql`SELECT 1`.execute(db.read)])
        const warnings = logged.map((line) => JSON.parse(line))
        expect(warnings).toMatchObject([{ level: 'warn', host, settings: NOT_IN_FORCE }])
      } finally {
        await db.close()
      }
    })

    test('in session mode gives no warning if the user has the limits that it ignores', async () => {
      const of = await postgresDatabase()
      const { url, stop } = await pgbouncer(of.url, { mode: 'session', ignores: IGNORED })
      const client = new SQL({ url: of.url, max: 1 })
      await client.unsafe(`ALTER DATABASE ${new URL(of.url).pathname.slice(1)} SET statement_timeout = '1min'`)
      await client.close()
      const { db, logged } = opened(url)
      try {
        await sql`SELECT 1`.execute(db.read)
        expect(logged).toEqual([])
      } finally {
        await db.close()
        await stop()
        await of.drop()
      }
    })
  })
}
