// Owns the steps of `npm test` and `npm run check`: running each to its end, counting, and the closing lines.

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { run, stopCode } from './child.mjs'
import { bunPath, root } from './install.mjs'

/** Runs a step that either passes or fails as a whole. */
export async function runStep(name, command, args) {
  const result = await timed(name, () => run(command, args))
  return { ...result, passed: result.code === 0 ? 1 : 0, failed: result.code === 0 ? 0 : 1, skipped: 0 }
}

// Each checker of the compiler repeats work of the others: four of them, the default, take twice the CPU time of one.
const TYPES = ['--noEmit', '--checkers', '1']

export async function runTypes() {
  const server = await runStep('types', binary('tsc'), TYPES)
  if (server.code !== 0) return server
  // The browser code has another type configuration, with the DOM.
  const web = await runStep('types', binary('tsc'), [...TYPES, '-p', 'web'])
  return { ...web, ms: server.ms + web.ms }
}
export const runWeb = () => runStep('web', process.execPath, ['scripts/web.mjs'])
export const runLint = () => runStep('lint', binary('biome'), ['check', '.'])
export const runGolden = () => runStep('golden', bunPath(), ['scripts/golden.ts', '--check'])

/** Times of the test files in ms, measured by `npm run test:times`. Bun starts the longest files first. */
const TIMES = 'tests/times.json'

/** Returns these times by the path of the file. */
export const readTimes = () => JSON.parse(readFileSync(join(root, TIMES), 'utf8')).files

/** Test processes at once, because many tests wait: for a server, a slow client, or the end of a lease. */
const WORKERS = 2 * availableParallelism()

// Files of a process share its modules, and so its PostgreSQL cluster and its browser.
const IN_PARALLEL = ['--no-isolate', `--timings=${TIMES}`]

const show = (text) => process.stdout.write(text)

/** Runs `bun test` with these arguments, one file after another, and counts the tests. */
export const runTests = (args, env = {}) => countedTests('tests', args, env, show)

/** The same in several processes. @param isMeasured stores how long each file took */
export function runTestsInParallel(args, { env = {}, isMeasured = false, workers = WORKERS } = {}) {
  const times = isMeasured ? ['--update-timings'] : []
  return countedTests('tests', [`--parallel=${workers}`, ...IN_PARALLEL, ...times, ...args], env, show)
}

/** All folders with tests. */
export const TEST_FOLDERS = ['src', 'web', 'bench', 'e2e', 'packaging/test', 'tests', 'testing']

/** Tries a real server by its OpenAPI document, with few examples; or with many, and with its output as it comes. */
export function runContract({ isThorough = false } = {}) {
  const script = ['scripts/contract/run.ts']
  if (!isThorough) return shownAtEnd('contract', (show) => counted('contract', script, show))
  return counted('contract', [...script, '--thorough'], (text) => process.stdout.write(text))
}

/** Prints the output of a step in one piece at its end, because other steps run beside it. */
async function shownAtEnd(name, action) {
  const pieces = []
  const result = await action((text) => pieces.push(text))
  console.log(`\n--- ${name}, which ran beside the others\n${pieces.join('')}`)
  return result
}

const countedTests = (name, args, env, show) => counted(name, ['test', '--timeout', '60000', ...args], show, env)

/** Runs bun with these arguments and counts passes and failures by the closing lines. */
async function counted(name, args, show, env = {}) {
  let output = ''
  const onOutput = (text) => {
    output += text
    show(text)
  }
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const options = { env: { ...process.env, ...color, ...env }, onOutput }
  const result = await timed(name, () => run(bunPath(), args, options))
  return {
    ...result,
    ...countTests(output, result.code),
    failures: [...failuresIn(output), ...contractFailuresIn(output)],
  }
}

const MOST_LINES = 25

/** Returns the file, the name and the end of the error of each failed test, from bun's output. */
function failuresIn(output) {
  const failures = []
  let file = ''
  let lines = []
  for (const line of stripVTControlCharacters(output).split('\n')) {
    // The closing lines repeat the names without the errors.
    if (/^\d+ tests? failed:$/.test(line)) break
    if (/^\S+\.test\.tsx?:$/.test(line)) file = line
    else if (!/^\((pass|fail|skip|todo)\)/.test(line)) {
      lines.push(line)
      continue
    } else if (line.startsWith('(fail)')) failures.push([file, ...lines.slice(-MOST_LINES), line].join('\n'))
    lines = []
  }
  return failures
}

/** Returns the operation and the error of each failed one, from the output of schemathesis. */
function contractFailuresIn(output) {
  const [, ...failures] = output.split(/^_{3,} (?=[A-Z]+ \/\S* _+$)/m)
  return failures.map((text) => text.split('\n').slice(0, MOST_LINES).join('\n'))
}

/** Prints the failures, the table and, as the last line, the totals. A failure sets the exit code. */
export function finish(results) {
  // Repeated at the end, because the output is long.
  for (const { name, failures = [] } of results)
    for (const failure of failures) console.log(`\n--- failed in ${name}: ${failure}`)
  console.log('')
  for (const { name, code, ms, failures: _, ...counts } of results) {
    const verdict = code === 0 && counts.failed === 0 ? 'ok' : 'FAILED'
    const isCounted = counts.passed + counts.failed + counts.skipped > 1
    const notes = isCounted ? `  ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped` : ''
    console.log(`${name.padEnd(10)}${verdict.padEnd(8)}${`${(ms / 1000).toFixed(1)} s`.padStart(8)}${notes}`)
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  console.log('')
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  if (sum('failed') > 0) process.exitCode = 1
}

/** Bun's closing lines: ` 123 pass`, ` 2 skip`, ` 1 todo`, ` 0 fail`, ` 1 error`. */
function countTests(output, code) {
  const plain = stripVTControlCharacters(output)
  const count = (word) => Number([...plain.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0)
  const passed = count('pass')
  const failed = count('fail')
  // A crash, a file that fails to load, or a run without tests counts as one failure.
  const isSilentFailure = failed === 0 && (code !== 0 || passed === 0)
  return { passed, failed: isSilentFailure ? 1 : failed, skipped: count('skip') + count('todo') }
}

async function timed(name, action) {
  console.log(`\n--- ${name}`)
  const start = performance.now()
  const code = await action()
  // Ctrl-C means the whole run, not only the step it happened to hit.
  if (stopCode()) process.exit(stopCode())
  return { name, code, ms: performance.now() - start }
}

function binary(name) {
  return join(root, 'node_modules', '.bin', name)
}
