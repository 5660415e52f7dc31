/** The stored results, the figures that got worse since then, and the page that shows them. Pure. */
import type { Result } from './bench.ts'
import { verdictOf } from './report.ts'
import { SUITES } from './suites.ts'

export type Machine = {
  readonly processor: string
  readonly cores: number
  readonly memory_bytes: number
  readonly bun: string
}

export type Kept = {
  readonly machine: Machine
  /** Day of the run, UTC. */
  readonly day: string
  readonly results: readonly Result[]
}

export type AllKept = Readonly<Record<string, Kept>>

/** Two runs of the same program differ by less than this. */
const TOLERANCE = 1.25

type Direction = 'less' | 'more'

/** The better direction of a figure; undefined for a figure that is only a size or a count. */
const betterOf = (name: string): Direction | undefined => {
  if (/per_second$/.test(name)) return 'more'
  return /(^|_)(ms|bytes|tokens)$/.test(name) || name === 'slower' ? 'less' : undefined
}

const isBaseline = (name: string): boolean => /^(baseline|rest|device|idle)_/.test(name)

/** How many times as long the baselines took as before; 1 without baselines. */
const slownessOf = (before: Result, now: Result): number => {
  for (const name of Object.keys(now.numbers)) {
    const [was, is] = [before.numbers[name], now.numbers[name]]
    if (!isBaseline(name) || !was || !is) continue
    return betterOf(name) === 'more' ? was / is : is / was
  }
  return 1
}

const written = (value: number): string => (value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en-US'))

/** A line for each figure that is worse than it was; a slower machine is taken out where a baseline tells of it. */
export const worseThan = (before: readonly Result[], now: readonly Result[]): string[] => {
  const known = new Map(before.map((result) => [result.work, result]))
  return now.flatMap((result) => {
    const was = known.get(result.work)
    if (!was) return []
    const lines: string[] = []
    if (was.isMet === true && result.isMet === false)
      lines.push(`${result.work.trim()}: missed, ${result.ours} (it was ${was.ours}; goal ${result.goal})`)
    const slowness = slownessOf(was, result)
    for (const [name, is] of Object.entries(result.numbers)) {
      const [old, better] = [was.numbers[name], betterOf(name)]
      if (!old || better === undefined || isBaseline(name)) continue
      // Memory and tokens don't depend on the machine, and a ratio has it taken out.
      const machine = /(bytes|tokens|slower)$/.test(name) ? 1 : slowness
      const raw = better === 'less' ? is / old : old / is
      // Neither a slow machine nor a baseline that was lucky once makes it worse.
      const factor = Math.min(raw, raw / machine)
      if (factor > TOLERANCE)
        lines.push(
          `${result.work.trim()}: ${name} ${written(old)} -> ${written(is)}, ${factor.toFixed(2)} times as bad`,
        )
    }
    return lines
  })
}

const cell = (text: string): string => text.trim().replaceAll('|', '\\|')

export const machineText = ({ processor, cores, memory_bytes, bun }: Machine): string =>
  `${processor}, ${cores} cores, ${Math.round(memory_bytes / 2 ** 30)} GiB; Bun ${bun}`

const sectionOf = (name: string, kept: Kept | undefined): string => {
  const suite = SUITES.find((one) => one.name === name)
  if (!suite) return ''
  const head = `## ${suite.title}\n\n${suite.about}\n\n\`\`\`sh\nnpm run bench -- --suite ${name}\n\`\`\``
  if (!kept) return `${head}\n\nNot measured yet.`
  const rows = kept.results.map((result) => {
    const { work, ours, baseline, ratio, goal } = result
    const indent = work.startsWith(' ') ? '&nbsp;&nbsp;' : ''
    return `| ${indent}${[work, ours, baseline, ratio, goal, verdictOf(result)].map(cell).join(' | ')} |`
  })
  const table = ['| | Plat | Baseline | Ratio | Goal | |', '|---|---|---|---|---|---|', ...rows].join('\n')
  return `${head}\n\n${table}\n\nMeasured on ${kept.day}: ${machineText(kept.machine)}.`
}

/** docs/performance.md: `before` and `after` the tables are written by hand. */
export const pageOf = (all: AllKept, { before, after }: { readonly before: string; readonly after: string }): string =>
  `${[before, ...SUITES.map(({ name }) => sectionOf(name, all[name])), after].map((part) => part.trim()).join('\n\n')}\n`
