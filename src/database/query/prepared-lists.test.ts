import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Kysely } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { prepared } from './prepared.ts'
import { padKeys, preparedKeys, preparedRows, preparedTuples } from './prepared-lists.ts'

type Thing = ThingTables['things']

const insert = preparedRows(['id', 'n', 'owner_id'], (db: Kysely<ThingTables>, rows: Thing[]) =>
  db.insertInto('things').values(rows),
)
const byIds = preparedKeys((db: Kysely<ThingTables>, ids) => db.selectFrom('things').selectAll().where('id', 'in', ids))
const byIdsAndNumbers = preparedTuples(['id', 'n'], (db: Kysely<ThingTables>, keys: Pick<Thing, 'id' | 'n'>[]) =>
  db
    .selectFrom('things')
    .selectAll()
    .where((eb) => eb.or(keys.map((key) => eb.and(key)))),
)
const setN = prepared((db: Kysely<ThingTables>, { id, n }: { id: string; n: number }) =>
  db.updateTable('things').set({ n }).where('id', '=', id),
)

test('there are few lengths of padded keys', () => {
  const lengths = Array.from({ length: 1001 }, (_, count) => padKeys(Array(count).fill(1), 0).length)
  expect([...new Set(lengths)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 16, 64, 128, 256, 512, 768, 1024])
})

describe.each(engines())('on %s', (dialect) => {
  let database: EmptyDatabase<ThingTables>
  beforeAll(async () => {
    database = await thingsDatabase(dialect)
  })
  afterAll(() => database.close())

  const read = () => ({ db: database.db.read, store: database.db })
  const things = (prefix: string, count: number): Thing[] =>
    Array.from({ length: count }, (_, n) => ({ id: `${prefix}-${n}`, n, owner_id: null }))
  const add = (rows: readonly Thing[]) => database.db.write(({ db }) => insert({ db, store: database.db }, rows))
  const sorted = (rows: readonly Thing[]) => rows.toSorted((a, b) => a.n - b.n)

  // One more and one less than each prepared length, and sums of several lengths.
  test.each([0, 1, 2, 8, 9, 15, 17, 63, 65, 255, 256, 257, 600])('%d rows are written and found', async (count) => {
    const rows = things(`${count}`, count)
    await add(rows)
    const ids = rows.map(({ id }) => id)
    expect(sorted(await byIds(read(), [...ids, 'missing', ...ids]))).toEqual(rows)
  })

  test.each([0, 1, 9, 17, 256, 257, 600])('%d keys of two columns find what both name, once', async (count) => {
    const rows = things(`tuples-${count}`, count)
    await add(rows)
    const others = rows.map(({ id, n }) => ({ id, n: n + 1 }))
    expect(sorted(await byIdsAndNumbers(read(), [...rows, ...others, ...rows]))).toEqual(rows)
  })

  test.each([0, 1, 9, 50, 256, 257, 1000])('%d keys of an `in` that is padded find what they name', async (count) => {
    const rows = things(`padded-${count}`, count)
    await add(rows)
    const keys = padKeys(
      rows.map(({ id }) => id),
      'of nothing',
    )
    const found = await database.db.read.selectFrom('things').selectAll().where('id', 'in', keys).execute()
    expect(sorted(found)).toEqual(rows)
  })

  test('a value may be a number and nothing', async () => {
    await add([{ id: 'one', n: -7, owner_id: null }])
    expect(await byIds(read(), ['one'])).toEqual([{ id: 'one', n: -7, owner_id: null }])
  })

  test('their writes count as a change of the table', async () => {
    const revision = () => database.db.revision(['things'])
    const before = await revision()
    await add(things('counted', 1))
    const between = await revision()
    await database.db.write(({ db }) => setN({ db, store: database.db }, { id: 'counted-0', n: 5 }))
    expect(new Set([before, between, await revision()]).size).toBe(3)
  })
})
