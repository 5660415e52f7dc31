// Writes that would wait for each other, and therefore share a transaction.
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { addThing, thingIds, thingsSuite } from '../../../testing/app/things.ts'
import type { ThingTables } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Tx } from '../database.ts'

type Write = Tx<ThingTables>

const numberOf = async (tx: Write): Promise<string> => {
  const { rows } = await sql<{ n: string }>`SELECT pg_current_xact_id()::text AS n`.execute(tx.db)
  return rows[0]?.n ?? ''
}

const conflict = () =>
  new SQL.PostgresError('no', {
    code: 'ERR_POSTGRES_SERVER_ERROR',
    errno: '40001',
    detail: '',
    hint: '',
    severity: 'ERROR',
  })

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  const suite = thingsSuite('postgres')

  const write = <T>(work: (tx: Write) => Promise<T>, serializeBy = 'a') => suite.db.write(work, { serializeBy })

  /** Holds the queue of a name until it is released. */
  const holdLine = (serializeBy = 'a') => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const held = write(() => promise, serializeBy)
    return async () => {
      resolve()
      await held
    }
  }

  describe('writes with the same serializeBy', () => {
    test('writes share a transaction when they have waited, and see the earlier writes', async () => {
      const release = holdLine()
      const waiting = Array.from({ length: 10 }, (_, i) =>
        write(async (tx) => {
          await addThing(tx, `id-${i}`)
          const { count } = await tx.db
            .selectFrom('things')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow()
          return { number: await numberOf(tx), count: Number(count) }
        }),
      )
      await release()
      const done = await Promise.all(waiting)
      // A slow machine may need several transactions.
      expect(new Set(done.map(({ number }) => number)).size).toBeLessThan(10)
      expect(done.map(({ count }) => count)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect((await thingIds(suite.db)).length).toBe(10)
    })

    test('have a separate transaction when no other waits', async () => {
      const first = await write(numberOf)
      expect(await write(numberOf)).not.toBe(first)
    })

    test('of another name do not wait', async () => {
      const release = holdLine()
      const [order, waiting] = [[] as string[], write(async () => void order.push('a'))]
      await write(async () => void order.push('b'), 'b')
      await release()
      await waiting
      expect(order).toEqual(['b', 'a'])
    })

    test('fail separately: a failed one is rolled back, and the others are written', async () => {
      const release = holdLine()
      const done: string[] = []
      const batch = async (_: unknown, items: readonly string[]) => void done.push(...items)
      const waiting = ['good', 'bad', 'fine'].map((id) =>
        write(async (tx) => {
          await addThing(tx, id)
          tx.atCommit(batch, id)
          if (id === 'bad') throw new Error('it is bad')
          return id
        }),
      )
      await release()
      const outcomes = await Promise.allSettled(waiting)
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await thingIds(suite.db)).toEqual(['fine', 'good'])
      expect(done).toEqual(['good', 'fine'])
    })

    test('writes with a refused insert get its error, and the others are written', async () => {
      const release = holdLine()
      const waiting = [
        write((tx) => addThing(tx, 'one')),
        write((tx) =>
          tx.db
            .insertInto('things')
            .values({ id: 'two', n: null as never, owner_id: null })
            .execute(),
        ),
        write((tx) => addThing(tx, 'three')),
      ]
      await release()
      const [one, two, three] = await Promise.allSettled(waiting)
      expect([one?.status, three?.status]).toEqual(['fulfilled', 'fulfilled'])
      expect(String((two as PromiseRejectedResult).reason)).toContain('violates not-null constraint')
      expect(await thingIds(suite.db)).toEqual(['one', 'three'])
    })

    test('are run again when another writer was faster', async () => {
      const release = holdLine()
      let tries = 0
      const waiting = [
        write((tx) => addThing(tx, 'one')),
        write(async (tx) => {
          await addThing(tx, 'two')
          if (++tries === 1) throw conflict()
        }),
      ]
      await release()
      await Promise.all(waiting)
      expect(tries).toBe(2)
      expect(await thingIds(suite.db)).toEqual(['one', 'two'])
    })

    test('all fail when their transaction is lost, and none of it is written', async () => {
      const release = holdLine()
      const numbers: (string | undefined)[] = []
      const add = (at: number, id: string) =>
        write(async (tx) => {
          numbers[at] = await numberOf(tx)
          await addThing(tx, id)
        })
      const ids = ['one', '', 'three']
      const waiting = [
        add(0, 'one'),
        write(async (tx) => {
          numbers[1] = await numberOf(tx)
          await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(tx.db)
        }),
        add(2, 'three'),
      ]
      await release()
      const outcomes = await Promise.allSettled(waiting)
      // A slow machine may need several transactions. A write that found its transaction lost has no number.
      const isWritten = numbers.map((number) => number !== undefined && number !== numbers[1])
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
        [0, 1, 2].map((at) => isWritten[at] === true),
      )
      const written = ids.filter((_, at) => isWritten[at])
      expect(await thingIds(suite.db)).toEqual(written)
      await write((tx) => addThing(tx, 'zero'))
      expect(await thingIds(suite.db)).toEqual([...written, 'zero'])
    })

    test('are answered in several transactions when there are very many', async () => {
      const release = holdLine()
      const waiting = Array.from({ length: 200 }, () => write(numberOf))
      await release()
      const numbers = new Set(await Promise.all(waiting))
      expect(numbers.size).toBeGreaterThan(3)
      expect(numbers.size).toBeLessThan(100)
    })

    test('change the revision of the tables that they write', async () => {
      const before = await suite.db.revision(['things'])
      const release = holdLine()
      const waiting = [write((tx) => addThing(tx, 'one')), write((tx) => addThing(tx, 'two'))]
      await release()
      await Promise.all(waiting)
      expect(await suite.db.revision(['things'])).not.toBe(before)
    })
  })
}
