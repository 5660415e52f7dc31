/** The text that a scraper reads. */
import { describe, expect, test } from 'bun:test'
import { createMetrics } from './metrics.ts'

describe('the text of the metrics', () => {
  test('has a counter without a label from the start', () => {
    const metrics = createMetrics()
    metrics.counter('requests_total', 'Requests')
    expect(metrics.text()).toBe('# HELP requests_total Requests\n# TYPE requests_total counter\nrequests_total 0\n')
  })

  test('counts by label', () => {
    const metrics = createMetrics()
    const codes = metrics.counter('by_code', 'Requests by code', 'code')
    codes.add('200')
    codes.add('404')
    codes.add('200')
    expect(metrics.text().split('\n').slice(2, 4)).toEqual(['by_code{code="200"} 2', 'by_code{code="404"} 1'])
  })

  test('gives quantiles, sum and count of a summary', () => {
    const metrics = createMetrics()
    const durations = metrics.summary('duration', 'Duration', 'route')
    for (let i = 1; i <= 100; i++) durations.observe('/a', i)
    expect(metrics.text().split('\n').slice(2, 7)).toEqual([
      'duration{route="/a",quantile="0.5"} 51',
      'duration{route="/a",quantile="0.9"} 91',
      'duration{route="/a",quantile="0.99"} 100',
      'duration_sum{route="/a"} 5050',
      'duration_count{route="/a"} 100',
    ])
  })

  test('speaks of the latest observations, and sums up all of them', () => {
    const metrics = createMetrics()
    const durations = metrics.summary('duration', 'Duration', 'route')
    for (let i = 0; i < 1000; i++) durations.observe('/a', 1000)
    for (let i = 0; i < 1000; i++) durations.observe('/a', 1)
    const lines = metrics.text().split('\n')
    expect(lines[2]).toBe('duration{route="/a",quantile="0.5"} 1')
    expect(lines[5]).toBe('duration_sum{route="/a"} 1001000')
  })

  test('reads a gauge when it is asked', () => {
    const metrics = createMetrics()
    let n = 1
    metrics.gauge('things', 'Things', () => n)
    n = 7
    expect(metrics.text()).toContain('\nthings 7\n')
  })

  test('escapes what a label holds', () => {
    const metrics = createMetrics()
    metrics.counter('odd', 'Odd', 'label').add('a"b\\c\nd')
    expect(metrics.text()).toContain('odd{label="a\\"b\\\\c\\nd"} 1')
  })
})
