import { expect, test } from 'bun:test'
import { coalesce } from './coalesce.ts'

/** Runs that the test ends. */
const runs = () => {
  const begun: PromiseWithResolvers<number>[] = []
  const ask = coalesce(() => {
    const run = Promise.withResolvers<number>()
    begun.push(run)
    return run.promise
  })
  const turn = () => Bun.sleep(0)
  return { ask, begun, turn }
}

test('calls during a run share the next one, which begins when it ends', async () => {
  const { ask, begun, turn } = runs()
  const first = ask()
  await turn()
  const others = [ask(), ask(), ask()]
  await turn()
  expect(begun).toHaveLength(1)
  begun[0]?.resolve(1)
  expect(await first).toBe(1)
  await turn()
  expect(begun).toHaveLength(2)
  begun[1]?.resolve(2)
  expect(await Promise.all(others)).toEqual([2, 2, 2])
})

test('a failed run fails for its callers only', async () => {
  const { ask, begun, turn } = runs()
  const first = ask()
  await turn()
  const second = ask()
  begun[0]?.reject(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await turn()
  begun[1]?.resolve(2)
  expect(await second).toBe(2)
})

test('a call without a run under way starts one', async () => {
  const { ask, begun, turn } = runs()
  for (const n of [1, 2]) {
    const answer = ask()
    await turn()
    begun.at(-1)?.resolve(n)
    expect(await answer).toBe(n)
  }
})
