/** Sizes and durations as text. */

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const STEP = 1000

/** @example formatSize(12_385_639) // '12.4 MB' */
export const formatSize = (bytes: number): string => {
  const at = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const format = new Intl.NumberFormat('en-US', { style: 'unit', unit: UNITS[at] ?? 'byte', maximumFractionDigits: 1 })
  return format.format(bytes / STEP ** at)
}

const formatUnit = (value: number, unit: string): string =>
  new Intl.NumberFormat('en-US', { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)

/** @example formatDuration(1500) // '1.5 sec' */
export const formatDuration = (ms: number): string => {
  if (ms < 1000) return formatUnit(Math.round(ms), 'millisecond')
  if (ms < 120_000) return formatUnit(ms / 1000, 'second')
  return ms < 7_200_000 ? formatUnit(ms / 60_000, 'minute') : formatUnit(ms / 3_600_000, 'hour')
}
