/** Times as text. */
import { expect, test } from 'bun:test'
import { formatAgo } from './format.ts'

const NOW_MS = Date.parse('2026-11-29T12:00:00.000Z')
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString()
const DAY_MS = 86_400_000

test.each([
  [90 * DAY_MS - 5000, 'in 90 days'],
  [DAY_MS - 5000, 'in 24 hours'],
  [400 * DAY_MS, 'next year'],
  [-90 * DAY_MS, '3 months ago'],
  [-2 * 3_600_000 - 1, '2 hours ago'],
  [-30_000, 'just now'],
  [2000, 'just now'],
])('a time %d ms from now is "%s"', (ms, text) => {
  expect(formatAgo(at(ms), NOW_MS)).toBe(text)
})
