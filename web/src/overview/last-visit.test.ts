// The visits of the overview: one goes on with each look, and another begins after an hour.
import { expect, test } from 'bun:test'
import { addVisit } from './last-visit.ts'

const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-06-01T12:00:00Z')

test('the first visit looks back for a day', () => {
  expect(addVisit({ latest: 0, before: 0 }, NOW)).toEqual({ latest: NOW, before: NOW - 24 * HOUR_MS })
})

test('a look within the hour belongs to the same visit', () => {
  const visits = { latest: NOW - HOUR_MS, before: NOW - 9 * HOUR_MS }
  expect(addVisit(visits, NOW)).toEqual({ latest: NOW, before: NOW - 9 * HOUR_MS })
})

test('a look after more than an hour begins a visit, since the last look', () => {
  const last = NOW - HOUR_MS - 1
  expect(addVisit({ latest: last, before: NOW - 9 * HOUR_MS }, NOW)).toEqual({ latest: NOW, before: last })
})

test('a clock that was set back begins again', () => {
  expect(addVisit({ latest: NOW + 1, before: NOW }, NOW)).toEqual({ latest: NOW, before: NOW - 24 * HOUR_MS })
})
