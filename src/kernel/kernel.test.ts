import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { addThing, callerWith, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../testing/app/kernel.ts'
import type { ThingTables } from '../../testing/servers/database.ts'
import { AppError } from '../contract/errors.ts'
import { computeEtag } from '../contract/etag.ts'
import { type Caller, GUEST } from './caller.ts'
import type { Bound } from './context.ts'
import type { Reactions } from './events.ts'
import { implementFor } from './implement.ts'
import { type Access, type AnyOperation, operation, rawRoute } from './operation.ts'
import { checkAccess, checkCaller } from './rights/access.ts'

type Handler = Bound<ThingTables>['handler']

const op = (more: Partial<AnyOperation> = {}): AnyOperation => ({
  ...operation({
    name: 'things.try',
    summary: '',
    http: 'POST /api/things',
    effect: 'action',
    access: 'things:create',
    input: z.object({ n: z.int().default(1) }),
    output: z.unknown(),
  }),
  ...more,
})

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
  return 'none'
}

type Made = { readonly id: string }

declare module './events.ts' {
  interface Events {
    'thing.created': Made
    'thing.ignored': Made
    'thing.refused': Made
  }
}

const reactions: Reactions<ThingsCtx> = {
  'thing.created': async (ctx, data) => addThing(ctx, `${data.id}-seen`),
  'thing.refused': () => Promise.reject(new AppError('ALREADY_EXISTS', 'no')),
}
const second: Reactions<ThingsCtx> = {
  'thing.created': async (ctx, data) => addThing(ctx, `${data.id}-seen-too`),
}

let things: ThingsKernel
beforeEach(async () => {
  things = await thingsKernel([
    { operations: [], reactions },
    { operations: [], reactions: second },
  ])
})
afterEach(() => things.close())

const signal = new AbortController().signal
const run = (
  handler: Handler,
  {
    more = {},
    caller = callerWith('things:create'),
    input = {} as unknown,
    ifMatch = undefined as string | undefined,
  } = {},
) => things.kernel.run({ op: op(more), handler }, { caller, input, requestId: 'r1', signal, ifMatch })

describe('access', () => {
  const guest: [string, Caller] = ['a guest', GUEST]
  const nobody: [string, Caller] = ['a caller without permissions', callerWith()]
  const one: [string, Caller] = ['a caller with a:read', callerWith('a:read')]
  const anyOf: Access = { anyOf: ['a:read', 'b:read'] }

  test.each<[string, Caller, Access, string]>([
    [...guest, 'public', 'none'],
    [...guest, 'authenticated', 'UNAUTHORIZED'],
    [...guest, 'a:read', 'UNAUTHORIZED'],
    [...guest, anyOf, 'UNAUTHORIZED'],
    [...nobody, 'public', 'none'],
    [...nobody, 'authenticated', 'none'],
    [...nobody, 'a:read', 'FORBIDDEN'],
    [...nobody, anyOf, 'FORBIDDEN'],
    [...one, 'a:read', 'none'],
    [...one, anyOf, 'none'],
    [...one, 'a:list', 'FORBIDDEN'],
    [...one, { anyOf: ['b:read', 'c:read'] }, 'FORBIDDEN'],
    [...one, { anyOf: [] }, 'FORBIDDEN'],
  ])('of %s %# is judged', async (_, caller, access, code) => {
    expect(await codeOf((async () => checkAccess(access, caller))())).toBe(code)
  })

  const MINUTE_MS = 60_000
  const signedIn = (agoMs: number, more: Partial<Caller> = {}): Caller => ({
    ...callerWith(),
    via: 'session',
    signedInMs: 1_000_000_000_000 - agoMs,
    ...more,
  })
  test.each<[string, Caller, Parameters<typeof checkCaller>[0], string]>([
    ['a session, which is needed', signedIn(3600 * 1000), { access: 'authenticated', session: 'any' }, 'none'],
    ['a key where a session is needed', callerWith(), { access: 'authenticated', session: 'any' }, 'FORBIDDEN'],
    ['a guest where a session is needed', GUEST, { access: 'public', session: 'fresh' }, 'UNAUTHORIZED'],
    ['a sign-in 15 minutes ago', signedIn(15 * MINUTE_MS), { access: 'authenticated', session: 'fresh' }, 'none'],
    [
      'an older sign-in',
      signedIn(15 * MINUTE_MS + 1),
      { access: 'authenticated', session: 'fresh' },
      'REAUTHENTICATION_REQUIRED',
    ],
    [
      'a user without the required factor',
      signedIn(0, { needsFactor: true }),
      { access: 'public' },
      'SECOND_FACTOR_SETUP_REQUIRED',
    ],
    [
      'the same, where it is set up',
      signedIn(0, { needsFactor: true }),
      { access: 'authenticated', session: 'fresh', beforeSetup: true },
      'none',
    ],
  ])('of %s is judged', async (_, caller, called, code) => {
    expect(await codeOf((async () => checkCaller(called, caller, () => 1_000_000_000_000))())).toBe(code)
  })

  test('that is refused names the permissions that would do', () => {
    expect(() => checkAccess(anyOf, callerWith())).toThrow('a:read or b:read')
  })

  test('is judged before the input', async () => {
    expect(await codeOf(run(async () => 1, { caller: callerWith(), input: 'nonsense' }))).toBe('FORBIDDEN')
  })

  test('of a raw route is judged too', async () => {
    const route = rawRoute({ name: 'raw', summary: '', http: 'GET /raw', access: 'things:create' })
    const bound = { route, handler: async () => new Response() }
    const target = { params: {}, origin: 'http://plat.test', isAtApiHost: false }
    const request = { caller: callerWith(), requestId: 'r1', signal, target }
    expect(await codeOf(things.kernel.runRaw(bound, request, new Request('http://plat.test')))).toBe('FORBIDDEN')
  })

  test('can be demanded in a handler', async () => {
    expect(await codeOf(run(async (ctx) => ctx.require('things:delete')))).toBe('FORBIDDEN')
  })
})

describe('the input', () => {
  test('is parsed, with its defaults', async () => {
    expect(await run(async (_, input) => input)).toEqual({ n: 1 })
  })
  test('that is bad never reaches the handler', async () => {
    let calls = 0
    await Promise.allSettled([run(async () => calls++, { input: { n: 'x' } })])
    expect(calls).toBe(0)
  })
})

describe('a write', () => {
  test('is committed when the handler has answered', async () => {
    await run((ctx) => addThing(ctx, 'a'))
    expect(await things.ids()).toEqual(['a'])
  })
  test('is undone when the handler throws', async () => {
    const failing = run(async (ctx) => {
      await addThing(ctx, 'a')
      throw new AppError('NOT_FOUND', 'no')
    })
    await Promise.allSettled([failing])
    expect(await things.ids()).toEqual([])
  })
  test('reads its own changes', async () => {
    const seen = await run(async (ctx) => {
      await addThing(ctx, 'a')
      return ctx.db.selectFrom('things').select('id').execute()
    })
    expect(seen).toEqual([{ id: 'a' }])
  })
  test('can undo a part of itself', async () => {
    await run(async (ctx) => {
      await addThing(ctx, 'a')
      const part = ctx.savepoint(async () => {
        await addThing(ctx, 'b')
        throw new Error('no')
      })
      await Promise.allSettled([part])
    })
    expect(await things.ids()).toEqual(['a'])
  })
})

test('calls with serializeBy are distinguished by the operation and its value', async () => {
  const names: (string | undefined)[] = []
  const db: typeof things.db = {
    ...things.db,
    write: (work, options) => {
      names.push(options?.serializeBy)
      return things.db.write(work, options)
    },
  }
  const kernel = things.kernel.over({ db })
  for (const more of [{ serializeBy: ({ n }: { n: number }) => `${n}` }, { serializeBy: () => undefined }, {}]) {
    const bound = { op: op(more), handler: async () => 'done' }
    await kernel.run(bound, { caller: callerWith('things:create'), input: { n: 7 }, requestId: 'r1', signal })
  }
  expect(names).toEqual(['things.try 7', undefined, undefined])
})

describe('a handler in two steps', () => {
  test('holds no transaction in the first, and hands over to the second', async () => {
    const prepare = async (_: ThingsCtx, { n }: { n: number }) => {
      // On a database with one writer, this would wait for itself.
      await things.inJobWrite((ctx) => addThing(ctx, 'meanwhile'))
      return async (ctx: ThingsCtx) => addThing(ctx, `n-${n}`)
    }
    await run({ prepare }, { input: { n: 7 } })
    expect(await things.ids()).toEqual(['meanwhile', 'n-7'])
  })
  test('is undone when the second throws', async () => {
    const prepare = async () => async (ctx: ThingsCtx) => {
      await addThing(ctx, 'a')
      throw new AppError('NOT_FOUND', 'no')
    }
    expect(await codeOf(run({ prepare }))).toBe('NOT_FOUND')
    expect(await things.ids()).toEqual([])
  })
  test('is judged before the first', async () => {
    const prepare = () => Promise.reject(new Error('prepared'))
    expect(await codeOf(run({ prepare }, { caller: callerWith() }))).toBe('FORBIDDEN')
  })
})

describe('a read', () => {
  test('begins no transaction: it is answered while a write is under way', async () => {
    const answer = await things.db.write(async () => run(async () => 'answered', { more: { effect: 'read' } }))
    expect(answer).toBe('answered')
  })
})

describe('an event', () => {
  const emit = (event: 'thing.created' | 'thing.ignored' | 'thing.refused') =>
    run(async (ctx) => {
      await addThing(ctx, 'a')
      await ctx.emit(event, { id: 'a' })
    })

  test('runs all its reactions, in the same transaction', async () => {
    await emit('thing.created')
    expect(await things.ids()).toEqual(['a', 'a-seen', 'a-seen-too'])
  })
  test('without a reaction is permitted', async () => {
    await emit('thing.ignored')
    expect(await things.ids()).toEqual(['a'])
  })
  test('that a reaction refuses undoes the write', async () => {
    expect(await codeOf(emit('thing.refused'))).toBe('ALREADY_EXISTS')
    expect(await things.ids()).toEqual([])
  })
})

describe('a precondition', () => {
  const check = (ifMatch: string | undefined) => codeOf(run(async (ctx) => ctx.precondition('now'), { ifMatch }))

  test.each([undefined, '*', `"${computeEtag('now')}"`, `"x", "${computeEtag('now')}-gzip"`])(
    '%p is met',
    async (ifMatch) => {
      expect(await check(ifMatch)).toBe('none')
    },
  )
  test.each(['"x"', '', `"${computeEtag('before')}"`])('%p is not met', async (ifMatch) => {
    expect(await check(ifMatch)).toBe('PRECONDITION_FAILED')
  })
})

describe('the context', () => {
  const ctxOf = async (): Promise<ThingsCtx> => {
    let found: ThingsCtx | undefined
    await run(async (ctx) => {
      found = ctx
    })
    if (!found) throw new Error('the handler was not called')
    return found
  }
  test('has the time of the call', async () => {
    expect((await ctxOf()).now).toBe('2026-01-02T03:04:05.678Z')
  })
  test('has the caller', async () => {
    expect((await ctxOf()).caller.username).toBe('Ann')
  })
  test('is aborted when the caller disconnects', async () => {
    expect((await ctxOf()).signal).toBe(signal)
  })
})

describe('a job', () => {
  test('runs without a caller or permission', async () => {
    const seen: unknown[] = []
    await things.inJob(async ({ caller }) => void seen.push(caller.via, caller.username, caller.permissions.size))
    expect(seen).toEqual(['job', 'test', 0])
  })
  test('writes in transactions of its own', async () => {
    await things.inJob(async (ctx) => {
      await ctx.write((inner) => addThing(inner, 'a'))
      await Promise.allSettled([
        ctx.write(async (inner) => {
          await addThing(inner, 'b')
          throw new Error('no')
        }),
      ])
    })
    expect(await things.ids()).toEqual(['a'])
  })
  test('that throws at once rejects', async () => {
    const job = () => {
      throw new Error('no')
    }
    expect(await codeOf(things.inJob(job))).toBe('Error: no')
  })
})

test('a contract and its handlers are paired by verb', () => {
  const implement = implementFor<ThingTables>()
  const read = { summary: '', access: 'public', input: z.object({}), output: z.string() } as const
  const contract = {
    one: operation({ ...read, name: 'x.one', http: 'GET /one' }),
    two: operation({ ...read, name: 'x.two', http: 'GET /two' }),
  }
  const handlers = { two: async () => '2', one: async () => '1' }
  const bound = implement(contract, handlers)
  expect(bound.map(({ op: { name }, handler }) => [name, handler])).toEqual([
    ['x.one', handlers.one],
    ['x.two', handlers.two],
  ])
})
