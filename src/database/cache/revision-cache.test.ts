// Groups of values that are valid for a revision, and their common bound.
import { fullGC } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { pause } from '../../base/runtime/pause.ts'
import { memoized, RevisionCache } from './revision-cache.ts'

const MEBIBYTE = 1024 * 1024
const LONG_BYTES = MEBIBYTE / 4 - 1000

/** Puts texts into a group that are larger than the bound of all groups together. */
const overfill = (cache: RevisionCache, name: string) => {
  const group = cache.at<number>(name, 1)
  for (let i = 0; i < 100; i++) group.set(`long ${i}`, i, LONG_BYTES)
  return group
}

describe('a group', () => {
  test('keeps its values at the same revision', () => {
    const cache = new RevisionCache()
    cache.at<string>('a', 1).set('key', 'value', 5)
    expect(cache.at<string>('a', 1).get('key')).toBe('value')
  })

  test('is empty at another revision, and at the earlier one after that', () => {
    const cache = new RevisionCache()
    cache.at<string>('a', 1).set('key', 'value', 5)
    expect([cache.at('a', 2).get('key'), cache.at('a', 1).get('key')]).toEqual([undefined, undefined])
  })

  test('does not store a value read for an earlier revision', () => {
    const cache = new RevisionCache()
    const before = cache.at<string>('a', 1)
    const now = cache.at<string>('a', 2)
    before.set('key', 'old', 3)
    expect([now.get('key'), cache.at('a', 2).get('key')]).toEqual([undefined, undefined])
  })

  test('shares no key with another group', () => {
    const cache = new RevisionCache()
    cache.at<string>('a', 1).set('key', 'value', 5)
    expect(cache.at('b', 1).get('key')).toBeUndefined()
  })
})

describe('the bound', () => {
  test('keeps the newest value', () => {
    expect(overfill(new RevisionCache(), 'a').get('long 99')).toBe(99)
  })

  test('does not take a value that would displace many others', () => {
    const group = new RevisionCache().at<string>('a', 1)
    group.set('key', 'value', 2 * MEBIBYTE)
    expect(group.get('key')).toBeUndefined()
  })

  test('keeps no earlier value in place of one that is too large', () => {
    const group = new RevisionCache().at<string>('a', 1)
    group.set('key', 'before', 6)
    group.set('key', 'after', 2 * MEBIBYTE)
    expect(group.get('key')).toBeUndefined()
  })

  test('clears the largest group', () => {
    const cache = new RevisionCache()
    cache.at<string>('small', 1).set('key', 'value', LONG_BYTES)
    overfill(cache, 'large')
    expect(cache.at<string>('small', 1).get('key')).toBe('value')
  })

  test('holds for all groups together', () => {
    const cache = new RevisionCache()
    const names = Array.from({ length: 20 }, (_, i) => `group ${i}`)
    for (const name of names) for (let i = 0; i < 16; i++) cache.at<number>(name, 1).set(`${i}`, i, LONG_BYTES)
    const kept = names.flatMap((name) =>
      Array.from({ length: 16 }, (_, i) => cache.at(name, 1).get(`${i}`)).filter((value) => value !== undefined),
    )
    expect(kept.length).toBeWithin(48, 65)
  })

  test('does not count a group of an earlier revision', () => {
    const cache = new RevisionCache()
    cache.at<string>('a', 1).set('key', 'value', 5)
    for (let revision = 1; revision < 100; revision++) cache.at<string>('b', revision).set('key', 'value', LONG_BYTES)
    expect(cache.at<string>('a', 1).get('key')).toBe('value')
  })

  test('releases replaced values, also after an eviction', async () => {
    const group = overfill(new RevisionCache(), 'a') as unknown as ReturnType<typeof RevisionCache.prototype.at<object>>
    const replaced: WeakRef<object>[] = []
    for (let i = 0; i < 20_000; i++) {
      const value = { text: `text ${i}` }
      replaced.push(new WeakRef(value))
      group.set(`key ${i % 100}`, value, 10)
    }
    await pause()
    fullGC()
    // The collector may take stack slots for references.
    expect(replaced.filter((value) => value.deref()).length).toBeLessThan(1000)
  })
})

describe('memoized', () => {
  const memo = () => memoized<number | undefined>(new RevisionCache().at('a', 1))

  test('reads once, for parallel callers too', async () => {
    const once = memo()
    let reads = 0
    const read = async () => ++reads
    expect(await Promise.all([once('a', read), once('a', read)])).toEqual([1, 1])
    expect([await once('a', read), await once('b', read)]).toEqual([1, 2])
  })

  test('does not cache a missing value', async () => {
    const once = memo()
    expect(await once('a', async () => undefined)).toBeUndefined()
    expect(await once('a', async () => 1)).toBe(1)
  })

  test('does not cache a failure', async () => {
    const once = memo()
    await expect(once('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await pause()
    expect(await once('a', async () => 1)).toBe(1)
  })
})
