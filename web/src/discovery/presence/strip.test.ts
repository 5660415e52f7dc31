// The strip of presence: which segments are covered, and its words.
import { describe, expect, test } from 'bun:test'
import { buildSegments, describePresence } from './strip.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A Friday at noon, in the time zone of the browser. */
const NOW = new Date(2026, 10, 27, 12).getTime()
const at = (ms: number) => new Date(NOW - ms).toISOString()
const since = (days: number) => ({ from: at(days * DAY_MS), to: null })

describe('the segments of 30 days', () => {
  const tones = (...intervals: Parameters<typeof buildSegments>[0]) =>
    buildSegments(intervals, NOW).map(({ tone }) => tone)

  test('are 90, up from the beginning to the end', () => {
    expect(tones(since(40))).toEqual(Array.from({ length: 90 }, () => 'up'))
  })

  test('are down before the device was there, and while it was away', () => {
    const all = tones({ from: at(2 * DAY_MS), to: at(DAY_MS) })
    expect(all.slice(-7)).toEqual(['down', 'up', 'up', 'up', 'down', 'down', 'down'])
  })

  test('are partly up for a part', () => {
    expect(tones({ from: at(4 * HOUR_MS), to: null }).slice(-2)).toEqual(['down', 'part'])
  })

  test('are partly up for a moment', () => {
    expect(tones({ from: at(HOUR_MS), to: at(HOUR_MS) }).slice(-1)).toEqual(['part'])
  })

  test('count two addresses at once only once', () => {
    expect(
      tones({ from: at(6 * HOUR_MS), to: at(3 * HOUR_MS) }, { from: at(6 * HOUR_MS), to: at(3 * HOUR_MS) }).at(-1),
    ).toBe('part')
  })
})

describe('the words of presence', () => {
  test('say when a device was last gone, and for how long', () => {
    const intervals = [
      { from: at(40 * DAY_MS), to: at(3 * DAY_MS - 2 * HOUR_MS) },
      { from: at(3 * DAY_MS - 8 * HOUR_MS), to: null },
    ]
    expect(describePresence(intervals, 0.9917, NOW)).toBe('up 99.2 % of 30 days, last gone Tuesday 14:00 for 6 h')
  })

  test('say since when a device is gone', () => {
    expect(describePresence([{ from: at(9 * DAY_MS), to: at(2 * HOUR_MS) }], 0.297, NOW)).toBe(
      'up 29.7 % of 30 days, gone since today 10:00',
    )
  })

  test('say since when a new device is there', () => {
    expect(describePresence([since(9)], 0.3, NOW)).toBe('up 30 % of 30 days, there since 2026-11-18 12:00')
  })

  test('name no gap for a device that was always there', () => {
    expect(describePresence([since(40)], 1, NOW)).toBe('up all 30 days')
  })

  test('never round an absence to 100 %', () => {
    const intervals = [
      { from: at(40 * DAY_MS), to: at(DAY_MS) },
      { from: at(DAY_MS - 20 * 60_000), to: null },
    ]
    expect(describePresence(intervals, 0.9994, NOW)).toBe('up 99.9 % of 30 days, last gone Thursday 12:00 for 20 min')
  })

  test('say that a device was not seen', () => {
    expect(describePresence([], 0, NOW)).toBe('not seen in 30 days')
  })
})
