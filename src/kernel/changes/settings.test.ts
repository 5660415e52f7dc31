// Small tables that each write sees as of its commit: their value is cached with one writer, and read once in a transaction beside others.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addThing, type ThingsCtx, type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import type { ThingTables } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { transactionState } from '../../database/transaction-state.ts'
import { settings } from './settings.ts'

describe.each(engines())('settings on %s', (dialect) => {
  let things: ThingsKernel
  let reads = 0
  beforeEach(async () => {
    things = await thingsKernel([], dialect)
    reads = 0
  })
  afterEach(() => things.close())

  const read = async ({ db }: Pick<ThingsCtx, 'db'>): Promise<string[]> => {
    reads++
    return (await db.selectFrom('things').select('id').orderBy('id').execute()).map(({ id }) => id)
  }
  const written = transactionState(() => ({ is: false }))
  const ids = settings<ThingTables, string[]>('ids', ['things'], read, {
    hasWritten: ({ local }) => local(written).is,
  })
  const within = () => things.inJobWrite((ctx) => ids.within(ctx))

  test('a transaction sees what was committed before it', async () => {
    expect(await within()).toEqual([])
    await things.inJobWrite((ctx) => addThing(ctx, 'a'))
    expect(await within()).toEqual(['a'])
  })

  test('a transaction reads at most once, and one writer reads again only after a commit', async () => {
    await things.inJobWrite(async (ctx) => {
      await ids.within(ctx)
      await ids.within(ctx)
    })
    await within()
    expect(reads).toBe(dialect === 'sqlite' ? 1 : 2)
  })

  test('a transaction that has changed the tables reads its own rows', async () => {
    const own = await things.inJobWrite(async (ctx) => {
      await ids.within(ctx)
      await addThing(ctx, 'a')
      ctx.local(written).is = true
      return ids.within(ctx)
    })
    expect(own).toEqual(['a'])
  })

  test('a value that was read in a transaction that is rolled back is not kept', async () => {
    const failing = things.inJobWrite(async (ctx) => {
      await addThing(ctx, 'a')
      await ids.within(ctx)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await within()).toEqual([])
    expect(await ids.current({ db: things.db.read, store: things.db })).toEqual([])
  })

  test('the last committed value is read once for each revision', async () => {
    const scope = { db: things.db.read, store: things.db }
    await ids.current(scope)
    await ids.current(scope)
    expect(reads).toBe(1)
    await things.inJobWrite((ctx) => addThing(ctx, 'a'))
    expect([await ids.current(scope), reads]).toEqual([['a'], 2])
  })

  test('a read point from before a known commit is not used', async () => {
    const old = await things.db.readPoint()
    await things.inJobWrite((ctx) => addThing(ctx, 'a'))
    const find = () =>
      things.inJobWrite((ctx) => ids.findRevision(Object.create(ctx, { readPoint: { value: old } }) as ThingsCtx))
    expect(await find()).toBe(old.revision(['things']))
    ids.noteCommit(things.db)
    const present = await things.db.revision(['things'])
    expect([await find(), await find()]).toEqual([present, present])
  })
})
