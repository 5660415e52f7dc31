import { describe, expect, test } from 'bun:test'
import type { UtilizationHistory } from '../api/contracts.ts'
import { computeChart, HEIGHT, roundUp, WIDTH } from './chart.ts'
import { formatForecast } from './labels.ts'

const sample = (day: string, used_ips: number, total_ips = 254) => ({
  ...{ day, used_ips, total_ips, utilization: (used_ips / total_ips) * 100 },
})
const history = (
  samples: UtilizationHistory['samples'],
  forecast: UtilizationHistory['forecast'] = null,
): UtilizationHistory => ({ samples: [...samples], forecast })

describe('the line', () => {
  test('goes from the first day to the last, higher where more is in use', () => {
    const { line, top, isWhole } = computeChart(history([sample('2026-01-01', 0), sample('2026-01-03', 254)]))
    expect([line, top, isWhole]).toEqual([`0,${HEIGHT} ${WIDTH},0`, 254, true])
  })

  test('keeps a day that has no sample as room', () => {
    const { line } = computeChart(history([sample('2026-01-01', 0), sample('2026-01-02', 0), sample('2026-01-05', 0)]))
    expect(line).toBe(`0,${HEIGHT} ${WIDTH / 4},${HEIGHT} ${WIDTH},${HEIGHT}`)
  })

  test('of a nearly empty network is visible', () => {
    const { top, isWhole, line } = computeChart(
      history([sample('2026-01-01', 30, 65_534), sample('2026-01-02', 40, 65_534)]),
    )
    expect([top, isWhole]).toEqual([50, false])
    expect(line.endsWith(`${WIDTH},32`)).toBe(true)
  })

  test('of nothing is none', () => {
    expect(computeChart(history([]))).toMatchObject({ line: '', ahead: '' })
  })

  test('is one point where there is one day', () => {
    expect(computeChart(history([sample('2026-01-01', 127)])).line).toBe(`0,${HEIGHT / 2}`)
  })
})

test('the forecast line ends on the day when all is in use, or after half of the known time', () => {
  const samples = [sample('2026-01-01', 100), sample('2026-01-11', 200)]
  const full = computeChart(history(samples, { per_day: 10.8, days_to_full: 5, days: 3 }))
  expect(full.ahead.split(' ')[1]).toBe(`${WIDTH},0`)
  const far = computeChart(history(samples, { per_day: 1, days_to_full: 54, days: 3 }))
  expect(far.ahead.split(' ').map((point) => point.split(',')[0])).toEqual(['480', '720'])
  expect(computeChart(history(samples, { per_day: 0, days_to_full: null, days: 3 })).ahead).toBe('')
})

test('steps are 1, 2 and 5', () => {
  expect([0, 1, 3, 37, 51, 100, 101].map(roundUp)).toEqual([1, 1, 5, 50, 100, 100, 200])
})

describe('a forecast in words', () => {
  const days = [sample('2026-01-01', 1), sample('2026-01-02', 2), sample('2026-01-03', 3)]
  test.each([
    [history([]), ''],
    [history(days.slice(0, 1)), 'A forecast needs three days; there is 1 so far.'],
    [history(days.slice(0, 2)), 'A forecast needs three days; there are 2 so far.'],
    [history(days, { per_day: 0, days_to_full: null, days: 3 }), 'The utilization is constant.'],
    [history(days, { per_day: -2, days_to_full: null, days: 3 }), '2 fewer a day: the utilization falls.'],
    [history(days, { per_day: 0.02, days_to_full: null, days: 3 }), '0.02 more a day: not full within ten years.'],
    [history(days, { per_day: 1, days_to_full: 1, days: 3 }), '1 more a day: full in about 1 day, on 2026-01-04.'],
    [
      history(days, { per_day: 2.5, days_to_full: 40, days: 3 }),
      '2.5 more a day: full in about 40 days, on 2026-02-12.',
    ],
    [history(days, { per_day: 1, days_to_full: 0, days: 3 }), 'It is full.'],
  ])('case %#', (given, text) => {
    expect(formatForecast(given)).toBe(text)
  })
})
