import { describe, expect, test } from 'bun:test'
import { findDigestTimes, findQuietEnd, type Rhythm } from './schedule.ts'

const rhythm = (more: Partial<Rhythm>): Rhythm => ({
  ...{ quiet_from: '', quiet_to: '', timezone: 'UTC', digest: '', digest_at: '08:00' },
  ...more,
})
const at = (text: string): number => Date.parse(text)
const quietEnd = (moment: string, more: Partial<Rhythm>): string | undefined => {
  const end = findQuietEnd(at(moment), rhythm(more))
  return end === undefined ? undefined : new Date(end).toISOString()
}
const digest = (moment: string, more: Partial<Rhythm>): string[] => {
  const { last, next } = findDigestTimes(at(moment), rhythm(more))
  return [new Date(last).toISOString(), new Date(next).toISOString()]
}

describe('quiet hours', () => {
  const NIGHT = { quiet_from: '22:00', quiet_to: '07:00' }
  const BERLIN = { ...NIGHT, timezone: 'Europe/Berlin' }
  test.each<[string, string, Partial<Rhythm>, string | undefined]>([
    ['without any', '2026-06-01T03:00:00Z', {}, undefined],
    ['within a day', '2026-06-01T12:30:00Z', { quiet_from: '12:00', quiet_to: '13:00' }, '2026-06-01T13:00:00.000Z'],
    ['at their first moment', '2026-06-01T22:00:00Z', NIGHT, '2026-06-02T07:00:00.000Z'],
    ['before midnight', '2026-06-01T23:59:59Z', NIGHT, '2026-06-02T07:00:00.000Z'],
    ['after midnight', '2026-06-02T00:00:00Z', NIGHT, '2026-06-02T07:00:00.000Z'],
    ['at their end', '2026-06-02T07:00:00Z', NIGHT, undefined],
    ['in a time zone', '2026-06-01T20:30:00Z', BERLIN, '2026-06-02T05:00:00.000Z'],
    ['before them in a time zone', '2026-06-01T19:59:00Z', BERLIN, undefined],
    // Clocks are set forward at 01:00Z: the night is an hour shorter.
    ['over the begin of summer time', '2026-03-28T22:00:00Z', BERLIN, '2026-03-29T05:00:00.000Z'],
    // Clocks are set back at 01:00Z: the night is an hour longer.
    ['over the end of summer time', '2026-10-24T20:00:00Z', BERLIN, '2026-10-25T06:00:00.000Z'],
    [
      'until a time that is skipped',
      '2026-03-29T00:30:00Z',
      { quiet_from: '22:00', quiet_to: '02:30', timezone: 'Europe/Berlin' },
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'until a time that is there twice',
      '2026-10-24T23:00:00Z',
      { quiet_from: '22:00', quiet_to: '02:30', timezone: 'Europe/Berlin' },
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'in a time zone of a half hour',
      '2026-06-01T17:00:00Z',
      { ...NIGHT, timezone: 'Asia/Kolkata' },
      '2026-06-02T01:30:00.000Z',
    ],
  ])('%s end as the clock on the wall says', (_, moment, more, end) => {
    expect(quietEnd(moment, more)).toBe(end)
  })
})

describe('a digest', () => {
  test.each<[string, string, Partial<Rhythm>, string[]]>([
    [
      'hourly',
      '2026-06-01T12:07:30.250Z',
      { digest: 'hourly', digest_at: '08:15' },
      ['2026-06-01T11:15:00.000Z', '2026-06-01T12:15:00.000Z'],
    ],
    [
      'hourly in a time zone of a half hour',
      '2026-06-01T12:07:00Z',
      { digest: 'hourly', digest_at: '08:00', timezone: 'Asia/Kolkata' },
      ['2026-06-01T11:30:00.000Z', '2026-06-01T12:30:00.000Z'],
    ],
    [
      'daily before its time',
      '2026-06-02T07:59:59Z',
      { digest: 'daily' },
      ['2026-06-01T08:00:00.000Z', '2026-06-02T08:00:00.000Z'],
    ],
    [
      'daily at its time',
      '2026-06-02T08:00:00Z',
      { digest: 'daily' },
      ['2026-06-02T08:00:00.000Z', '2026-06-03T08:00:00.000Z'],
    ],
    [
      'daily over the begin of summer time',
      '2026-03-29T00:00:00Z',
      { digest: 'daily', timezone: 'Europe/Berlin' },
      ['2026-03-28T07:00:00.000Z', '2026-03-29T06:00:00.000Z'],
    ],
    [
      'daily at a time that is there twice',
      '2026-10-25T01:45:00Z',
      { digest: 'daily', digest_at: '02:30', timezone: 'Europe/Berlin' },
      ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ],
    [
      'weekly on a Sunday',
      '2026-06-07T12:00:00Z',
      { digest: 'weekly' },
      ['2026-06-01T08:00:00.000Z', '2026-06-08T08:00:00.000Z'],
    ],
    [
      'weekly on a Monday before its time',
      '2026-06-01T07:00:00Z',
      { digest: 'weekly' },
      ['2026-05-25T08:00:00.000Z', '2026-06-01T08:00:00.000Z'],
    ],
    [
      'weekly on a Monday',
      '2026-06-01T08:00:00Z',
      { digest: 'weekly' },
      ['2026-06-01T08:00:00.000Z', '2026-06-08T08:00:00.000Z'],
    ],
    [
      'weekly on a Wednesday',
      '2026-06-03T00:00:00Z',
      { digest: 'weekly' },
      ['2026-06-01T08:00:00.000Z', '2026-06-08T08:00:00.000Z'],
    ],
  ])('%s has a last and a next time', (_, moment, more, times) => {
    expect(digest(moment, more)).toEqual(times)
  })
})
