// Word searches in cached texts, compared with a naive search of each text.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { RevisionCache } from '../../database/cache/revision-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Word } from '../../net/words/word.ts'
import type { Entry, Query } from './matches.ts'
import { cacheTexts, Texts } from './texts.ts'

const named = (name: string, ...pieces: string[]): Entry => ({
  ...{ id: name, name, detail: '', space_id: null },
  pieces: pieces.map((text) => ({ field: 'name', text })),
})
const findNames = (texts: Texts, words: readonly Word[], most: number, accepts = (_: Entry) => true) => {
  const [first = [''] as const, ...others] = words
  const text = words.map(([typed]) => typed).join(' ')
  const query: Query = { text, words, whole: others.length === 0 ? first : [text] }
  return texts.find(query, { most, accepts }).map(({ name }) => name)
}

test('the entries with every word are found: equal texts first, then beginnings, up to the limit', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'İ', 'ß', '.'), maxLength: 6 })
  const spelling = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'ß', 'i'), minLength: 1, maxLength: 3 })
  const word = fc.tuple(spelling, fc.array(spelling, { maxLength: 1 })).map(([typed, more]): Word => [typed, ...more])
  fc.assert(
    fc.property(
      fc.array(fc.array(letters, { maxLength: 3 }), { maxLength: 12 }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.nat(5),
      (all, wanted, most) => {
        const [typed = [''] as const, ...others] = wanted
        const whole = others.length === 0 ? typed : [wanted.map(([one]) => one).join(' ')]
        const lower = all.map((pieces, i) => ({ name: `${i}`, texts: pieces.map((piece) => piece.toLowerCase()) }))
        const rank = (texts: readonly string[]): number => {
          if (texts.some((text) => whole.includes(text))) return 0
          return texts.some((text) => whole.some((one) => text.startsWith(one))) ? 1 : 2
        }
        const expected = lower
          .filter(({ texts }) => wanted.every((one) => texts.some((text) => one.some((each) => text.includes(each)))))
          .toSorted((a, b) => rank(a.texts) - rank(b.texts))
        const texts = new Texts(all.map((pieces, i) => named(`${i}`, ...pieces)))
        const found = findNames(texts, wanted, most)
        const names = expected.slice(0, most).map(({ name }) => name)
        // The order of fewer matches than an answer has is that of the entries.
        expect(expected.length < most ? found.toSorted() : found).toEqual(
          expected.length < most ? names.toSorted() : names,
        )
      },
    ),
    { numRuns: countCases(1000) },
  )
})

test('no match spans two texts or two entries', () => {
  const texts = new Texts([named('one', 'ab', 'cd'), named('two', 'ef')])
  expect(findNames(texts, [['bc']], 9)).toEqual([])
  expect(findNames(texts, [['de']], 9)).toEqual([])
  expect(findNames(texts, [['ab'], ['cd']], 9)).toEqual(['one'])
  expect(findNames(texts, [['ab'], ['ef']], 9)).toEqual([])
})

test('an entry that is not accepted is left out, and the next one is found', () => {
  const texts = new Texts([named('one', 'ab'), named('two', 'ab')])
  expect(findNames(texts, [['ab']], 1, ({ name }) => name !== 'one')).toEqual(['two'])
})

test('nothing is found among no entries', () => {
  expect(findNames(new Texts([]), [['a']], 9)).toEqual([])
})

describe('the cached texts', () => {
  const LARGE = 100_000
  const state = (cache: RevisionCache) => {
    const at = { revision: 'a', reads: 0 }
    const read = async () => {
      at.reads++
      return Array.from({ length: 200 }, (_, i) => named(`${i}`, 'x'.repeat(LARGE)))
    }
    const texts = cacheTexts('things', ['networks'], read)
    // Only these two are used.
    const ctx = { store: { cache, revision: () => at.revision } } as unknown as Ctx
    return { at, ask: () => texts(ctx) }
  }

  test('are read once, also if they are larger than the bound of the cache', async () => {
    const { at, ask } = state(new RevisionCache())
    await ask()
    await ask()
    expect(at.reads).toBe(1)
  })

  test('are not displaced by other values', async () => {
    const cache = new RevisionCache()
    const { at, ask } = state(cache)
    await ask()
    const others = cache.at<number>('others', 1)
    for (let i = 0; i < 1000; i++) others.set(`${i}`, i, LARGE)
    await ask()
    expect(at.reads).toBe(1)
  })

  test('are read again after a change of a table', async () => {
    const { at, ask } = state(new RevisionCache())
    await ask()
    at.revision = 'b'
    await ask()
    expect(at.reads).toBe(2)
  })
})
