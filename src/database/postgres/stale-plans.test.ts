import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Db } from '../database.ts'

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  let suite: EmptyDatabase<ThingTables>
  beforeEach(async () => {
    suite = await thingsDatabase('postgres')
    const row = { id: 'a', n: 1, owner_id: null }
    await suite.db.write(({ db }) => db.insertInto('things').values(row).execute())
  })
  afterEach(() => suite.close())

  /** Adds a column like a migration of another program. */
  const addColumn = () =>
    suite.beside().write(({ db }) => sql`ALTER TABLE things ADD COLUMN more INTEGER DEFAULT 5`.execute(db))

  type Ask = (db: Db<ThingTables>) => Promise<unknown>
  const all = ({ read }: Pick<Db<ThingTables>, 'read'>) => read.selectFrom('things').selectAll().execute()
  const one: Ask = ({ quick }) => quick.selectFrom('things').selectAll().where('id', '=', 'a').executeTakeFirst()
  const updated = (serializeBy?: string): Ask => {
    return (db) =>
      db.write(
        ({ db }) => db.updateTable('things').set({ n: 1 }).where('id', '=', 'a').returningAll().executeTakeFirst(),
        serializeBy === undefined ? {} : { serializeBy },
      )
  }
  /** Each number makes another text. */
  const manyIn: Ask = (db) =>
    db.write(async ({ db }) => {
      let last: unknown
      for (let n = 1; n <= 20; n++)
        last = await db.selectFrom('things').selectAll().limit(sql.lit(n)).executeTakeFirst()
      return last
    })
  const together: Ask = (db) => Promise.all([1, 2, 3].map(() => updated('things')(db)))
  const row = { id: 'a', n: 1, owner_id: null, more: 5 }

  test.each<[string, Ask, unknown]>([
    ['a read', all, [row]],
    ['a quick read', one, row],
    ['reads in a pipeline', (db) => Promise.all([one(db), one(db), one(db)]), [row, row, row]],
    ['a write', updated(), row],
    ['writes in one transaction', together, [row, row, row]],
    ['a write in a savepoint', (db) => db.write(({ savepoint, db }) => savepoint(() => all({ read: db }))), [row]],
    ['a write of many statements', manyIn, row],
  ])('%s goes on with statements prepared before another program adds a column', async (_, ask, expected) => {
    await ask(suite.db)
    await addColumn()
    expect(await ask(suite.db)).toEqual(expected)
  })

  test('columns may be added again', async () => {
    await all(suite.db)
    await addColumn()
    await all(suite.db)
    await suite.beside().write(({ db }) => sql`ALTER TABLE things ADD COLUMN last INTEGER DEFAULT 6`.execute(db))
    expect<unknown>(await all(suite.db)).toEqual([{ ...row, last: 6 }])
  })
}
