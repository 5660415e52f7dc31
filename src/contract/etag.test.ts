import { describe, expect, test } from 'bun:test'
import { computeEtag, matchesEtag, quoteEtag } from './etag.ts'

test('equal text has an equal tag', () => {
  expect(computeEtag('{"a":1}')).toBe(computeEtag(['{"a"', ':1}'].join('')))
})

test('other text has another tag', () => {
  const tags = Array.from({ length: 10_000 }, (_, i) => computeEtag(`{"n":${i}}`))
  expect(new Set(tags).size).toBe(10_000)
})

test('a tag needs no escaping', () => {
  expect(computeEtag('text')).toMatch(/^[0-9a-z]+$/)
})

test.each([
  [undefined, '"abc"'],
  ['gzip', '"abc-gzip"'],
])('is quoted, for the coding %p: %s', (coding, header) => {
  expect(quoteEtag('abc', coding)).toBe(header)
})

describe('the tag abc', () => {
  test.each([
    '"abc"',
    '*',
    ' * ',
    '"abc-gzip"',
    '"abc-br"',
    '"abc-zstd"',
    'W/"abc"',
    'W/"abc-gzip"',
    '"x", "abc"',
    '"x" ,"abc-br" , "y"',
    'abc',
  ])('is named by %s', (header) => {
    expect(matchesEtag(header, 'abc')).toBe(true)
  })
  test.each([
    '',
    '""',
    '"x"',
    '"abcd"',
    '"ab"',
    '"abc-"',
    '"abc-deflate"',
    '"abc-gzip-gzip"',
    '"ABC"',
    'W/"x"',
    '"x", "y"',
    '"abc*"',
  ])('is not named by %s', (header) => {
    expect(matchesEtag(header, 'abc')).toBe(false)
  })
})
