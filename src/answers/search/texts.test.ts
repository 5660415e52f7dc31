// Word searches in cached texts, compared with a naive search of each text.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { RevisionCache } from '../../database/cache/revision-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { cacheTexts, type Described, Texts } from './texts.ts'

const named = (name: string, ...pieces: string[]): Described => ({
  ...{ id: name, name, match: '', space_id: null },
  pieces,
})
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)

test('finds the entries with every word, in order, up to the limit', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'İ', 'ß', '.'), maxLength: 6 })
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', 'ß', 'i'), minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(
      fc.array(fc.array(letters, { maxLength: 3 }), { maxLength: 12 }),
      words,
      fc.nat(5),
      (all, wanted, most) => {
        const described = all.map((pieces, i) => named(`${i}`, ...pieces))
        const expected = described.filter(({ pieces }) =>
          wanted.every((word) => pieces.some((piece) => piece.toLowerCase().includes(word))),
        )
        expect(namesOf(new Texts(described).find(wanted, most))).toEqual(namesOf(expected.slice(0, most)))
      },
    ),
    { numRuns: countCases(1000) },
  )
})

test('no match spans two texts or two entries', () => {
  const texts = new Texts([named('one', 'ab', 'cd'), named('two', 'ef')])
  expect(namesOf(texts.find(['bc'], 9))).toEqual([])
  expect(namesOf(texts.find(['de'], 9))).toEqual([])
  expect(namesOf(texts.find(['ab', 'cd'], 9))).toEqual(['one'])
  expect(namesOf(texts.find(['ab', 'ef'], 9))).toEqual([])
})

test('an empty list has no match', () => {
  expect(new Texts([]).find(['a'], 9)).toEqual([])
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
