// Owns the steps of `npm test` and `npm run check`: running each to its end, counting, and the closing lines.

import { readdirSync } from 'node:fs'
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

/** Runs `bun test` with these arguments and counts the tests. */
export function runTests(args, env = {}) {
  return countedTests('tests', args, env, (text) => process.stdout.write(text))
}

/** Tests that mostly wait: for the end of a lease, a silent host, or the hash of a password. */
const WAITING = [
  'features/discovery/real-switches.test.ts',
  'features/dns-zones',
  'scanner',
  'template',
  'features/eviction',
  'features/events/feed-ends.test.ts',
  'features/events/revalidation.test.ts',
  'features/sessions/valkey-store.test.ts',
  'features/sso/canaille.test.ts',
  'features/utilization/crossings-round-trips.test.ts',
  'platform/db/sqlite/snapshots.test.ts',
  'platform/dns',
  'platform/security/passwords.test.ts',
]
/** Tests of the whole program that mostly wait: for a slow client, or for a process. */
const WAITING_FILE =
  /^(answered-writes|crash.*|docs-ansible|feeds-consumers|import-pace|instances-servers|real-sources|recipes|rights-between-processes|rolling-upgrade|sign-in-.*|slow-clients|standby-reads)\.test\.ts$/

const waitingFiles = readdirSync(join(root, 'src')).filter((name) => WAITING_FILE.test(name))
const waitingTests = WAITING.map((name) => `src/${name}`)
const waitingPrograms = waitingFiles.map((name) => `src/${name}`)

/** Further tests of the whole program. */
const LATER = [
  'packaging/test',
  'src/database-copy',
  'src/first-start.test.ts',
  'src/hostile.test.ts',
  'src/recovery',
  'src/shutdown.test.ts',
]

const FEATURES = 'src/features'

/** A pattern matches a file by its path, and the tests of a folder by their prefix. */
const ignoring = (paths) =>
  paths.flatMap((path) => [path, `${path}/**`]).map((pattern) => `--path-ignore-patterns=${pattern}`)

/** Runs the tests of these folders, except those of the other steps. */
export const runBusy = (folders) =>
  runTests([...folders, ...ignoring([...waitingTests, ...waitingPrograms, ...LATER, FEATURES])])
/** A second process, because the tests of one wait for databases for a third of the time. */
export const runFeatures = () => runBeside('features', [`./${FEATURES}`, ...ignoring([...waitingTests, ...LATER])])
const runPaths = (name, paths) =>
  runBeside(
    name,
    paths.map((path) => `./${path}`),
  )
export const runWaiting = () => runPaths('waiting', waitingTests)
export const runPrograms = () => runPaths('programs', waitingPrograms)
export const runLater = () => runPaths('later', LATER)
export const runPages = () => runBeside('pages', ['./e2e'])

/** Tries a real server by its OpenAPI document, with few examples; or with many, and with its output as it comes. */
export function runContract({ isThorough = false } = {}) {
  const script = ['scripts/contract/run.ts']
  if (!isThorough) return shownAtEnd('contract', (show) => counted('contract', script, show))
  return counted('contract', [...script, '--thorough'], (text) => process.stdout.write(text))
}

const runBeside = (name, args) => shownAtEnd(name, (show) => countedTests(name, args, {}, show))

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
  return { ...result, ...countTests(output, result.code), failures: failuresIn(output) }
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
