// Events that a transaction announces: they are written at its end, in the places where they were announced.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type ThingsCtx, type ThingsKernel, thingsKernel } from '../../testing/app/kernel.ts'
import { NO_HISTORY } from './changes/history.ts'

declare module './events.ts' {
  interface Events {
    'thing.updated': undefined
    'thing.noted': undefined
  }
}

let things: ThingsKernel
beforeEach(async () => {
  things = await thingsKernel()
})
afterEach(() => things.close())

const announce = (ctx: ThingsCtx, name: string) => ctx.announce({ name, resourceId: 'r', data: '{}' })

/** Runs a transaction. Returns what was recorded, and the names after the commit. */
const run = async (work: (ctx: ThingsCtx) => Promise<void>) => {
  const recorded: string[][] = []
  const committed: string[] = []
  const kernel = things.kernel.over({
    onCommit: (names) => void committed.push(...names),
    history: { ...NO_HISTORY, record: async () => {} },
    events: {
      objectEvents: new Set(['thing.updated']),
      record: async (_, changes, announced) => {
        recorded.push([
          ...changes.map(({ id, firstWrite }) => `${id} ${firstWrite}`),
          ...announced.map(({ name, position }) => `${name} ${position}`),
        ])
        return announced.map(({ name }) => name)
      },
    },
  })
  const job = { name: 'test', summary: '', everyMs: 1000, run: (ctx: ThingsCtx) => ctx.write(work) }
  await kernel.runJob(job)
  return { recorded, committed }
}

test('an announced event has the number of writes before it', async () => {
  const { recorded, committed } = await run(async (ctx) => {
    announce(ctx, 'first')
    ctx.changed('thing', { id: 'a', after: '1' })
    ctx.changed('thing', { id: 'b', after: '1' })
    announce(ctx, 'second')
  })
  expect(recorded).toEqual([['a 0', 'b 1', 'first 0', 'second 2']])
  expect(committed).toEqual(['first', 'second'])
})

test('a savepoint that is rolled back takes its announced events along', async () => {
  const { recorded } = await run(async (ctx) => {
    announce(ctx, 'kept')
    const failing = ctx.savepoint(async () => {
      ctx.changed('thing', { id: 'a', after: '1' })
      announce(ctx, 'lost')
      throw new Error('rolled back')
    })
    await failing.catch(() => {})
    announce(ctx, 'later')
  })
  expect(recorded).toEqual([['kept 0', 'later 0']])
})

test('events that are announced after the change was recorded are written at the end', async () => {
  const { recorded } = await run(async (ctx) => {
    announce(ctx, 'before')
    ctx.changed('thing', { id: 'a', after: '1' })
    await ctx.commitChange()
    ctx.atEnd(async (inner) => announce(inner, 'behind'), undefined)
  })
  expect(recorded).toEqual([['a 0', 'before 0'], ['behind 1']])
})

test('a transaction without changes and events records none', async () => {
  const { recorded } = await run(async () => {})
  expect(recorded).toEqual([])
})

test('an emitted name that follows from a change of an object is not reported twice after the commit', async () => {
  const { committed } = await run(async (ctx) => {
    await ctx.emit('thing.updated')
    await ctx.emit('thing.noted')
  })
  expect(committed).toEqual(['thing.noted'])
})
