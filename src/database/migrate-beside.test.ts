// Migrations while others read and write, and after an interruption.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { type EmptyDatabase, emptyDatabase } from '../../testing/servers/database.ts'
import { engines, postgresDatabase, type TestDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'
import type { Db } from './database.ts'
import { type LockPatience, type Migration, MigrationError, migrate } from './migrate.ts'
import { openPostgres } from './postgres/postgres.ts'

type Tables = { base: { id: string; more?: string } }

const now = () => new Date()
const base: Migration = {
  name: '0001-base',
  statements: () => ['CREATE TABLE base (id TEXT)', "INSERT INTO base (id) VALUES ('a'), ('b')"],
}
const column: Migration = {
  name: '0059-column',
  floor: 'unchanged',
  statements: () => ['CREATE TABLE other (id TEXT)', 'ALTER TABLE base ADD COLUMN more TEXT'],
}
const indexed: Migration = {
  name: '0060-index',
  floor: 'unchanged',
  statements: () => [],
  concurrently: () => [
    { name: 'base_id', on: 'base (id)' },
    { name: 'base_both', on: 'base (id, more)' },
  ],
}
const all = [base, column, indexed]

describe.each(engines())('indexes beside writers on %s', (dialect) => {
  let database: EmptyDatabase<Tables>
  beforeEach(async () => {
    database = await emptyDatabase<Tables>(dialect)
  })
  afterEach(() => database.close())

  const indexNames = async ({ read }: Db<Tables>): Promise<string[]> => {
    const { rows } =
      dialect === 'sqlite'
        ? await sql<{
            name: string
          }>`SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'base'`.execute(read)
        : await sql<{ name: string }>`SELECT indexname AS name FROM pg_indexes WHERE tablename = 'base'`.execute(read)
    return rows.map(({ name }) => name).toSorted()
  }

  test('are created after the migration', async () => {
    expect(await migrate(database.db, { migrations: all, now })).toEqual(all.map(({ name }) => name))
    expect(await indexNames(database.db)).toEqual(['base_both', 'base_id'])
  })

  test('are created at the next start if the first was interrupted', async () => {
    await migrate(database.db, { migrations: all.map((one) => ({ ...one, concurrently: () => [] })), now })
    expect(await indexNames(database.db)).toEqual([])
    expect(await migrate(database.db, { migrations: all, now })).toEqual([])
    expect(await indexNames(database.db)).toEqual(['base_both', 'base_id'])
  })
})

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres'))
  describe('migrations on PostgreSQL', () => {
    let database: TestDatabase
    let observer: SQL
    const open = new Set<Db<Tables>>()
    beforeEach(async () => {
      database = await postgresDatabase()
      observer = new SQL({ url: database.url, max: 1 })
    })
    afterEach(async () => {
      for (const db of open) await db.close()
      open.clear()
      await observer.close()
      await database.drop()
    })
    const opened = (): Db<Tables> => {
      const db = openPostgres<Tables>(database.url)
      open.add(db)
      return db
    }
    const begin = async () => {
      const db = opened()
      await migrate(db, { migrations: [base], now })
      return db
    }
    const waiting = async (statement: string): Promise<number[]> =>
      (
        await observer`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`${statement}%`}`
      ).map(({ pid }: { pid: number }) => pid)
    const untilWaiting = (statement: string) => until(`waiting ${statement}`, async () => (await waiting(statement))[0])

    /** A list that a client reads slowly. @returns its end */
    const openList = async (): Promise<() => Promise<void>> => {
      const list = new SQL({ url: database.url, max: 1 })
      await list.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await list.unsafe('SELECT * FROM base')
      return async () => {
        await list.unsafe('COMMIT')
        await list.close()
      }
    }
    const insert = (db: Db<Tables>, id: string) =>
      db.write(({ db: tx }) => tx.insertInto('base').values({ id }).execute())

    describe('beside a list that is being read', () => {
      const patience: LockPatience = { waitMs: 200, passMs: 50, totalMs: 60_000 }

      test('let writers pass, and finish when it ends', async () => {
        const db = await begin()
        const endList = await openList()
        const done = migrate(opened(), { migrations: all, now, lockPatience: patience })
        let attempts = 0
        let last: number | undefined
        // Each attempt has a transaction of its own.
        await until('third attempt', async () => {
          await untilWaiting('ALTER TABLE base')
          const [row] = await observer`SELECT extract(epoch from xact_start)::float8 AS at FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'ALTER TABLE base%' AND xact_start IS NOT NULL`
          if (row && row.at !== last) attempts++
          last = row?.at ?? last
          await insert(db, `n${attempts}`)
          return attempts >= 3 || undefined
        })
        // The migration's statements before the wait are rolled back.
        const [{ other }] = await observer`SELECT to_regclass('other') AS other`
        expect(other).toBeNull()
        await endList()
        expect(await done).toEqual(['0059-column', '0060-index'])
      })

      test('end with its name when it does not, and change nothing', async () => {
        await begin()
        const endList = await openList()
        const done = migrate(opened(), { migrations: all, now, lockPatience: { ...patience, totalMs: 300 } })
        expect(done).rejects.toThrow(/^0059-column has not got its locks in \d+ minutes\. Nothing of it was changed\./)
        expect(done).rejects.toBeInstanceOf(MigrationError)
        await endList()
        expect(await migrate(opened(), { migrations: all, now })).toEqual(['0059-column', '0060-index'])
      })

      test('wait for another program that migrates, however long it takes', async () => {
        const db = await begin()
        const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
        const { promise: over, resolve: end } = Promise.withResolvers<void>()
        const other = db.write(async ({ db: tx }) => {
          await db.sql.lockNames(tx, ['migrations'])
          await sql`SELECT 1`.execute(tx)
          held()
          await over
        })
        await isHeld
        const done = migrate(opened(), { migrations: all, now, lockPatience: { ...patience, waitMs: 1, totalMs: 1 } })
        await untilWaiting('SELECT pg_advisory_xact_lock')
        end()
        await other
        expect(await done).toEqual(['0059-column', '0060-index'])
      })
    })

    describe('indexes', () => {
      const validity = async (): Promise<Record<string, boolean>> => {
        const rows: { name: string; valid: boolean }[] =
          await observer`SELECT c.relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid
            WHERE indrelid = 'base'::regclass`
        return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]))
      }
      const VALID = { base_id: true, base_both: true }

      test('that are not valid are created again', async () => {
        const db = await begin()
        await insert(db, 'a')
        // Fails because of the equal values, and leaves the index.
        await Promise.allSettled([observer.unsafe('CREATE UNIQUE INDEX CONCURRENTLY base_id ON base (id)')])
        expect(await validity()).toEqual({ base_id: false })
        await migrate(opened(), { migrations: all, now })
        expect(await validity()).toEqual(VALID)
      })

      test('do not keep a second program from its start while the first creates them', async () => {
        const db = await begin()
        const endList = await openList()
        const first = migrate(opened(), { migrations: [base, indexes], now })
        await untilWaiting('CREATE INDEX CONCURRENTLY')
        expect(await migrate(opened(), { migrations: [base, indexes], now })).toEqual([])
        await insert(db, 'c')
        await endList()
        await first
      })

      test('are not created by a program that is older than the database', async () => {
        await begin()
        const later: Migration = { name: '0061-drop', floor: 'unchanged', statements: () => [] }
        const without = (migration: Migration): Migration => ({ ...migration, concurrently: () => [] })
        await migrate(opened(), { migrations: [...all.map(without), later], now })
        await migrate(opened(), { migrations: all, now })
        expect(await validity()).toEqual({})
      })

      test('are completed after the program and its connection were killed', async () => {
        await begin()
        const endList = await openList()
        const child = migrating(database.url, 'concurrently')
        const pid = await untilWaiting('CREATE INDEX CONCURRENTLY')
        child.kill('SIGKILL')
        await child.exited
        await observer`SELECT pg_terminate_backend(${pid}, 10000)`
        expect(Object.values(await validity())).toContain(false)
        await endList()
        await migrate(opened(), { migrations: [base, indexes], now })
        expect(await validity()).toEqual({ base_id: true })
      })
    })
  })

const indexes: Migration = {
  name: '0059-indexes',
  floor: 'unchanged',
  statements: () => [],
  concurrently: () => [{ name: 'base_id', on: 'base (id)' }],
}

/** A program of its own that migrates, to be killed. */
const migrating = (url: string, kind: 'concurrently') => {
  const script = `
    const { openPostgres } = await import(${JSON.stringify(join(import.meta.dir, 'postgres/postgres.ts'))})
    const { migrate } = await import(${JSON.stringify(join(import.meta.dir, 'migrate.ts'))})
    const base = { name: '0001-base', statements: () => ${JSON.stringify(base.statements({} as never))} }
    const ${kind} = () => [{ name: 'base_id', on: 'base (id)' }]
    const later = { name: '0059-indexes', floor: 'unchanged', statements: () => [], ${kind} }
    await migrate(openPostgres(${JSON.stringify(url)}), { migrations: [base, later], now: () => new Date() })
  `
  return Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'inherit' })
}
