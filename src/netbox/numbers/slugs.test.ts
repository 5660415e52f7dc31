// Slugs of names: their form, and that each is unique and stays while names come after it.
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { toNameSlug } from '../../net/slug.ts'
import { makeSlugs, type Slugged } from './slugs.ts'

/** Returns the slugs in the order of the names. */
const list = (...names: readonly Slugged[]): (string | undefined)[] => {
  const slugs = makeSlugs(names)
  return names.map(({ number }) => slugs.get(number))
}

describe('the slug of a text', () => {
  test.each([
    ['Core Switch', 'core-switch'],
    ['  Zürich, Büro 7 ', 'zurich-buro-7'],
    ['Ångström ½', 'angstrom-1-2'],
    ['--A__b--', 'a-b'],
    ['ﬁber', 'fiber'],
    ['東京', ''],
    ['x'.repeat(120), 'x'.repeat(100)],
    [`${'x'.repeat(99)} yz`, 'x'.repeat(99)],
  ])('of %j is %j', (text, slug) => {
    expect(toNameSlug(text)).toBe(slug)
  })
})

describe('slugs of a kind', () => {
  test('the younger of two names has its number behind the slug', () => {
    expect(list({ number: 9, text: 'core Switch' }, { number: 7, text: 'Core-Switch' })).toEqual([
      'core-switch-9',
      'core-switch',
    ])
  })

  test('a slug that was sent is kept as it is, even if an older name would have it', () => {
    expect(list({ number: 5, text: 'Edge' }, { number: 6, text: 'Border', slug: 'edge' })).toEqual(['edge-5', 'edge'])
  })

  test('the younger of two equal slugs that were sent has its number behind it', () => {
    const names = [{ number: 2, text: 'a', slug: 'Edge_1' } as const, { number: 1, text: 'b', slug: 'Edge_1' } as const]
    expect(list(...names)).toEqual(['Edge_1-2', 'Edge_1'])
  })

  test('a text without letters and digits of ASCII has its number as slug', () => {
    expect(list({ number: 12, text: '東京' }, { number: 13, text: '大阪' })).toEqual(['12', '13'])
  })

  test('a slug with a number behind it is as long as others may be', () => {
    const text = 'x'.repeat(100)
    expect(list({ number: 1, text }, { number: 1_000_000_001, text })).toEqual([text, `${'x'.repeat(89)}-1000000001`])
  })

  test('a name that has the slug with the number behind it does not share it', () => {
    expect(list({ number: 1, text: 'a' }, { number: 2, text: 'a-3' }, { number: 3, text: 'A' })).toEqual([
      'a',
      'a-3',
      'a-3-2',
    ])
  })

  test('random names have unique slugs of the form of NetBox, which stay when younger names come', () => {
    const parts = ['a', 'A', 'b', '-', ' ', 'ä', 'ß', '7', '3', '東', 'xyzw'.repeat(30)]
    const pick = <T>(from: readonly T[], random: number): T | undefined => from[Math.floor(random * from.length)]
    for (let round = 0; round < countCases(500); round++) {
      const names: Slugged[] = Array.from({ length: 1 + Math.floor(Math.random() * 12) }, (_, at) => ({
        number: at + 1,
        text: Array.from({ length: Math.floor(Math.random() * 4) }, () => pick(parts, Math.random())).join(''),
      }))
      const slugs = makeSlugs(names)
      const [younger, older] = [[...slugs.values()], makeSlugs(names.slice(0, -1))]
      const problems = {
        shared: younger.length - new Set(younger).size,
        malformed: younger.filter((slug) => !/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/.test(slug)),
        changed: [...older].filter(([number, slug]) => slugs.get(number) !== slug),
      }
      expect({ names, ...problems }).toEqual({ names, shared: 0, malformed: [], changed: [] })
    }
  })
})
