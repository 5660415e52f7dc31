// Settings of a database that would change what Plat's statements mean, or how long PostgreSQL waits for a lost program.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SQL } from 'bun'
import { type Kysely, sql } from 'kysely'
import { IGNORED, pgbouncer } from '../../../../testing/pgbouncer.ts'
import { engines, postgresDatabase, type TestDatabase } from '../../../../testing/servers/servers.ts'
import type { Db } from '../../database.ts'
import { openPostgres } from '../postgres.ts'
import { LOSS_SETTINGS, MEANING_SETTINGS } from './settings.ts'

const LIMITS = { connections: 5, statementMs: 60_000, lockMs: 10_000 }
const CONFIGURATION = resolve(import.meta.dir, '../../../../docs/configuration.md')

/** A value of each setting that breaks something, or that keeps the locks of a lost program. */
const HOSTILE: Readonly<Record<keyof typeof LOSS_SETTINGS | keyof typeof MEANING_SETTINGS, string>> = {
  idle_in_transaction_session_timeout: '0',
  tcp_user_timeout: '0',
  tcp_keepalives_idle: '7200',
  tcp_keepalives_interval: '75',
  tcp_keepalives_count: '9',
  standard_conforming_strings: 'off',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  exit_on_error: 'on',
}

test('docs/configuration.md has the settings that PgBouncer must ignore', () => {
  expect(readFileSync(CONFIGURATION, 'utf8')).toContain(`\nignore_startup_parameters = ${IGNORED.join(',')}\n`)
})

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  let database: TestDatabase
  let db: Db<object>
  const alter = async (url: string, settings: Readonly<Record<string, string>>) => {
    const client = new SQL({ url, max: 1 })
    const name = new URL(url).pathname.slice(1)
    for (const [setting, value] of Object.entries(settings))
      await client.unsafe(`ALTER DATABASE ${name} SET ${setting} = '${value}'`)
    await client.close()
  }
  beforeAll(async () => {
    database = await postgresDatabase()
    await alter(database.url, HOSTILE)
    db = openPostgres(database.url, LIMITS)
  })
  afterAll(async () => {
    await db.close()
    await database.drop()
  })

  const names = sql.raw(
    Object.keys(HOSTILE)
      .map((name) => `'${name}'`)
      .join(', '),
  )
  const SHOWN = sql<{ name: string; setting: string }>`SELECT name, setting FROM pg_settings WHERE name IN (${names})`
  const show = async (on: Kysely<object>) => toObject((await SHOWN.execute(on)).rows)
  const toObject = (rows: readonly { name: string; setting: string }[]) =>
    Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  const OWN = Object.fromEntries(
    Object.entries({ ...LOSS_SETTINGS, ...MEANING_SETTINGS }).map(([name, value]) => [name, String(value)]),
  )

  test('reads, quick reads and writes have the settings of Plat, whatever the database has', async () => {
    expect([await show(db.read), await show(db.quick), await db.write((tx) => show(tx.db))]).toEqual([OWN, OWN, OWN])
  })

  test('a stream has them too, but its reader may be slow for a minute', async () => {
    const rows: { name: string; setting: string }[] = []
    for await (const some of db.stream({ compile: () => SHOWN.compile(db.read) })) rows.push(...some)
    expect(toObject(rows)).toEqual({ ...OWN, idle_in_transaction_session_timeout: '60000' })
  })

  test('reads, streams and writes compile no statements', async () => {
    const jit = sql<{ jit: string }>`SELECT current_setting('jit') AS jit`
    const streamed: unknown[] = []
    for await (const some of db.stream({ compile: () => jit.compile(db.read) })) streamed.push(...some)
    const [read, written] = [await jit.execute(db.read), await db.write((tx) => jit.execute(tx.db))]
    expect([...read.rows, ...streamed, ...written.rows]).toEqual(Array(3).fill({ jit: 'off' }))
  })

  test('a backslash in a text stays a backslash', async () => {
    const { rows } = await sql<{ text: string }>`SELECT 'a\\b' AS text`.execute(db.read)
    expect(rows).toEqual([{ text: 'a\\b' }])
  })

  test('behind a pooler that ignores a setting that changes what statements mean, the setting is refused', async () => {
    const other = await postgresDatabase()
    await alter(other.url, { default_transaction_isolation: 'serializable' })
    const { url, host, stop } = await pgbouncer(other.url, { mode: 'session', ignores: IGNORED })
    const behind = openPostgres(url, LIMITS)
    try {
      await expect(sql`SELECT 1`.execute(behind.read)).rejects.toThrow(
        `${host} has default_transaction_isolation = 'serializable', and a connection pooler ignores that Plat sets it: ALTER ROLE`,
      )
    } finally {
      await behind.close()
      await stop()
      await other.drop()
    }
  })
}
