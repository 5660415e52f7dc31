import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createSqliteKysely, createStatementCache, runOn } from './dialect.ts'

const setUp = () => {
  const database = new Database(':memory:', { strict: true })
  database.run('CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  const cache = createStatementCache(database)
  return { database, cache, db: createSqliteKysely<{ t: { id: string; n: number } }>(runOn(cache, () => {})) }
}

test('a statement is prepared once', () => {
  const { cache } = setUp()
  expect(cache.prepare('SELECT 1')).toBe(cache.prepare('SELECT 1'))
})

test('more statements than the cache holds all work, again and again', () => {
  const { cache } = setUp()
  const values = (from: number) =>
    Array.from({ length: 1200 }, (_, i) => (cache.prepare(`SELECT ${i + from} AS n`).get() as { n: number }).n)
  values(0)
  expect(values(0)).toEqual(Array.from({ length: 1200 }, (_, i) => i))
})

test('eviction removes the least recently used statement', () => {
  const { cache } = setUp()
  const kept = cache.prepare('SELECT 1')
  for (let i = 0; i < 2000; i++) {
    cache.prepare(`SELECT 1 AS a${i}`)
    cache.prepare('SELECT 1')
  }
  expect(cache.prepare('SELECT 1')).toBe(kept)
})

test('a cleared cache prepares again', () => {
  const { cache } = setUp()
  const before = cache.prepare('SELECT 1')
  cache.clear()
  expect(cache.prepare('SELECT 1')).not.toBe(before)
})

test('a write says how many rows it changed', async () => {
  const { db } = setUp()
  await db
    .insertInto('t')
    .values([
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
    ])
    .execute()
  expect((await db.updateTable('t').set({ n: 3 }).executeTakeFirst()).numUpdatedRows).toBe(2n)
})

test('a write can return its rows', async () => {
  const { db } = setUp()
  expect(await db.insertInto('t').values({ id: 'a', n: 1 }).returningAll().execute()).toEqual([{ id: 'a', n: 1 }])
})

test('a prepared statement sees a schema that has changed since', async () => {
  const { database, db } = setUp()
  await db.insertInto('t').values({ id: 'a', n: 1 }).execute()
  const read = () => sql<object>`SELECT * FROM t`.execute(db)
  await read()
  database.run("ALTER TABLE t ADD COLUMN note TEXT NOT NULL DEFAULT 'new'")
  expect((await read()).rows).toEqual([{ id: 'a', n: 1, note: 'new' }])
})

test('its own streaming is refused: it would block the connection', async () => {
  const { db } = setUp()
  expect(Array.fromAsync(db.selectFrom('t').selectAll().stream())).rejects.toThrow('Db.stream')
})
