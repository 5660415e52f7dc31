// State of a transaction: `ctx.local`, the reads that a transaction makes once, and the values that its events take over.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { addThing, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../testing/app/kernel.ts'
import { engines } from '../../testing/servers/servers.ts'
import { transactionState } from '../database/transaction-state.ts'
import { createLastRead } from './changes/last-read.ts'
import { createReadOnce } from './changes/read-once.ts'

const noted = transactionState((): string[] => [])
const others = transactionState((): string[] => [])

const fail = (): never => {
  throw new Error('rolled back')
}

describe.each(engines())('the state of a transaction on %s', (dialect) => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel([], dialect)
  })
  afterEach(() => things.close())

  test('a key has one state in the whole transaction', async () => {
    const found = await things.inJobWrite(async (ctx) => {
      ctx.local(noted).push('a')
      await ctx.savepoint(async () => void ctx.local(noted).push('b'))
      return [ctx.local(noted), ctx.local(others)]
    })
    expect(found).toEqual([['a', 'b'], []])
  })

  test('a transaction does not see the state of an earlier one', async () => {
    await things.inJobWrite(async (ctx) => void ctx.local(noted).push('a'))
    expect(await things.inJobWrite(async (ctx) => [...ctx.local(noted)])).toEqual([])
  })

  test('a transaction that is rolled back takes its state along', async () => {
    const failing = things.inJobWrite(async (ctx) => {
      ctx.local(noted).push('a')
      fail()
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await things.inJobWrite(async (ctx) => [...ctx.local(noted)])).toEqual([])
  })

  test('a savepoint that is rolled back leaves the state as it is', async () => {
    const found = await things.inJobWrite(async (ctx) => {
      const failing = ctx.savepoint(async () => {
        ctx.local(noted).push('a')
        fail()
      })
      await failing.catch(() => {})
      return ctx.local(noted)
    })
    expect(found).toEqual(['a'])
  })

  test('a context without a transaction has a state of its own', async () => {
    const found: string[][] = []
    await things.inJob(async (ctx) => {
      ctx.local(noted).push('job')
      await ctx.write(async (inner) => void found.push([...inner.local(noted)]))
      found.push([...ctx.local(noted)])
    })
    expect(found).toEqual([[], ['job']])
  })

  test('a read that is made once runs again after its savepoint has failed', async () => {
    let reads = 0
    const countThings = createReadOnce(async ({ db }: ThingsCtx) => {
      reads++
      return (await db.selectFrom('things').select('id').execute()).length
    })
    const found = await things.inJobWrite(async (ctx) => {
      await addThing(ctx, 'a')
      const failing = ctx.savepoint(async () => {
        // On PostgreSQL, each later statement of the savepoint fails.
        await sql`SELECT * FROM no_such_table`.execute(ctx.db).catch(() => {})
        const count = countThings(ctx)
        await count
        return fail()
      })
      await failing.catch(() => {})
      const counts = [await countThings(ctx), await countThings(ctx)]
      return counts
    })
    expect(found).toEqual([1, 1])
    expect(reads).toBe(dialect === 'postgres' ? 2 : 1)
  })

  test('a noted value counts until the next write', async () => {
    const names = createLastRead<string>()
    const found: (string | undefined)[] = []
    const failing = things.inJobWrite(async (ctx) => {
      const find = (id: string) => found.push(names.find(ctx, { id, isGone: false }))
      ctx.changed('thing', { id: 'a', after: '1' })
      names.note(ctx, 'a', 'first')
      find('a')
      find('b')
      ctx.changed('thing', { id: 'a', before: '1', after: '2' })
      find('a')
      // This kernel records no history.
      fail()
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(found).toEqual(['first', undefined, undefined])
  })

  test('calls that share a transaction see the values that they noted themselves', async () => {
    const names = createLastRead<string>()
    const seen: (string | undefined)[] = []
    const shared: number[] = []
    const calls = ['a', 'b', 'c', 'd'].map((value) =>
      things.inJob((ctx) =>
        ctx.write(
          async (inner) => {
            shared.push(inner.local(noted).push(value))
            seen.push(names.find(inner, { id: 'x', isGone: false }))
            names.note(inner, 'x', value)
            seen.push(names.find(inner, { id: 'x', isGone: false }))
          },
          { serializeBy: 'things x' },
        ),
      ),
    )
    await Promise.all(calls)
    expect(seen).toEqual([undefined, 'a', undefined, 'b', undefined, 'c', undefined, 'd'])
    // The first one found no queue. On SQLite, calls share no more than the commit.
    expect(shared).toEqual(dialect === 'postgres' ? [1, 1, 2, 3] : [1, 1, 1, 1])
  })
})
