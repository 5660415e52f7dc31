import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { addThing, callerWith, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError } from '../../contract/errors.ts'
import type { KernelCtx } from '../context.ts'
import { Answered } from '../prepared-handler.ts'
import { createAttempt } from './attempt.ts'
import { type IdempotencyTables, MAX_ANSWER_BYTES, prepareOnce, withIdempotencyKey } from './idempotency.ts'

const HOUR_MS = 3_600_000

describe.each(engines())('an idempotency key on %s', (dialect) => {
  let things: ThingsKernel
  beforeAll(async () => {
    things = await thingsKernel([], dialect)
    await things.db.write((tx) =>
      sql`CREATE TABLE idempotency_keys (owner TEXT, operation TEXT, key TEXT, request_hash TEXT, answer TEXT, created_at TEXT, change_id TEXT, PRIMARY KEY (owner, operation, key))`.execute(
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

  /** The tables of the test, and the table of idempotency keys. */
  const toKeyed = (ctx: ThingsCtx, userId = 'ann') =>
    ({ ...ctx, caller: { ...callerWith(), userId } }) as unknown as KernelCtx<IdempotencyTables>

  const attemptOf = (
    { key = 'k', input = { a: 1 }, operation = 'op' }: Try = {},
    onRepeat = (_: string): void => {},
  ) => {
    const attempt = createAttempt({ operation, key, inputs: [input], onRepeat })
    if (!attempt) throw new Error('there is a key')
    return attempt
  }

  type More = { checkRepeat?: () => Promise<void>; onRepeat?: (changeId: string) => void }

  /** A request that creates a thing with a new id and returns the id. */
  const request = (given: Try = {}, own?: (ctx: ThingsCtx) => Promise<string>, { checkRepeat, onRepeat }: More = {}) =>
    things.inJobWrite(async (ctx) => {
      const work = async () => {
        if (own) return own(ctx)
        const id = Bun.randomUUIDv7()
        await addThing(ctx, id)
        return id
      }
      return withIdempotencyKey(toKeyed(ctx, given.userId), attemptOf(given, onRepeat), {
        work,
        ...(checkRepeat && { checkRepeat }),
      })
    })

  /** Moves the time of the keys that are stored, because the database has its own clock. */
  const age = (ms: number) =>
    things.db.write(async (tx) => {
      const { rows } = await sql<{
        key: string
        created_at: string
      }>`SELECT key, created_at FROM idempotency_keys`.execute(tx.db)
      for (const { key, created_at } of rows)
        await sql`UPDATE idempotency_keys SET created_at = ${new Date(Date.parse(created_at) - ms).toISOString()} WHERE key = ${key}`.execute(
          tx.db,
        )
    })

  const listKeys = async () =>
    (await sql<{ key: string }>`SELECT key FROM idempotency_keys ORDER BY key`.execute(things.db.read)).rows.map(
      ({ key }) => key,
    )

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
  test('that is missing makes no attempt', () => {
    expect(createAttempt({ operation: 'op', key: undefined, inputs: [{}] })).toBeUndefined()
  })
  test('of a request that failed can be used again', async () => {
    await Promise.allSettled([request({}, () => Promise.reject(new AppError('IP_NOT_AVAILABLE', 'full')))])
    expect(await request()).toBeString()
  })
  test('is kept for almost 24 hours', async () => {
    const first = await request()
    await age(24 * HOUR_MS - 60_000)
    expect(await request()).toBe(first)
  })
  test('is forgotten after 24 hours, and may be used for another request', async () => {
    const first = await request()
    await age(24 * HOUR_MS + 1)
    const second = await request({ input: { a: 2 } })
    expect(second).not.toBe(first)
    expect(await request({ input: { a: 2 } })).toBe(second)
  })
  test('of another request is deleted after 24 hours', async () => {
    await request({ key: 'old' })
    await age(24 * HOUR_MS + 1)
    await request({ key: 'new' })
    expect(await listKeys()).toEqual(['new'])
  })
  test('outlives a write with a clock that is ahead, if the database has its own', async () => {
    const first = await request()
    things.clock.ms += 25 * HOUR_MS
    await request({ key: 'other' })
    things.clock.ms -= 25 * HOUR_MS
    if (dialect === 'postgres') expect(await request()).toBe(first)
    // One process has one clock.
    else expect(await listKeys()).toEqual(['other'])
  })
  test('of a program that stores no change keeps its answer', async () => {
    await request()
    await things.db.write((tx) =>
      sql`UPDATE idempotency_keys SET change_id = NULL, answer = '"as before"'`.execute(tx.db),
    )
    expect(await request()).toBe('as before')
  })

  describe('with an answer longer than 256 KiB', () => {
    const large = async () => 'x'.repeat(MAX_ANSWER_BYTES - 1)

    test('keeps its change, and a retry gets 409 that names it', async () => {
      await request({}, large)
      await things.db.write((tx) => sql`UPDATE idempotency_keys SET change_id = 'change-1'`.execute(tx.db))
      const repeated: string[] = []
      const again = request({}, large, { onRepeat: (changeId) => repeated.push(changeId) })
      expect(await again.catch((error: unknown) => error)).toMatchObject({
        code: 'ALREADY_EXISTS',
        message: expect.stringContaining('by the change change-1: its answer is longer than 256 KiB'),
        details: [{ field: 'change_id', message: 'change-1' }],
      })
      expect(repeated).toEqual(['change-1'])
    })
    test('that changed nothing says so to a retry', async () => {
      await request({}, large)
      expect(request({}, large)).rejects.toThrow('was done and changed nothing: its answer is longer')
    })
    test('keeps an answer of 256 KiB', async () => {
      const exact = 'x'.repeat(MAX_ANSWER_BYTES - 2)
      await request({}, async () => exact)
      expect(await request()).toBe(exact)
    })
  })

  test('refuses a retry that its caller may not make', async () => {
    await request()
    const checkRepeat = () => Promise.reject(new AppError('FORBIDDEN', 'Not there'))
    expect(request({}, undefined, { checkRepeat })).rejects.toThrow('Not there')
  })

  describe('of a write that is prepared', () => {
    const prepare = (work: () => Promise<string>) =>
      things.inJobWrite((ctx) => prepareOnce(toKeyed(ctx), attemptOf(), work))

    test('prepares a first attempt', async () => {
      expect(await prepare(async () => 'prepared')).toBe('prepared')
    })
    test('answers a retry without its preparation, which might fail now', async () => {
      const first = await request()
      const step = await prepare(() => Promise.reject(new Error('prepared again')))
      expect(step).toEqual(new Answered(first))
    })
    test('answers a retry whose first attempt is committed while it is prepared', async () => {
      let first = ''
      const ctx = await things.inJobWrite(async (inner) => ({ ...toKeyed(inner), db: things.db.read }) as never)
      const step = await prepareOnce(ctx, attemptOf(), async () => {
        first = await request()
        throw new AppError('PRECONDITION_FAILED', 'it does something else now')
      })
      expect(step).toEqual(new Answered(first))
    })
    test('passes on the error of a first attempt', async () => {
      expect(prepare(() => Promise.reject(new AppError('IN_USE', 'it is')))).rejects.toThrow('it is')
    })
  })
})
