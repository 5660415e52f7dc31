/** Computes the points of the utilization chart. Pure functions. */
import type { UtilizationHistory } from '../api/contracts.ts'

type Sample = UtilizationHistory['samples'][number]

export type Chart = {
  /** The value of the top line of the chart. */
  readonly top: number
  /** True if `top` is the total number of addresses. */
  readonly isWhole: boolean
  /** `x,y x,y ...` in a picture of `WIDTH` x `HEIGHT`. */
  readonly line: string
  /** The same, closed along the bottom for the filled area. */
  readonly area: string
  /** The x position of the last day, of `WIDTH`. */
  readonly end: number
  /** The forecast from the last day on, or '' without one. */
  readonly ahead: string
}

export const WIDTH = 720
export const HEIGHT = 160
/** The longest forecast, as a part of the known time. */
const AHEAD = 0.5
/** Above this utilization, the top of the chart is the total number of addresses. */
const NEAR_FULL = 0.4

const DAY_MS = 24 * 60 * 60 * 1000
const toDay = ({ day }: Sample): number => Date.parse(day) / DAY_MS

/** Rounds up to 1, 2 or 5 times a power of ten. @example roundUp(37) // 50 */
export const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 5, 10].map((step) => step * power).find((round) => round >= value) ?? value
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Returns the points of a history. Without samples, the line is empty. */
export const computeChart = ({ samples, forecast }: UtilizationHistory): Chart => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last) return { top: 0, isWhole: false, line: '', area: '', end: 0, ahead: '' }
  const most = Math.max(...samples.map(({ used_ips }) => used_ips))
  const isWhole = most >= last.total_ips * NEAR_FULL
  const top = isWhole ? Math.max(last.total_ips, most) : Math.min(last.total_ips, roundUp(most * 1.1))
  const known = toDay(last) - toDay(first)
  const perDay = forecast?.per_day ?? 0
  const ahead = perDay === 0 ? 0 : Math.min(known * AHEAD, forecast?.days_to_full ?? Number.POSITIVE_INFINITY)
  const span = Math.max(1, known + ahead)
  const x = (day: number): number => round(((day - toDay(first)) / span) * WIDTH)
  const y = (used: number): number => round(HEIGHT - (Math.min(top, Math.max(0, used)) / Math.max(1, top)) * HEIGHT)
  const line = samples.map((one) => `${x(toDay(one))},${y(one.used_ips)}`).join(' ')
  const end = x(toDay(last))
  return {
    top,
    isWhole,
    line,
    area: `0,${HEIGHT} ${line} ${end},${HEIGHT}`,
    end,
    ahead:
      ahead === 0 ? '' : `${end},${y(last.used_ips)} ${x(toDay(last) + ahead)},${y(last.used_ips + perDay * ahead)}`,
  }
}
