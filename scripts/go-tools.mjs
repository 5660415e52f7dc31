// Owns the tools of the tests that are Go modules, and the programs of the tests in Go. Each is built once, into a folder of its
// version.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fail, root } from './install.mjs'
import { ensureGoFromPypi, goFromPypi } from './python-tools.mjs'
import { findProgram } from './server-binaries.mjs'

const tools = {
  etcd: { package: 'go.etcd.io/etcd/server/v3', version: 'v3.6.16' },
  helm: { package: 'helm.sh/helm/v3/cmd/helm', version: 'v3.19.2' },
  litestream: { package: 'github.com/benbjohnson/litestream/cmd/litestream', version: 'v0.5.17' },
}

/** Returns the path of a tool, which need not be there. */
export const goTool = (name) => join(root, '.cache', `${name}-${tools[name].version}`, name)

/** Builds a tool, or ends the script with the error. Without Go, its tests are skipped. */
export function ensureGoTool(name) {
  const folder = dirname(goTool(name))
  if (existsSync(goTool(name))) return
  const go = findProgram('go')
  if (!go) return console.log(`Go is not installed (go on PATH), so the tests of ${name} are skipped.`)
  console.log(`Building ${name} (once) ...`)
  const part = `${folder}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part, { recursive: true })
  const { package: path, version } = tools[name]
  // In a module of its own, because `go install` refuses modules with replacements.
  for (const args of [
    ['mod', 'init', 'tool'],
    ['get', `${path}@${version}`],
    ['build', '-o', name, path],
  ]) {
    const { status, stderr, error } = spawnSync(go, args, { encoding: 'utf8', cwd: part })
    if (status !== 0) fail(`${name} could not be built (go ${args.join(' ')}):\n${error?.message ?? stderr}`)
  }
  renameSync(part, folder)
}

const programs = {
  netbox: { title: 'the Go clients of NetBox', sources: join(root, 'testing', 'netbox', 'go') },
  sources: { title: 'the simulator of vCenter', sources: join(root, 'testing', 'sources', 'go') },
}

/** Returns the folder of the programs of the tests of a subject. */
export const getProgramsFolder = (name) => join(root, '.cache', `${name}-go-${hashSources(programs[name].sources)}`)

/** Builds these programs, or ends the script with the error. */
export function ensurePrograms(name) {
  const folder = getProgramsFolder(name)
  if (existsSync(folder)) return
  const { title, sources } = programs[name]
  const go = findGo()
  if (go === goFromPypi) ensureGoFromPypi()
  console.log(`Building ${title} (once) ...`)
  const part = `${folder}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part, { recursive: true })
  const args = ['build', '-o', part, './...']
  const { status, stderr, error } = spawnSync(go, args, { encoding: 'utf8', cwd: sources })
  if (status !== 0) fail(`${title} could not be built (${go} ${args.join(' ')}):\n${error?.message ?? stderr}`)
  renameSync(part, folder)
}

/** Returns the Go on PATH, if it knows the version in go.mod; else that from PyPI. */
export function findGo() {
  const go = findProgram('go')
  const [, minor] = /go1\.(\d+)/.exec(go ? spawnSync(go, ['version'], { encoding: 'utf8' }).stdout : '') ?? []
  return Number(minor) >= 24 ? go : goFromPypi
}

function hashSources(folder) {
  const hash = createHash('sha256')
  const files = readdirSync(folder, { recursive: true }).filter((file) => /\.go$|^go\./.test(file))
  for (const file of files.sort()) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 12)
}
