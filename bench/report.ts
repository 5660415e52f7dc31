/** The table for people, and results.json for machines. */
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Result } from './bench.ts'
import { ROOT } from './servers.ts'

const HEADERS = ['work', 'ours', 'baseline', 'ratio', 'goal', 'verdict'] as const

const verdictOf = ({ isMet }: Result): string => (isMet === undefined ? '' : isMet ? 'ok' : 'MISSED')

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

export const writeResults = async (results: readonly Result[], devices: number): Promise<void> => {
  const machine = { processor: cpus()[0]?.model, cores: cpus().length, memory_bytes: totalmem(), bun: Bun.version }
  const rows = results.map(({ isMet, ...result }) => ({ ...result, is_met: isMet ?? null }))
  const report = { devices, machine, results: rows }
  await Bun.write(join(ROOT, 'bench/results.json'), `${JSON.stringify(report, undefined, 2)}\n`)
}
