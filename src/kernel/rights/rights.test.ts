// Each transaction of a call confirms the caller's rights; long ones confirm them in between as well.
import { afterEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { addThing, callerWith, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError } from '../../contract/errors.ts'
import type { Bound } from '../context.ts'
import { operation } from '../operation.ts'
import type { Request } from '../request.ts'
import type { Rights } from './rights.ts'

const WRITE = 'things:write' as never

const op = (more: object = {}) =>
  operation({
    name: 'things.change',
    summary: '',
    http: 'POST /api/things',
    effect: 'update',
    access: WRITE,
    input: z.object({}),
    output: z.void(),
    ...more,
  })

/** Rights that a test can revoke, on a database with one writer or as of the last commit. */
const losable = () => {
  let permissions: readonly string[] | undefined = [WRITE]
  const make = (held: readonly string[]): Rights => ({
    caller: callerWith(...held),
    guard: undefined,
    isOver: () => false,
    confirm: async () => {
      if (!permissions) throw new AppError('UNAUTHORIZED', 'The session has ended; sign in again')
      return make(permissions)
    },
  })
  return {
    rights: make(permissions),
    become: (...held: readonly string[]) => {
      permissions = held
    },
    end: () => {
      permissions = undefined
    },
  }
}

describe.each(engines())('a call with rights, on %s', (dialect) => {
  let things: ThingsKernel
  afterEach(() => things.close())

  const run = async (rights: Rights, handler: (ctx: ThingsCtx) => Promise<void>, more: object = {}) => {
    things = await thingsKernel([], dialect)
    const request: Request = {
      caller: rights.caller,
      rights,
      input: {},
      requestId: 'r',
      signal: new AbortController().signal,
    }
    const bound: Bound<never> = { op: op(more), handler: handler as never }
    return things.kernel.run(bound as never, request)
  }
  const refused = (call: Promise<unknown>, code: string) => expect(call).rejects.toMatchObject({ code })

  test('that ended writes nothing', async () => {
    const { rights, end } = losable()
    end()
    await refused(
      run(rights, (ctx) => addThing(ctx, 'a')),
      'UNAUTHORIZED',
    )
    expect(await things.ids()).toEqual([])
  })

  test('uses the present permissions', async () => {
    const { rights, become } = losable()
    become(WRITE, 'more')
    let seen: readonly string[] = []
    await run(rights, async (ctx) => {
      seen = [...ctx.caller.permissions]
    })
    expect(seen).toEqual([WRITE, 'more'])
  })

  test('checks in each of its transactions', async () => {
    const { rights, become } = losable()
    const call = run(
      rights,
      async (ctx) => {
        await ctx.write((tx) => addThing(tx, 'a'))
        become('another')
        await ctx.write((tx) => addThing(tx, 'b'))
      },
      { hasOwnTransactions: true },
    )
    await refused(call, 'FORBIDDEN')
    expect(await things.ids()).toEqual(['a'])
  })

  test('that calls confirmRights is rolled back whole', async () => {
    const { rights, end } = losable()
    const call = run(rights, async (ctx) => {
      await addThing(ctx, 'a')
      await ctx.confirmRights()
      end()
      await addThing(ctx, 'b')
      await ctx.confirmRights()
    })
    await refused(call, 'UNAUTHORIZED')
    expect(await things.ids()).toEqual([])
  })

  test('checks again the permissions that the handler required', async () => {
    const { rights, become } = losable()
    const call = run(
      rights,
      async (ctx) => {
        ctx.require(WRITE)
        become('authenticated:only')
        await ctx.write((tx) => addThing(tx, 'a'))
      },
      { hasOwnTransactions: true, access: 'authenticated' },
    )
    await refused(call, 'FORBIDDEN')
    expect(await things.ids()).toEqual([])
  })
})
