// The first of very many matches, anywhere in the order of names: each way finds the same rows.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Expression, type SqlBool, sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import type { Word } from '../../net/words/word.ts'
import { TableViews } from '../cte-views.ts'
import { getDdl } from '../migrate.ts'
import { createViewedDb } from '../scoped-db.ts'
import { inPart, matchesWordsInOrder } from './search.ts'

const COUNT = 16_000

describe('the first rows that hold a word', () => {
  let database: EmptyDatabase<ThingTables>
  beforeAll(async () => {
    database = await thingsDatabase('sqlite')
    const { serial, substringIndex } = getDdl('sqlite')
    const statements = [
      `CREATE TABLE notes (seq ${serial}, id TEXT NOT NULL, name_order TEXT NOT NULL, search_text TEXT NOT NULL)`,
      ...substringIndex('notes'),
      'CREATE INDEX notes_order ON notes (name_order, id)',
      // Later rows have lower names, so the order of names differs from that of creation.
      `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT - 1})
       INSERT INTO notes (id, name_order, search_text)
       SELECT n, printf('%05d', ${COUNT} - n), 'every'
         || iif(n % 3 = 0, ' third', '') || iif(n < 4500, ' late', '') || iif(n >= ${COUNT - 4500}, ' early', '')
         || iif(n < 1000, ' rare', '') || iif(n % 2 = 0, ' xy', '')
       FROM numbers`,
    ]
    await database.db.write(async ({ db }) => {
      for (const statement of statements) await sql.raw(statement).execute(db)
    })
  })
  afterAll(() => database.close())

  const numbersOf = async (
    condition: Expression<SqlBool>,
    wanted?: number,
    db = database.db.read,
  ): Promise<number[]> => {
    const limit = wanted === undefined ? sql`` : sql`LIMIT ${wanted}`
    const query = sql<{ id: string }>`SELECT id FROM notes WHERE ${condition} ORDER BY name_order, id ${limit}`
    return (await query.execute(db)).rows.map(({ id }) => Number(id))
  }
  const HOLDS: Record<string, (n: number) => boolean> = {
    every: () => true,
    third: (n) => n % 3 === 0,
    xy: (n) => n % 2 === 0,
    late: (n) => n < 4500,
    early: (n) => n >= COUNT - 4500,
    rare: (n) => n < 1000,
  }
  const holding = (words: readonly Word[]) =>
    Array.from({ length: COUNT }, (_, i) => COUNT - 1 - i).filter((n) => words.every(([word]) => HOLDS[word]?.(n)))

  const TEXTS = 'every,third,late,early,rare,nowhere,third late,late xy,xy,early late,rare xy'.split(',')

  // A part of 5,000 rows, and one of 1,000.
  test.each(TEXTS.flatMap((text) => [3000, 11_000].map((from) => [text, from] as const)))(
    '%s in a part that begins at %d',
    async (text, from) => {
      const words = text.split(' ').map((word): Word => [word])
      const to = from === 3000 ? 8000 : 12_000
      const shown = `SELECT * FROM main.notes WHERE CAST(id AS INTEGER) BETWEEN ${from} AND ${to - 1}`
      const views = new TableViews(database.db.sql.past, [{ name: 'notes', sql: shown }], ['notes_search'])
      const db = createViewedDb(database.db.read, views)
      const expected = holding(words).filter((n) => n >= from && n < to)
      const { condition } = await inPart.matchesWordsInOrder(db, 'notes', { words })
      for (const wanted of [1, 50, 1000])
        expect(await numbersOf(await condition({ wanted }), wanted, db)).toEqual(expected.slice(0, wanted))
      expect(await numbersOf(await condition({ count: expected.length }), undefined, db)).toEqual(expected)
      expect(await inPart.countWords(db, 'notes', words)).toBe(expected.length)
    },
  )

  test.each(TEXTS)('%s', async (text) => {
    const words = text.split(' ').map((word): Word => [word])
    const expected = holding(words)
    for (const most of [undefined, 0, 100, 5000, COUNT]) {
      const { condition, count } = await matchesWordsInOrder(database.db.read, 'notes', { words, most })
      expect([expected.length, undefined]).toContain(count)
      for (const wanted of [1, 50, 1000])
        expect(await numbersOf(await condition({ wanted }), wanted)).toEqual(expected.slice(0, wanted))
      expect(await numbersOf(await condition({ count: expected.length }))).toEqual(expected)
    }
  })

  test('the requested number is counted during the search', async () => {
    const countOf = async (most: number) =>
      (await matchesWordsInOrder(database.db.read, 'notes', { words: [['late']], most })).count
    expect([await countOf(4499), await countOf(4500)]).toEqual([undefined, 4500])
  })

  test('late matches are not searched among all earlier rows', async () => {
    const sqlOf = async (word: string) => {
      const { condition } = await matchesWordsInOrder(database.db.read, 'notes', { words: [[word]] })
      return sql`SELECT 1 WHERE ${await condition({ wanted: 50 })}`.compile(database.db.read).sql
    }
    expect([await sqlOf('late'), await sqlOf('early')].map((text) => text.includes('LIKE'))).toEqual([false, true])
  })
})
