import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type EmptyDatabase, emptyDatabase } from '../../testing/servers/database.ts'
import { engines } from '../../testing/servers/servers.ts'
import type { Db } from './database.ts'
import { type Migration, MigrationError, migrate } from './migrate.ts'
import { migrations as released } from './migrations/index.ts'

type Tables = { a: { id: string }; b: { id: string } }

const now = () => new Date('2026-01-02T03:04:05.678Z')
const table = (name: string): Migration => ({
  name: `000${name.charCodeAt(0) - 96}-${name}`,
  statements: () => [`CREATE TABLE ${name} (id TEXT)`],
})
const one = table('a')
const two = table('b')
const changed: Migration = { name: '0001-a', statements: () => ['CREATE TABLE a (id TEXT, more TEXT)'] }
const third: Migration = { name: '0003-c', statements: () => ['CREATE TABLE c (id TEXT)'] }
const brokenThird: Migration = { name: '0003-c', statements: () => ['CREATE TABLE a (id TEXT)'] }
const broken: Migration = { name: '0002-b', statements: () => ['CREATE TABLE b (id TEXT)', 'CREATE TABLE b (id TEXT)'] }

const run = (db: Db<Tables>, migrations: readonly Migration[]) => migrate(db, { migrations, now })
const has = async (db: Db<Tables>, name: 'a' | 'b'): Promise<boolean> => {
  const [outcome] = await Promise.allSettled([db.read.selectFrom(name).selectAll().execute()])
  return outcome.status === 'fulfilled'
}

describe.each(engines())('migrations on %s', (dialect) => {
  let database: EmptyDatabase<Tables>
  let db: Db<Tables>
  beforeEach(async () => {
    database = await emptyDatabase<Tables>(dialect)
    db = database.db
  })
  afterEach(() => database.close())

  test('are applied to an empty database by their names, whatever their order', async () => {
    expect(await run(db, [two, one])).toEqual([one.name, two.name])
  })

  test('are not applied twice', async () => {
    await run(db, [one, two])
    expect(await run(db, [one, two])).toEqual([])
  })

  test('only new migrations are applied to an older database', async () => {
    await run(db, [one])
    expect(await run(db, [one, two])).toEqual([two.name])
  })

  test('keep when they were applied', async () => {
    await run(db, [one])
    const { rows } = await sql<{ applied_at: string }>`SELECT applied_at FROM migrations`.execute(db.read)
    expect(rows.map(({ applied_at }) => applied_at)).toEqual([now().toISOString()])
  })

  test('refuse a database of a newer program, naming the unknown migrations', async () => {
    await run(db, [one, two])
    expect(run(db, [one])).rejects.toThrow(`newer Plat: it has the migration ${two.name}`)
  })

  test('refuse a database that another text of a migration has made', async () => {
    await run(db, [one])
    expect(run(db, [changed])).rejects.toThrow(`The migration ${one.name} is not the one that made this database`)
  })

  test('change nothing in a database that they refuse', async () => {
    await run(db, [one])
    await Promise.allSettled([run(db, [changed, two])])
    expect(await has(db, 'b')).toBe(false)
  })

  test('refuse with a specific error class', async () => {
    await run(db, [one])
    expect(run(db, [])).rejects.toBeInstanceOf(MigrationError)
  })

  test('that break leave nothing of themselves', async () => {
    await run(db, [one])
    await Promise.allSettled([run(db, [one, broken])])
    expect(await has(db, 'b')).toBe(false)
  })

  test('a migration that breaks keeps the migrations before it', async () => {
    await run(db, [one])
    await Promise.allSettled([run(db, [one, two, brokenThird])])
    expect(await has(db, 'b')).toBe(true)
  })

  test('that break in an empty database leave it empty', async () => {
    await Promise.allSettled([run(db, [one, broken])])
    expect(await has(db, 'a')).toBe(false)
  })

  test('go on where they broke', async () => {
    await run(db, [one])
    await Promise.allSettled([run(db, [one, two, brokenThird])])
    expect(await run(db, [one, two, third])).toEqual([third.name])
  })

  test('make a database that they broke in while it was empty', async () => {
    await Promise.allSettled([run(db, [one, broken])])
    expect(await run(db, [one, two])).toEqual([one.name, two.name])
  })

  test('of this release make a whole database, and nothing the second time', async () => {
    const all = released.map(({ name }) => name)
    expect([await run(db, released), await run(db, released)]).toEqual([all, []])
  })

  describe('before the upgrade', () => {
    const copies: (readonly string[])[] = []
    const upgrade = (migrations: readonly Migration[]) =>
      migrate(db, { migrations, now, beforeUpgrade: async (applied) => void copies.push(applied) })
    beforeEach(() => copies.splice(0))

    test('of an older database a copy is asked for, once, before anything changes', async () => {
      await run(db, [one])
      await migrate(db, {
        migrations: [one, two],
        now,
        beforeUpgrade: async (applied) => {
          copies.push(applied)
          expect(await has(db, 'b')).toBe(false)
        },
      })
      expect(copies).toEqual([[one.name]])
    })

    test('of an empty database no copy is asked for', async () => {
      await upgrade([one, two])
      expect(copies).toEqual([])
    })

    test('of a current database no copy is asked for', async () => {
      await run(db, [one])
      await upgrade([one])
      expect(copies).toEqual([])
    })

    test('a copy that fails stops it', async () => {
      await run(db, [one])
      const failing = migrate(db, {
        migrations: [one, two],
        now,
        beforeUpgrade: () => Promise.reject(new Error('full')),
      })
      await Promise.allSettled([failing])
      expect(await has(db, 'b')).toBe(false)
    })
  })
})

test('a copy of the data file made before an upgrade opens by itself', async () => {
  const { db, dir, close } = await emptyDatabase<Tables>('sqlite')
  await run(db, [one])
  await db.write((tx) => tx.db.insertInto('a').values({ id: 'kept' }).execute())
  const file = join(dir, 'copy.db')
  await migrate(db, {
    migrations: [one, two],
    now,
    beforeUpgrade: async () => {
      // The engine's own copy, as the composition root makes it.
      if ('copyTo' in db && typeof db.copyTo === 'function') db.copyTo(file)
    },
  })
  const copy = new Database(file, { readonly: true })
  expect(copy.query('SELECT id FROM a').all()).toEqual([{ id: 'kept' }])
  copy.close()
  await close()
})

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  test('migrations are applied once by many processes that start at once on PostgreSQL', async () => {
    const database = await emptyDatabase<Tables>('postgres')
    const others = Array.from({ length: 6 }, () => database.beside())
    const applied = await Promise.all(others.map((other) => run(other, [one, two])))
    expect(applied.flat().toSorted()).toEqual([one.name, two.name])
    await database.close()
  })
}

test('migrations are applied once by several programs on one file', async () => {
  const { dir, close } = await emptyDatabase<Tables>('sqlite')
  const script = `
    const { openSqlite } = await import(${JSON.stringify(join(import.meta.dir, 'sqlite/sqlite.ts'))})
    const { migrate } = await import(${JSON.stringify(join(import.meta.dir, 'migrate.ts'))})
    const { migrations } = await import(${JSON.stringify(join(import.meta.dir, 'migrations/index.ts'))})
    const db = openSqlite(${JSON.stringify(join(dir, 'both.db'))})
    const applied = await migrate(db, { migrations, now: () => new Date() })
    await db.close()
    console.log(applied.join(' '))
  `
  const children = [1, 2, 3].map(() =>
    Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' }),
  )
  const outputs = await Promise.all(children.map((child) => new Response(child.stdout).text()))
  expect(outputs.join(' ').trim().split(/\s+/).toSorted()).toEqual(released.map(({ name }) => name).toSorted())
  await close()
})
