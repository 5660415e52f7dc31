/** Patterns of sources. */
import { expect, test } from 'bun:test'
import { findSpaceId, matchesPattern } from './patterns.ts'

test.each([
  ['web*', 'WEB-1', true],
  ['*web', 'my-web', true],
  ['a*b*c', 'aXXbYYc', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['a*b*b', 'ab', false],
  ['*', '', true],
  ['', 'x', false],
  ['web', 'web-1', false],
  ['a.c', 'abc', false],
])('the pattern %p matches %p: %p', (pattern, text, matches) => {
  expect(matchesPattern(pattern, text)).toBe(matches)
})

test('the first rule of a place that matches names its space, else the source does', () => {
  const placing = {
    spaceId: 'main',
    places: [
      { match: 'eu-*', space_id: 'eu' },
      { match: 'eu-west-1/*', space_id: 'west' },
      { match: 'us-*', space_id: null },
    ],
  }
  expect(findSpaceId(placing, 'eu-west-1/vpc-1')).toBe('eu')
  expect(findSpaceId(placing, 'us-east-1/vpc-1')).toBe('main')
  expect(findSpaceId({ ...placing, spaceId: null }, 'ap-south-1/vpc-1')).toBeNull()
})
