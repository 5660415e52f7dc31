/** A field of moments reads every form that it offers, and nothing else. */
import { expect, test } from 'bun:test'
import { completeMoment, parseMoment } from './moments.ts'

const NOW = new Date(2026, 10, 28, 14, 30, 15, 500)

test.each([
  ['2026-11-28 14:05', new Date(2026, 10, 28, 14, 5)],
  ['2026-11-28T14:05:06', new Date(2026, 10, 28, 14, 5, 6)],
  ['2026-11-28 14:05:06.25', new Date(2026, 10, 28, 14, 5, 6, 250)],
  ['2026-11-28', new Date(2026, 10, 28)],
  ['14:05', new Date(2026, 10, 28, 14, 5)],
  ['9:05:07', new Date(2026, 10, 28, 9, 5, 7)],
  ['24h', new Date(NOW.getTime() - 86_400_000)],
  [' 7D ', new Date(NOW.getTime() - 7 * 86_400_000)],
  ['30m', new Date(NOW.getTime() - 1_800_000)],
  ['Yesterday', new Date(2026, 10, 27)],
  ['today', new Date(2026, 10, 28)],
  ['now', NOW],
  ['2026-11-28T14:05:00Z', new Date('2026-11-28T14:05:00Z')],
  ['2026-11-28T14:05:00.123+02:00', new Date('2026-11-28T12:05:00.123Z')],
])('%s is a moment', (text, expected) => {
  expect(parseMoment(text, NOW)).toEqual(expected)
})

test.each(['', '2026-02-31', '25:00', '12:60', '7w', 'tomorrow', '11/28/2026', '2026-13-01 00:00', '-1d'])(
  '%p is no moment',
  (text) => {
    expect(parseMoment(text, NOW)).toBeUndefined()
  },
)

test.each([
  ['', ['1h', '24h', '7d', '30d', 'Today', 'Yesterday']],
  ['y', ['Yesterday']],
  ['7', ['7d', '7m', '7h', '7:00']],
  ['30', ['30d', '30m', '30h']],
  ['9:05', []],
  ['x', []],
])('%p is completed to moments', (typed, expected) => {
  expect(completeMoment(typed)).toEqual(expected)
  for (const text of completeMoment(typed)) expect(parseMoment(text, NOW)).toBeInstanceOf(Date)
})
