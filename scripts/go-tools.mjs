// Owns the tools of the tests that are Go modules. Each is built once, into a folder of its version.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fail, root } from './install.mjs'
import { findProgram } from './server-binaries.mjs'

const tools = {
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
  const env = { ...process.env, GOBIN: part }
  const { status, stderr, error } = spawnSync(go, ['install', `${path}@${version}`], { encoding: 'utf8', env })
  if (status !== 0) fail(`${name} could not be built (go install ${path}@${version}):\n${error?.message ?? stderr}`)
  renameSync(part, folder)
}
