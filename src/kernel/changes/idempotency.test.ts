import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { addThing, callerWith, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError } from '../../contract/errors.ts'
import type { KernelCtx } from '../context.ts'
import { type IdempotencyTables, withIdempotencyKey } from './idempotency.ts'

const HOUR_MS = 3_600_000

describe.each(engines())('an idempotency key on %s', (dialect) => {
  let things: ThingsKernel
  beforeAll(async () => {
    things = await thingsKernel([], dialect)
    await things.db.write((tx) =>
      sql`CREATE TABLE idempotency_keys (owner TEXT, operation TEXT, key TEXT, request_hash TEXT, answer TEXT, created_at TEXT, PRIMARY KEY (owner, operation, key))`.execute(
        tx.db,
      ),
    )
  })
  beforeEach(() =>
    things.db.write(async (tx) => {
      await sql`DELETE FROM idempotency_keys`.execute(tx.db)
      await tx.db.deleteFrom('things').execute()
    }),
  )
  afterAll(() => things.close())

  type Try = { key?: string | undefined; input?: unknown; operation?: string; userId?: string }

  /** A request that creates a thing with a new id and returns the id. */
  const request = (
    { key = 'k', input = { a: 1 }, operation = 'op', userId = 'ann' }: Try = {},
    work?: (ctx: ThingsCtx) => Promise<string>,
  ) =>
    things.inJobWrite(async (ctx) => {
      const caller = { ...callerWith(), userId }
      // The tables of the test, and the table of idempotency keys.
      const own = { ...ctx, caller } as unknown as KernelCtx<IdempotencyTables>
      return withIdempotencyKey(own, { operation, key, input }, async () => {
        if (work) return work(ctx)
        const id = Bun.randomUUIDv7()
        await addThing(ctx, id)
        return id
      })
    })

  test('gives a repeat the answer of the first time', async () => {
    expect(await request()).toBe(await request())
  })
  test('does a repeat only once', async () => {
    await request()
    await request()
    expect(await things.ids()).toHaveLength(1)
  })
  test('does requests at the same time only once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => request()))
    expect([new Set(answers).size, (await things.ids()).length]).toEqual([1, 1])
  })
  test('that is another one is another request', async () => {
    expect(await request({ key: 'one' })).not.toBe(await request({ key: 'two' }))
  })
  test('of someone else is another request', async () => {
    expect(await request({ userId: 'ann' })).not.toBe(await request({ userId: 'bea' }))
  })
  test('of another operation is another request', async () => {
    expect(await request({ operation: 'one' })).not.toBe(await request({ operation: 'two' }))
  })
  test('is refused for another input', async () => {
    await request()
    expect(request({ input: { a: 2 } })).rejects.toThrow('Idempotency-Key: was used for another request')
  })
  test('that is missing leaves every request by itself', async () => {
    const without = { key: undefined }
    const run = () =>
      things.inJobWrite((ctx) =>
        withIdempotencyKey(
          ctx as unknown as KernelCtx<IdempotencyTables>,
          { operation: 'op', input: {}, ...without },
          async () => Bun.randomUUIDv7(),
        ),
      )
    expect(await run()).not.toBe(await run())
  })
  test('of a request that failed can be used again', async () => {
    await Promise.allSettled([request({}, () => Promise.reject(new AppError('IP_NOT_AVAILABLE', 'full')))])
    expect(await request()).toBeString()
  })
  test('is kept for 24 hours', async () => {
    const first = await request()
    things.clock.ms += 24 * HOUR_MS
    expect(await request()).toBe(first)
  })
  test('is forgotten after 24 hours', async () => {
    const first = await request()
    things.clock.ms += 24 * HOUR_MS + 1
    expect(await request()).not.toBe(first)
  })
})
