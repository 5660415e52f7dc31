import { describe, expect, test } from 'bun:test'
import { RevisionCache } from './revision-cache.ts'
import { createSearchCache } from './search-cache.ts'

const holding = (word: string) => (text: string) => text.includes(word)
const follow = (text: string, more: number) => String(Number(text) + more)

const made = () => {
  const found = createSearchCache(new RevisionCache())
  let reads = 0
  const seek = (word: string, text: string | undefined, table = 'things') =>
    found.remember({ table, key: word, by: { finds: holding(word) } }, async () => {
      reads++
      return text
    })
  const count = (word: string, read: () => Promise<string>) =>
    found.remember({ table: 'things', key: word, by: { finds: holding(word), follow } }, read)
  const changed = (...added: string[]) => found.changed('things', { added })
  const left = (...removed: string[]) => found.changed('things', { removed })
  return { changed, left, seek, count, reads: () => reads }
}

describe('a cached search', () => {
  test('is read once', async () => {
    const { seek, reads } = made()
    expect([await seek('a', '1'), await seek('a', '2'), reads()]).toEqual(['1', '1', 1])
  })
  test('is kept when other rows are added or removed', async () => {
    const { seek, changed, reads } = made()
    await seek('a', '1')
    changed('b', 'c')
    expect([await seek('a', '2'), reads()]).toEqual(['1', 1])
  })
  test('is read again when a matching row is added or removed, however long ago', async () => {
    const { seek, changed } = made()
    await seek('a', '1')
    changed('b', 'bad', 'c')
    changed('d')
    expect(await seek('a', '2')).toBe('2')
    changed('e')
    expect(await seek('a', '3')).toBe('2')
  })
  test('a cached search is checked by each caller, not only by the first', async () => {
    const { seek, changed } = made()
    await seek('a', '1')
    await seek('b', '1')
    changed('ab')
    expect([await seek('a', '2'), await seek('b', '2')]).toEqual(['2', '2'])
  })
  test('that changed during its read is not cached', async () => {
    const { seek, changed } = made()
    const reading = seek('a', 'before')
    changed('a')
    await reading
    expect(await seek('a', 'after')).toBe('after')
  })
  test('by a slow read does not replace a newer one', async () => {
    const found = createSearchCache(new RevisionCache())
    const { promise: slow, resolve } = Promise.withResolvers<string>()
    const place = { table: 'things', key: 'a', by: { finds: holding('a') } }
    const first = found.remember(place, () => slow)
    found.changed('things', { added: ['a'] })
    expect(await found.remember(place, async () => 'after')).toBe('after')
    resolve('before')
    expect(await first).toBe('before')
    expect(await found.remember(place, async () => 'after')).toBe('after')
  })
  test('of another table is kept', async () => {
    const { seek, changed } = made()
    await seek('a', '1', 'others')
    changed('a')
    expect(await seek('a', '2', 'others')).toBe('1')
  })
  test('is read again after more changes than are compared', async () => {
    const { seek, changed } = made()
    await seek('a', '1')
    changed(...Array(1000).fill('b'))
    expect(await seek('a', '2')).toBe('1')
    changed(...Array(1001).fill('b'))
    expect(await seek('a', '2')).toBe('2')
  })
  test('is read again after changes of more characters than are kept', async () => {
    const { seek, changed } = made()
    await seek('a', '1')
    changed('b'.repeat(1024 * 1024 - 1), 'b')
    expect(await seek('a', '2')).toBe('1')
    changed('b'.repeat(1024 * 1024), 'b')
    expect(await seek('a', '2')).toBe('2')
  })
  test('without a result is read again', async () => {
    const { seek } = made()
    await seek('a', undefined)
    expect(await seek('a', '1')).toBe('1')
  })
})

describe('a cached count', () => {
  test('follows added and removed rows without another count', async () => {
    const { count, changed, left } = made()
    const counted = async () => '7'
    const again = async () => {
      throw new Error('counted again')
    }
    expect(await count('a', counted)).toBe('7')
    changed('a1', 'b1', 'a2')
    expect(await count('a', again)).toBe('9')
    left('a1')
    left('b1')
    expect([await count('a', again), await count('a', again)]).toEqual(['8', '8'])
    left('a2')
    changed('a2')
    expect(await count('a', again)).toBe('8')
  })
  test('is read again if a row was added during the count', async () => {
    const { count, changed } = made()
    const { promise: slow, resolve } = Promise.withResolvers<string>()
    const first = count('a', () => slow)
    changed('a')
    resolve('7')
    expect([await first, await count('a', async () => '8')]).toEqual(['7', '8'])
  })
  test('is read once if other rows were added during the count', async () => {
    const { count, changed } = made()
    const { promise: slow, resolve } = Promise.withResolvers<string>()
    const first = count('a', () => slow)
    changed('b')
    resolve('7')
    await first
    changed('a')
    expect(await count('a', async () => 'counted again')).toBe('8')
  })
  test('is read again after more changes than are compared', async () => {
    const { count, changed } = made()
    await count('a', async () => '7')
    changed(...Array(1001).fill('a'))
    expect(await count('a', async () => '1008 counted')).toBe('1008 counted')
  })
})

test('the cache is bounded, though some entries were read again', async () => {
  const { seek, changed, reads } = made()
  const long = 'x'.repeat(1000)
  for (let i = 0; i < 20_000; i++) {
    await seek(`<${i}>`, long)
    if (i % 2 === 0) continue
    changed(`<${i}>`)
    await seek(`<${i}>`, long)
  }
  expect(reads()).toBe(30_000)
  await seek('<19999>', long)
  expect(reads()).toBe(30_000)
  await seek('<0>', long)
  expect(reads()).toBe(30_001)
})
