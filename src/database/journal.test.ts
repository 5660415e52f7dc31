import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { type ThingTables, thingsDatabase } from '../../testing/servers/database.ts'
import { engines } from '../../testing/servers/servers.ts'
import type { Db, Tx } from './database.ts'
import { type JournalRules, type RowChange, recordTransaction } from './journal.ts'
import { prepared } from './query/prepared.ts'
import { preparedRows } from './query/prepared-lists.ts'

type Tables = ThingTables & { parts: { id: string; thing_id: string } }

const RULES: JournalRules = {
  things: { key: ['id'], cascades: [{ table: 'parts', column: 'thing_id' }] },
  parts: { key: ['id'] },
}
const tooMany = (): never => {
  throw new Error('too many')
}

const addThings = preparedRows(['id', 'n', 'owner_id'], (db: Kysely<Tables>, rows: Tables['things'][]) =>
  db
    .insertInto('things')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ n: ref('excluded.n') }))),
)
const setN = prepared((db: Kysely<Tables>, { id, n }: { id: string; n: number }) =>
  db.updateTable('things').set({ n }).where('id', '=', id),
)

describe.each(engines())('the journal on %s', (dialect) => {
  let database: Awaited<ReturnType<typeof thingsDatabase>>
  let db: Db<Tables>
  beforeAll(async () => {
    database = await thingsDatabase(dialect)
    // The same database with an additional table.
    db = database.db as unknown as Db<Tables>
    await db.write(async (tx) => {
      await sql`CREATE TABLE parts (id TEXT PRIMARY KEY, thing_id TEXT REFERENCES things (id) ON DELETE CASCADE)`.execute(
        tx.db,
      )
    })
  }, 60_000)
  afterAll(() => database.close())
  beforeEach(async () => {
    await db.write(async (tx) => {
      await tx.db.deleteFrom('things').execute()
      await tx.db.deleteFrom('owners').execute()
      await tx.db.insertInto('owners').values({ id: 'o', name: 'Olga' }).execute()
      await tx.db
        .insertInto('things')
        .values([
          { id: 'a', n: 1, owner_id: null },
          { id: 'b', n: 2, owner_id: 'o' },
        ])
        .execute()
    })
  })

  const during = (work: (tx: Tx<Tables>) => Promise<unknown>, most = 100): Promise<RowChange[]> =>
    db.write(async (tx) => {
      const { tx: watched, journal } = recordTransaction(tx, { rules: RULES, sql: db.sql, most, tooMany })
      await work(watched)
      return journal.changes()
    })

  const a = { id: 'a', n: 1, owner_id: null }
  const b = { id: 'b', n: 2, owner_id: 'o' }

  test('records inserted rows', async () => {
    const made = { id: 'c', n: 3, owner_id: null }
    expect(await during(({ db }) => db.insertInto('things').values(made).execute())).toEqual([
      { table: 'things', key: '["c"]', after: made },
    ])
  })

  test('records rows before and after an update', async () => {
    const changes = await during(({ db }) => db.updateTable('things').set({ n: 9 }).where('n', '<', 3).execute())
    expect(changes).toEqual([
      { table: 'things', key: '["a"]', before: a, after: { ...a, n: 9 } },
      { table: 'things', key: '["b"]', before: b, after: { ...b, n: 9 } },
    ])
  })

  test('records deleted rows', async () => {
    expect(await during(({ db }) => db.deleteFrom('things').where('id', '=', 'a').execute())).toEqual([
      { table: 'things', key: '["a"]', before: a },
    ])
  })

  test('records prepared queries', async () => {
    expect(await during((tx) => setN({ db: tx.db, store: db }, { id: 'b', n: 7 }))).toEqual([
      { table: 'things', key: '["b"]', before: b, after: { ...b, n: 7 } },
    ])
  })

  test('distinguishes changed rows of an upsert from added ones', async () => {
    const made = { id: 'c', n: 3, owner_id: null }
    expect(await during((tx) => addThings({ db: tx.db, store: db }, [{ ...a, n: 5 }, made]))).toEqual([
      { table: 'things', key: '["a"]', before: a, after: { ...a, n: 5 } },
      { table: 'things', key: '["c"]', after: made },
    ])
  })

  test('has the first and the last state, and leaves out rows that return to the first', async () => {
    const changes = await during(async ({ db }) => {
      const set = (id: string, n: number) => db.updateTable('things').set({ n }).where('id', '=', id).execute()
      await set('a', 5)
      await set('a', 6)
      await set('b', 5)
      await set('b', 2)
      await db.insertInto('things').values({ id: 'c', n: 3, owner_id: null }).execute()
      await db.deleteFrom('things').where('id', '=', 'c').execute()
    })
    expect(changes).toEqual([{ table: 'things', key: '["a"]', before: a, after: { ...a, n: 6 } }])
  })

  test('leaves out a rolled back savepoint', async () => {
    const changes = await during(async ({ db, savepoint }) => {
      await db.updateTable('things').set({ n: 5 }).where('id', '=', 'a').execute()
      const failing = savepoint(async () => {
        await db.updateTable('things').set({ n: 6 }).execute()
        throw new Error('no')
      })
      await failing.catch(() => undefined)
    })
    expect(changes).toEqual([{ table: 'things', key: '["a"]', before: a, after: { ...a, n: 5 } }])
  })

  test('records cascades of the database', async () => {
    await db.write(async (tx) => {
      await tx.db
        .insertInto('parts')
        .values([
          { id: 'p', thing_id: 'a' },
          { id: 'q', thing_id: 'b' },
        ])
        .execute()
    })
    expect(await during(({ db }) => db.deleteFrom('things').where('id', '=', 'a').execute())).toEqual([
      { table: 'parts', key: '["p"]', before: { id: 'p', thing_id: 'a' } },
      { table: 'things', key: '["a"]', before: a },
    ])
  })

  test('leaves the answers of statements as they are', async () => {
    await during(async ({ db }) => {
      const deleted = await db.deleteFrom('things').where('id', '=', 'a').executeTakeFirst()
      const none = await db.updateTable('things').set({ n: 1 }).where('id', '=', 'zzz').executeTakeFirst()
      const returned = await db.updateTable('things').set({ n: 4 }).where('id', '=', 'b').returning('n').execute()
      expect([deleted.numDeletedRows, none.numUpdatedRows, returned[0]?.n]).toEqual([1n, 0n, 4])
    })
  })

  test('still counts for the revisions of tables', async () => {
    const before = await db.revision(['things'])
    await during((tx) => setN({ db: tx.db, store: db }, { id: 'b', n: 7 }))
    expect(await db.revision(['things'])).not.toBe(before)
  })

  test('stops at the limit of rows', async () => {
    expect(during(({ db }) => db.updateTable('things').set({ n: 9 }).execute(), 1)).rejects.toThrow('too many')
  })
})
