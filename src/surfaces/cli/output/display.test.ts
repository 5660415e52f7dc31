import { describe, expect, test } from 'bun:test'
import { formatSuggestion } from '../../../contract/suggest.ts'
import { cut, measureWidth, padEnd, toPrintable, toPrintableJson } from './display.ts'

describe('printable', () => {
  test.each([
    ['plain é 漢 😀', 'plain é 漢 😀'],
    ['a\u001b[31mred', 'a\\x1b[31mred'],
    ['two\nlines\r\ttab', 'two\\nlines\\r\\ttab'],
    ['\u009b2J\u007f\u0000', '\\x9b2J\\x7f\\x00'],
    ['abc\u202edcba', 'abc\\u202edcba'],
    ['a\u2028b', 'a\\u2028b'],
    ['a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
    ['👩\u200d👧', '👩\u200d👧'],
  ])('%j', (text, shown) => {
    expect(toPrintable(text)).toBe(shown)
  })

  test('JSON keeps its meaning', () => {
    const value = { name: '\u009b\u202e\u001b\n' }
    const text = toPrintableJson(JSON.stringify(value, undefined, 2))
    expect(text).not.toMatch(/[\u007f-\u009f\u202e]/)
    expect(JSON.parse(text)).toEqual(value)
  })
})

describe('width', () => {
  test('wide characters take two columns', () => {
    expect(measureWidth('漢字')).toBe(4)
    expect(padEnd('漢', 4)).toBe('漢  ')
  })

  test.each([
    ['datacenter', 8, 'datac...'],
    ['data', 8, 'data'],
    ['漢字漢字', 7, '漢字...'],
    ['👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5, '👩‍👩‍👧...'],
  ])('%s in %i columns', (text, width, shown) => {
    expect(cut(text, width)).toBe(shown)
  })
})

test.each([
  ['lst', ['list', 'get'], '; did you mean list?'],
  ['--tgas', ['--tags', '--name'], '; did you mean --tags?'],
  ['datacenterx', ['name'], ''],
])('%s', (word, known, text) => {
  expect(formatSuggestion(word, known)).toBe(text)
})
