// The release before the present code, in repositories that the test makes.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { previousRelease } from '../../scripts/previous-release.mjs'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plat-previous-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const git = (at: string, ...args: string[]): string => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false']
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', '-C', at, ...identity, ...args])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString().trim()
}

/** Commits a file of the migrations. @returns the commit */
const commit = (at: string, file: string): string => {
  writeFileSync(join(at, 'src', 'migrations', file), '')
  git(at, 'add', '.')
  git(at, 'commit', '-qm', file)
  return git(at, 'rev-parse', 'HEAD')
}
const repository = (): string => {
  const at = join(dir, 'whole')
  mkdirSync(join(at, 'src', 'migrations'), { recursive: true })
  git(at, 'init', '-q')
  return at
}

test('is the newest tag before the commit', () => {
  const at = repository()
  commit(at, '0001-a.ts')
  git(at, 'tag', 'v0.9.0')
  const tagged = commit(at, '0002-b.ts')
  git(at, 'tag', 'v0.10.0')
  commit(at, '0003-c.ts')
  git(at, 'tag', 'v0.11.0')
  expect(previousRelease(at)).toEqual({ name: 'v0.10.0', commit: tagged })
})

test('is the newest commit with other migrations, without a tag', () => {
  const at = repository()
  commit(at, '0001-a.ts')
  const before = commit(at, 'index.ts')
  commit(at, '0002-b.ts')
  commit(at, 'program.ts')
  expect(previousRelease(at)).toEqual({ name: before.slice(0, 12), commit: before })
})

test('counts a migration that is not committed yet', () => {
  const at = repository()
  const before = commit(at, '0001-a.ts')
  writeFileSync(join(at, 'src', 'migrations', '0002-b.ts'), '')
  expect(previousRelease(at).commit).toBe(before)
})

test('is missing in a shallow clone, which is explained', () => {
  const at = repository()
  commit(at, '0001-a.ts')
  commit(at, '0002-b.ts')
  const shallow = join(dir, 'shallow')
  git(dir, 'clone', '-q', '--depth', '1', `file://${at}`, shallow)
  expect(() => previousRelease(shallow)).toThrow('it is shallow. Run: git fetch --unshallow --tags')
})

test('is missing in a clone of one release, which is explained', () => {
  const at = repository()
  commit(at, '0001-a.ts')
  expect(() => previousRelease(at)).toThrow('has no previous release: no tag v* before this commit')
})

test('is missing without git, which is explained', () => {
  expect(() => previousRelease(dir)).toThrow('is no checkout of git with a commit')
})
