// Filters by age: units, both signs, and texts that are no age.
import { expect, test } from 'bun:test'
import { isWithin } from './age.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const is = (at: string | null, value: string) => isWithin(at, value, NOW)

test.each([
  ['2026-06-01T11:50:01Z', '<10m', true],
  ['2026-06-01T11:50:00Z', '<10m', false],
  ['2026-05-31T12:00:01Z', '<24h', true],
  ['2026-05-31T11:59:59Z', '<24h', false],
  ['2026-05-31T11:59:59Z', '>24h', true],
  ['2026-05-25T12:00:01Z', '<7d', true],
  ['2026-05-25T11:59:59Z', '>1w', true],
])('%s is within %s: %p', (at, value, expected) => {
  expect(is(at, value)).toBe(expected)
})

test('a text that is no age finds nothing', () => {
  expect(
    ['', '<', '<24', '24h', '<24x', '<-1h', 'yesterday'].map((value) => is('2026-06-01T11:59:00Z', value)),
  ).toEqual(Array.from({ length: 7 }, () => false))
})

test('a time that is absent is of no age', () => {
  expect([is(null, '<24h'), is(null, '>24h')]).toEqual([false, false])
})
