import { describe, expect, test } from 'bun:test'
import { createFairLane, type Owner } from './fair-lane.ts'

const ownerOf = (name: string): Owner => ({ group: name, key: name })

/** A lane with work that ends when the test says so. */
const createLane = ({ atOnce = 1, waiting = 4 } = {}) => {
  const lane = createFairLane({ atOnce, waiting, refusal: () => new Error('full') })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const add = (name: string, owner: string, signal?: AbortSignal): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.set(name, resolve)
    const work = async () => {
      started.push(name)
      await promise
      return name
    }
    return lane.run(ownerOf(owner), work, signal).catch((error: Error) => error.message)
  }
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { lane, started, add, end }
}

describe('a fair lane', () => {
  test('runs as many pieces of work at a time as it may', async () => {
    const { started, add, end } = createLane({ atOnce: 2 })
    void add('a', 'ann')
    void add('b', 'bob')
    void add('c', 'cid')
    await end('')
    expect(started).toEqual(['a', 'b'])
    await end('a')
    expect(started).toEqual(['a', 'b', 'c'])
  })

  test('gives its owners turns, also if one of them came first with much work', async () => {
    const { started, add, end } = createLane()
    for (const name of ['a1', 'a2', 'a3']) void add(name, 'ann')
    void add('b1', 'bob')
    for (const name of ['a1', 'b1', 'a2', 'a3']) await end(name)
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  test('refuses the newest work of the owner who has most, when too many wait', async () => {
    const { add, end } = createLane({ waiting: 3 })
    void add('a1', 'ann')
    const all = ['a2', 'a3', 'a4'].map((name) => add(name, 'ann'))
    const bob = add('b1', 'bob')
    expect(await all[2]).toBe('full')
    for (const name of ['a1', 'b1', 'a2', 'a3']) await end(name)
    expect(await Promise.all([bob, all[0], all[1]])).toEqual(['b1', 'a2', 'a3'])
  })

  test('a fair lane removes waiting work when its signal aborts', async () => {
    const { started, add, end } = createLane()
    void add('a', 'ann')
    const gone = new AbortController()
    const waiting = add('b', 'bob', gone.signal)
    void add('c', 'cid')
    gone.abort(new Error('gone'))
    expect(await waiting).toBe('gone')
    await end('a')
    expect(started).toEqual(['a', 'c'])
  })

  test('runs the next work after one that fails', async () => {
    const { lane } = createLane()
    const first = lane.run(ownerOf('ann'), () => Promise.reject(new Error('failed')))
    const second = lane.run(ownerOf('bob'), async () => 'done')
    const outcomes = await Promise.allSettled([first, second])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})
