/**
 * Runs the benchmarks one after another, keeps their results in results.json, docs/performance.md and the README's chart, and reports
 * regressions: `npm run bench [-- --suite ui,events]`. `--page` only writes the page and the chart. Arguments after a second `--` go to
 * the benchmarks; their results are then not kept.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Result } from './bench.ts'
import { chartOf } from './chart.ts'
import { RESULTS_VARIABLE } from './report.ts'
import { type AllKept, type Kept, machineText, pageOf, worseThan } from './results.ts'
import { ROOT } from './servers.ts'
import { SUITES, type Suite } from './suites.ts'

const KEPT = join(ROOT, 'bench/results.json')
const PAGE = join(ROOT, 'docs/performance.md')
const CHART = join(ROOT, 'docs/images/figures.svg')
const [before, after] = ['before', 'after'].map((name) => readFileSync(join(ROOT, `bench/page-${name}.md`), 'utf8'))

const { values, positionals } = parseArgs({
  options: { suite: { type: 'string' }, page: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const chosen = (): readonly Suite[] => {
  if (values.suite === undefined) return SUITES.filter(({ isLong }) => !isLong)
  return values.suite.split(',').map((name) => {
    const suite = SUITES.find((one) => one.name === name)
    if (!suite) throw new Error(`there is no suite "${name}"; there are ${SUITES.map((one) => one.name).join(', ')}`)
    return suite
  })
}

const run = async ({ name, args }: Suite, file: string): Promise<readonly Result[]> => {
  const [script = '', ...rest] = args
  process.stderr.write(`\n--- ${name}\n`)
  const child = Bun.spawn([process.execPath, join('bench', script), ...rest, ...positionals], {
    cwd: ROOT,
    env: { ...process.env, [RESULTS_VARIABLE]: file },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await child.exited) !== 0) throw new Error(`the benchmark ${name} failed`)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  // Written by `publish`.
  return lines.map((line) => JSON.parse(line) as Result)
}

const keep = async (kept: AllKept): Promise<void> => {
  await Bun.write(KEPT, `${JSON.stringify(kept, undefined, 2)}\n`)
  await Bun.write(CHART, chartOf(kept))
  await Bun.write(PAGE, pageOf(kept, { before: before ?? '', after: after ?? '' }))
}

// Written by `keep`.
let kept = JSON.parse(readFileSync(KEPT, 'utf8')) as AllKept
if (values.page) {
  await keep(kept)
  process.exit()
}
const machine = { processor: cpus()[0]?.model ?? '', cores: cpus().length, memory_bytes: totalmem(), bun: Bun.version }
const folder = mkdtempSync(join(tmpdir(), 'plat-bench-all-'))
const worse: string[] = []
try {
  for (const suite of chosen()) {
    const results = await run(suite, join(folder, suite.name))
    const old: Kept | undefined = kept[suite.name]
    if (old && machineText(old.machine) !== machineText(machine))
      console.log(`the last results of ${suite.name} are of another machine or Bun: ${machineText(old.machine)}`)
    worse.push(...worseThan(old?.results ?? [], results).map((line) => `${suite.name}: ${line}`))
    kept = { ...kept, [suite.name]: { machine, day: new Date().toISOString().slice(0, 10), results } }
    // After each: a later one that fails takes nothing with it.
    if (positionals.length === 0) await keep(kept)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(worse.length === 0 ? 'nothing got worse' : ['worse than the last results:', ...worse].join('\n  '))
process.exitCode = worse.length === 0 ? 0 : 1
