// Owns the tools that come from PyPI: schemathesis (tries the API by its OpenAPI document), Ansible, Canaille (an identity
// provider), kubernetes-validate (the schemas of Kubernetes), Patroni (replaces a failed PostgreSQL primary) and fontTools (makes the
// subsets of the fonts). Each is installed once, in the versions of its requirements.txt, into a folder for these versions only.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root } from './install.mjs'
import { ensureServers } from './test-servers.mjs'

const schemathesis = tool('schemathesis', 'contract/requirements.txt')
const ansible = tool('ansible', 'ansible-requirements.txt')
const canaille = tool('canaille', 'canaille-requirements.txt')
const kubernetesValidate = tool('kubernetes-validate', 'kubernetes-validate-requirements.txt')
const fontTools = tool('fonttools', 'fonts/requirements.txt')
const patroni = tool('patroni', 'patroni-requirements.txt')

export const schemathesisPath = join(schemathesis.folder, 'bin', 'schemathesis')
/** The folder of `ansible-playbook` and the other programs of Ansible. */
export const ansibleFolder = join(ansible.folder, 'bin')
/** The virtual environment of Canaille. */
export const canailleFolder = canaille.folder
export const kubernetesValidatePath = join(kubernetesValidate.folder, 'bin', 'kubernetes-validate')
/** The virtual environment of Patroni. */
export const patroniFolder = patroni.folder

/** The Python that has fontTools. */
export const fontToolsPython = join(fontTools.folder, 'bin', 'python3')

/** Installs schemathesis, or ends the script with the error. */
export const ensureSchemathesis = () => ensure(schemathesis)
/** Installs Ansible, or ends the script with the error. */
export const ensureAnsible = () => ensure(ansible)
/** Installs Canaille, or ends the script with the error. Its client of LDAP is compiled. */
export const ensureCanaille = () => ensure(canaille)
/** Installs kubernetes-validate, or ends the script with the error. */
export const ensureKubernetesValidate = () => ensure(kubernetesValidate)
/** Installs Patroni, or ends the script with the error. Debian 12 has a version that loses writes. */
export const ensurePatroni = () => ensure(patroni)

/** Installs fontTools, or ends the script with the error. */
export const ensureFontTools = () => ensure(fontTools)

function tool(name, file) {
  const requirements = join(root, 'scripts', file)
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  return { name, requirements, folder: join(root, '.cache', `${name}-${hash}`) }
}

function ensure({ name, requirements, folder }) {
  if (existsSync(join(folder, 'installed'))) return
  ensureServers(['python'])
  console.log(`Installing ${name} (once) ...`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(root, '.cache'), { recursive: true })
  // A virtual environment knows its own path, so it is made in place, and marked as whole at its end.
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements]
  for (const [command, args] of [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin', 'python3'), pip],
  ]) {
    // Also pins the tools that compile a package.
    const env = { ...process.env, PIP_CONSTRAINT: requirements }
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env })
    if (status === 0) continue
    fail(`${name} could not be installed (${command} ${args.join(' ')}):\n${error?.message ?? stdout + stderr}`)
  }
  mkdirSync(join(folder, 'installing'))
  renameSync(join(folder, 'installing'), join(folder, 'installed'))
}
