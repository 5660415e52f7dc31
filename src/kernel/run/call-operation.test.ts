/** Operations inside the transaction of another call. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { addThing, callerWith, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import type { ThingTables } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError } from '../../contract/errors.ts'
import type { Caller } from '../caller.ts'
import { createNewIds } from '../changes/new-ids.ts'
import type { AskedProposal, Gated } from '../changes/proposals.ts'
import type { Bound, CallHow } from '../context.ts'
import { JsonText, WithStatus } from '../handler-result.ts'
import { type AnyOperation, operation } from '../operation.ts'
import { Answered } from '../prepared-handler.ts'
import type { Request } from '../request.ts'
import type { Rights } from '../rights/rights.ts'
import { compareChanges } from './call-operation.ts'

type Handler = Bound<ThingTables>['handler']

const add: AnyOperation = operation({
  name: 'things.create',
  summary: '',
  http: 'POST /api/things',
  effect: 'create',
  access: 'things:create',
  hasHistory: true,
  input: z.object({ id: z.string().max(8) }),
  output: z.unknown(),
})
const outer: AnyOperation = operation({
  name: 'things.run-all',
  summary: '',
  http: 'POST /api/things/all',
  effect: 'action',
  access: 'things:read',
  input: z.object({}),
  output: z.unknown(),
})

const PROPOSAL = '01939d5e-7c1a-7b3c-9d2e-0a1b2c3d4e5f'
const LIMITS = {
  maxObjects: 10,
  tooMany: () => {
    throw new AppError('INVALID_INPUT', 'too many')
  },
}
// Opaque to the kernel.
const GUARD = {} as NonNullable<Rights['guard']>
const signal = new AbortController().signal
const BOTH = callerWith('things:read', 'things:create')

/** Adds a thing, as a store would. */
const create = async (ctx: ThingsCtx, { id }: { readonly id: string }): Promise<{ id: string; by: string }> => {
  await addThing(ctx, id)
  ctx.changed('thing', { id, after: JSON.stringify({ id }), hasHistory: false })
  return { id, by: ctx.author }
}

const FORMS: readonly (readonly [string, Handler])[] = [
  ['a function', create],
  ['a function with a status', async (ctx: ThingsCtx, input: never) => new WithStatus(201, await create(ctx, input))],
  [
    'a function that answers JSON',
    async (ctx: ThingsCtx, input: never) => new JsonText(JSON.stringify(await create(ctx, input))),
  ],
  ['a handler with options', { transaction: async () => ({ exclusive: true }), run: create }],
  [
    'a prepared handler',
    { isReadOnly: true, prepare: async (_: ThingsCtx, input: never) => (ctx: ThingsCtx) => create(ctx, input) },
  ],
  [
    'a prepared handler with options',
    {
      isReadOnly: true,
      prepare: async (_: ThingsCtx, input: never) => ({ options: {}, run: (ctx: ThingsCtx) => create(ctx, input) }),
    },
  ],
]

describe.each(engines())('an operation inside a transaction on %s', (dialect) => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel([], dialect)
  })
  afterEach(() => things.close())

  const requestOf = (caller: Caller, more: Partial<Request> = {}): Request => ({
    ...{ caller, input: {}, requestId: 'r1', signal },
    ...more,
  })

  /** Runs work in the transaction of a call. */
  const within = <T>(
    work: (ctx: ThingsCtx) => Promise<T>,
    { caller = BOTH, more = {} as Partial<Request>, kernel = things.kernel } = {},
  ) => kernel.run({ op: outer, handler: work }, requestOf(caller, more))

  const call = (ctx: ThingsCtx, id: unknown, how: CallHow<ThingTables> = {}, handler: Handler = create) =>
    ctx.call({ op: add, handler }, { id }, how)

  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return error instanceof AppError ? error.code : String(error)
  }

  test.each(FORMS)('%s runs in it, and its answer is a plain value', async (_, handler) => {
    const answer = await within((ctx) => call(ctx, 'a', {}, handler))
    expect(answer).toEqual({ id: 'a', by: 'Ann' })
    expect(await things.ids()).toEqual(['a'])
  })

  test('a handler that has its answer without a transaction answers it', async () => {
    const handler: Handler = { isReadOnly: true, prepare: async () => new Answered({ id: 'nothing' }) }
    expect(await within((ctx) => call(ctx, 'a', {}, handler))).toEqual({ id: 'nothing' })
  })

  test.each([
    ['transactions of its own', { ...add, hasOwnTransactions: true as const }, create as Handler],
    ['a first step that writes', add, { prepare: async () => async () => 1 } as Handler],
  ])('an operation with %s does not run in it', async (_, op, handler) => {
    const work = within((ctx) => ctx.call({ op, handler }, { id: 'a' }))
    expect(await codeOf(work)).toContain('things.create does not run in the transaction of another call')
    expect(await things.ids()).toEqual([])
  })

  test('the fields of the call are left out of its input', async () => {
    const input = { id: 'a', dry_run: true, change_note: 'why', proposal: 'open', idempotency_key: 'k' }
    const seen: unknown[] = []
    const handler: Handler = async (_: ThingsCtx, own: never) => seen.push(own)
    await within((ctx) => ctx.call({ op: add, handler }, input))
    expect(seen).toEqual([{ id: 'a' }])
  })

  test('an invalid input is refused by the name of its field, and the transaction goes on', async () => {
    const answer = await within(async (ctx) => {
      const error = await call(ctx, 'far too long').catch((thrown: unknown) => thrown)
      await call(ctx, 'b')
      return error instanceof AppError ? error.details.map(({ field }) => field) : error
    })
    expect(answer).toEqual(['id'])
    expect(await things.ids()).toEqual(['b'])
  })

  test('an error undoes its own changes, and leaves the record of the others', async () => {
    const failing: Handler = async (ctx: ThingsCtx, input: never) => {
      await create(ctx, input)
      throw new AppError('ALREADY_EXISTS', 'taken')
    }
    const left = await things.kernel.trial(
      requestOf(BOTH),
      async (ctx) => {
        await call(ctx, 'a')
        const code = await codeOf(call(ctx, 'b', {}, failing))
        await call(ctx, 'c')
        const items = await ctx.plannedItems()
        const rows = await ctx.db.selectFrom('things').select('id').orderBy('id').execute()
        return { code, items: items?.map(({ id }) => id), rows: rows.map(({ id }) => id) }
      },
      LIMITS,
    )
    expect(left).toEqual({ code: 'ALREADY_EXISTS', items: ['a', 'c'], rows: ['a', 'c'] })
    expect(await things.ids()).toEqual([])
  })

  test('a caller without its permission is refused, and all of the transaction is undone', async () => {
    const work = within(
      async (ctx) => {
        await addThing(ctx, 'before')
        await call(ctx, 'a')
      },
      { caller: callerWith('things:read') },
    )
    expect(await codeOf(work)).toBe('FORBIDDEN')
    expect(await things.ids()).toEqual([])
  })

  test('in a trial it runs with the rights of another caller', async () => {
    const author = { ...callerWith('things:create'), username: 'Eve' }
    const answer = await things.kernel.trial(
      requestOf(callerWith('things:read')),
      (ctx) => call(ctx, 'a', { caller: author }),
      LIMITS,
    )
    expect(answer).toEqual({ id: 'a', by: 'Eve' })
    expect(await things.ids()).toEqual([])
  })

  test('a right that is lost before the commit undoes it', async () => {
    const lost: Rights = {
      caller: callerWith('things:read'),
      confirm: () => lost,
      isOver: () => false,
      guard: undefined,
    }
    let [confirmed, attempts] = [0, 0]
    const begun: Rights = {
      caller: BOTH,
      confirm: () => (confirmed++ === 0 ? begun : lost),
      // So that the transaction confirms them itself, and not its commit.
      isOver: () => true,
      guard: GUARD,
    }
    const work = within(
      (ctx) => {
        attempts++
        return call(ctx, 'a')
      },
      { more: { rights: begun } },
    )
    // The outer call needs nothing that was lost.
    expect(await codeOf(work)).toBe('FORBIDDEN')
    expect([attempts, await things.ids()]).toEqual([1, []])
  })

  test('new objects have the ids and the author that are given, and the time of the transaction', async () => {
    const seen: (readonly string[])[] = []
    const handler: Handler = async (ctx: ThingsCtx) => seen.push([ctx.newId(), ctx.newId(), ctx.author, ctx.now])
    const run = () =>
      within(async (ctx) => {
        const ids = createNewIds({ proposal: PROPOSAL, operation: '1' })
        await call(ctx, 'a', { ids, author: 'Eve' }, handler)
        things.clock.ms += 1000
        await call(ctx, 'a', { ids, author: 'Eve' }, handler)
        things.clock.ms -= 1000
        return ctx.now
      })
    const now = await run()
    await run()
    const [first, second, third, fourth] = seen
    expect(first?.slice(2)).toEqual(['Eve', String(now)])
    expect(second?.[3]).toBe(String(now))
    expect(second?.[0]).not.toBe(first?.[0])
    expect([third, fourth]).toEqual([first, second])
  })

  test('outside of a proposal the author is the caller', async () => {
    expect(await within(async (ctx) => ctx.author)).toBe('Ann')
  })

  test('a call without a transaction is an error', async () => {
    expect(await codeOf(things.inJob(async (ctx) => void (await call(ctx, 'a'))))).toContain('without a transaction')
  })
})

describe('a trial', () => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel()
  })
  afterEach(() => things.close())

  test('leaves no commit, no header and no revision', async () => {
    const commits: unknown[] = []
    const kernel = things.kernel.over({ onCommit: (events) => void commits.push(events) })
    const headers: string[] = []
    const before = await things.db.revision(['things'])
    const setHeader = (name: string) => void headers.push(name)
    const request = { caller: BOTH, requestId: 'r1', signal, setHeader }
    expect(await kernel.trial(request, async (ctx) => create(ctx, { id: 'a' }), LIMITS)).toEqual({ id: 'a', by: 'Ann' })
    expect([commits, headers]).toEqual([[], []])
    expect(await things.db.revision(['things'])).toBe(before)
    expect(await things.ids()).toEqual([])
  })

  test('throws the error of its work, and that of too many objects', async () => {
    const request = { caller: BOTH, requestId: 'r1', signal }
    const fails = things.kernel.trial(request, () => Promise.reject(new AppError('IN_USE', 'used')), LIMITS)
    await expect(fails).rejects.toThrow('used')
    const many = things.kernel.trial(
      request,
      async (ctx) => {
        for (let i = 0; i <= LIMITS.maxObjects; i++) await create(ctx, { id: `t${i}` })
      },
      LIMITS,
    )
    await expect(many).rejects.toThrow('too many')
    expect(await things.ids()).toEqual([])
  })
})

describe('a compared call', () => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel()
  })
  afterEach(() => things.close())

  const ids = createNewIds({ proposal: PROPOSAL, operation: '1' })
  const request: Request = { caller: BOTH, input: { id: 'a' }, requestId: 'r1', signal, ids }
  const { hasHistory: _, ...plain } = add

  test('shows all that it changes before its commit, with the ids that were decided', async () => {
    const seen: string[] = []
    const handler: Handler = async (ctx: ThingsCtx) => create(ctx, { id: ctx.newId() })
    const bound = compareChanges<ThingTables>(
      { op: plain, handler },
      {
        limits: LIMITS,
        begin: async (ctx) => addThing(ctx, 'begun'),
        end: async (_, items) => void seen.push(...items.map(({ id }) => id)),
      },
    )
    const answer = await things.kernel.run(bound, request)
    const [id] = seen
    expect(id).toBe(createNewIds({ proposal: PROPOSAL, operation: '1' })())
    expect(answer).toEqual({ id, by: 'Ann' })
    expect(await things.ids()).toEqual([id ?? '', 'begun'].sort())
  })

  test('is undone if it does something else', async () => {
    const bound = compareChanges<ThingTables>(
      { op: plain, handler: create },
      {
        limits: LIMITS,
        begin: async () => {},
        end: () => Promise.reject(new AppError('PRECONDITION_FAILED', 'something else')),
      },
    )
    const work = things.kernel.run(bound, request)
    await expect(work).rejects.toThrow('something else')
    expect(await things.ids()).toEqual([])
  })
})

describe('the first step of a write', () => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel()
  })
  afterEach(() => things.close())

  test('is prepared before the transaction only if it reads no state', async () => {
    const request = { caller: BOTH, requestId: 'r1', signal }
    let reads = 0
    const prepare = async (_: ThingsCtx, input: never) => {
      reads++
      return (ctx: ThingsCtx) => create(ctx, input)
    }
    const bound: Bound<ThingTables> = { op: add, handler: { isReadOnly: true, readsNoState: true, prepare } }
    const prepared = await things.kernel.prepare(bound, request, { id: 'a' })
    const answer = await things.kernel.trial(request, (ctx) => ctx.call(bound, { id: 'a' }, { prepared }), LIMITS)
    expect([answer, reads]).toEqual([{ id: 'a', by: 'Ann' }, 1])
    const other: Bound<ThingTables> = { op: add, handler: { isReadOnly: true, prepare } }
    expect(await things.kernel.prepare(other, request, { id: 'a' })).toBeUndefined()
  })
})

describe('the gate of policies', () => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel()
  })
  afterEach(() => things.close())

  const dns: AnyOperation = operation({
    name: 'dns-things.create',
    summary: '',
    http: 'POST /api/things',
    effect: 'create',
    access: 'things:create',
    proposes: true,
    input: z.object({ id: z.string() }),
    output: z.unknown(),
  })

  const gatedKernel = (answer: () => void = () => {}) => {
    const gates: Gated[] = []
    const asked: AskedProposal[] = []
    const requests: Request[] = []
    const kernel = things.kernel.over({
      proposals: {
        add: async (_, request, one) => {
          asked.push(one)
          requests.push(request)
          return new WithStatus(202, 'noted')
        },
        gate: async (_, gated) => {
          gates.push(gated)
          answer()
        },
      },
    })
    return { kernel, gates, asked, requests }
  }
  const request = (input: object): Request => ({ caller: BOTH, input, requestId: 'r1', signal })

  test('stands before a write without a history that can be proposed, and undoes it', async () => {
    const { kernel, gates } = gatedKernel(() => {
      throw new AppError('APPROVAL_REQUIRED', 'needs an approval')
    })
    await expect(kernel.run({ op: dns, handler: create }, request({ id: 'a' }))).rejects.toThrow('needs an approval')
    expect(gates).toEqual([{ canBeProposed: true }])
    expect(await things.ids()).toEqual([])
  })

  test('lets a trial and a job pass, unless the job asks for it', async () => {
    const { kernel, gates } = gatedKernel()
    await kernel.trial(request({}), (ctx) => ctx.call({ op: dns, handler: create }, { id: 'a' }), LIMITS)
    const run = async (ctx: ThingsCtx) => ctx.write(async (tx) => addThing(tx, 'b'))
    await kernel.runJob({ name: 'a job', summary: '', everyMs: 1000, run })
    expect(gates).toEqual([])
    const asking = async (ctx: ThingsCtx) => ctx.write((tx) => tx.checkPolicies())
    await kernel.runJob({ name: 'a job', summary: '', everyMs: 1000, run: asking })
    expect(gates).toEqual([{ canBeProposed: false }])
  })

  test('a write with a proposal is handed over, without its conditions, and done by nobody', async () => {
    const { kernel, asked, requests } = gatedKernel()
    const input = { id: 'a', proposal: '7', dry_run: 'changes', change_note: 'why', idempotency_key: 'k' }
    const answer = await kernel.run({ op: add, handler: create }, { ...request(input), ifMatch: '"x"' })
    expect(answer).toEqual(new WithStatus(202, 'noted'))
    expect(asked).toEqual([{ proposal: '7', dryRun: 'changes', note: 'why' }])
    expect(requests.map(({ ifMatch, input }) => [ifMatch, input])).toEqual([[undefined, input]])
    expect(await things.ids()).toEqual([])
  })

  test.each([[''], [7], ['x'.repeat(65)], [null]])('the proposal %p is refused by its name', async (proposal) => {
    const { kernel, asked } = gatedKernel()
    const work = kernel.run({ op: add, handler: create }, request({ id: 'a', proposal }))
    const error = await work.catch((thrown: unknown) => thrown)
    expect(error instanceof AppError && error.details.map(({ field }) => field)).toEqual(['proposal'])
    expect([asked, await things.ids()]).toEqual([[], []])
  })
})
