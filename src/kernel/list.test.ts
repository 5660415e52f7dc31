import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Compilable } from 'kysely'
import { type ThingsCtx, type ThingsKernel, thingsKernel } from '../../testing/app/kernel.ts'
import { engines } from '../../testing/servers/servers.ts'
import type { JsonList } from './handler-result.ts'
import { listRows, readFirstRows } from './list.ts'

const COUNT = 1234

const wholeOf = async (list: JsonList<unknown>): Promise<unknown[]> =>
  (await Array.fromAsync(list.parts.rows())).flat().map((row): unknown => JSON.parse(row))

describe.each(engines())('a list on %s', (dialect) => {
  let things: ThingsKernel
  beforeAll(async () => {
    things = await thingsKernel([], dialect)
    await things.db.write(async ({ db }) => {
      const rows = Array.from({ length: COUNT }, (_, n) => ({ id: `${n}`.padStart(5, '0'), n, owner_id: null }))
      for (let i = 0; i < COUNT; i += 500)
        await db
          .insertInto('things')
          .values(rows.slice(i, i + 500))
          .execute()
    })
  })
  afterAll(() => things.close())

  type Page = { limit?: number; offset?: number }
  const list = async (page: Page = {}, row: (n: number) => number | string | Promise<number> = (n) => n) => {
    const made: ReturnType<typeof listRows<never, never, never, number>>[] = []
    await things.inJob(async (ctx: ThingsCtx) => {
      const query = ctx.db.selectFrom('things').select(['id', 'n']).orderBy('id')
      made.push(
        listRows(ctx, { revision: 'r', query, page, row: ({ n }): number | string | Promise<number> => row(n) }),
      )
    })
    const [one] = made
    if (!one) throw new Error('no list was made')
    return one
  }
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

  test('has every row, in order', async () => {
    expect(await wholeOf(await list())).toEqual(numbers(0, COUNT))
  })
  test.each<[Page, number, number]>([
    [{ limit: 10 }, 0, 10],
    [{ offset: 1230 }, 1230, COUNT],
    [{ limit: 3, offset: 700 }, 700, 703],
    [{ limit: COUNT * 2, offset: 1 }, 1, COUNT],
    [{ offset: COUNT }, 0, 0],
    [{ offset: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER }, 0, 0],
  ])('of the page %p has its rows', async (page, from, to) => {
    expect(await wholeOf(await list(page))).toEqual(numbers(from, to))
  })
  test('counts its rows whatever the page', async () => {
    expect(await (await list({ limit: 1, offset: 1 })).parts.total()).toBe(COUNT)
  })
  test('may have rows that are JSON text already', async () => {
    expect(await wholeOf(await list({ limit: 2 }, (n) => `{"n":${n}}`))).toEqual([{ n: 0 }, { n: 1 }])
  })
  test('may have rows that have to be waited for', async () => {
    expect(await wholeOf(await list({ limit: 2 }, async (n) => n * 2))).toEqual([0, 2])
  })
  test('comes in chunks', async () => {
    const chunks = await Array.fromAsync((await list()).parts.rows())
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(500)
  })
})

describe('the first rows of several queries', () => {
  const found: Record<string, number[]> = { a: [1], b: [2, 3, 4], c: [5, 6], d: [7] }
  /** Records the queries, and whether each was sent while another was running. */
  const asking = async (isInProcess: boolean, first: { count: number; areAll?: boolean }) => {
    const asked: string[] = []
    let underWay = 0
    let most = 0
    const executeQuery = async ({ sql }: { sql: string }) => {
      const [name = '', rows] = sql.split(' ')
      asked.push(name)
      most = Math.max(most, ++underWay)
      await Bun.sleep(1)
      underWay--
      return { rows: (found[name] ?? []).slice(0, Number(rows)) }
    }
    const scope = { db: { executeQuery }, store: { sql: { isInProcess } } } as unknown as Parameters<
      typeof readFirstRows
    >[0]
    const queries = Object.keys(found).map(
      (name) => (rows?: number) => ({ sql: `${name} ${rows}` }) as unknown as Compilable<number>,
    )
    const rows = (await Array.fromAsync(readFirstRows(scope, queries, first))).flat()
    return { rows, asked: asked.join(''), most }
  }

  test.each([true, false])(
    'are asked for one after another, until there are enough (in the process: %p)',
    async (own) => {
      expect(await asking(own, { count: 0 })).toEqual({ rows: [], asked: '', most: 0 })
      expect(await asking(own, { count: 1 })).toEqual({ rows: [1], asked: 'a', most: 1 })
      expect(await asking(own, { count: 3 })).toEqual({ rows: [1, 2, 3], asked: 'ab', most: 1 })
      expect(await asking(own, { count: 9 })).toEqual({ rows: [1, 2, 3, 4, 5, 6, 7], asked: 'abcd', most: 1 })
    },
  )

  test('between the first and the last are asked for at once where all are wanted and the database is elsewhere', async () => {
    expect(await asking(false, { count: 1, areAll: true })).toEqual({ rows: [1], asked: 'a', most: 1 })
    expect(await asking(false, { count: 6, areAll: true })).toEqual({ rows: [1, 2, 3, 4, 5, 6], asked: 'abc', most: 2 })
    expect(await asking(false, { count: 7, areAll: true })).toMatchObject({ asked: 'abcd', most: 2 })
    expect(await asking(true, { count: 7, areAll: true })).toMatchObject({ asked: 'abcd', most: 1 })
  })
})
