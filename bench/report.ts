/** The results of a benchmark: a table for people, and lines for `bench/all.ts`, which stores them. */
import { appendFileSync } from 'node:fs'
import type { Result } from './bench.ts'

const HEADERS = ['work', 'ours', 'baseline', 'ratio', 'goal', 'verdict'] as const

export const verdictOf = ({ isMet }: Pick<Result, 'isMet'>): string =>
  isMet === undefined ? '' : isMet ? 'ok' : 'MISSED'

export const tableOf = (results: readonly Result[]): string => {
  const rows = results.map((result) => [
    result.work,
    result.ours,
    result.baseline,
    result.ratio,
    result.goal,
    verdictOf(result),
  ])
  const widths = HEADERS.map((header, i) => Math.max(header.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(HEADERS), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** The environment variable with the path of a file to which the results are appended. */
export const RESULTS_VARIABLE = 'PLAT_BENCH_RESULTS'

export const publish = (results: readonly Result[]): void => {
  console.log(`\n${tableOf(results)}\n`)
  const file = process.env[RESULTS_VARIABLE]
  if (file) for (const result of results) appendFileSync(file, `${JSON.stringify(result)}\n`)
}
