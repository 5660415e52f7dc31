/** Writes, savepoints, revisions and cached results. On both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../testing/database.ts'
import { dialects } from '../../testing/servers.ts'
import { cachedCount, cachedText } from './cache/query-cache.ts'
import type { Db, Tx } from './database.ts'

type Things = Db<ThingTables>

const thing = (id: string, n = 0) => ({ id, n, owner_id: null })
const add = (tx: Tx<ThingTables>, id: string, n = 0) => tx.db.insertInto('things').values(thing(id, n)).execute()
const ids = async (db: Pick<Things, 'read'>) =>
  (await db.read.selectFrom('things').select('id').orderBy('id').execute()).map(({ id }) => id)

const thrown = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe.each(dialects())('a database on %s', (dialect) => {
  let database: EmptyDatabase<ThingTables>
  let db: Things
  beforeAll(async () => {
    database = await thingsDatabase(dialect)
    db = database.db
  })
  beforeEach(() =>
    db.write(async (tx) => {
      await tx.db.deleteFrom('things').execute()
      await tx.db.deleteFrom('owners').execute()
    }),
  )
  afterAll(() => database.close())

  describe('a write', () => {
    test('is there for every reader once it is answered', async () => {
      await db.write((tx) => add(tx, 'a'))
      expect(await ids(database.beside())).toEqual(['a'])
    })

    test('answers with what its work returned', async () => {
      expect(await db.write(async () => 42)).toBe(42)
    })

    test('that throws leaves nothing behind', async () => {
      const failing = db.write(async (tx) => {
        await add(tx, 'a')
        throw new Error('no')
      })
      await thrown(failing)
      expect(await ids(db)).toEqual([])
    })

    test('that throws rejects with what was thrown', async () => {
      const error = new Error('no')
      expect(await thrown(db.write(() => Promise.reject(error)))).toBe(error)
    })

    test('is invisible to readers before its commit', async () => {
      const seen = await db.write(async (tx) => {
        await add(tx, 'a')
        return ids(db)
      })
      expect(seen).toEqual([])
    })

    test('sees its own changes', async () => {
      const seen = await db.write(async (tx) => {
        await add(tx, 'a')
        return ids({ read: tx.db })
      })
      expect(seen).toEqual(['a'])
    })

    test('that fails beside others undoes only itself', async () => {
      const work = ['a', 'b', 'c'].map((id) =>
        db.write(async (tx) => {
          await add(tx, id)
          if (id === 'b') throw new Error('no')
        }),
      )
      await Promise.allSettled(work)
      expect(await ids(db)).toEqual(['a', 'c'])
    })

    test('of a counter by many writers at once loses none', async () => {
      await db.write((tx) => add(tx, 'a'))
      const increment = () =>
        db.write(async (tx) => {
          const rows = db.sql.lockRows(tx.db.selectFrom('things').select('n').where('id', '=', 'a'))
          const { n } = await rows.executeTakeFirstOrThrow()
          await tx.db
            .updateTable('things')
            .set({ n: n + 1 })
            .where('id', '=', 'a')
            .execute()
        })
      await Promise.all(Array.from({ length: 50 }, increment))
      expect((await db.read.selectFrom('things').select('n').executeTakeFirstOrThrow()).n).toBe(50)
    })

    test('checks and inserts at once from many writers without a broken constraint', async () => {
      const ensure = () =>
        db.write(async (tx) => {
          const known = await tx.db.selectFrom('things').select('id').where('id', '=', 'a').executeTakeFirst()
          if (known) return 'known'
          await add(tx, 'a')
          return 'added'
        })
      const answers = await Promise.all(Array.from({ length: 8 }, ensure))
      expect(answers.toSorted()).toEqual(['added', ...Array(7).fill('known')])
    })
  })

  describe('a savepoint', () => {
    test('that fails undoes what it did, and the write goes on', async () => {
      await db.write(async (tx) => {
        await add(tx, 'before')
        const failing = tx.savepoint(async () => {
          await add(tx, 'inside')
          throw new Error('no')
        })
        await thrown(failing)
        await add(tx, 'after')
      })
      expect(await ids(db)).toEqual(['after', 'before'])
    })

    test('that a broken constraint fails leaves the transaction usable', async () => {
      await db.write(async (tx) => {
        await add(tx, 'a')
        await thrown(tx.savepoint(() => add(tx, 'a')))
        await add(tx, 'b')
      })
      expect(await ids(db)).toEqual(['a', 'b'])
    })

    test('inside another is undone alone', async () => {
      await db.write((tx) =>
        tx.savepoint(async () => {
          await add(tx, 'outer')
          const inner = tx.savepoint(async () => {
            await add(tx, 'inner')
            throw new Error('no')
          })
          await thrown(inner)
        }),
      )
      expect(await ids(db)).toEqual(['outer'])
    })

    test('that fails takes the ones inside along', async () => {
      await db.write(async (tx) => {
        const outer = tx.savepoint(async () => {
          await tx.savepoint(() => add(tx, 'inner'))
          throw new Error('no')
        })
        await thrown(outer)
      })
      expect(await ids(db)).toEqual([])
    })

    test('may fail a thousand times in one write', async () => {
      await db.write(async (tx) => {
        await add(tx, 'a')
        for (let i = 0; i < 1000; i++) await thrown(tx.savepoint(() => Promise.reject(new Error('no'))))
        await add(tx, 'b')
      })
      expect(await ids(db)).toEqual(['a', 'b'])
    })

    test('answers with what its work returned', async () => {
      expect(await db.write((tx) => tx.savepoint(async () => 42))).toBe(42)
    })
  })

  describe('the revision', () => {
    test('changes when a table is written', async () => {
      const before = await db.revision(['things'])
      await db.write((tx) => add(tx, 'a'))
      expect(await db.revision(['things'])).not.toBe(before)
    })

    test('changes by insert, update and delete alike', async () => {
      const seen = [await db.revision(['things'])]
      await db.write((tx) => add(tx, 'a'))
      seen.push(await db.revision(['things']))
      await db.write((tx) => tx.db.updateTable('things').set({ n: 1 }).execute())
      seen.push(await db.revision(['things']))
      await db.write((tx) => tx.db.deleteFrom('things').execute())
      seen.push(await db.revision(['things']))
      expect(new Set(seen).size).toBe(4)
    })

    test('of one table stays when another is written', async () => {
      const before = await db.revision(['owners'])
      await db.write((tx) => add(tx, 'a'))
      expect(await db.revision(['owners'])).toBe(before)
    })

    test('of several tables changes with each of them', async () => {
      const before = await db.revision(['owners', 'things'])
      await db.write((tx) => add(tx, 'a'))
      expect(await db.revision(['owners', 'things'])).not.toBe(before)
    })

    test('stays when the write fails', async () => {
      const before = await db.revision(['things'])
      const failing = db.write(async (tx) => {
        await add(tx, 'a')
        throw new Error('no')
      })
      await thrown(failing)
      expect(await db.revision(['things'])).toBe(before)
    })

    test('stays while the write is not committed', async () => {
      const before = await db.revision(['things'])
      const during = await db.write(async (tx) => {
        await add(tx, 'a')
        return db.revision(['things'])
      })
      expect(during).toBe(before)
    })

    test('stays when nothing but reading is done', async () => {
      const before = await db.revision(['things'])
      await db.write((tx) => tx.db.selectFrom('things').selectAll().execute())
      expect(await db.revision(['things'])).toBe(before)
    })
  })

  describe('what is remembered', () => {
    const names = (scope: { db: Things['read'] }) =>
      cachedText({ db: scope.db, store: db }, 'things', 'all', async () => {
        const rows = await scope.db.selectFrom('things').select('id').orderBy('id').execute()
        return rows.map(({ id }) => id).join()
      })

    test('is what was committed last', async () => {
      await db.write((tx) => add(tx, 'a'))
      const before = await names({ db: db.read })
      await db.write((tx) => add(tx, 'b'))
      expect([before, await names({ db: db.read })]).toEqual(['a', 'a,b'])
    })

    test('is not what a transaction sees alone', async () => {
      await db.write((tx) => add(tx, 'a'))
      const inside = await db.write(async (tx) => {
        await add(tx, 'b')
        return names(tx)
      })
      await thrown(
        db.write(async (tx) => {
          await add(tx, 'c')
          await names(tx)
          throw new Error('no')
        }),
      )
      expect([inside, await names({ db: db.read })]).toEqual(['a,b', 'a,b'])
    })

    test('as a number follows what is committed, and nothing that was undone', async () => {
      const number = () =>
        cachedCount(
          { db: db.read, store: db },
          'things',
          'number',
          async () => (await ids(db)).length,
          () => true,
        )
      const adding = async (tx: Tx<ThingTables>, id: string) => {
        tx.searchTextChanged('things', { added: [id] })
        await add(tx, id)
      }
      const refused = async (tx: Tx<ThingTables>, id: string) => {
        await adding(tx, id)
        throw new Error('no')
      }
      await db.write((tx) => adding(tx, 'a'))
      expect(await number()).toBe(1)
      await Promise.all([
        db.write((tx) => adding(tx, 'b')),
        thrown(db.write((tx) => refused(tx, 'c'))),
        db.write(async (tx) => {
          await adding(tx, 'd')
          await thrown(tx.savepoint(() => refused(tx, 'e')))
          await tx.savepoint(() => adding(tx, 'f'))
        }),
      ])
      expect([await number(), await ids(db)]).toEqual([4, ['a', 'b', 'd', 'f']])
      await db.write(async (tx) => {
        tx.searchTextChanged('things', { removed: ['a'] })
        await tx.db.deleteFrom('things').where('id', '=', 'a').execute()
      })
      expect(await number()).toBe(3)
    })
  })

  test('values come back as they went in', async () => {
    const id = 'naïve 😀 \u202e \' " % _ \\ \n'
    await db.write((tx) => add(tx, id, -2147483648))
    expect(await db.read.selectFrom('things').selectAll().execute()).toEqual([thing(id, -2147483648)])
  })

  test('a ping answers while the database is there', async () => {
    await db.ping()
    expect(db.connections()).toBeGreaterThan(0)
  })

  test('a ping of a closed database throws', async () => {
    const other = database.beside()
    await other.ping()
    await other.close()
    expect(await thrown(other.ping())).toBeInstanceOf(Error)
  })
})
