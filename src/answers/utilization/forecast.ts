/** Forecasts when a network or pool will be full, from its samples. Pure. */
import type { History, Sample } from './api.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const FEWEST = 3
/** The forecast horizon, in days. */
const MOST_DAYS = 3650

const computeMedian = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Returns the median slope between all pairs of days (Theil 1950, Sen 1968): a single import does not change it. */
export const computeForecast = (samples: readonly Sample[]): History['forecast'] => {
  const last = samples.at(-1)
  if (!last || samples.length < FEWEST) return null
  const slopes = samples.flatMap((early, i) =>
    samples.slice(i + 1).map((late) => {
      const days = (Date.parse(late.day) - Date.parse(early.day)) / DAY_MS
      return (late.used_ips - early.used_ips) / days
    }),
  )
  const slope = computeMedian(slopes)
  const left = Math.max(0, last.total_ips - last.used_ips)
  const ahead = left === 0 ? 0 : slope > 0 ? Math.ceil(left / slope) : Number.POSITIVE_INFINITY
  return {
    per_day: Math.round(slope * 100) / 100,
    days_to_full: ahead <= MOST_DAYS ? ahead : null,
    days: samples.length,
  }
}
