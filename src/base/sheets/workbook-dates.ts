/** Dates in workbooks: numbers of days with a format of dates (ECMA-376 part 1, sections 18.8.30 and 18.17.4). Browser-safe. */
import type { XmlEvent } from '../xml/xml.ts'

const DAY_MS = 86_400_000
/** Day 0 of each system. Excel counts 29 February 1900, which never was, so that its earlier days are one less. */
const FIRST_DAY = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const
const FALSE_DAY = 60
/** The last day of the year 9999. */
const MAX_DAY = 2_958_465

export type DateSystem = keyof typeof FIRST_DAY

/** Formats that every workbook has: dates and times, also of East Asian languages. 46 is a duration. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58)

/** True for a format code with a year, a month, a day, an hour or a second, outside of texts and colours; false for durations. */
const isDateCode = (code: string): boolean =>
  !/\[(?:h+|m+|s+)\]/i.test(code) && /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|general/gi, ''))

/** Returns the numbers of the cell formats that show dates. */
export const findDateFormats = (events: Iterable<XmlEvent>, local: (name: string) => string): ReadonlySet<number> => {
  const codes = new Map<number, string>()
  const formats = new Set<number>()
  let count = 0
  for (const event of events) {
    if (event.kind !== 'open') continue
    const { attributes } = event
    const name = local(event.name)
    if (name === 'numFmt') codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '')
    else if (name === 'xf' && event.path.some((one) => local(one) === 'cellXfs')) {
      const id = Number(attributes.numFmtId ?? 0)
      const code = codes.get(id)
      if (code === undefined ? isBuiltInDate(id) : isDateCode(code)) formats.add(count)
      count++
    }
  }
  return formats
}

/**
 * Returns a day as text: the date, with the time where there is one; the time alone of a day before the first one.
 * @example formatDay('45292.5', 1900) // '2024-01-01T12:00:00Z'
 */
export const formatDay = (value: string, system: DateSystem): string => {
  const days = Number(value)
  if (!(days >= 0 && days <= MAX_DAY)) return value
  const shift = system === 1900 && days < FALSE_DAY ? 1 : 0
  // Seconds are the smallest unit that a format shows without fractions.
  const seconds = Math.round(days * 86_400)
  const text = new Date(FIRST_DAY[system] + shift * DAY_MS + seconds * 1000).toISOString().slice(0, 19)
  if (seconds < 86_400 && days !== 0) return text.slice(11)
  return seconds % 86_400 === 0 ? text.slice(0, 10) : `${text}Z`
}
