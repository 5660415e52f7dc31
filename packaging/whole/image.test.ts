/** The steps of the Dockerfile, executed in a separate Debian, and the resulting root, started. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram } from '../../scripts/server-binaries.mjs'
import { mustRun, ROOT, run, serve } from '../trial.ts'
import { type Debian, debian } from './debian.ts'

setDefaultTimeout(600_000)

const PATH = process.env.PATH ?? ''
const file = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const [, stage = ''] = file.split(/^FROM .*$/m)
const steps = stage.split('\n').filter((line) => /^(RUN|COPY) /.test(line))

let system: Debian
const at = (path: string): string => join(system.path, path)

/** The files that are sent to the builder: the files of the checkout that .dockerignore permits. */
const context = async (): Promise<string[]> => {
  const names = (await mustRun(['git', 'ls-files', '-co', '--exclude-standard'], { cwd: ROOT })).trim().split('\n')
  const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  const kept = rules.flatMap((rule) => (rule.startsWith('!') ? [rule.slice(1)] : []))
  const dropped = rules.flatMap((rule) => (rule.startsWith('**/*') ? [rule.slice('**/*'.length)] : []))
  return names.filter(
    (name) =>
      kept.some((one) => name === one || name.startsWith(`${one}/`)) && !dropped.some((end) => name.endsWith(end)),
  )
}

const copy = async (names: readonly string[]): Promise<void> => {
  for (const name of names.filter((one) => existsSync(join(ROOT, one)))) {
    mkdirSync(dirname(at(`/src/${name}`)), { recursive: true })
    copyFileSync(join(ROOT, name), at(`/src/${name}`))
  }
}

beforeAll(async () => {
  system = await debian()
  // The other content of the base image: the Node and npm of this machine.
  const node = realpathSync(findProgram('node') ?? '')
  const npm = join(dirname(realpathSync(findProgram('npm') ?? '')), '..')
  mkdirSync(at('/usr/local/lib/node_modules'), { recursive: true })
  copyFileSync(node, at('/usr/local/bin/node'))
  await mustRun(['cp', '-a', npm, at('/usr/local/lib/node_modules/npm')])
  await mustRun(['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', at('/usr/local/bin/npm')])
  for (const name of ['resolv.conf', 'hosts']) copyFileSync(`/etc/${name}`, at(`/etc/${name}`))
  mkdirSync(at('/src'), { recursive: true })
})
afterAll(() => system?.remove())

test('its steps lead to an image', async () => {
  const registry = (await mustRun(['npm', 'config', 'get', 'registry'])).trim()
  // Networks with a TLS proxy need its certificate.
  const own = process.env.NODE_EXTRA_CA_CERTS ?? process.env.SSL_CERT_FILE ?? ''
  if (own !== '') copyFileSync(own, at('/etc/own-ca.crt'))
  const trust = own === '' ? '' : 'NODE_EXTRA_CA_CERTS=/etc/own-ca.crt'
  const all = await context()
  for (const step of steps) {
    const [verb, ...words] = step.split(' ')
    if (verb === 'COPY') await copy(words[0] === '.' ? all : words.slice(0, -1))
    else {
      const line = `cd /src && export npm_config_registry='${registry}' ${trust} && ${words.join(' ')}`
      const { code, err, out } = await run(system.command(line), { env: { PATH } })
      if (code !== 0) throw new Error(`${step}: ${err}${out}`)
    }
  }
  expect(readdirSync(at('/image')).sort()).toEqual(['data', 'dev', 'etc', 'lib', 'lib64', 'proc', 'tmp', 'usr'])
})

test('the image starts for a user that may only write its data', async () => {
  const chroot =
    'chown 65532:65532 "$1/data"; mount --bind "$1" "$1"; mount --bind "$1/data" "$1/data"; for i in proc dev; do mount --rbind "/$i" "$1/$i"; done; mount -o remount,ro,bind "$1"; exec chroot --userspec=65532:65532 "$1" /usr/bin/plat "$2"'
  const server = await serve(['unshare', '--mount', 'sh', '-c', chroot, 'sh', at('/image')], {
    env: { PATH, DATA_DIR: '/data', HOME: '/data' },
  })
  const answer = await fetch(`${server.url}/`, { headers: { accept: 'text/html' } })
  expect([answer.status, await server.stop()]).toEqual([200, 0])
})
