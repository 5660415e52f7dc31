/** The times of quiet hours and digests in a time zone. Pure. */
import type { ChannelFields } from './fields.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DAYS_OF_WEEK = 7
/** Monday, as `getUTCDay` counts. */
const MONDAY = 1

export type Rhythm = Pick<ChannelFields, 'quiet_from' | 'quiet_to' | 'timezone' | 'digest' | 'digest_at'>

/** Creating one takes longer than using it. Bounded by the number of time zones. */
const formats = new Map<string, Intl.DateTimeFormat>()

const getFormat = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  formats.set(timeZone, made)
  return made
}

/** Returns the local time of a moment, as the milliseconds that UTC has at the same date and time. */
const toLocalMs = (ms: number, timeZone: string): number => {
  const parts = Object.fromEntries(
    getFormat(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * Returns the moment of a local time. The first of two where clocks are set back; where they are set forward, a time that is skipped
 * counts as much later as the clocks are set.
 */
const toMoment = (localMs: number, timeZone: string): number => {
  const getOffset = (ms: number): number => toLocalMs(ms, timeZone) - ms
  const [before, after] = [localMs - getOffset(localMs - DAY_MS), localMs - getOffset(localMs + DAY_MS)]
  const found = [before, after].filter((ms) => toLocalMs(ms, timeZone) === localMs)
  return found.length > 0 ? Math.min(...found) : Math.max(before, after)
}

const parseMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Returns the moment of a time of day, some days after the local date of a moment. */
const findTimeOfDay = (
  ms: number,
  { time, timezone, days }: { time: string; timezone: string; days: number },
): number => {
  const midnight = Math.floor(toLocalMs(ms, timezone) / DAY_MS) * DAY_MS
  return toMoment(midnight + days * DAY_MS + parseMinutes(time) * MINUTE_MS, timezone)
}

/** Returns the end of the quiet hours in which a moment is; undefined outside of them. */
export const findQuietEnd = (ms: number, { quiet_from, quiet_to, timezone }: Rhythm): number | undefined => {
  if (quiet_from === '') return undefined
  const isOverMidnight = quiet_to <= quiet_from
  for (const days of [-1, 0]) {
    const from = findTimeOfDay(ms, { time: quiet_from, timezone, days })
    const to = findTimeOfDay(ms, { time: quiet_to, timezone, days: isOverMidnight ? days + 1 : days })
    if (from <= ms && ms < to) return to
  }
  return undefined
}

const listDigestTimes = (ms: number, { digest, digest_at, timezone }: Rhythm): number[] => {
  if (digest === 'hourly') {
    const minute = parseMinutes(digest_at) % 60
    const local = toLocalMs(ms, timezone)
    const hour = ms - (local % HOUR_MS) - (ms % 1000)
    return [-1, 0, 1].map((hours) => hour + hours * HOUR_MS + minute * MINUTE_MS)
  }
  const weekday = new Date(toLocalMs(ms, timezone)).getUTCDay()
  const toMonday = (MONDAY - weekday - DAYS_OF_WEEK) % DAYS_OF_WEEK
  const days = digest === 'daily' ? [-1, 0, 1] : [toMonday - DAYS_OF_WEEK, toMonday, toMonday + DAYS_OF_WEEK]
  return days.map((offset) => findTimeOfDay(ms, { time: digest_at, timezone, days: offset }))
}

/** Returns the last time of a digest at or before a moment, and the next one after it. */
export const findDigestTimes = (ms: number, rhythm: Rhythm): { readonly last: number; readonly next: number } => {
  const times = listDigestTimes(ms, rhythm)
  return {
    last: Math.max(...times.filter((time) => time <= ms)),
    next: Math.min(...times.filter((time) => time > ms)),
  }
}
