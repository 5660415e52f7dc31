import { describe, expect, test } from 'bun:test'
import { createMemo, createRevisionCache } from './revision-cache.ts'

describe('createRevisionCache', () => {
  const setUp = () => {
    const state = { revision: 'a', ms: 10_000, made: 0 }
    const cached = createRevisionCache({
      tables: ['t'],
      now: () => new Date(state.ms),
      empty: () => ({ n: ++state.made }),
    })
    const current = () => cached({ revision: () => state.revision, remember: (_table, _key, read) => read() })
    return { state, current }
  }

  test('keeps the entries while nothing is committed', async () => {
    const { state, current } = setUp()
    const first = await current()
    state.ms += 999
    expect(await current()).toBe(first)
  })

  test('begins anew after a commit', async () => {
    const { state, current } = setUp()
    const first = await current()
    state.revision = 'b'
    expect(await current()).not.toBe(first)
  })

  test.each([1000, -1000])('begins anew after %d ms', async (ms) => {
    const { state, current } = setUp()
    const first = await current()
    state.ms += ms
    expect(await current()).not.toBe(first)
  })
})

describe('createMemo', () => {
  test('reads once, for parallel callers too', async () => {
    const memo = createMemo<number>(10)
    let reads = 0
    const read = async () => ++reads
    expect(await Promise.all([memo('a', read), memo('a', read)])).toEqual([1, 1])
    expect(await memo('a', read)).toBe(1)
    expect(await memo('b', read)).toBe(2)
  })

  test('does not remember that nothing was found', async () => {
    const memo = createMemo<number>(10)
    expect(await memo('a', async () => undefined)).toBeUndefined()
    expect(await memo('a', async () => 1)).toBe(1)
  })

  test('does not remember a failure', async () => {
    const memo = createMemo<number>(10)
    await expect(memo('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await Bun.sleep(0)
    expect(await memo('a', async () => 1)).toBe(1)
  })

  test('forgets the oldest when it is full', async () => {
    const memo = createMemo<number>(2)
    for (const [i, key] of ['a', 'b', 'c'].entries()) await memo(key, async () => i)
    expect(await memo('b', async () => 9)).toBe(1)
    expect(await memo('a', async () => 9)).toBe(9)
  })
})
