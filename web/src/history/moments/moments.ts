/** Moments as they are typed: a time, a time of today, how long ago, or a day. Pure functions. */

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^(\d{1,6})\s*([smhd])$/
/** A date with a time in the zone of the browser. */
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/
/** RFC 3339 5.6 with an offset. */
const ABSOLUTE = /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:z|[+-]\d{2}:\d{2})$/

const MOMENT_TEXTS = ['1h', '24h', '7d', '30d', 'Today', 'Yesterday']
const NUMBER = /^\d{1,6}$/

/** Returns the beginning of a day, in the zone of the browser. @param ago 1 is yesterday */
export const getDayStart = (now: Date, ago: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - ago)

type Parts = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
]

/** Returns the moment of local parts; undefined for one that is in no calendar, such as the 31st of February. */
const fromParts = ([year, month, day, hour, minute, second, ms]: Parts): Date | undefined => {
  const date = new Date(year, month - 1, day, hour, minute, second, ms)
  const isReal = date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? date : undefined
}

/**
 * Reads a moment. @returns undefined for a text that names none
 * @example parseMoment('24h', now) // a day before now
 */
export const parseMoment = (text: string, now: Date): Date | undefined => {
  const typed = text.trim().toLowerCase()
  if (typed === 'now') return now
  if (typed === 'today') return getDayStart(now, 0)
  if (typed === 'yesterday') return getDayStart(now, 1)
  const [, count, unit = ''] = DURATION.exec(typed) ?? []
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (UNITS_MS[unit] ?? 0))
  if (ABSOLUTE.test(typed)) {
    const date = new Date(typed.toUpperCase())
    return Number.isNaN(date.getTime()) ? undefined : date
  }
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()] as const
  const time = TIME.exec(typed)
  if (time) return fromParts([...today, Number(time[1]), Number(time[2]), Number(time[3] ?? 0), 0])
  const local = LOCAL.exec(typed)
  if (!local) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = local
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  return fromParts([year, month, day, hour, minute, second, Number((local[7] ?? '0').padEnd(3, '0'))])
}

/**
 * Returns the texts that a field offers for a typed one.
 * @example completeMoment('7') // ['7d', '7m', '7h', '7:00']
 */
export const completeMoment = (typed: string): readonly string[] => {
  const start = typed.trim().toLowerCase()
  const texts = MOMENT_TEXTS.filter((text) => text.toLowerCase().startsWith(start))
  if (!NUMBER.test(start)) return texts
  const spans = ['m', 'h', 'd'].map((unit) => `${start}${unit}`)
  return [...new Set([...texts, ...spans, ...(Number(start) < 24 ? [`${start}:00`] : [])])]
}
