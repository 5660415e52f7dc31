import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { countCases } from '../../testing/cases.ts'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../testing/servers/database.ts'
import { engines } from '../../testing/servers/servers.ts'
import type { Word } from '../net/words/word.ts'
import { escapeLike } from './database.ts'
import { getDdl } from './migrate.ts'
import { splitBatches } from './query/batches.ts'
import { containsText } from './query/contains.ts'
import { trackWrittenTables } from './query/written-tables.ts'

describe('batches', () => {
  test.each([0, 1, 499, 500, 501, 1500])('of %d items lose none and keep the order', (count) => {
    const items = Array.from({ length: count }, (_, i) => i)
    expect(splitBatches(items).flat()).toEqual(items)
  })

  test('are never empty', () => {
    expect([splitBatches([]), splitBatches([1, 2], 2)]).toEqual([[], [[1, 2]]])
  })
})

test('a text with wildcards matches itself only', () => {
  expect(escapeLike('50%_\\')).toBe('50\\%\\_\\\\')
})

describe.each(engines())('on %s', (dialect) => {
  let database: EmptyDatabase<ThingTables>
  beforeAll(async () => {
    database = await thingsDatabase(dialect)
    await database.db.write(async ({ db }) => {
      const { serial, substringIndex, substringIndexAcross } = getDdl(dialect)
      await sql.raw(`CREATE TABLE notes (seq ${serial}, search_text TEXT NOT NULL)`).execute(db)
      for (const statement of [...substringIndex('notes'), ...substringIndexAcross('notes')])
        await sql.raw(statement).execute(db)
    })
  })
  afterAll(() => database.close())

  test('the text filter finds exactly the rows that contain the text', async () => {
    const { db } = database
    const alphabet = fc.constantFrom('%', '_', '\\', "'", '"', 'a', 'b', 'é', '😀', ' ', '[', '*', '?', '-')
    const text = fc.array(alphabet, { maxLength: 4 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, text, async (whole, part) => {
        const query = sql<{
          found: unknown
        }>`SELECT ${containsText('t', part)} AS found FROM (SELECT CAST(${whole} AS TEXT) AS t) AS one`
        const { rows } = await query.execute(db.read)
        expect(Boolean(rows[0]?.found)).toBe(whole.includes(part))
      }),
      { seed: 7, numRuns: countCases(150) },
    )
  })

  test('the word search finds exactly the rows that contain every word', async () => {
    const { db } = database
    // Includes the separators that the index replaces by letters, and these letters.
    const alphabet = fc.constantFrom(...'%_\\\'"ab*-(:^.qxzj'.split(''), 'é', '😀')
    const word = fc.array(alphabet, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
    const texts = fc
      .sample(fc.array(word, { minLength: 1, maxLength: 4 }), { seed: 1, numRuns: countCases(60) })
      .map((words) => words.join(' '))
    await db.write(async (tx) => {
      for (const one of texts) await sql`INSERT INTO notes (search_text) VALUES (${one})`.execute(tx.db)
    })
    const parts = texts.flatMap((one) => [one.slice(1, 3), one.slice(0, 4), one.slice(-3)].map((part) => part.trim()))
    for (const wanted of [
      ...parts.filter((part) => part.isWellFormed() && part !== '').map((part) => part.split(' ').filter(Boolean)),
      ['a', 'b'],
      ['zzz'],
    ]) {
      const query = sql<{
        search_text: string
      }>`SELECT search_text FROM notes WHERE ${db.sql.matchesWords(
        'notes',
        wanted.map((part): Word => [part]),
      )} ORDER BY seq`
      const { rows } = await query.execute(db.read)
      const expected = texts.filter((one) => wanted.every((part) => one.includes(part)))
      expect({ wanted, found: rows.map((row) => row.search_text) }).toEqual({ wanted, found: expected })
    }
  })

  describe('the tables that a query writes', () => {
    const touchedBy = async (work: (db: typeof database.db.read) => Promise<unknown>): Promise<string[]> => {
      const touched = new Set<string>()
      await database.db.write((tx) => work(tx.db.withPlugin(trackWrittenTables(touched))))
      return [...touched].sort()
    }
    const row = { id: 'x', n: 1, owner_id: null }

    test('include that of an upsert', async () => {
      const upsert = (db: typeof database.db.read) =>
        db
          .insertInto('things')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ n: 2 }))
          .execute()
      expect(await touchedBy(upsert)).toEqual(['things'])
    })

    test('include that with an alias', async () => {
      expect(
        await touchedBy((db) => db.updateTable('things as t').set({ n: 2 }).where('t.id', '=', 'x').execute()),
      ).toEqual(['things'])
    })

    test('do not include that of a subquery', async () => {
      const remove = (db: typeof database.db.read) =>
        db
          .deleteFrom('things')
          .where('owner_id', 'in', (eb) => eb.selectFrom('owners').select('id'))
          .execute()
      expect(await touchedBy(remove)).toEqual(['things'])
    })

    test('are none for a SELECT', async () => {
      expect(await touchedBy((db) => db.selectFrom('things').selectAll().execute())).toEqual([])
    })
  })
})
