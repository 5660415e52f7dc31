import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import { getDdl } from '../migrate.ts'
import { buildMembership, countMembers } from './ordered-filter.ts'

const COUNT = 8000

let database: EmptyDatabase<ThingTables>
beforeAll(async () => {
  database = await thingsDatabase('sqlite')
  const { serial } = getDdl('sqlite')
  await database.db.write(async ({ db }) => {
    for (const statement of [
      `CREATE TABLE notes (seq ${serial}, id TEXT NOT NULL UNIQUE)`,
      'CREATE TABLE marks (note_id TEXT NOT NULL, mark TEXT NOT NULL)',
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT})
       INSERT INTO notes (id) SELECT printf('%05d', n) FROM numbers`,
      "INSERT INTO marks SELECT id, 'common' FROM notes WHERE seq % 2 = 0",
      "INSERT INTO marks SELECT id, 'rare' FROM notes WHERE seq % 4000 = 0",
    ])
      await sql.raw(statement).execute(db)
  })
})
afterAll(() => database.close())

const inside = (value: string) => {
  const { db } = database
  // A subset of a table that only this test has.
  const subset = { id: 'notes.id', table: 'marks' as never, member: 'note_id', column: 'mark', value }
  return buildMembership({ db: db.read, store: db }, subset)
}

test.each([
  ['rare', 'IN', COUNT / 4000],
  ['common', 'EXISTS', COUNT / 2],
  ['unheard of', 'IN', 0],
])('what is %s is looked for with %s, in order and counted', async (mark, form, count) => {
  const { ordered, counted } = await inside(mark)
  const { read } = database.db
  const query = sql<{ id: string }>`SELECT id FROM notes WHERE ${ordered} ORDER BY id`
  expect(query.compile(read).sql).toContain(form === 'IN' ? 'IN (SELECT' : 'EXISTS (SELECT')
  expect((await query.execute(read)).rows).toHaveLength(count)
  expect((await sql`SELECT id FROM notes WHERE ${counted}`.execute(read)).rows).toHaveLength(count)
})

const counted = (value: string) => {
  const { db } = database
  const subset = { id: 'notes.id', table: 'marks' as never, member: 'note_id', column: 'mark', value }
  return countMembers({ db: db.read, store: db }, subset)
}

test('members are counted, each once, and again when their table has changed', async () => {
  expect([await counted('common'), await counted('rare'), await counted('unheard of')]).toEqual([4000, 2, 0])
  await database.db.write(async ({ db }) => {
    const more = sql<{ note_id: string; mark: string }>`SELECT id, 'rare' FROM notes WHERE seq % 1000 = 0`
    await db
      .insertInto('marks' as never)
      .columns(['note_id', 'mark'] as never)
      .expression(more as never)
      .execute()
  })
  expect(await counted('rare')).toBe(8)
})
