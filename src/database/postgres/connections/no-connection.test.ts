// No connection is free: neither one of Plat's own, nor one that PostgreSQL would accept.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SQL, SQL as SqlClient } from 'bun'
import { sql } from 'kysely'
import { testAll } from '../../../../testing/cases.ts'
import { engines, postgresDatabase, type TestDatabase } from '../../../../testing/servers/servers.ts'
import { startPaused } from '../../../../testing/until.ts'
import { openPostgres } from '../postgres.ts'
import { createPostgresPool } from './pool.ts'

const LIMITS = { connections: 2, statementMs: 60_000, lockMs: 10_000 }
const IN_USE = 'No connection to the database is free: all of DATABASE_CONNECTIONS are in use; try again in a moment'
const FULL =
  'No connection to the database is free: PostgreSQL accepts no more. Raise its max_connections or the limit of its user, or lower DATABASE_CONNECTIONS'

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  let database: TestDatabase
  let admin: SQL
  beforeAll(async () => {
    database = await postgresDatabase()
    admin = new SqlClient({ url: database.url, max: 1 })
    await admin.unsafe('CREATE ROLE limited LOGIN CONNECTION LIMIT 0')
  })
  afterAll(async () => {
    await admin.unsafe('DROP ROLE limited')
    await admin.close()
    await database.drop()
  })

  test('a caller who waits too long for the connections of others is refused with the cause', async () => {
    const pool = createPostgresPool(1, () => new SqlClient({ url: database.url, max: 1 }), 100)
    const { release } = await pool.reserve()
    const late = await pool.reserve().catch((error: Error) => error.message)
    release()
    const { release: again } = await pool.reserve()
    again()
    await pool.close()
    expect(late).toBe(IN_USE)
  })

  testAll('a ping names the cause if the database answers, and all connections are in use', async () => {
    const db = openPostgres(database.url, LIMITS)
    const end = await startPaused((pause) => db.write(pause))
    const pinged = await db.ping().catch((error: Error) => error.message)
    await end()
    await db.ping()
    await db.close()
    expect(pinged).toBe(IN_USE)
  })

  test('a server that accepts no more connections is named as the cause, by queries and by the look at hosts', async () => {
    const url = new URL(database.url)
    url.username = 'limited'
    const db = openPostgres(url.href, LIMITS)
    const asked = await sql`SELECT 1`.execute(db.read).catch((error: Error) => error.message)
    await db.cluster?.ready
    const [host] = db.hosts()
    await db.close()
    expect([asked, host?.message]).toEqual([
      FULL,
      'accepts no more connections: too many connections for role "limited"',
    ])
  })
}
