import { describe, expect, test } from 'bun:test'
import type { Sample } from './api.ts'
import { computeForecast } from './forecast.ts'

const samples = (used: readonly number[], total = 254): Sample[] =>
  used.map((used_ips, i) => ({
    day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
    used_ips,
    total_ips: total,
    utilization: 0,
  }))

describe('a forecast', () => {
  test('needs three days', () => {
    expect(computeForecast(samples([1, 2]))).toBeNull()
  })

  test('of a growing network says when it is full', () => {
    expect(computeForecast(samples([100, 110, 120, 130], 200))).toEqual({ per_day: 10, days_to_full: 7, days: 4 })
  })

  test('is not turned by one day with an import, or one with a clean-up', () => {
    const steady = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28]
    const odd = steady.map((used, i) => (i === 4 ? used + 90 : i === 7 ? 0 : used))
    expect(computeForecast(samples(odd))?.per_day).toBeCloseTo(2, 1)
  })

  test.each([
    ['stays as it is', [50, 50, 50]],
    ['empties', [50, 40, 30]],
    ['takes more than ten years', [50, 50, 50, 50.01]],
  ])('of a network that %s says never', (_, used) => {
    expect(computeForecast(samples(used))?.days_to_full).toBeNull()
  })

  test('of a full network says now', () => {
    expect(computeForecast(samples([250, 252, 254]))?.days_to_full).toBe(0)
  })

  test('takes days without a sample into account', () => {
    const [first, , third, , fifth] = samples([10, 0, 30, 0, 50])
    expect(computeForecast([first, third, fifth].filter((one) => one !== undefined))?.per_day).toBe(10)
  })
})
