import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { addThing, thingIds, thingsSuite } from '../../../testing/app/things.ts'
import { type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import { engines, stoppablePostgres } from '../../../testing/servers/servers.ts'
import { startPaused, until } from '../../../testing/until.ts'
import type { Db, Tx } from '../database.ts'
import { openPostgres } from './postgres.ts'

const error = (errno: string) =>
  new SQL.PostgresError('no', { code: 'ERR_POSTGRES_SERVER_ERROR', errno, detail: '', hint: '', severity: 'ERROR' })

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  const suite = thingsSuite('postgres')

  describe('a write is run again', () => {
    test.each([
      ['40001', 'serialization failure'],
      ['40P01', 'deadlock'],
      ['23505', 'unique violation'],
      ['23503', 'foreign key violation'],
    ])('after %s, %s', async (errno) => {
      let tries = 0
      const answer = await suite.db.write(async () => {
        if (++tries < 3) throw error(errno)
        return tries
      })
      expect(answer).toBe(3)
    })

    test('five times at most, and then says what was wrong', async () => {
      let tries = 0
      const failing = suite.db.write(() => {
        tries++
        return Promise.reject(error('40001'))
      })
      expect(failing).rejects.toThrow('no')
      await Promise.allSettled([failing])
      expect(tries).toBe(5)
    })

    test('without the writes of the failed attempt', async () => {
      let tries = 0
      await suite.db.write(async (tx) => {
        await addThing(tx, `try-${++tries}`)
        if (tries === 1) throw error('40001')
      })
      const rows = await suite.db.read.selectFrom('things').select('id').execute()
      expect(rows).toEqual([{ id: 'try-2' }])
    })

    test('not after any other error', async () => {
      let tries = 0
      const failing = suite.db.write(() => {
        tries++
        return Promise.reject(error('22P02'))
      })
      await Promise.allSettled([failing])
      expect(tries).toBe(1)
    })

    test('a write is rolled back with an error after it ignored the error of a failed statement', async () => {
      const careless = suite.db.write(async (tx) => {
        await sql`SELECT 1 / 0`.execute(tx.db).catch(() => {})
      })
      await expect(careless).rejects.toThrow('division by zero')
    })

    test('with a failed statement in a rolled back savepoint is committed', async () => {
      await suite.db.write(async (tx) => {
        await addThing(tx, 'kept')
        await tx.savepoint(() => sql`SELECT 1 / 0`.execute(tx.db)).catch(() => {})
      })
      const rows = await suite.db.read.selectFrom('things').select('id').execute()
      expect(rows).toEqual([{ id: 'kept' }])
    })

    test('when two of them lock the same rows crosswise', async () => {
      await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        await addThing(tx, 'b')
      })
      const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const cross = (first: string, second: string, mine: () => void, theirs: Promise<void>) =>
        suite.db.write(async (tx) => {
          const bump = (id: string) =>
            tx.db
              .updateTable('things')
              .set((eb) => ({ n: eb('n', '+', 1) }))
              .where('id', '=', id)
              .execute()
          await bump(first)
          mine()
          await theirs
          await bump(second)
        })
      await Promise.all([cross('a', 'b', one.resolve, other.promise), cross('b', 'a', other.resolve, one.promise)])
      const rows = await suite.db.read.selectFrom('things').select('n').execute()
      expect(rows.map(({ n }) => n)).toEqual([2, 2])
    })
  })

  describe('an insert that is not waited for', () => {
    const nameless = (tx: Tx<ThingTables>) =>
      sql`INSERT INTO things (id, n) VALUES ('bad', NULL)`.execute(tx.db).then(() => {})
    const bad = (tx: Tx<ThingTables>) =>
      // A statement that the types forbid.
      tx.db
        .insertInto('things')
        .values({ id: 'bad', n: null as never, owner_id: null })
        .execute()

    test('is seen by later queries', async () => {
      const found = await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        return tx.db.selectFrom('things').select('id').execute()
      })
      expect(found).toEqual([{ id: 'a' }])
    })

    test('fails the commit, and nothing is written', async () => {
      const failing = suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        await bad(tx)
      })
      await expect(failing).rejects.toThrow('violates not-null constraint')
      expect(await thingIds(suite.db)).toEqual([])
    })

    test('fails the next statement, in the words of the insert', async () => {
      let reached = 'nothing'
      const failing = suite.db.write(async (tx) => {
        await bad(tx)
        reached = 'the next statement'
        await tx.db.selectFrom('things').select('id').execute()
        reached = 'more'
      })
      await expect(failing).rejects.toThrow('violates not-null constraint')
      expect(reached).toBe('the next statement')
    })

    test('fails its savepoint, and nothing else', async () => {
      const said: string[] = []
      await suite.db.write(async (tx) => {
        await addThing(tx, 'a')
        await tx.savepoint(() => bad(tx)).catch((error: Error) => said.push(error.message))
        await tx.savepoint(() => nameless(tx)).catch((error: Error) => said.push(error.message))
        await addThing(tx, 'b')
      })
      expect(said).toEqual(Array(2).fill(expect.stringContaining('violates not-null constraint')))
      expect(await thingIds(suite.db)).toEqual(['a', 'b'])
    })

    test('may be one of very many', async () => {
      await suite.db.write(async (tx) => {
        for (let i = 0; i < 1000; i++) await addThing(tx, String(i))
      })
      expect(await thingIds(suite.db)).toHaveLength(1000)
    })
  })

  test('a write is answered when it is in the log on the disk', async () => {
    const server = await stoppablePostgres()
    const other = openPostgres<ThingTables>(server.url)
    try {
      await sql`CREATE TABLE things (id TEXT PRIMARY KEY, n INTEGER NOT NULL, owner_id TEXT)`.execute(other.read)
      await sql`CREATE TABLE revisions (name TEXT, shard INTEGER, n BIGINT, PRIMARY KEY (name, shard))`.execute(
        other.read,
      )
      for (let i = 0; i < 20; i++) {
        const end = await other.write(async (tx) => {
          await addThing(tx, String(i))
          const { rows } = await sql<{ at: string }>`SELECT pg_current_wal_insert_lsn()::text AS at`.execute(tx.db)
          return rows[0]?.at ?? ''
        })
        const { rows } = await sql`SELECT pg_current_wal_flush_lsn() >= ${end}::pg_lsn AS is_flushed`.execute(
          other.quick,
        )
        expect(rows).toEqual([{ is_flushed: true }])
      }
    } finally {
      await other.close()
      await server.remove()
    }
  })

  test('cached revisions are invalid after a lost connection: a crashed server may assign their numbers again', async () => {
    const server = await stoppablePostgres()
    const other = openPostgres<ThingTables>(server.url)
    try {
      await sql`CREATE TABLE revisions (name TEXT, shard INTEGER, n BIGINT, PRIMARY KEY (name, shard))`.execute(
        other.read,
      )
      const before = await other.readPoint()
      expect(await other.readPoint()).toBe(before)
      await server.stop()
      await Promise.allSettled([other.readPoint()])
      await server.start()
      const after = await until('an answer again', () => Promise.resolve(other.readPoint()).catch(() => undefined))
      expect(after).not.toBe(before)
    } finally {
      await other.close()
      await server.remove()
    }
  })

  test('the check of open transactions covers this database only', async () => {
    const other = await thingsDatabase('postgres')
    const hold = (at: Db<ThingTables>) =>
      startPaused((pause) =>
        at.write(async (tx) => {
          await addThing(tx, 'held')
          // The earlier writes have arrived.
          await sql`SELECT 1`.execute(tx.db)
          await pause()
        }),
      )
    const endElsewhere = await hold(other.db)
    const ask = async () => (await suite.db.sql.underWay(suite.db.read)) ?? { oldest: 0n, next: 0n }
    // The next query distinguishes transactions beyond the last ended one from transactions that have not begun.
    await ask()
    const quiet = await ask()
    expect(quiet.oldest).toBe(quiet.next)
    const endHere = await hold(suite.db)
    const busy = await ask()
    expect(busy.oldest).toBeLessThan(busy.next)
    expect((await ask()).oldest).toBe(busy.oldest)
    await endHere()
    expect((await ask()).oldest).toBeGreaterThanOrEqual(busy.next)
    await endElsewhere()
    await other.close()
  })

  test('one process sees in the revision the writes of another', async () => {
    const before = await suite.db.revision(['things'])
    await suite.beside().write((tx) => addThing(tx, 'a'))
    expect(await suite.db.revision(['things'])).not.toBe(before)
  })

  test('a server that is away shows in the connections', async () => {
    const other = suite.beside()
    await other.ping()
    await other.close()
    await Promise.allSettled([other.ping()])
    expect(other.connections()).toBe(0)
  })
}
