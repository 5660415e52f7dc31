/** Locks by name, which exclude the transactions of other connections and processes. */
import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { addThing, type Things, thingsSuite } from '../../../testing/app/things.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { startPaused, until } from '../../../testing/until.ts'

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  const suite = thingsSuite('postgres')

  describe('locked names', () => {
    const hold = (on: Things, names: readonly string[], work: () => Promise<void>) =>
      on.write(async (tx) => {
        await on.sql.lockNames(tx.db as never, names)
        await sql`SELECT 1`.execute(tx.db)
        await work()
      })
    const holdShared = (on: Things, work: () => Promise<void>) =>
      on.write(async (tx) => {
        await on.sql.lockNamesShared(tx.db as never, ['x'])
        await sql`SELECT 1`.execute(tx.db)
        await work()
      })

    /** Returns once the work waits for a lock of this database, or has ended. */
    const waitsOrEnds = (work: Promise<void>) => {
      let hasEnded = false
      work.finally(() => (hasEnded = true)).catch(() => {})
      return until('wait for a lock', async () => {
        const { rows } = await sql`SELECT FROM pg_locks
          WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(
          suite.db.read,
        )
        return hasEnded || rows.length > 0 || undefined
      })
    }

    test('keep another process out until the commit', async () => {
      const order: string[] = []
      const endFirst = await startPaused((pause) =>
        hold(suite.db, ['x'], async () => {
          await pause()
          order.push('first')
        }),
      )
      const second = hold(suite.beside(), ['x'], async () => void order.push('second'))
      await waitsOrEnds(second)
      await Promise.all([endFirst(), second])
      expect(order).toEqual(['first', 'second'])
    })

    test('do not block a write that takes other locks', async () => {
      const end = await startPaused((pause) => hold(suite.db, ['x'], pause))
      await hold(suite.db, ['y'], async () => {})
      await end()
    })

    test('are free again after the write fails, or the next write waits until it times out', async () => {
      await Promise.allSettled([hold(suite.db, ['x'], () => Promise.reject(new Error('no')))])
      await hold(suite.db, ['x'], async () => {})
    })

    test('in whatever order they are named do not block each other', async () => {
      const names = Array.from({ length: 50 }, (_, i) => `name ${i}`)
      const works = Array.from({ length: 20 }, (_, i) =>
        hold(suite.db, i % 2 ? names : names.toReversed(), async () => {}),
      )
      expect(await Promise.all(works)).toHaveLength(20)
    })

    test('may be a hundred thousand at once, without an error of PostgreSQL', async () => {
      await hold(
        suite.db,
        Array.from({ length: 100_000 }, (_, i) => `name ${i}`),
        async () => {},
      )
    })

    test('make a check and its write one step', async () => {
      const claim = () =>
        suite.db.write(async (tx) => {
          await suite.db.sql.lockNames(tx.db as never, ['claim'])
          const { n } = await tx.db
            .selectFrom('things')
            .select((eb) => eb.fn.countAll<string>().as('n'))
            .executeTakeFirstOrThrow()
          if (Number(n) < 3) await addThing(tx, Bun.randomUUIDv7())
        })
      await Promise.all(Array.from({ length: 20 }, claim))
      expect(await suite.db.read.selectFrom('things').select('id').execute()).toHaveLength(3)
    })

    test('are taken again after the rollback of their savepoint', async () => {
      const order: string[] = []
      let second: Promise<void> | undefined
      await suite.db.write(async (tx) => {
        const undone = tx.savepoint(async () => {
          await suite.db.sql.lockNames(tx.db as never, ['x'])
          throw new Error('undone')
        })
        await expect(undone).rejects.toThrow('undone')
        await suite.db.sql.lockNames(tx.db as never, ['x'])
        await sql`SELECT 1`.execute(tx.db)
        second = hold(suite.beside(), ['x'], async () => void order.push('second'))
        await waitsOrEnds(second)
        order.push('first')
      })
      await second
      expect(order).toEqual(['first', 'second'])
    })

    test('of two kinds never share a lock, or a nested write waits for its outer one', async () => {
      const all = (kind: string) => Array.from({ length: 5000 }, (_, i) => `${kind} ${i}`)
      await hold(suite.db, all('place'), () => hold(suite.db, all('block'), async () => {}))
    })

    test('locked names are held by several in shared mode, and keep out a transaction with an exclusive lock', async () => {
      const order: string[] = []
      const endFirst = await startPaused((pause) =>
        holdShared(suite.db, async () => {
          await pause()
          order.push('shared')
        }),
      )
      await holdShared(suite.db, async () => void order.push('also shared'))
      const alone = hold(suite.beside(), ['x'], async () => void order.push('alone'))
      await waitsOrEnds(alone)
      await Promise.all([endFirst(), alone])
      expect(order).toEqual(['also shared', 'shared', 'alone'])
    })

    test('locked names are locked exclusively by a transaction that has them in shared mode', async () => {
      const order: string[] = []
      let second: Promise<void> | undefined
      await suite.db.write(async (tx) => {
        await suite.db.sql.lockNamesShared(tx.db as never, ['x'])
        await suite.db.sql.lockNames(tx.db as never, ['x'])
        await sql`SELECT 1`.execute(tx.db)
        second = holdShared(suite.beside(), async () => void order.push('second'))
        await waitsOrEnds(second)
        order.push('first')
      })
      await second
      expect(order).toEqual(['first', 'second'])
    })

    test('may be none, without an error of PostgreSQL', async () => {
      await hold(suite.db, [], async () => {})
    })
  })
}
