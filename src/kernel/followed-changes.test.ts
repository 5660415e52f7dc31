// The work of features on changed objects, before the events of a transaction are recorded.
import { afterEach, expect, test } from 'bun:test'
import { type ThingsCtx, type ThingsKernel, thingsKernel } from '../../testing/app/kernel.ts'
import type { ThingTables } from '../../testing/servers/database.ts'
import { NO_HISTORY } from './changes/history.ts'
import type { OnObjectsChanged } from './context.ts'

type Follow = OnObjectsChanged<ThingTables>

let things: ThingsKernel
afterEach(() => things.close())

/** Runs a transaction with a feature that follows things. Returns the recorded changes and announced events. */
const run = async (thing: Follow, work: (ctx: ThingsCtx) => Promise<void>) => {
  things = await thingsKernel([{ operations: [], follows: { thing } }])
  const recorded: string[] = []
  const kernel = things.kernel.over({
    history: { ...NO_HISTORY, record: async () => {} },
    events: {
      objectEvents: new Set(),
      record: async (_, changes, announced) => {
        recorded.push(...changes.map(({ id }) => id), ...announced.map(({ name, position }) => `${name} ${position}`))
        return []
      },
    },
  })
  await kernel.runJob({ name: 'test', summary: '', everyMs: 1000, run: (ctx: ThingsCtx) => ctx.write(work) })
  return recorded
}

const announceIds: Follow = async (ctx, changes) => {
  for (const { id, change } of changes) ctx.announce({ name: `${change} ${id}`, resourceId: id, data: '{}' })
}

const write = (ctx: ThingsCtx, id: string, kind = 'thing') => ctx.changed(kind, { id, after: '1' })

test('changed objects of a followed kind are handed over once, before the events are recorded', async () => {
  const recorded = await run(announceIds, async (ctx) => {
    write(ctx, 'a')
    write(ctx, 'other', 'unfollowed')
    ctx.changed('thing', { id: 'a', before: '1', after: '2' })
  })
  expect(recorded).toEqual(['a', 'other', 'create a 3'])
})

test('the objects of a savepoint are followed at its end', async () => {
  const recorded = await run(announceIds, async (ctx) => {
    await ctx.savepoint(async () => write(ctx, 'a'))
    await ctx.savepoint(async () => write(ctx, 'b'))
  })
  expect(recorded).toEqual(['a', 'b', 'create a 1', 'create b 2'])
})

test('a change before a savepoint that is rolled back is followed again', async () => {
  const recorded = await run(announceIds, async (ctx) => {
    write(ctx, 'a')
    const failing = ctx.savepoint(async () => {
      await ctx.savepoint(async () => write(ctx, 'b'))
      throw new Error('rolled back')
    })
    await failing.catch(() => {})
  })
  expect(recorded).toEqual(['a', 'create a 1'])
})

test('an object that is changed and changed back in a step is not followed', async () => {
  const recorded = await run(announceIds, async (ctx) => {
    ctx.changed('thing', { id: 'a', before: '1', after: '2' })
    ctx.changed('thing', { id: 'a', before: '2', after: '1' })
  })
  expect(recorded).toEqual([])
})

test('very many objects are handed over in portions, each to all work on its kind', async () => {
  const portions: string[] = []
  const count =
    (name: string): Follow =>
    async (_, changes) =>
      void portions.push(`${name} ${changes.length}`)
  things = await thingsKernel(['a', 'b'].map((name) => ({ operations: [], follows: { thing: count(name) } })))
  const work = (ctx: ThingsCtx) =>
    ctx.write(async (tx) => {
      for (let i = 0; i < 600; i++) write(tx, `thing-${i}`)
    })
  await things.kernel.over({ history: { ...NO_HISTORY, record: async () => {} } }).runJob({
    ...{ name: 'test', summary: '', everyMs: 1000, run: work },
  })
  expect(portions).toEqual(['a 250', 'b 250', 'a 250', 'b 250', 'a 100', 'b 100'])
})

test('the objects of a step are followed before the step returns', async () => {
  let followed = 0
  const seen: number[] = []
  await run(
    async () => void followed++,
    async (ctx) => {
      await ctx.step(async () => {
        write(ctx, 'a')
        seen.push(followed)
      })
      seen.push(followed)
    },
  )
  expect(seen).toEqual([0, 1])
})

test('objects that are changed by the work that follows others are followed in the next round', async () => {
  const recorded = await run(
    async (ctx, changes) => {
      await announceIds(ctx, changes)
      if (changes.some(({ id }) => id === 'a')) write(ctx, 'b')
    },
    async (ctx) => write(ctx, 'a'),
  )
  expect(recorded).toEqual(['a', 'b', 'create a 1', 'create b 2'])
})

test('changes that are followed by changes without an end make the transaction fail', async () => {
  const endless = run(
    async (ctx, changes) => write(ctx, `${changes[0]?.id}+`),
    async (ctx) => write(ctx, 'a'),
  )
  await expect(endless).rejects.toThrow('more than 10 rounds')
})

test('work that waits for the end of the transaction finds the changes followed', async () => {
  const recorded = await run(announceIds, async (ctx) => {
    write(ctx, 'a')
    ctx.atEnd(async (inner) => inner.announce({ name: 'end', resourceId: '', data: '{}' }), undefined)
  })
  expect(recorded).toEqual(['a', 'create a 1', 'end 1'])
})
