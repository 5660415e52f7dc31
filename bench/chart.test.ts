// The chart of the README shows the last measurements.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartOf } from './chart.ts'
import type { AllKept } from './results.ts'
import { ROOT } from './servers.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
// Written by `npm run bench`.
const kept = JSON.parse(read('bench/results.json')) as AllKept

test('the chart is that of the results (npm run bench -- --page writes it)', () => {
  expect(read('docs/images/figures.svg')).toBe(chartOf(kept))
})

test('a figure without a measurement is an error, not an empty bar', () => {
  expect(() => chartOf({ ...kept, lookup: { ...kept.inventory, results: [] } as never })).toThrow(
    'lookup of an address',
  )
})

test('a slower figure is a longer bar', () => {
  const widths = (svg: string) => [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width))
  const slower = structuredClone(kept)
  for (const { numbers } of slower.inventory?.results ?? [])
    for (const name of Object.keys(numbers)) Object.assign(numbers, { [name]: (numbers[name] ?? 0) * 2 })
  const [before, after] = [widths(chartOf(kept)), widths(chartOf(slower))]
  expect(after.filter((width, i) => width > (before[i] ?? 0)).length).toBe(before.length - 1)
})
