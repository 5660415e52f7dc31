// Owns the setup of a fresh clone: npm packages and a working Bun. Plain Node without other imports, because it runs
// before anything is installed.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const oldestNode = 20
const platforms = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64']
const manifestFile = join(root, 'package.json')
const lockFile = join(root, 'package-lock.json')
const stampFile = join(root, 'node_modules', '.plat-install')
/** npm writes this file about the installed tree at the end of every installation. */
const installedLockFile = join(root, 'node_modules', '.package-lock.json')

/** Ends the script with a message for the user, without a stack trace. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

/**
 * Installs the npm packages unless node_modules already matches package-lock.json, and checks that Bun
 * starts. `dev: false` is content without the development packages.
 */
export function ensureDependencies({ dev = true } = {}) {
  checkMachine()
  if (!isInstalled(dev)) install(dev)
  bunPath()
}

let knownBun

/** Returns the Bun that npm installed. Bun from PATH could have any version. */
export function bunPath() {
  knownBun ??= findBun()
  return knownBun
}

function checkMachine() {
  const major = Number(process.versions.node.split('.')[0])
  if (major < oldestNode)
    fail(`Plat's scripts need Node ${oldestNode} or newer; this is Node ${process.versions.node}.`)

  const platform = `${process.platform} ${process.arch}`
  if (platforms.includes(platform)) return
  const hint = process.platform === 'win32' ? ' On Windows, use WSL.' : ''
  fail(`Plat runs on ${platforms.join(', ')}; this is ${platform}.${hint}`)
}

function isInstalled(dev) {
  if (readText(stampFile) === fingerprint()) return true
  // No stamp of ours, yet `npm ci` by hand is as good: take the tree over instead of installing it a second time.
  if (!isLockCurrent()) return false
  if (holdsLock(() => false)) stamp()
  return holdsLock(dev ? () => false : isDevelopment)
}

function install(dev) {
  console.log('Installing dependencies (once) ...')
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  // NODE_ENV=production would make npm leave out packages that types, lint and tests need.
  if (dev) args.push('--include=dev')
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: 'inherit' })
  if (error) fail(`npm could not be started (${error.message}). It comes with Node; Plat needs it once, to install.`)
  if (status !== 0) fail('npm ci failed; what npm said is above. Plat cannot run without its dependencies.')
  // A tree without the development packages gets no stamp: it is whole for `npm start` and not for `npm test`.
  if (holdsLock(() => false)) stamp()
}

function stamp() {
  writeFileSync(stampFile, fingerprint())
}

/** Changes when the result of an installation may change. */
function fingerprint() {
  const { dependencies, devDependencies, optionalDependencies, overrides } = readJson(manifestFile) ?? {}
  const sections = JSON.stringify([dependencies, devDependencies, optionalDependencies, overrides])
  return createHash('sha256')
    .update(readText(lockFile) ?? '')
    .update(sections)
    .digest('hex')
}

/** Returns true if the lock file was made from this package.json. */
function isLockCurrent() {
  const manifest = readJson(manifestFile)
  const locked = readJson(lockFile)?.packages['']
  if (!manifest || !locked) return false
  const same = (section) => JSON.stringify(manifest[section] ?? {}) === JSON.stringify(locked[section] ?? {})
  return ['dependencies', 'devDependencies', 'optionalDependencies'].every(same)
}

/** Returns true if the tree has every package of the lock, except packages for other platforms and packages that `mayMiss` permits. */
function holdsLock(mayMiss) {
  const installed = readJson(installedLockFile)
  const lock = readJson(lockFile)
  if (!installed || !lock) return false
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed.packages[path]
    if (!found) return Boolean(wanted.optional || wanted.devOptional || wanted.peer || mayMiss(wanted))
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

function isDevelopment(wanted) {
  return Boolean(wanted.dev)
}

function findBun() {
  const found = bunCandidates().find(starts)
  if (found) return found
  return fail(
    [
      `Bun, the runtime that Plat runs on, is not there or does not start on this ${process.platform} ${process.arch}.`,
      'npm brings it as the package "bun", whose install script puts the binary in place. If npm was told to skip',
      'scripts (package.json allows this one under allowScripts), run: npm rebuild bun',
      'If it was told to leave out optional packages, run: npm ci --include=optional',
    ].join('\n'),
  )
}

/**
 * The binary at the path of bun's install script, then where npm unpacked it. The second one suffices when scripts
 * were skipped.
 */
function bunCandidates() {
  const scope = join(root, 'node_modules', '@oven')
  const unpacked = list(scope).map((name) => join(scope, name, 'bin', 'bun'))
  return [join(root, 'node_modules', 'bun', 'bin', 'bun.exe'), ...unpacked].filter(isBinary)
}

/** The file bun.exe is a short text file until its install script has run. */
function isBinary(path) {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000
}

function starts(path) {
  return spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0
}

function list(directory) {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function readJson(path) {
  const text = readText(path)
  return text === undefined ? undefined : JSON.parse(text)
}
