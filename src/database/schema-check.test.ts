// Databases in which Plat cannot create its tables are refused before anything is changed.
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { scratch } from '../../testing/app/data-folders.ts'
import { testAll } from '../../testing/cases.ts'
import { engines, postgres } from '../../testing/servers/servers.ts'
import type { Db } from './database.ts'
import { getDdl, migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openPostgres } from './postgres/postgres.ts'
import { listCreatedNames } from './schema-check.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import type { Tables } from './tables.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const opened = (db: Db<Tables>): Db<Tables> => {
  open.push(db.close)
  return db
}
const start = (db: Db<Tables>): Promise<string> =>
  migrate(db, { migrations, now: () => new Date() }).then(
    () => 'started',
    (error: Error) => error.message,
  )

test.each(['sqlite', 'postgres'] as const)(
  'the names that migrations create on %s include tables and indexes',
  (engine) => {
    const names = listCreatedNames(migrations.flatMap(({ statements }) => statements(getDdl(engine))))
    expect(names).toEqual(expect.arrayContaining(['devices', 'users', 'devices_search', 'networks']))
  },
)

const ELSEWHERE = {
  postgres:
    'Give Plat a database of its own, or a schema: CREATE SCHEMA plat, and ALTER ROLE ... SET search_path = plat',
  sqlite: 'Use another DATA_DIR',
} as const
const describeTaken = (names: string, engine: keyof typeof ELSEWHERE): string =>
  `The database has tables of another application with names that Plat needs: ${names}. ${ELSEWHERE[engine]}. Nothing was changed.`

test('a data file of another application is refused, and keeps its tables', async () => {
  const file = join(scratch(), 'plat.db')
  const other = new Database(file)
  other.run('CREATE TABLE users (a INTEGER)')
  other.run('CREATE TABLE migrations (id INTEGER, batch INTEGER)')
  other.close()
  const db = opened(openSqlite<Tables>(file))
  expect(await start(db)).toBe(describeTaken('migrations, users', 'sqlite'))
  const after = new Database(file)
  expect(after.query('SELECT name FROM sqlite_schema ORDER BY name').values()).toEqual([['migrations'], ['users']])
  after.close()
})

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  describe('PostgreSQL', () => {
    const prepare = async (statements: readonly string[], { options = '', user = '' } = {}) => {
      const { execute, url } = await postgres()
      const name = `schema_${Bun.randomUUIDv7().replaceAll('-', '')}`
      await execute(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`)
      open.push(() => execute(`DROP DATABASE ${name} WITH (FORCE)`))
      const own = new URL(`/${name}`, url)
      const client = new SQL({ url: own.href, max: 1 })
      open.push(() => client.close())
      for (const statement of statements) await client.unsafe(statement.replaceAll('DATABASE', `DATABASE ${name}`))
      if (user !== '') own.username = user
      const tables = async () =>
        (
          await client`SELECT schemaname || '.' || tablename AS name FROM pg_tables
          WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`
        ).map(({ name }: { name: string }) => name)
      return { db: opened(openPostgres<Tables>(own.href)), tables }
    }

    test.each([
      [
        'tables',
        ['CREATE TABLE users (a int)', 'CREATE TABLE orders (a int)'],
        'users',
        ['public.orders', 'public.users'],
      ],
      ['a table of migrations', ['CREATE TABLE migrations (id int, batch int)'], 'migrations', ['public.migrations']],
      [
        'a view and a type',
        ['CREATE VIEW devices AS SELECT 1', "CREATE TYPE pools AS ENUM ('a')"],
        'devices, pools',
        [],
      ],
    ] as const)('with %s of another application is refused, and unchanged', async (_, statements, names, tables) => {
      const { db, tables: listTables } = await prepare(statements)
      expect(await start(db)).toBe(describeTaken(names, 'postgres'))
      expect(await listTables()).toEqual([...tables])
    })

    testAll('with other tables whose names Plat does not need is used', async () => {
      const { db } = await prepare(['CREATE TABLE orders (a int)'])
      expect(await start(db)).toBe('started')
    })

    test('with a schema for Plat is used beside tables of the same names in another schema', async () => {
      const { db, tables } = await prepare([
        'CREATE TABLE users (a int)',
        'CREATE TABLE migrations (id int)',
        'CREATE SCHEMA plat',
        'ALTER DATABASE SET search_path = plat, public',
      ])
      expect(await start(db)).toBe('started')
      expect(await tables()).toEqual(expect.arrayContaining(['plat.users', 'plat.migrations', 'public.users']))
    })

    test('with a search_path of no schema is refused', async () => {
      const { db } = await prepare(['ALTER DATABASE SET search_path = nowhere'])
      expect(await start(db)).toStartWith(
        'No schema of search_path exists, or the user of DATABASE_URL may not use it.',
      )
    })

    test('with a schema in which the user may create nothing is refused', async () => {
      const { execute } = await postgres()
      await execute('CREATE ROLE reader LOGIN')
      open.push(() => execute('DROP ROLE reader'))
      const { db } = await prepare(['REVOKE CREATE ON SCHEMA public FROM PUBLIC'], { user: 'reader' })
      expect(await start(db)).toStartWith('The user of DATABASE_URL may not create tables in the schema public.')
    })

    test.each(['LATIN1', 'SQL_ASCII'])('that stores text as %s is refused, and unchanged', async (encoding) => {
      const { db, tables } = await prepare([], { options: `ENCODING ${encoding} LOCALE 'C'` })
      expect(await start(db)).toEndWith(
        ` stores text as ${encoding}, and Plat needs UTF8: make a database with ENCODING UTF8 and TEMPLATE template0, and move the data there`,
      )
      expect(await tables()).toEqual([])
    })
  })
}
