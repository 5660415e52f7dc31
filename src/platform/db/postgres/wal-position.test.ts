import { expect, test } from 'bun:test'
import { bytesOf } from './wal-position.ts'

test('positions are compared as numbers, not as texts', () => {
  expect(bytesOf('1/10')).toBe(4294967312n)
  expect(bytesOf('9/0') < bytesOf('10/0')).toBe(true)
  expect(bytesOf('0/FF') < bytesOf('0/100')).toBe(true)
})
