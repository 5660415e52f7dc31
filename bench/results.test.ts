// Figures that got worse are reported, unless the machine was slower.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from './bench.ts'
import { type AllKept, pageOf, worseThan } from './results.ts'
import { ROOT } from './servers.ts'
import { SUITES } from './suites.ts'

const result = (numbers: Record<string, number>, more: Partial<Result> = {}): Result => ({
  ...{ work: 'a thing', ours: 'now', baseline: '', ratio: '', goal: '< 5', isMet: true, numbers },
  ...more,
})

describe('the list of regressions', () => {
  test.each([
    ['time', { p95_ms: 4 }, { p95_ms: 8 }],
    ['throughput', { ours_per_second: 1000 }, { ours_per_second: 500 }],
    ['memory', { bytes: 100 }, { bytes: 200 }],
    ['memory on a slower machine too', { bytes: 100, baseline_ms: 1 }, { bytes: 200, baseline_ms: 2 }],
    ['a ratio', { slower: 1, baseline_ms: 1 }, { slower: 2, baseline_ms: 2 }],
  ])('contains a regression of %s', (_, before: Record<string, number>, now: Record<string, number>) => {
    expect(worseThan([result(before)], [result(now)])).toEqual([expect.stringContaining('2.00 times as bad')])
  })

  test.each([
    ['what got better', { p95_ms: 8 }, { p95_ms: 4 }],
    ['what two runs differ by', { p95_ms: 4 }, { p95_ms: 4.8 }],
    ['a baseline that got better alone', { ours_ms: 4, baseline_ms: 2 }, { ours_ms: 4, baseline_ms: 1 }],
    ['a slower machine', { ours_ms: 4, baseline_ms: 1 }, { ours_ms: 8, baseline_ms: 2 }],
    ['how much there was', { changes: 100 }, { changes: 500 }],
    ['the baseline', { baseline_ms: 1 }, { baseline_ms: 9 }],
  ])('leaves out %s', (_, before: Record<string, number>, now: Record<string, number>) => {
    expect(worseThan([result(before)], [result(now)])).toEqual([])
  })

  test('names a goal that was met before and is missed now', () => {
    const [line] = worseThan([result({ share: 4 })], [result({ share: 6 }, { isMet: false, ours: '6 ms' })])
    expect(line).toBe('a thing: missed, 6 ms (it was now; goal < 5)')
  })

  test('leaves out a row without an earlier measurement', () => {
    expect(worseThan([], [result({ p95_ms: 9 }, { isMet: false })])).toEqual([])
  })
})

test('the page shows the stored results, and says which are not measured', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  // Written by `npm run bench`.
  const kept = JSON.parse(read('bench/results.json')) as AllKept
  const page = pageOf(kept, { before: read('bench/page-before.md'), after: read('bench/page-after.md') })
  expect(read('docs/performance.md')).toBe(page)
  for (const { title } of SUITES) expect(page).toContain(`## ${title}`)
})
