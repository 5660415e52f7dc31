// Finds the release before the present code in git, and puts its files into a folder. Throws an Error for the user.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Where the migrations are; releases before had them in the second folder. */
const FOLDERS = ['src/database/migrations', 'src/migrations']
const isMigration = (file) => /^\d{4}-.*\.ts$/.test(file)

/** Returns the output of a git command in a checkout, or undefined if it fails. */
function git(root, ...args) {
  const { status, stdout, error } = spawnSync('git', ['-C', root, ...args], {
    encoding: 'utf8',
    // The tree of a release has many files.
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error) throw new Error(`git could not be started: ${error.message}`)
  return status === 0 ? stdout.trim() : undefined
}

const linesOf = (text) => (text ? text.split('\n') : [])

/** The newest tag v* of an ancestor that is not the commit itself. */
function tagOf(root) {
  const head = git(root, 'rev-parse', 'HEAD')
  const tags = linesOf(git(root, 'tag', '--merged', 'HEAD', '--list', 'v*', '--sort=-version:refname'))
  return tags.find((tag) => git(root, 'rev-list', '-n', '1', tag) !== head)
}

/** The newest commit with other migrations than the files of the checkout. */
function commitOf(root) {
  const folder = FOLDERS.find((one) => existsSync(join(root, one))) ?? ''
  const present = readdirSync(join(root, folder)).filter(isMigration).sort().join('\n')
  return linesOf(git(root, 'log', '--format=%H', 'HEAD', '--', ...FOLDERS)).find((commit) => {
    const files = linesOf(git(root, 'ls-tree', '--name-only', commit, ...FOLDERS.map((one) => `${one}/`)))
    const names = files.map((file) => basename(file)).filter(isMigration)
    return names.length > 0 && names.sort().join('\n') !== present
  })
}

/** @returns `{ name, commit }`; the name is a tag, or the beginning of the commit */
export function previousRelease(root) {
  if (git(root, 'rev-parse', 'HEAD') === undefined)
    throw new Error(
      `${root} is no checkout of git with a commit, so it does not have the release before. Clone the repository.`,
    )
  const tag = tagOf(root)
  const commit = tag ? git(root, 'rev-list', '-n', '1', tag) : commitOf(root)
  if (commit) return { name: tag ?? commit.slice(0, 12), commit }
  if (git(root, 'rev-parse', '--is-shallow-repository') === 'true')
    throw new Error(
      'The history of this clone ends before the previous release: it is shallow. Run: git fetch --unshallow --tags',
    )
  throw new Error(
    'The history of this clone has no previous release: no tag v* before this commit, and no commit with other migrations. If it lacks tags, run: git fetch --tags',
  )
}

/** Puts the files of a commit into a folder of their own, with their packages. @returns the folder */
export function checkOut(root, commit, folder) {
  const target = join(folder, commit)
  if (!existsSync(target)) {
    const part = `${target}.part`
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { recursive: true })
    const archive = join(folder, `${commit}.tar`)
    if (git(root, 'archive', '--output', archive, commit) === undefined)
      throw new Error(`git has not got all files of the commit ${commit}: the clone is partial`)
    const { status, stderr } = spawnSync('tar', ['-xf', archive, '-C', part], { encoding: 'utf8' })
    rmSync(archive)
    if (status !== 0) throw new Error(`tar cannot unpack the commit ${commit}: ${stderr}`)
    renameSync(part, target)
  }
  install(root, target)
  return target
}

/** Uses the packages of the present checkout if they are the same. */
function install(root, target) {
  const modules = join(target, 'node_modules')
  if (existsSync(modules)) return
  const [own, other] = [root, target].map((at) => readFileSync(join(at, 'package-lock.json'), 'utf8'))
  if (own === other) return symlinkSync(join(root, 'node_modules'), modules)
  console.log('Installing the dependencies of the previous release (once) ...')
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', args, { cwd: target, stdio: 'inherit' })
  if (status === 0) return
  rmSync(modules, { recursive: true, force: true })
  throw new Error(`The packages of the previous release cannot be installed: ${error?.message ?? 'npm ci failed'}`)
}
