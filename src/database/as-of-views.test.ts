/** Statements of every kind read the tables of a past, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../testing/servers/database.ts'
import { engines } from '../../testing/servers/servers.ts'
import { createAsOfDb } from './as-of-views.ts'
import { TableViews } from './cte-views.ts'
import type { Db } from './database.ts'
import { prepared } from './query/prepared.ts'

type Tables = ThingTables & { changes: { id: string } }

const nameById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db.selectFrom('things').select('n').where('id', '=', id),
)

describe.each(engines())('on %s', (dialect) => {
  let database: EmptyDatabase<ThingTables>
  let db: Db<Tables>
  let store: Db<Tables>
  beforeAll(async () => {
    database = await thingsDatabase(dialect)
    // The tests read a table that is not there as well.
    db = database.db as unknown as Db<Tables>
    await db.write(async ({ db: tx }) => {
      for (const n of [1, 2, 3, 4])
        await tx
          .insertInto('things')
          .values({ id: `id-${n}`, n, owner_id: null })
          .execute()
    })
    const { stored } = db.sql.past
    const things = `SELECT id, n, owner_id FROM ${stored('things')} WHERE n <= :seq UNION ALL SELECT 'gone' AS id, 9 AS n, NULL AS owner_id FROM few`
    const tables = new TableViews(db.sql.past, [
      { name: 'few', sql: 'SELECT 1 AS one', isMaterialized: true },
      { name: 'things', sql: things, stored: ['things'] },
    ])
    store = createAsOfDb(db, tables, { seq: 2, isSettled: async () => true }).store
  })
  afterAll(() => database.close())

  const THEN = ['gone', 'id-1', 'id-2']
  const byId = () => store.read.selectFrom('things').select('id').orderBy('id')

  test('a built query, with no other columns than its own', async () => {
    expect(await byId().execute()).toEqual(THEN.map((id) => ({ id })))
    expect(await store.read.selectFrom('things').select('id').orderBy('n', 'desc').limit(2).execute()).toEqual([
      { id: 'gone' },
      { id: 'id-2' },
    ])
  })

  test('a page that is joined with its rows', async () => {
    const page = store.read.selectFrom('things').select('id').orderBy('n').limit(2).offset(1)
    const rows = store.read
      .selectFrom('things')
      .innerJoin(page.as('page'), 'page.id', 'things.id')
      .select('things.id')
      .orderBy('things.n')
    expect(await rows.execute()).toEqual([{ id: 'id-2' }, { id: 'gone' }])
  })

  test('raw SQL, also with its own WITH', async () => {
    const counted = sql<{ n: number | string }>`SELECT count(*) AS n FROM things WHERE n > ${1}`
    expect(Number((await counted.execute(store.read)).rows[0]?.n)).toBe(2)
    const own = sql<{ id: string }>`WITH high AS (SELECT id FROM things WHERE n > ${1}) SELECT id FROM high ORDER BY id`
    expect((await own.execute(store.read)).rows).toEqual([{ id: 'gone' }, { id: 'id-2' }])
  })

  test('a prepared query, which reads the present elsewhere', async () => {
    const scopes = [
      { db: store.read, store },
      { db: db.read, store: db },
    ]
    const found = scopes.map(async (scope) => (await nameById(scope, { id: 'id-3' })).map(({ n }) => Number(n)))
    expect(await Promise.all(found)).toEqual([[], [3]])
  })

  test('a count, and a stream of several queries', async () => {
    const count = store.read.selectFrom('things').select(sql<number>`count(*)`.as('n'))
    expect(Number((await count.executeTakeFirstOrThrow()).n)).toBe(3)
    const rows = (await Array.fromAsync(store.stream(byId(), byId().where('n', '<', 2)))).flat()
    expect(rows).toEqual([...THEN, 'id-1'].map((id) => ({ id })))
  })

  test.each(['owners', 'changes'] as const)('the table %s, which has no view, is refused', async (table) => {
    const rows = store.read.selectFrom(table).select('id')
    await expect(rows.execute()).rejects.toThrow(`the table "${table}" has no view`)
    await expect(rows.innerJoin('things', 'things.id', `${table}.id`).execute()).rejects.toThrow('has no view')
  })

  test('a write is refused', () => {
    expect(() => store.write(async () => {})).toThrow('the past does not change')
  })

  test('the revision is that of the moment, once it is settled', async () => {
    const before = await store.revision(['things'])
    const { store: open } = createAsOfDb(db, new TableViews(db.sql.past, []), { seq: 2, isSettled: async () => false })
    expect(await open.revision(['things'])).toStartWith(before)
    expect(await open.revision(['things'])).not.toBe(before)
  })

  test('an overlay keeps answers for its version and the present tables', async () => {
    const { stored } = db.sql.past
    const views = new TableViews(db.sql.past, [
      {
        name: 'things',
        sql: `SELECT id, n, owner_id FROM ${stored('things')} WHERE n <> :seq`,
        stored: ['things'],
      },
    ])
    const open = (version: string) => createAsOfDb(db, views, { seq: 2, version, countAdded: async () => -1 }).store
    const ask = (over: Db<Tables>, answer: string) => over.remember('things', 'key', async () => answer)
    expect(await ask(open('1'), 'first')).toBe('first')
    expect(await ask(open('1'), 'again')).toBe('first')
    expect(await ask(open('2'), 'second')).toBe('second')
    const before = await open('2').revision(['things'])
    expect(await open('1').revision(['things'])).not.toBe(before)
    const owned = { id: 'id-5', n: 5, owner_id: null }
    await db.write(({ db: tx }) => tx.insertInto('things').values(owned).execute())
    expect(await open('2').revision(['things'])).not.toBe(before)
    expect(await ask(open('2'), 'third')).toBe('third')
  })

  test('the rows of an overlay are counted by the present ones, unless the count has a condition', async () => {
    const { stored } = db.sql.past
    const things = {
      name: 'things',
      sql: `SELECT id, n, owner_id FROM ${stored('things')} WHERE n < 3`,
      stored: ['things'],
    }
    const views = new TableViews(db.sql.past, [things])
    const count = async (countAdded: (table: string) => Promise<number | undefined>, part?: string) => {
      const over = createAsOfDb(db, views, { seq: 2, version: '1', countAdded, ...(part !== undefined && { part }) })
      const all = over.read.selectFrom('things').select(sql<number | string>`count(*)`.as('n'))
      const counts = await Promise.all([all, all.where('n', '>', 1)].map((query) => query.executeTakeFirstOrThrow()))
      return counts.map(({ n }) => Number(n))
    }
    const rows = (await db.read.selectFrom('things').select('id').execute()).length
    expect(await count(async (table) => (table === 'things' ? 10 : undefined))).toEqual([rows + 10, 1])
    expect(await count(async () => undefined)).toEqual([2, 1])
    expect(await count(async () => 10, 'without something')).toEqual([2, 1])
  })
})
