// Owns the tools that come from PyPI, such as schemathesis (tries the API by its OpenAPI document), Canaille (an identity provider),
// moto (an AWS of this machine), Patroni (replaces a failed PostgreSQL primary), NetBox and its clients, and Go. Each is installed once, in the versions of its
// requirements.txt, into a folder for these versions only.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fail, root } from './install.mjs'
import { ensureServers } from './test-servers.mjs'

const schemathesis = tool('schemathesis', 'contract/requirements.txt')
const ansible = tool('ansible', 'ansible-requirements.txt')
const canaille = tool('canaille', 'canaille-requirements.txt')
const moto = tool('moto', 'moto-requirements.txt')
const checkJsonschema = tool('check-jsonschema', 'check-jsonschema-requirements.txt')
const kubernetesValidate = tool('kubernetes-validate', 'kubernetes-validate-requirements.txt')
const fontTools = tool('fonttools', 'fonts/requirements.txt')
const patroni = tool('patroni', 'patroni-requirements.txt')
const netbox = tool('netbox', 'netbox/server-requirements.txt')
const netboxClients = tool('netbox-clients', 'netbox/clients-requirements.txt')
const go = tool('go', 'netbox/go-requirements.txt')

export const schemathesisPath = join(schemathesis.folder, 'bin', 'schemathesis')
/** The folder of `ansible-playbook` and the other programs of Ansible. */
export const ansibleFolder = join(ansible.folder, 'bin')
/** The virtual environment of Canaille. */
export const canailleFolder = canaille.folder
/** The server of moto, which stands for AWS. */
export const motoServerPath = join(moto.folder, 'bin', 'moto_server')
/** The folder of the Python that has check-jsonschema. */
export const checkJsonschemaFolder = join(checkJsonschema.folder, 'bin')
export const kubernetesValidatePath = join(kubernetesValidate.folder, 'bin', 'kubernetes-validate')
/** The virtual environment of Patroni. */
export const patroniFolder = patroni.folder
/** The virtual environment of NetBox. */
export const netboxFolder = netbox.folder
/** The folder of the programs and the Python that work with NetBox. */
export const netboxClientsFolder = join(netboxClients.folder, 'bin')
/** Go, for machines without one. */
export const goFromPypi = join(go.folder, 'bin', 'go')

/** The Python that has fontTools. */
export const fontToolsPython = join(fontTools.folder, 'bin', 'python3')

/** Installs schemathesis, or ends the script with the error. */
export const ensureSchemathesis = () => ensure(schemathesis)
/** Installs Ansible, or ends the script with the error. */
export const ensureAnsible = () => ensure(ansible)
/** Installs Canaille, or ends the script with the error. Its client of LDAP is compiled. */
export const ensureCanaille = () => ensure(canaille)
/** Installs moto, or ends the script with the error. Its list has the packages that EC2, STS and IAM need. */
export const ensureMoto = () => ensure(moto)
/** Installs check-jsonschema, or ends the script with the error. */
export const ensureCheckJsonschema = () => ensure(checkJsonschema)
/** Installs kubernetes-validate, or ends the script with the error. */
export const ensureKubernetesValidate = () => ensure(kubernetesValidate)
/** Installs Patroni, or ends the script with the error. Debian 12 has a version that loses writes. */
export const ensurePatroni = () => ensure(patroni)

/** Installs Go, or ends the script with the error. */
export const ensureGoFromPypi = () => ensure(go)
/**
 * Installs the clients of NetBox, or ends the script with the error. Two of them name Python 3.12, and run on 3.11. Ansible
 * has 20,000 files, of which few are used, so they are compiled when they are.
 */
export const ensureNetboxClients = () =>
  ensure(netboxClients, { options: ['--ignore-requires-python', '--no-compile'] })
/** Installs NetBox, or ends the script with the error. */
export const ensureNetbox = () => ensure(netbox, { python: findPython(12) })

/** Installs fontTools, or ends the script with the error. */
export const ensureFontTools = () => ensure(fontTools)

function tool(name, file) {
  const requirements = join(root, 'scripts', file)
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  return { name, requirements, folder: join(root, '.cache', `${name}-${hash}`) }
}

/** Returns a Python 3 of at least this minor version, on PATH or one of pyenv. */
function findPython(minor) {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  const own = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin', 'python3')) : []
  const named = ['python3', ...Array.from({ length: 6 }, (_, index) => `python3.${minor + index}`)]
  const test = `import ensurepip, sys, venv; sys.exit(sys.version_info < (3, ${minor}))`
  const found = [...named, ...own].find((python) => spawnSync(python, ['-c', test], { stdio: 'ignore' }).status === 0)
  return found ?? fail(`Python 3.${minor} or newer with venv is missing (python3.${minor} on PATH).`)
}

function ensure({ name, requirements, folder }, { python = 'python3', options = [] } = {}) {
  if (existsSync(join(folder, 'installed'))) return
  ensureServers(['python'])
  console.log(`Installing ${name} (once) ...`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(root, '.cache'), { recursive: true })
  // A virtual environment knows its own path, so it is made in place, and marked as whole at its end.
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
  const pip = [...install, ...options, '-r', requirements]
  for (const [command, args] of [
    [python, ['-m', 'venv', folder]],
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
