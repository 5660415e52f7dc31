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
})
