/** The retry times of failed deliveries. */

const MINUTE_MS = 60_000
const INTERVALS_MS = [1, 5, 15, 60, 360].map((minutes) => minutes * MINUTE_MS)
/** Added only, never subtracted. It spreads retries of deliveries that failed at the same time. */
const JITTER = 0.05

/**
 * Returns the wait after an attempt, in ms: 1, 5, 15 minutes, 1 hour, then 6 hours each.
 * @param attempts the number of attempts so far, from 1
 * @param random 0 to 1
 * @example retryWaitMs(1, 0) // 60000 retryWaitMs(7, 0) // 21600000
 */
export const retryWaitMs = (attempts: number, random: number): number => {
  const interval = INTERVALS_MS[Math.min(attempts, INTERVALS_MS.length) - 1] ?? MINUTE_MS
  return Math.round(interval * (1 + JITTER * random))
}
