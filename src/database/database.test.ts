/** Writes, savepoints, revisions and cached results. On both databases. */
import { describe, expect, test } from 'bun:test'
import { addThing, type Things, thing, thingIds, thingsSuite, thrown } from '../../testing/app/things.ts'
import type { ThingTables } from '../../testing/servers/database.ts'
import { engines } from '../../testing/servers/servers.ts'
import { getCachedCount, getCachedText } from './cache/query-cache.ts'
import type { Tx } from './database.ts'

describe.each(engines())('a database on %s', (dialect) => {
  const suite = thingsSuite(dialect)

  describe('a write', () => {
    test('is there for every reader once it is answered', async () => {
      await suite.db.write((tx) => addThing(tx, 'a'))
      expect(await thingIds(suite.beside())).toEqual(['a'])
    })

    test('answers with what its work returned', async () => {
      expect(await suite.db.write(async () => 42)).toBe(42)
    })

    test('that throws leaves nothing behind', async () => {
      const failing = suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        throw new Error('no')
      })
      await thrown(failing)
      expect(await thingIds(suite.db)).toEqual([])
    })

    test('that throws rejects with what was thrown', async () => {
      const error = new Error('no')
      expect(await thrown(suite.db.write(() => Promise.reject(error)))).toBe(error)
    })

    test('is invisible to readers before its commit', async () => {
      const seen = await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        return thingIds(suite.db)
      })
      expect(seen).toEqual([])
    })

    test('sees its own changes', async () => {
      const seen = await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        return thingIds({ read: tx.db })
      })
      expect(seen).toEqual(['a'])
    })

    test('that fails beside others undoes only itself', async () => {
      const work = ['a', 'b', 'c'].map((id) =>
        suite.db.write(async (tx) => {
          await addThing(tx, id)
          if (id === 'b') throw new Error('no')
        }),
      )
      await Promise.allSettled(work)
      expect(await thingIds(suite.db)).toEqual(['a', 'c'])
    })

    test('of a counter by many writers at once loses none', async () => {
      await suite.db.write((tx) => addThing(tx, 'a'))
      const increment = () =>
        suite.db.write(async (tx) => {
          const rows = suite.db.sql.lockRows(tx.db.selectFrom('things').select('n').where('id', '=', 'a'))
          const { n } = await rows.executeTakeFirstOrThrow()
          await tx.db
            .updateTable('things')
            .set({ n: n + 1 })
            .where('id', '=', 'a')
            .execute()
        })
      await Promise.all(Array.from({ length: 50 }, increment))
      expect((await suite.db.read.selectFrom('things').select('n').executeTakeFirstOrThrow()).n).toBe(50)
    })

    test('checks and inserts at once from many writers without a broken constraint', async () => {
      const ensure = () =>
        suite.db.write(async (tx) => {
          const known = await tx.db.selectFrom('things').select('id').where('id', '=', 'a').executeTakeFirst()
          if (known) return 'known'
          await addThing(tx, 'a')
          return 'added'
        })
      const answers = await Promise.all(Array.from({ length: 8 }, ensure))
      expect(answers.toSorted()).toEqual(['added', ...Array(7).fill('known')])
    })
  })

  describe('a savepoint', () => {
    test('that fails undoes what it did, and the write goes on', async () => {
      await suite.db.write(async (tx) => {
        await addThing(tx, 'before')
        const failing = tx.savepoint(async () => {
          await addThing(tx, 'inside')
          throw new Error('no')
        })
        await thrown(failing)
        await addThing(tx, 'after')
      })
      expect(await thingIds(suite.db)).toEqual(['after', 'before'])
    })

    test('that a broken constraint fails leaves the transaction usable', async () => {
      await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        await thrown(tx.savepoint(() => addThing(tx, 'a')))
        await addThing(tx, 'b')
      })
      expect(await thingIds(suite.db)).toEqual(['a', 'b'])
    })

    test('a savepoint inside another one is undone without the outer one', async () => {
      await suite.db.write((tx) =>
        tx.savepoint(async () => {
          await addThing(tx, 'outer')
          const inner = tx.savepoint(async () => {
            await addThing(tx, 'inner')
            throw new Error('no')
          })
          await thrown(inner)
        }),
      )
      expect(await thingIds(suite.db)).toEqual(['outer'])
    })

    test('that fails takes the ones inside along', async () => {
      await suite.db.write(async (tx) => {
        const outer = tx.savepoint(async () => {
          await tx.savepoint(() => addThing(tx, 'inner'))
          throw new Error('no')
        })
        await thrown(outer)
      })
      expect(await thingIds(suite.db)).toEqual([])
    })

    test('may fail a thousand times in one write', async () => {
      await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        for (let i = 0; i < 1000; i++) await thrown(tx.savepoint(() => Promise.reject(new Error('no'))))
        await addThing(tx, 'b')
      })
      expect(await thingIds(suite.db)).toEqual(['a', 'b'])
    })

    test('answers with what its work returned', async () => {
      expect(await suite.db.write((tx) => tx.savepoint(async () => 42))).toBe(42)
    })
  })

  describe('the revision', () => {
    test('changes when a table is written', async () => {
      const before = await suite.db.revision(['things'])
      await suite.db.write((tx) => addThing(tx, 'a'))
      expect(await suite.db.revision(['things'])).not.toBe(before)
    })

    test('changes by insert, update and delete alike', async () => {
      const seen = [await suite.db.revision(['things'])]
      await suite.db.write((tx) => addThing(tx, 'a'))
      seen.push(await suite.db.revision(['things']))
      await suite.db.write((tx) => tx.db.updateTable('things').set({ n: 1 }).execute())
      seen.push(await suite.db.revision(['things']))
      await suite.db.write((tx) => tx.db.deleteFrom('things').execute())
      seen.push(await suite.db.revision(['things']))
      expect(new Set(seen).size).toBe(4)
    })

    test('of one table stays when another is written', async () => {
      const before = await suite.db.revision(['owners'])
      await suite.db.write((tx) => addThing(tx, 'a'))
      expect(await suite.db.revision(['owners'])).toBe(before)
    })

    test('of several tables changes with each of them', async () => {
      const before = await suite.db.revision(['owners', 'things'])
      await suite.db.write((tx) => addThing(tx, 'a'))
      expect(await suite.db.revision(['owners', 'things'])).not.toBe(before)
    })

    test('stays when the write fails', async () => {
      const before = await suite.db.revision(['things'])
      const failing = suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        throw new Error('no')
      })
      await thrown(failing)
      expect(await suite.db.revision(['things'])).toBe(before)
    })

    test('stays while the write is not committed', async () => {
      const before = await suite.db.revision(['things'])
      const during = await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        return suite.db.revision(['things'])
      })
      expect(during).toBe(before)
    })

    test('stays when nothing but reading is done', async () => {
      const before = await suite.db.revision(['things'])
      await suite.db.write((tx) => tx.db.selectFrom('things').selectAll().execute())
      expect(await suite.db.revision(['things'])).toBe(before)
    })
  })

  describe('a cached value', () => {
    const names = (scope: { db: Things['read'] }) =>
      getCachedText({ db: scope.db, store: suite.db }, 'things', 'all', async () => {
        const rows = await scope.db.selectFrom('things').select('id').orderBy('id').execute()
        return rows.map(({ id }) => id).join()
      })

    test('is the last committed one', async () => {
      await suite.db.write((tx) => addThing(tx, 'a'))
      const before = await names({ db: suite.db.read })
      await suite.db.write((tx) => addThing(tx, 'b'))
      expect([before, await names({ db: suite.db.read })]).toEqual(['a', 'a,b'])
    })

    test('is not an uncommitted one', async () => {
      await suite.db.write((tx) => addThing(tx, 'a'))
      const inside = await suite.db.write(async (tx) => {
        await addThing(tx, 'b')
        return names(tx)
      })
      await thrown(
        suite.db.write(async (tx) => {
          await addThing(tx, 'c')
          await names(tx)
          throw new Error('no')
        }),
      )
      expect([inside, await names({ db: suite.db.read })]).toEqual(['a,b', 'a,b'])
    })

    test('that is a number follows commits, and no rolled back write', async () => {
      const number = () =>
        getCachedCount(
          { db: suite.db.read, store: suite.db },
          'things',
          'number',
          async () => (await thingIds(suite.db)).length,
          () => true,
        )
      const adding = async (tx: Tx<ThingTables>, id: string) => {
        tx.searchTextChanged('things', { added: [id] })
        await addThing(tx, id)
      }
      const refused = async (tx: Tx<ThingTables>, id: string) => {
        await adding(tx, id)
        throw new Error('no')
      }
      await suite.db.write((tx) => adding(tx, 'a'))
      expect(await number()).toBe(1)
      await Promise.all([
        suite.db.write((tx) => adding(tx, 'b')),
        thrown(suite.db.write((tx) => refused(tx, 'c'))),
        suite.db.write(async (tx) => {
          await adding(tx, 'd')
          await thrown(tx.savepoint(() => refused(tx, 'e')))
          await tx.savepoint(() => adding(tx, 'f'))
        }),
      ])
      expect([await number(), await thingIds(suite.db)]).toEqual([4, ['a', 'b', 'd', 'f']])
      await suite.db.write(async (tx) => {
        tx.searchTextChanged('things', { removed: ['a'] })
        await tx.db.deleteFrom('things').where('id', '=', 'a').execute()
      })
      expect(await number()).toBe(3)
    })
  })

  test('values come back as they went in', async () => {
    const id = 'naïve 😀 \u202e \' " % _ \\ \n'
    await suite.db.write((tx) => addThing(tx, id, -2147483648))
    expect(await suite.db.read.selectFrom('things').selectAll().execute()).toEqual([thing(id, -2147483648)])
  })

  test('a ping answers while the database is there', async () => {
    await suite.db.ping()
    expect(suite.db.connections()).toBeGreaterThan(0)
  })

  test('a ping of a closed database throws', async () => {
    const other = suite.beside()
    await other.ping()
    await other.close()
    expect(await thrown(other.ping())).toBeInstanceOf(Error)
  })
})
