/**
 * How soon the executable is there, beside `./plat` of the checkout: `bun bench/binary.ts [--rounds 30]`. It is built if there is none.
 * The two take turns. A cold start is `serve` on an empty folder, from the start of the process to the first good answer of `/healthz`.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { plain, type Result } from './bench.ts'
import { median, megabytes, milliseconds, times } from './numbers.ts'
import { publish } from './report.ts'
import { firstAnswer, freePort, ROOT } from './servers.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '30' } } })
const rounds = Number(values.rounds)

const BINARY = join(ROOT, 'dist', 'bin', 'plat')
const SCRIPT = join(ROOT, 'plat')
const env = { PATH: process.env.PATH ?? '', INITIAL_ADMIN_PASSWORD: 'sesame-sesame', LOG_FORMAT: 'json' }

const runMs = async (command: readonly string[]): Promise<number> => {
  const startedAt = performance.now()
  const child = Bun.spawn([...command], { env, cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  return performance.now() - startedAt
}

const coldStartMs = async (program: string): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-cold-'))
  const port = freePort()
  const settings = { ...env, DATA_DIR: join(folder, 'data'), LISTEN_ADDR: `127.0.0.1:${port}` }
  const startedAt = performance.now()
  const child = Bun.spawn([program, 'serve'], { env: settings, cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] })
  try {
    await firstAnswer(port, child)
    return performance.now() - startedAt
  } finally {
    child.kill('SIGTERM')
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

type Subject = { readonly work: string; readonly goalMs?: number; readonly ms: (program: string) => Promise<number> }

const SUBJECTS: readonly Subject[] = [
  { work: 'plat --version', goalMs: 30, ms: (program) => runMs([program, '--version']) },
  { work: 'plat device create --help', ms: (program) => runMs([program, 'device', 'create', '--help']) },
  { work: 'cold start on an empty folder to /healthz', goalMs: 150, ms: coldStartMs },
]

const measure = async ({ work, goalMs, ms }: Subject): Promise<Result> => {
  const [ours, baseline]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await ms(BINARY))
    baseline.push(await ms(SCRIPT))
  }
  const [oursMs, baselineMs] = [median(ours), median(baseline)]
  return {
    work,
    ours: milliseconds(oursMs),
    baseline: milliseconds(baselineMs),
    ratio: times(oursMs / baselineMs),
    goal: goalMs === undefined ? '' : `< ${goalMs} ms`,
    isMet: goalMs === undefined ? undefined : oursMs < goalMs,
    numbers: { ours_ms: oursMs, baseline_ms: baselineMs },
  }
}

if (!existsSync(BINARY)) await runMs(['node', join(ROOT, 'scripts', 'build-binary.mjs')])
const results: Result[] = []
for (const subject of SUBJECTS) results.push(await measure(subject))
const bytes = statSync(BINARY).size
results.push(
  plain({ work: 'size of the executable', ours: megabytes(bytes), goal: '', isMet: undefined, numbers: { bytes } }),
)
publish(results)
