// The order of named locks, which tests check in every transaction.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('named locks on %s', (dialect) => {
  let things: ThingsKernel
  beforeEach(async () => {
    things = await thingsKernel([], dialect)
  })
  afterEach(() => things.close())

  const lockAfterBlocks = (work: (ctx: ThingsCtx) => Promise<void>) =>
    things.inJobWrite(async (ctx) => {
      await ctx.lock('pools', ['a'])
      await ctx.lock('blocks', ['a'])
      await work(ctx)
    })
  const OUT_OF_ORDER = 'the lock "pools" is taken after "blocks"'

  test('a lock after one of a later kind throws', async () => {
    await expect(lockAfterBlocks((ctx) => ctx.lock('pools', ['b']))).rejects.toThrow(OUT_OF_ORDER)
  })

  test('a shared lock after one of a later kind throws', async () => {
    await expect(lockAfterBlocks((ctx) => ctx.lock('placement', undefined, 'shared'))).rejects.toThrow(
      'the lock "placement" is taken after "blocks"',
    )
  })

  test('a lock that the transaction holds is free at any time', async () => {
    await lockAfterBlocks((ctx) => ctx.lock('pools', ['a']))
  })

  test('locks of one kind may follow each other', async () => {
    await lockAfterBlocks((ctx) => ctx.lock('blocks', ['b']))
  })

  test('an item of a call locks in an order of its own, and the call goes on in its order', async () => {
    const failing = lockAfterBlocks(async (ctx) => {
      await ctx.step(() => ctx.lock('pools', ['b']))
      await ctx.savepoint(() => ctx.lock('pools', ['c']))
      await ctx.lock('pools', ['d'])
    })
    await expect(failing).rejects.toThrow(OUT_OF_ORDER)
  })

  test('a savepoint that is rolled back releases its locks', async () => {
    const failing = lockAfterBlocks(async (ctx) => {
      const undone = ctx.savepoint(async () => {
        await ctx.lock('pools', ['b'])
        throw new Error('rolled back')
      })
      await expect(undone).rejects.toThrow('rolled back')
      await ctx.lock('pools', ['b'])
    })
    await expect(failing).rejects.toThrow(OUT_OF_ORDER)
  })

  test('two transactions do not share an order', async () => {
    await lockAfterBlocks(async () => {})
    await things.inJobWrite((ctx) => ctx.lock('pools', ['a']))
  })
})
