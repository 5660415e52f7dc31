/** The presence of a device as 90 segments of 30 days, and in words. Pure. */
import { formatMoment, plural } from '../../ui/format.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
export const DAYS = 30
const SEGMENTS = 90
const SEGMENT_MS = (DAYS * DAY_MS) / SEGMENTS

type Interval = { readonly from: string; readonly to: string | null }
type Span = { readonly begin: number; readonly end: number }

/** Returns the spans of time within the last 30 days that intervals cover, in order. */
const mergeIntervals = (intervals: readonly Interval[], nowMs: number): Span[] => {
  const first = nowMs - DAYS * DAY_MS
  const spans = intervals
    .map(({ from, to }) => ({
      begin: Math.max(first, Date.parse(from)),
      end: to === null ? nowMs : Math.min(nowMs, Date.parse(to)),
    }))
    .filter(({ begin, end }) => end >= begin)
    .sort((a, b) => a.begin - b.begin)
  const merged: Span[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last && span.begin <= last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) }
    else merged.push(span)
  }
  return merged
}

export type Segment = { readonly begin: number; readonly end: number; readonly tone: 'up' | 'part' | 'down' }

/** A minute lost at a border is no absence. */
const isWhole = (coveredMs: number): boolean => coveredMs >= SEGMENT_MS - MINUTE_MS

/** Returns the segments of the last 30 days, the oldest first. */
export const buildSegments = (intervals: readonly Interval[], nowMs: number): Segment[] => {
  const spans = mergeIntervals(intervals, nowMs)
  return Array.from({ length: SEGMENTS }, (_, i) => {
    const begin = nowMs - (SEGMENTS - i) * SEGMENT_MS
    const end = begin + SEGMENT_MS
    // A span may be a moment.
    const touching = spans.filter((span) => span.begin < end && (span.end > begin || span.begin >= begin))
    const covered = touching.reduce((sum, span) => sum + Math.min(end, span.end) - Math.max(begin, span.begin), 0)
    return { begin, end, tone: isWhole(covered) ? 'up' : touching.length > 0 ? 'part' : 'down' }
  })
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long' })
const MOST_WEEKDAY_MS = 6 * DAY_MS

/** Formats a time of the last days by its weekday. @example formatDay(ms, nowMs) // 'Tuesday 14:05' */
const formatDay = (ms: number, nowMs: number): string => {
  const text = formatMoment(new Date(ms).toISOString())
  if (nowMs - ms >= MOST_WEEKDAY_MS) return text
  const isToday = text.slice(0, 10) === formatMoment(new Date(nowMs).toISOString()).slice(0, 10)
  return `${isToday ? 'today' : weekday.format(ms)} ${text.slice(11)}`
}

/** @example formatLength(21_600_000) // '6 h' */
const formatLength = (ms: number): string => {
  if (ms < HOUR_MS) return `${Math.max(1, Math.round(ms / MINUTE_MS))} min`
  return ms < 2 * DAY_MS ? `${Math.round(ms / HOUR_MS)} h` : plural(Math.round(ms / DAY_MS), 'day')
}

/** Formats a share that only a whole one rounds to 100 %. */
const formatShare = (share: number): string =>
  share < 0.001 ? 'less than 0.1 %' : `${Math.min(99.9, Math.round(share * 1000) / 10)} %`

/** @example 'up 99.2 % of 30 days, last gone Tuesday 14:05 for 6 h' */
export const describePresence = (intervals: readonly Interval[], share: number, nowMs: number): string => {
  const spans = mergeIntervals(intervals, nowMs)
  const last = spans.at(-1)
  if (!last) return `not seen in ${DAYS} days`
  const up = share >= 0.9995 ? `up all ${DAYS} days` : `up ${formatShare(share)} of ${DAYS} days`
  if (last.end < nowMs) return `${up}, gone since ${formatDay(last.end, nowMs)}`
  const before = spans.at(-2)
  if (before) return `${up}, last gone ${formatDay(before.end, nowMs)} for ${formatLength(last.begin - before.end)}`
  return share >= 0.9995 ? up : `${up}, there since ${formatDay(last.begin, nowMs)}`
}
