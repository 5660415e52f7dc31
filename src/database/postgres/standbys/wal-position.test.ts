import { expect, test } from 'bun:test'
import { parsePosition } from './wal-position.ts'

test('positions are compared as numbers, not as texts', () => {
  expect(parsePosition('1/10')).toBe(4294967312n)
  expect(parsePosition('9/0') < parsePosition('10/0')).toBe(true)
  expect(parsePosition('0/FF') < parsePosition('0/100')).toBe(true)
})
