/** When a source is read by itself. */
import { describe, expect, test } from 'bun:test'
import { docker } from '../kinds/docker/kind.ts'
import { computeDueMs, computeNextMs } from './schedule.ts'

const MINUTE = 60_000
const SOURCE = { enabled: true, interval_minutes: 60, url: 'https://192.0.2.1' }
const next = (failures: number, more: object = {}) => computeNextMs(docker, SOURCE, { nowMs: 0, failures, ...more })

describe('a source is due', () => {
  test.each([
    ['a new source', SOURCE, undefined, 1000],
    ['a source that was read long ago', SOURCE, -120 * MINUTE, 1000],
    ['a source that was read a minute ago', SOURCE, 1000 - MINUTE, 1000 + 59 * MINUTE],
    ['a disabled source', { ...SOURCE, enabled: false }, undefined, null],
    ['a source without an interval', { ...SOURCE, interval_minutes: 0 }, undefined, null],
    ['a source that is pushed', { ...SOURCE, url: '' }, undefined, null],
  ] as const)('%s', (_, source, lastMs, dueMs) => {
    expect(computeDueMs(docker, source, 1000, lastMs)).toBe(dueMs)
  })

  test('an interval after a success, and at most a twentieth of it later', () => {
    const due = next(0) ?? 0
    expect([due >= 60 * MINUTE, due <= 63 * MINUTE]).toEqual([true, true])
  })

  test('1, 5, 15, then 60 minutes after failures', () => {
    expect([1, 2, 3, 4, 9].map((failures) => next(failures))).toEqual([1, 5, 15, 60, 60].map((n) => n * MINUTE))
  })

  test('never later than its interval after a failure', () => {
    const short = { ...SOURCE, interval_minutes: 10 }
    expect(computeNextMs(docker, short, { nowMs: 0, failures: 5 })).toBe(10 * MINUTE)
  })

  test('after the pause that the system has asked for, of at most an hour', () => {
    expect(next(1, { retryAfterSeconds: 600 })).toBe(10 * MINUTE)
    expect(next(1, { retryAfterSeconds: 90_000 })).toBe(60 * MINUTE)
  })
})
