/** Streams of rows: chunks, snapshots, and connections that are returned. On both databases. */
import { describe, expect, test } from 'bun:test'
import { addThing, type Things, thing, thingIds, thingsSuite, thrown } from '../../testing/app/things.ts'
import { engines } from '../../testing/servers/servers.ts'

/** Rows from `00000` on, more than several chunks of a stream. */
const ROWS_OF_SEVERAL_CHUNKS = 1700
const addMany = (db: Things) =>
  db.write(async (tx) => {
    const rows = Array.from({ length: ROWS_OF_SEVERAL_CHUNKS }, (_, i) => thing(String(i).padStart(5, '0'), i))
    for (let i = 0; i < ROWS_OF_SEVERAL_CHUNKS; i += 500)
      await tx.db
        .insertInto('things')
        .values(rows.slice(i, i + 500))
        .execute()
  })

describe.each(engines())('streams on %s', (dialect) => {
  const suite = thingsSuite(dialect)

  describe('a stream', () => {
    const query = (on: Things) => on.read.selectFrom('things').selectAll().orderBy('id')

    test('yields every row in order, in chunks', async () => {
      await addMany(suite.db)
      const chunks = await Array.fromAsync(suite.db.stream(query(suite.db)))
      expect(chunks.flat().map(({ n }) => n)).toEqual(Array.from({ length: ROWS_OF_SEVERAL_CHUNKS }, (_, i) => i))
      expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(500)
    })

    test('of several queries has the rows of one after the other, as they were at its beginning', async () => {
      await addMany(suite.db)
      const some = (order: 'asc' | 'desc') =>
        suite.db.read.selectFrom('things').selectAll().orderBy('id', order).limit(600)
      const stream = suite.db.stream(some('asc'), some('desc'))
      const { value = [] } = await stream.next()
      await suite.db.write((tx) => tx.db.deleteFrom('things').execute())
      const all = [...value, ...(await Array.fromAsync(stream)).flat()].map(({ n }) => n)
      const first = Array.from({ length: 600 }, (_, i) => i)
      expect(all).toEqual([...first, ...first.map((i) => ROWS_OF_SEVERAL_CHUNKS - 1 - i)])
    })

    test('takes the parameters of its query', async () => {
      await addMany(suite.db)
      const chunks = await Array.fromAsync(
        suite.db.stream(
          query(suite.db)
            .where('n', '>=', ROWS_OF_SEVERAL_CHUNKS - 2)
            .where('id', 'like', '0%'),
        ),
      )
      expect(chunks.flat().map(({ n }) => n)).toEqual([ROWS_OF_SEVERAL_CHUNKS - 2, ROWS_OF_SEVERAL_CHUNKS - 1])
    })

    test('of no rows yields no row', async () => {
      expect((await Array.fromAsync(suite.db.stream(query(suite.db)))).flat()).toEqual([])
    })

    test('sees one snapshot while writes go on', async () => {
      await addMany(suite.db)
      const stream = suite.db.stream(query(suite.db))
      let rows = (await stream.next()).value?.length ?? 0
      await suite.db.write((tx) => tx.db.deleteFrom('things').execute())
      for await (const chunk of stream) rows += chunk.length
      expect(rows).toBe(ROWS_OF_SEVERAL_CHUNKS)
    })

    test('does not keep writes waiting', async () => {
      await addMany(suite.db)
      const stream = suite.db.stream(query(suite.db))
      await stream.next()
      await suite.db.write((tx) => addThing(tx, 'new'))
      expect(await thingIds(suite.db)).toContain('new')
      await stream.return(undefined)
    })

    test('that is left early gives its connection back', async () => {
      await addMany(suite.db)
      for (let i = 0; i < 100; i++)
        for await (const chunk of suite.db.stream(query(suite.db))) {
          expect(chunk.length).toBe(500)
          break
        }
      expect((await Array.fromAsync(suite.db.stream(query(suite.db)))).flat()).toHaveLength(ROWS_OF_SEVERAL_CHUNKS)
    })

    test('that is left early holds no snapshot for the next', async () => {
      await addMany(suite.db)
      const stream = suite.db.stream(query(suite.db))
      await stream.next()
      await stream.return(undefined)
      await suite.db.write((tx) => tx.db.deleteFrom('things').execute())
      expect((await Array.fromAsync(suite.db.stream(query(suite.db)))).flat()).toEqual([])
    })

    test('of a broken query throws, and the next one works', async () => {
      const broken = suite.db.read.selectFrom('missing' as 'things').selectAll()
      for (let i = 0; i < 30; i++) await thrown(Array.fromAsync(suite.db.stream(broken)))
      expect((await Array.fromAsync(suite.db.stream(query(suite.db)))).flat()).toEqual([])
    })

    test('that is not read further delays no other streams or writes', async () => {
      await addMany(suite.db)
      const held = Array.from({ length: 30 }, () => suite.db.stream(query(suite.db)))
      const begun = held.map((stream) => stream.next())
      await suite.db.write((tx) => addThing(tx, 'new'))
      expect(await thingIds(suite.db)).toContain('new')
      for (const [i, stream] of held.entries()) {
        await begun[i]
        await stream.return(undefined)
      }
    })
  })
})
