import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { addThing, callerWith, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import type { ThingTables } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError, invalidField, notFound } from '../../contract/errors.ts'
import type { AnyOperation } from '../operation.ts'
import { createBulkInput, createBulkOutput } from './bulk.ts'
import { runBulk } from './bulk-run.ts'

const Thing = z.object({ id: z.string(), n: z.int() })
const Draft = z.object({ id: z.string(), n: z.int().default(0) })
const Patch = z.object({ id: z.string(), n: z.int() })

const bulk: AnyOperation = {
  name: 'things.bulk',
  summary: '',
  http: 'POST /api/things/bulk',
  effect: 'action',
  access: { anyOf: ['things:create', 'things:update', 'things:delete'] },
  input: createBulkInput({ thing: z.record(z.string(), z.unknown()).optional() }),
  output: createBulkOutput({ thing: Thing.optional() }),
}

type Input = Parameters<typeof runBulk>[1]

const rules = {
  noun: 'thing',
  permissions: 'things',
  create: {
    schema: Draft,
    run: async (ctx: ThingsCtx, { id, n }: z.output<typeof Draft>) => {
      if (n === 13) throw new Error('a bug')
      if (n === 99) throw new AppError('ALREADY_EXISTS', 'taken')
      await addThing(ctx, id)
      if (n < 0) throw invalidField('n', 'must not be negative')
      return { id, n }
    },
  },
  update: {
    schema: Patch,
    run: async (ctx: ThingsCtx, { id, n }: z.output<typeof Patch>) => {
      await ctx.db.updateTable('things').set({ n }).where('id', '=', id).execute()
      return { id, n }
    },
  },
  remove: async (ctx: ThingsCtx, id: string) => {
    const { numDeletedRows } = await ctx.db.deleteFrom('things').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('thing', id)
  },
} as const

const ALL = callerWith('things:create', 'things:update', 'things:delete')

describe.each(engines())('a bulk call on %s', (dialect) => {
  let things: ThingsKernel
  beforeAll(async () => {
    things = await thingsKernel([], dialect)
  })
  beforeEach(() => things.db.write((tx) => tx.db.deleteFrom('things').execute()))
  afterAll(() => things.close())

  const call = async (
    input: object,
    caller = ALL,
  ): Promise<z.infer<ReturnType<typeof createBulkOutput<{ thing: z.ZodOptional<typeof Thing> }>>>> => {
    const signal = new AbortController().signal
    const handler = (ctx: ThingsCtx, parsed: Input) =>
      runBulk<ThingTables, 'thing', typeof Draft, typeof Patch, z.infer<typeof Thing>>(ctx, parsed, rules)
    const answer = await things.kernel.run({ op: bulk, handler }, { caller, input, requestId: 'r', signal })
    return createBulkOutput({ thing: Thing.optional() }).parse(answer)
  }
  const create = (id: string, n = 0) => ({ op: 'create', thing: { id, n } })
  const refused = async (input: object, caller = ALL): Promise<AppError> => {
    try {
      await call(input, caller)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
    throw new Error('it was not refused')
  }

  test('creates, updates and deletes, in order', async () => {
    const operations = [create('a'), create('b'), { op: 'update', id: 'a', thing: { n: 5 } }, { op: 'delete', id: 'b' }]
    expect(await call({ operations })).toEqual({
      results: [
        { index: 0, status: 'created', thing: { id: 'a', n: 0 } },
        { index: 1, status: 'created', thing: { id: 'b', n: 0 } },
        { index: 2, status: 'updated', thing: { id: 'a', n: 5 } },
        { index: 3, status: 'deleted' },
      ],
      succeeded: 4,
      failed: 0,
    })
    expect(await things.ids()).toEqual(['a'])
  })

  test('takes the id of a create beside its fields', async () => {
    await call({ operations: [{ op: 'create', id: 'a', thing: {} }] })
    expect(await things.ids()).toEqual(['a'])
  })

  describe('that is all or nothing', () => {
    const operations = [
      create('a'),
      create('b', -1),
      create('c'),
      create('d', 99),
      { op: 'update', thing: { n: 1 } },
      { op: 'update', id: 'a', thing: { n: 'x' } },
      { op: 'delete', id: 'gone' },
    ]

    test('changes nothing if one item is bad', async () => {
      await refused({ operations })
      expect(await things.ids()).toEqual([])
    })
    test('names everything that is wrong in every item', async () => {
      expect((await refused({ operations })).details).toEqual([
        { field: 'operations[1].thing.n', message: 'must not be negative' },
        { field: 'operations[3]', message: 'taken' },
        { field: 'operations[4].id', message: 'is required' },
        { field: 'operations[5].thing.n', message: 'must be a number' },
        { field: 'operations[6]', message: 'No thing with id "gone"' },
      ])
    })
    test('is refused as a validation error', async () => {
      expect((await refused({ operations })).code).toBe('VALIDATION_ERROR')
    })
  })

  describe('that is not atomic', () => {
    test('executes valid items and names the errors of the others', async () => {
      const answer = await call({ atomic: false, operations: [create('a'), create('b', -1), create('c')] })
      expect(answer).toEqual({
        results: [
          { index: 0, status: 'created', thing: { id: 'a', n: 0 } },
          {
            index: 1,
            status: 'failed',
            error: {
              code: 'VALIDATION_ERROR',
              error: 'n: must not be negative',
              details: [{ field: 'n', message: 'must not be negative' }],
            },
          },
          { index: 2, status: 'created', thing: { id: 'c', n: 0 } },
        ],
        succeeded: 2,
        failed: 1,
      })
    })
    test('rolls back the changes of a bad item', async () => {
      await call({ atomic: false, operations: [create('a'), create('b', -1), create('c')] })
      expect(await things.ids()).toEqual(['a', 'c'])
    })
    test('may be bad in every item', async () => {
      expect(await call({ atomic: false, operations: [create('a', -1)] })).toMatchObject({ succeeded: 0, failed: 1 })
    })
  })

  test.each([true, false])('that meets a bug fails as a whole (atomic: %p)', async (atomic) => {
    await Promise.allSettled([call({ atomic, operations: [create('a'), create('b', 13)] })])
    expect(await things.ids()).toEqual([])
  })

  describe('needs the permission of each of its operations', () => {
    test.each([
      ['create', create('a')],
      ['update', { op: 'update', id: 'a', thing: { n: 1 } }],
      ['delete', { op: 'delete', id: 'a' }],
    ])('%s', async (verb, item) => {
      const others = ['things:create', 'things:update', 'things:delete'].filter((one) => one !== `things:${verb}`)
      expect((await refused({ operations: [item] }, callerWith(...others))).code).toBe('FORBIDDEN')
    })
    test('before it does any of them', async () => {
      await refused(
        { atomic: false, operations: [create('a'), { op: 'delete', id: 'a' }] },
        callerWith('things:create'),
      )
      expect(await things.ids()).toEqual([])
    })
  })

  test.each([
    ['no items', { operations: [] }],
    ['more than 1,000 items', { operations: Array(1001).fill(create('a')) }],
    ['an operation that there is not', { operations: [{ op: 'merge' }] }],
    ['no list', { operations: {} }],
    ['nothing', {}],
  ])('of %s is refused', async (_, input) => {
    expect((await refused(input)).code).toBe('VALIDATION_ERROR')
  })

  test('of 1,000 items lets the event loop turn', async () => {
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await call({ operations: Array.from({ length: 1000 }, (_, i) => create(`${i}`)) })
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(20)
  })
})
