// A transaction of many rows keeps few of their texts, and what was found before it is still read again where it must be.
import { describe, expect, test } from 'bun:test'
import { RevisionCache } from './revision-cache.ts'
import { createSearchCache, SearchChanges } from './search-cache.ts'

const DEVICES = 5000

const made = () => {
  const found = createSearchCache(new RevisionCache())
  let reads = 0
  const seek = async (word: string, table = 'things') =>
    found.remember({ table, key: word, by: { finds: (text) => text.includes(word) } }, async () => String(++reads))
  return { found, seek, changes: new SearchChanges() }
}
const addMany = (changes: SearchChanges, text = 'x') => {
  for (let i = 0; i < DEVICES; i++) changes.add('things', { added: [text] })
}

describe('a cached search is read again', () => {
  test('after few changes of which one matches', async () => {
    const { found, seek, changes } = made()
    await seek('a')
    changes.add('things', { added: ['b'], removed: ['a'] })
    changes.applyTo(found)
    expect(await seek('a')).toBe('2')
  })

  const one = (changes: SearchChanges) => changes.add('things', { added: ['a'] })
  const long = (changes: SearchChanges) => changes.add('things', { added: ['x'.repeat(2_000_000)] })
  const many = (changes: SearchChanges) => addMany(changes)
  test.each([
    ['the first', [one, many]],
    ['the last', [many, one]],
    ['the one after a long text', [long, one]],
  ])('after many changes of which %s matches', async (_, steps) => {
    const { found, seek, changes } = made()
    await seek('a')
    for (const step of steps) step(changes)
    changes.applyTo(found)
    expect(await seek('a')).toBe('2')
  })

  test('where the many were undone in part', async () => {
    const { found, seek, changes } = made()
    await seek('a')
    const before = changes.count
    addMany(changes)
    changes.add('things', { added: ['a'] })
    changes.undo(before)
    changes.applyTo(found)
    expect(await seek('a')).toBe('2')
  })

  test('where another transaction of the commit has changed many', async () => {
    const { found, seek, changes } = made()
    await seek('a')
    const other = new SearchChanges()
    addMany(other)
    other.add('things', { added: ['a'] })
    changes.addAll(other)
    changes.applyTo(found)
    expect(await seek('a')).toBe('2')
  })
})

describe('a cached search is kept', () => {
  test('when the matching change was rolled back', async () => {
    const { found, seek, changes } = made()
    await seek('a')
    const before = changes.count
    changes.add('things', { added: ['a'] })
    changes.undo(before)
    changes.applyTo(found)
    expect(await seek('a')).toBe('1')
  })

  test('in another table, whatever many there were', async () => {
    const { found, seek, changes } = made()
    await seek('a', 'others')
    addMany(changes)
    changes.applyTo(found)
    expect(await seek('a', 'others')).toBe('1')
  })

  test('again, once it was read after many changes', async () => {
    const { found, seek, changes } = made()
    addMany(changes)
    changes.applyTo(found)
    await seek('a')
    expect(await seek('a')).toBe('1')
  })
})

test('only few of many changes are stored', () => {
  const changes = new SearchChanges()
  addMany(changes, 'x'.repeat(100))
  expect(changes.count).toBeLessThanOrEqual(1000)
})
