import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/database.ts'
import { dialects, stoppablePostgres } from '../../../testing/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Db, Tx } from '../database.ts'
import { openPostgres } from './postgres.ts'

const add = (tx: Tx<ThingTables>, id: string) =>
  tx.db.insertInto('things').values({ id, n: 0, owner_id: null }).execute()

const error = (errno: string) =>
  new SQL.PostgresError('no', { code: 'ERR_POSTGRES_SERVER_ERROR', errno, detail: '', hint: '', severity: 'ERROR' })

/** A promise and the function that keeps it. */
const gate = () => Promise.withResolvers<void>()

// Not skipped but left out: a run on SQLite only is asked for, and needs no PostgreSQL on the machine.
if (dialects().includes('postgres')) {
  let database: EmptyDatabase<ThingTables>
  let db: Db<ThingTables>
  beforeAll(async () => {
    database = await thingsDatabase('postgres')
    db = database.db
  })
  beforeEach(() => db.write((tx) => tx.db.deleteFrom('things').execute()))
  afterAll(() => database.close())

  describe('a write is run again', () => {
    test.each([
      ['40001', 'serialization failure'],
      ['40P01', 'deadlock'],
      ['23505', 'unique violation'],
      ['23503', 'foreign key violation'],
    ])('after %s, %s', async (errno) => {
      let tries = 0
      const answer = await db.write(async () => {
        if (++tries < 3) throw error(errno)
        return tries
      })
      expect(answer).toBe(3)
    })

    test('five times at most, and then says what was wrong', async () => {
      let tries = 0
      const failing = db.write(() => {
        tries++
        return Promise.reject(error('40001'))
      })
      expect(failing).rejects.toThrow('no')
      await Promise.allSettled([failing])
      expect(tries).toBe(5)
    })

    test('without what the failed try has written', async () => {
      let tries = 0
      await db.write(async (tx) => {
        await add(tx, `try-${++tries}`)
        if (tries === 1) throw error('40001')
      })
      const rows = await db.read.selectFrom('things').select('id').execute()
      expect(rows).toEqual([{ id: 'try-2' }])
    })

    test('not after any other error', async () => {
      let tries = 0
      const failing = db.write(() => {
        tries++
        return Promise.reject(error('22P02'))
      })
      await Promise.allSettled([failing])
      expect(tries).toBe(1)
    })

    test('in which a statement failed, which nobody minded, is undone, and says so', async () => {
      const careless = db.write(async (tx) => {
        await sql`SELECT 1 / 0`.execute(tx.db).catch(() => {})
      })
      await expect(careless).rejects.toThrow('division by zero')
    })

    test('in which a statement failed, and was undone by itself, is committed', async () => {
      await db.write(async (tx) => {
        await add(tx, 'kept')
        await tx.savepoint(() => sql`SELECT 1 / 0`.execute(tx.db)).catch(() => {})
      })
      const rows = await db.read.selectFrom('things').select('id').execute()
      expect(rows).toEqual([{ id: 'kept' }])
    })

    test('when two of them lock the same rows crosswise', async () => {
      await db.write(async (tx) => {
        await add(tx, 'a')
        await add(tx, 'b')
      })
      const [one, other] = [gate(), gate()]
      const cross = (first: string, second: string, mine: () => void, theirs: Promise<void>) =>
        db.write(async (tx) => {
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
      const rows = await db.read.selectFrom('things').select('n').execute()
      expect(rows.map(({ n }) => n)).toEqual([2, 2])
    })
  })

  describe('locked names', () => {
    const hold = (on: Db<ThingTables>, names: readonly string[], work: () => Promise<void>) =>
      on.write(async (tx) => {
        await on.sql.lockNames(tx.db as never, names)
        await sql`SELECT 1`.execute(tx.db)
        await work()
      })

    test('keep another process out until the commit', async () => {
      const order: string[] = []
      const [held, release] = [gate(), gate()]
      const first = hold(db, ['x'], async () => {
        held.resolve()
        await release.promise
        order.push('first')
      })
      await held.promise
      const other = database.beside()
      const second = hold(other, ['x'], async () => void order.push('second'))
      // A round trip on a third connection: the second has had its chance.
      await db.ping()
      release.resolve()
      await Promise.all([first, second])
      expect(order).toEqual(['first', 'second'])
    })

    test('let others pass', async () => {
      const [held, release] = [gate(), gate()]
      const first = hold(db, ['x'], async () => {
        held.resolve()
        await release.promise
      })
      await held.promise
      await hold(db, ['y'], async () => {})
      release.resolve()
      await first
    })

    test('are let go of when the write fails', async () => {
      await Promise.allSettled([hold(db, ['x'], () => Promise.reject(new Error('no')))])
      await hold(db, ['x'], async () => {})
    })

    test('in whatever order they are named do not block each other', async () => {
      const names = Array.from({ length: 50 }, (_, i) => `name ${i}`)
      const works = Array.from({ length: 20 }, (_, i) => hold(db, i % 2 ? names : names.toReversed(), async () => {}))
      expect(await Promise.all(works)).toHaveLength(20)
    })

    test('may be a hundred thousand at once', async () => {
      await hold(
        db,
        Array.from({ length: 100_000 }, (_, i) => `name ${i}`),
        async () => {},
      )
    })

    test('make a check and its write one step', async () => {
      const claim = () =>
        db.write(async (tx) => {
          await db.sql.lockNames(tx.db as never, ['claim'])
          const { n } = await tx.db
            .selectFrom('things')
            .select((eb) => eb.fn.countAll<string>().as('n'))
            .executeTakeFirstOrThrow()
          if (Number(n) < 3) await add(tx, Bun.randomUUIDv7())
        })
      await Promise.all(Array.from({ length: 20 }, claim))
      expect(await db.read.selectFrom('things').select('id').execute()).toHaveLength(3)
    })

    test('are taken anew when they were undone with a savepoint', async () => {
      const order: string[] = []
      await db.write(async (tx) => {
        const undone = tx.savepoint(async () => {
          await db.sql.lockNames(tx.db as never, ['x'])
          throw new Error('undone')
        })
        await expect(undone).rejects.toThrow('undone')
        await db.sql.lockNames(tx.db as never, ['x'])
        await sql`SELECT 1`.execute(tx.db)
        const second = hold(database.beside(), ['x'], async () => void order.push('second'))
        await Bun.sleep(100)
        order.push('first')
        // Waits for this transaction.
        second.catch(() => {})
      })
      await hold(db, ['x'], async () => {})
      expect(order).toEqual(['first', 'second'])
    })

    test('of two kinds never share a lock', async () => {
      const all = (kind: string) => Array.from({ length: 5000 }, (_, i) => `${kind} ${i}`)
      await hold(db, all('place'), () => hold(db, all('block'), async () => {}))
    })

    test('are held by several in shared mode, and keep out who takes them alone', async () => {
      const order: string[] = []
      const [held, release] = [gate(), gate()]
      const shared = (work: () => Promise<void>) =>
        db.write(async (tx) => {
          await db.sql.lockNamesShared(tx.db as never, ['x'])
          await sql`SELECT 1`.execute(tx.db)
          await work()
        })
      const first = shared(async () => {
        held.resolve()
        await release.promise
        order.push('shared')
      })
      await held.promise
      await shared(async () => void order.push('also shared'))
      const alone = hold(database.beside(), ['x'], async () => void order.push('alone'))
      // A round trip on another connection: the transaction has had its chance.
      await db.ping()
      release.resolve()
      await Promise.all([first, alone])
      expect(order).toEqual(['also shared', 'shared', 'alone'])
    })

    test('are taken alone by a transaction that has them in shared mode', async () => {
      const order: string[] = []
      await db.write(async (tx) => {
        await db.sql.lockNamesShared(tx.db as never, ['x'])
        await db.sql.lockNames(tx.db as never, ['x'])
        await sql`SELECT 1`.execute(tx.db)
        const second = database.beside().write(async (other) => {
          await db.sql.lockNamesShared(other.db as never, ['x'])
          await sql`SELECT 1`.execute(other.db)
          order.push('second')
        })
        await Bun.sleep(100)
        order.push('first')
        second.catch(() => {})
      })
      await hold(db, ['x'], async () => {})
      expect(order).toEqual(['first', 'second'])
    })

    test('may be none', async () => {
      await hold(db, [], async () => {})
    })
  })

  describe('an insert that is not waited for', () => {
    const idsThere = async () =>
      (await db.read.selectFrom('things').select('id').orderBy('id').execute()).map(({ id }) => id)
    const nameless = (tx: Tx<ThingTables>) =>
      sql`INSERT INTO things (id, n) VALUES ('bad', NULL)`.execute(tx.db).then(() => {})
    const bad = (tx: Tx<ThingTables>) =>
      // What the types forbid.
      tx.db
        .insertInto('things')
        .values({ id: 'bad', n: null as never, owner_id: null })
        .execute()

    test('is seen by what is asked after it', async () => {
      const found = await db.write(async (tx) => {
        await add(tx, 'a')
        return tx.db.selectFrom('things').select('id').execute()
      })
      expect(found).toEqual([{ id: 'a' }])
    })

    test('fails the commit, and nothing is written', async () => {
      const failing = db.write(async (tx) => {
        await add(tx, 'a')
        await bad(tx)
      })
      await expect(failing).rejects.toThrow('violates not-null constraint')
      expect(await idsThere()).toEqual([])
    })

    test('fails the next statement, in the words of the insert', async () => {
      let reached = 'nothing'
      const failing = db.write(async (tx) => {
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
      await db.write(async (tx) => {
        await add(tx, 'a')
        await tx.savepoint(() => bad(tx)).catch((error: Error) => said.push(error.message))
        await tx.savepoint(() => nameless(tx)).catch((error: Error) => said.push(error.message))
        await add(tx, 'b')
      })
      expect(said).toEqual(Array(2).fill(expect.stringContaining('violates not-null constraint')))
      expect(await idsThere()).toEqual(['a', 'b'])
    })

    test('may be one of very many', async () => {
      await db.write(async (tx) => {
        for (let i = 0; i < 1000; i++) await add(tx, String(i))
      })
      expect(await idsThere()).toHaveLength(1000)
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
          await add(tx, String(i))
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

  test('how things stood is forgotten with the connections: a server that crashed may number others as it did before', async () => {
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

  test('who may still write here is asked of this database alone', async () => {
    const other = await thingsDatabase('postgres')
    const hold = async (at: Db<ThingTables>) => {
      const [begun, over] = [gate(), gate()]
      const written = at.write(async (tx) => {
        await add(tx, 'held')
        // What was written before has arrived.
        await sql`SELECT 1`.execute(tx.db)
        begun.resolve()
        await over.promise
      })
      await begun.promise
      return async () => {
        over.resolve()
        await written
      }
    }
    const endElsewhere = await hold(other.db)
    const ask = async () => (await db.sql.underWay(db.read)) ?? { oldest: 0n, next: 0n }
    // What holds a number beyond all that have ended is told from what has not begun by the question itself, the next time.
    await ask()
    const quiet = await ask()
    expect(quiet.oldest).toBe(quiet.next)
    const endHere = await hold(db)
    const busy = await ask()
    expect(busy.oldest).toBeLessThan(busy.next)
    expect((await ask()).oldest).toBe(busy.oldest)
    await endHere()
    expect((await ask()).oldest).toBeGreaterThanOrEqual(busy.next)
    await endElsewhere()
    await other.close()
  })

  test('one process sees in the revision what another has written', async () => {
    const before = await db.revision(['things'])
    await database.beside().write((tx) => add(tx, 'a'))
    expect(await db.revision(['things'])).not.toBe(before)
  })

  test('a server that is away shows in the connections', async () => {
    const other = database.beside()
    await other.ping()
    await other.close()
    await Promise.allSettled([other.ping()])
    expect(other.connections()).toBe(0)
  })
}
