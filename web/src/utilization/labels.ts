/** Describes past and future utilization in words. */
import type { UtilizationHistory } from '../api/contracts.ts'
import { plural } from '../ui/format.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const formatRate = (perDay: number): string => String(Math.abs(perDay))

export const formatForecast = ({ samples, forecast }: UtilizationHistory): string => {
  const last = samples.at(-1)
  if (!last) return ''
  if (!forecast)
    return `A forecast needs three days; there ${samples.length === 1 ? 'is' : 'are'} ${samples.length} so far.`
  const { per_day, days_to_full } = forecast
  if (days_to_full === 0) return 'It is full.'
  if (per_day < 0) return `${formatRate(per_day)} fewer a day: the utilization falls.`
  if (per_day === 0) return 'The utilization is constant.'
  if (days_to_full === null) return `${formatRate(per_day)} more a day: not full within ten years.`
  const on = new Date(Date.parse(last.day) + days_to_full * DAY_MS).toISOString().slice(0, 10)
  return `${formatRate(per_day)} more a day: full in about ${plural(days_to_full, 'day')}, on ${on}.`
}
