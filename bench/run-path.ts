/**
 * The files and the lines of `src` that run for one `POST /api/devices {"name":"d1"}` on SQLite, on a warm server:
 * `bun bench/run-path.ts [--files] [--lines src/inventory/devices]`.
 *
 * Two runs create different numbers of devices. A line that runs more often by their number belongs to the call; what runs once a
 * process, or by a timer, does not.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './servers.ts'

const { values } = parseArgs({
  options: { files: { type: 'boolean', default: false }, lines: { type: 'string' } },
})

/** The numbers of devices of the two runs. Their difference is more than a timer does in the time. */
const [FEW, MANY] = [50, 250]
/** The least share of the further calls in which a line of the call runs: a commit may be that of two writes. */
const SHARE = 0.8

/** The number of times that each line ran, by file. */
type Counts = ReadonlyMap<string, ReadonlyMap<number, number>>

const readCounts = (report: string): Counts => {
  const counts = new Map<string, Map<number, number>>()
  let lines = new Map<number, number>()
  for (const text of report.split('\n')) {
    const [, file] = /^SF:(.*)$/.exec(text) ?? []
    if (file !== undefined) counts.set(file, (lines = new Map()))
    const [, line, count] = /^DA:(\d+),(\d+)$/.exec(text) ?? []
    if (line !== undefined) lines.set(Number(line), Number(count))
  }
  return counts
}

const countCalls = async (calls: number): Promise<Counts> => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-run-path-'))
  const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`]
  const child = Bun.spawn([process.execPath, 'test', ...coverage, './bench/run-path-calls.ts'], {
    cwd: ROOT,
    env: { ...process.env, RUN_PATH_CALLS: String(calls) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const output = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(output)
  const counts = readCounts(readFileSync(join(folder, 'lcov.info'), 'utf8'))
  rmSync(folder, { recursive: true, force: true })
  return counts
}

const [few, many] = [await countCalls(FEW), await countCalls(MANY)]
const ran = [...many].flatMap(([file, lines]): [string, number[]][] => {
  const before = few.get(file)
  const each = [...lines].filter(([line, count]) => count - (before?.get(line) ?? 0) >= (MANY - FEW) * SHARE)
  return file.startsWith('src/') && each.length > 0 ? [[file, each.map(([line]) => line)]] : []
})
ran.sort(([, a], [, b]) => b.length - a.length)
if (values.files) for (const [file, lines] of ran) console.log(String(lines.length).padStart(5), file)
const { lines: wanted } = values
if (wanted !== undefined)
  for (const [file, lines] of ran) {
    if (!file.startsWith(wanted)) continue
    const texts = readFileSync(join(ROOT, file), 'utf8').split('\n')
    for (const line of lines) console.log(`${file}:${line} ${texts[line - 1]}`)
  }
console.log(`${ran.length} files, ${ran.reduce((sum, [, lines]) => sum + lines.length, 0)} lines`)
