// A long transaction fills tables, so its statements are planned with the present size of each table.
import { expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { thingsSuite } from '../../../testing/app/things.ts'
import type { ThingTables } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Tx, WriteOptions } from '../database.ts'
import { preparedKeys } from '../query/prepared-lists.ts'

const byIds = preparedKeys((db: Kysely<ThingTables>, ids) => db.selectFrom('things').select('n').where('id', 'in', ids))

/** PostgreSQL keeps a plan for all values after it has run a statement this often (PREPARE, notes). */
const BEFORE_IT_KEEPS_A_PLAN = 5
const ROWS = 20_000

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  const suite = thingsSuite('postgres')

  const rowsRead = async ({ db }: Tx<ThingTables>): Promise<number> => {
    const { rows } = await sql<{ n: string }>`
      SELECT seq_tup_read AS n FROM pg_stat_xact_user_tables WHERE relname = 'things'`.execute(db)
    return Number(rows[0]?.n ?? 0)
  }

  /** Looks ids up while the table is empty, and returns the rows that the same lookup scans when the table is full. */
  const scannedAfterFilling = (options: WriteOptions): Promise<number> =>
    suite.db.write(async (tx) => {
      const lookUp = () => byIds({ db: tx.db, store: suite.db }, ['a', 'b', 'c', 'd'])
      await sql`ANALYZE things`.execute(tx.db)
      for (let i = 0; i <= BEFORE_IT_KEEPS_A_PLAN; i++) await lookUp()
      await sql`INSERT INTO things SELECT i::text, i, NULL FROM generate_series(1, ${ROWS}::int) AS i`.execute(tx.db)
      const before = await rowsRead(tx)
      await lookUp()
      return (await rowsRead(tx)) - before
    }, options)

  test('a long transaction looks rows up by their index after it has filled the table', async () => {
    expect(await scannedAfterFilling({ exclusive: true })).toBe(0)
  })
}
