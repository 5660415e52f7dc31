import { describe, expect, test } from 'bun:test'
import { createQueryCache } from './query-cache.ts'
import { RevisionCache } from './revision-cache.ts'

const made = () => {
  let commit = 0
  let reads = 0
  const remember = createQueryCache(new RevisionCache())
  return {
    commits: () => {
      commit++
    },
    read: (key: string, text: string | undefined) =>
      remember({ table: 'things', state: commit, key }, async () => {
        reads++
        return text
      }),
    reads: () => reads,
  }
}

describe('a text', () => {
  test('is read once', async () => {
    const { read, reads } = made()
    expect([await read('a', 'first'), await read('a', 'second'), reads()]).toEqual(['first', 'first', 1])
  })
  test('is read again after a commit', async () => {
    const { read, commits } = made()
    await read('a', 'first')
    commits()
    expect(await read('a', 'second')).toBe('second')
  })
  test('of another key is another one', async () => {
    const { read } = made()
    await read('a', 'first')
    expect(await read('b', 'second')).toBe('second')
  })
  test('that was read before a commit is not cached after it', async () => {
    const { read, commits } = made()
    const reading = read('a', 'first')
    commits()
    await reading
    expect(await read('a', 'second')).toBe('second')
  })
  test('that is missing is read again', async () => {
    const { read } = made()
    await read('a', undefined)
    expect(await read('a', 'now')).toBe('now')
  })
  test('that is very long is not cached', async () => {
    const { read, reads } = made()
    await read('a', 'x'.repeat(2_000_000))
    await read('a', 'x'.repeat(2_000_000))
    expect(reads()).toBe(2)
  })
})

test('the cache is bounded', async () => {
  const { read, reads } = made()
  for (let i = 0; i < 20_000; i++) await read(String(i), 'x'.repeat(1000))
  await read('19999', 'text')
  expect(reads()).toBe(20_000)
  await read('0', 'text')
  expect(reads()).toBe(20_001)
})

test('short texts count with their overhead', async () => {
  const { read, reads } = made()
  for (let i = 0; i < 200_000; i++) await read(String(i), '1')
  await read('0', '1')
  expect(reads()).toBe(200_001)
})
