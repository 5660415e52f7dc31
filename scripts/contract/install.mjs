// Owns schemathesis, which tries the API by its OpenAPI document: installed from PyPI, in the versions of requirements.txt.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root } from '../install.mjs'
import { ensureServers } from '../test-servers.mjs'

const requirements = join(root, 'scripts', 'contract', 'requirements.txt')
const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
/** Of these versions alone: others get a folder of their own. */
const folder = join(root, '.cache', `schemathesis-${hash}`)

export const schemathesisPath = join(folder, 'bin', 'schemathesis')

/** Installs schemathesis, or ends the script with what went wrong. */
export function ensureSchemathesis() {
  if (existsSync(join(folder, 'installed'))) return
  ensureServers(['python'])
  console.log('Installing schemathesis (once) ...')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(root, '.cache'), { recursive: true })
  // A virtual environment knows its own path, so it is made in place, and marked as whole at its end.
  step('python3', ['-m', 'venv', folder])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements]
  step(join(folder, 'bin', 'python3'), pip)
  mkdirSync(join(folder, 'installing'))
  renameSync(join(folder, 'installing'), join(folder, 'installed'))
}

function step(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status === 0) return
  fail(`schemathesis could not be installed (${command} ${args.join(' ')}):\n${error?.message ?? stdout + stderr}`)
}
