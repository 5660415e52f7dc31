/** Locks by name, which exclude the transactions of other connections and processes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/database.ts'
import { dialects } from '../../../testing/servers.ts'
import type { Db, Tx } from '../database.ts'

const add = (tx: Tx<ThingTables>, id: string) =>
  tx.db.insertInto('things').values({ id, n: 0, owner_id: null }).execute()

/** A promise with its functions. */
const gate = () => Promise.withResolvers<void>()

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (dialects().includes('postgres')) {
  let database: EmptyDatabase<ThingTables>
  let db: Db<ThingTables>
  beforeAll(async () => {
    database = await thingsDatabase('postgres')
    db = database.db
  })
  beforeEach(() => db.write((tx) => tx.db.deleteFrom('things').execute()))
  afterAll(() => database.close())

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
      // A round trip on a third connection, so that the second had its chance.
      await db.ping()
      release.resolve()
      await Promise.all([first, second])
      expect(order).toEqual(['first', 'second'])
    })

    test('do not block a write that takes other locks', async () => {
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

    test('are free again after the write fails, or the next write waits until it times out', async () => {
      await Promise.allSettled([hold(db, ['x'], () => Promise.reject(new Error('no')))])
      await hold(db, ['x'], async () => {})
    })

    test('in whatever order they are named do not block each other', async () => {
      const names = Array.from({ length: 50 }, (_, i) => `name ${i}`)
      const works = Array.from({ length: 20 }, (_, i) => hold(db, i % 2 ? names : names.toReversed(), async () => {}))
      expect(await Promise.all(works)).toHaveLength(20)
    })

    test('may be a hundred thousand at once, without an error of PostgreSQL', async () => {
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

    test('are taken again after the rollback of their savepoint', async () => {
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

    test('of two kinds never share a lock, or a nested write waits for its outer one', async () => {
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
      // A round trip on another connection, so that the transaction had its chance.
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

    test('may be none, without an error of PostgreSQL', async () => {
      await hold(db, [], async () => {})
    })
  })
}
