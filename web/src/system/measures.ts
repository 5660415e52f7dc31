/** Sizes and durations as text. */

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const STEP = 1000

/** @example size(12_385_639) // '12.4 MB' */
export const size = (bytes: number): string => {
  const at = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const format = new Intl.NumberFormat('en-US', { style: 'unit', unit: UNITS[at] ?? 'byte', maximumFractionDigits: 1 })
  return format.format(bytes / STEP ** at)
}

const inUnit = (value: number, unit: string): string =>
  new Intl.NumberFormat('en-US', { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)

/** @example duration(1500) // '1.5 sec' */
export const duration = (ms: number): string => {
  if (ms < 1000) return inUnit(Math.round(ms), 'millisecond')
  if (ms < 120_000) return inUnit(ms / 1000, 'second')
  return ms < 7_200_000 ? inUnit(ms / 60_000, 'minute') : inUnit(ms / 3_600_000, 'hour')
}
