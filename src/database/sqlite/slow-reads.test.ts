// Reads of very many rows run on another thread, and see what other reads see.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type QueryExecutorProvider, sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import type { Word } from '../../net/words/word.ts'
import { getDdl } from '../migrate.ts'
import { SLOW } from './slow-reads.ts'

let database: EmptyDatabase<ThingTables>
beforeEach(async () => {
  database = await thingsDatabase('sqlite')
})
afterEach(() => database.close())

/** Returns the result, and whether the event loop turned before it: work of this thread is done in one turn. */
const turning = async <T>(work: () => Promise<T>): Promise<{ result: T; hasTurned: boolean }> => {
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  const result = await work()
  return { result, hasTurned }
}

const countThings = async (db: QueryExecutorProvider, mark = SLOW): Promise<number | undefined> =>
  (await sql<{ n: number }>`SELECT count(*) AS n FROM things ${mark}`.execute(db)).rows[0]?.n

const addThings = (db: QueryExecutorProvider, count: number) =>
  sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO things (id, n) SELECT n, n FROM numbers`.execute(db)

describe('a query with the mark', () => {
  test('runs on another thread', async () => {
    expect(await turning(() => countThings(database.db.read))).toEqual({ result: 0, hasTurned: true })
  })

  test('sees the last commit', async () => {
    await database.db.write(({ db }) => addThings(db, 10))
    expect(await countThings(database.db.read)).toBe(10)
  })

  test('sees the own writes of a transaction', async () => {
    const counted = await database.db.write(async ({ db }) => {
      await addThings(db, 10)
      return countThings(db)
    })
    expect(counted).toBe(10)
  })

  test('fails with the error of the database', async () => {
    const failing = sql`SELECT count(*) FROM missing ${SLOW}`.execute(database.db.read)
    await expect(failing).rejects.toThrow('no such table: missing')
  })

  test('a query with the mark answers every caller, also callers that ask for the same at once', async () => {
    await database.db.write(({ db }) => addThings(db, 10))
    const counts = await Promise.all(Array.from({ length: 20 }, () => countThings(database.db.read)))
    expect(counts).toEqual(Array.from({ length: 20 }, () => 10))
  })

  test('that waits sees a commit from before it was asked', async () => {
    const first = countThings(database.db.read)
    const second = countThings(database.db.read)
    await database.db.write(({ db }) => addThings(db, 10))
    // Equal to the second one, which may have begun before the commit.
    const third = countThings(database.db.read)
    await Promise.all([first, second])
    expect(await third).toBe(10)
  })
})

test('a query without the mark runs on this thread', async () => {
  expect(await turning(() => countThings(database.db.read, sql``))).toEqual({ result: 0, hasTurned: false })
})

describe.each([
  [1000, false],
  [150_000, true],
])('matches of words in %d rows', (count, isElsewhere) => {
  const WORDS: Readonly<Record<string, readonly Word[]>> = {
    'indexed words': [['every'], ['note']],
    'a short word': [['every'], ['no']],
  }

  test.each(Object.entries(WORDS))(`%s, are counted on another thread: ${isElsewhere}`, async (_, words) => {
    const { serial, substringIndex } = getDdl('sqlite')
    await database.db.write(async ({ db }) => {
      const statements = [
        `CREATE TABLE notes (seq ${serial}, id TEXT NOT NULL, search_text TEXT NOT NULL)`,
        ...substringIndex('notes'),
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
         INSERT INTO notes (id, search_text) SELECT n, 'every note' FROM numbers`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    })
    const { read, sql: engine } = database.db
    expect(await turning(() => engine.countWords(read, 'notes', words))).toEqual({
      result: count,
      hasTurned: isElsewhere,
    })
    expect(await turning(() => engine.inPart.countWords(read, 'notes', words))).toEqual({
      result: count,
      hasTurned: isElsewhere,
    })
  })
})
