import { describe, expect, test } from 'bun:test'
import table from './confusables.txt' with { type: 'text' }
import { CONFUSABLES_VERSION, computeLooks, toSkeleton } from './skeleton.ts'

const alike = (one: string, other: string): boolean =>
  computeLooks(one).some((look) => computeLooks(other).includes(look))

describe('names that look alike', () => {
  test.each([
    ['paypal', 'р\u0430yp\u0430l'],
    ['admin', '\u0430dmin'],
    ['admin', 'adrnin'],
    ['adm1n', 'admln'],
    ['root', 'r00t'],
    ['root', 'r\u03bf\u03bft'],
    ['ADMIN', 'ADM1N'],
    ['sam', 'S\u0410M'],
    ['SAM', 's\u0430m'],
    ['scope', 'ѕсоре'],
    ['ada', 'a\u200bda'],
    ['ada', 'ada\ufe0f'],
    ['ada', 'a\u034fda'],
    ['ada lovelace', 'ada\u2003 lovelace'],
    ['é', 'e\u0301'],
    ['Ada', 'ada'],
    ['admin', 'AD\u041cIN'],
    ['admin', 'Ad\u041cin'],
    ['admin', 'AD\u039cIN'],
    ['sam', 'SA\u039c'],
    ['hans', '\u041dANS'],
  ])('%p and %p', (one, other) => {
    expect(alike(one, other)).toBe(true)
  })

  test.each([
    ['ada', 'adam'],
    ['ali', 'all'],
    ['lee', 'leo'],
    ['user-1', 'user-2'],
    ['müller', 'muller'],
  ])('and not %p and %p', (one, other) => {
    expect(alike(one, other)).toBe(false)
  })
})

test('the table is complete: this version of Unicode, with all its characters', () => {
  const characters = table
    .split('\n')
    .flatMap((line) => (line.startsWith('#') ? [] : (line.split(';')[1] ?? '').split(' ')))
  expect([CONFUSABLES_VERSION, characters.filter((one) => one !== '').length]).toEqual(['18.0.0', 6712])
})

test('a skeleton is its own skeleton', () => {
  const ends = table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      String.fromCodePoint(...(line.split(';')[0] ?? '').split(' ').map((hex) => Number.parseInt(hex, 16))),
    )
  expect(ends.filter((text) => toSkeleton(toSkeleton(text)) !== toSkeleton(text))).toEqual([])
})
