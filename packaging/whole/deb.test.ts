/** The Debian package as administrators use it: installed, run, upgraded while running, removed, purged. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BINARY, build, mustRun, PASSWORD, ROOT, type Running, run, serve, signIn } from '../trial.ts'
import { type Debian, debian } from './debian.ts'

setDefaultTimeout(600_000)

let system: Debian
let first: string
let second: string
let server: Running
let client: Record<string, string>

const PATH = process.env.PATH ?? ''
const at = (path: string): string => join(system.path, path)
const inside = (line: string, user?: string) => run(system.command(line, user), { env: { PATH } })
const packaged = async (revision: string): Promise<string> => {
  const out = await mustRun(['node', 'scripts/build-deb.mjs', '--no-build', '--quick', '--revision', revision], {
    cwd: ROOT,
  })
  return out.trim().split('\n').at(-1) ?? ''
}
const install = (deb: string) => {
  copyFileSync(deb, at('/tmp/plat.deb'))
  return inside('dpkg --install /tmp/plat.deb')
}
/** Uses the user, the settings and the command of the unit. */
const start = (): Promise<Running> => {
  const command = /^ExecStart=(.*) serve$/m.exec(readFileSync(at('/lib/systemd/system/plat.service'), 'utf8'))?.[1]
  const settings = `set -a; . /etc/plat/plat.env; LISTEN_ADDR=127.0.0.1:0; INITIAL_ADMIN_PASSWORD=${PASSWORD}`
  return serve(system.command(`${settings}; exec ${command} "$0"`, 'plat'), { env: { PATH } })
}

beforeAll(async () => {
  await build()
  first = await packaged('1')
  second = await packaged('2')
  system = await debian()
})
afterAll(async () => {
  await server?.stop()
  system?.remove()
})

test('it has no fault that lintian knows', async () => {
  const { code, out } = await run(['lintian', '--allow-root', '--fail-on', 'error,warning', first], { env: { PATH } })
  expect([code, out]).toEqual([0, ''])
})

test('it is installed, with a user, a folder for the data and a key', async () => {
  const { code, err } = await install(first)
  expect([code, err]).toEqual([0, ''])
  const [data, key] = [statSync(at('/var/lib/plat')), statSync(at('/etc/plat/encryption-key'))]
  expect([data.mode & 0o777, key.mode & 0o777, key.size]).toEqual([0o700, 0o640, 64])
  expect((await inside('id -un; id -gn', 'plat')).out).toBe('plat\nplat\n')
})

test('every file is as it was packed', async () => expect((await inside('dpkg --verify plat')).out).toBe(''))

test('the server starts with the next boot', () =>
  expect(readdirSync(at('/etc/systemd/system/multi-user.target.wants'))).toContain('plat.service'))

test('a scanner does not, and only root reads its settings', async () => {
  expect(readdirSync(at('/etc/systemd/system/multi-user.target.wants'))).not.toContain('plat-scanner.service')
  expect(existsSync(at('/lib/systemd/system/plat-scanner.service'))).toBe(true)
  expect(statSync(at('/etc/plat/scanner.env')).mode & 0o777).toBe(0o600)
  const { code, err } = await inside('plat scanner run --state /tmp/scanner')
  expect([code, err]).toEqual([2, expect.stringContaining('PLAT_SCANNER_URL')])
})

test('it is used', async () => {
  server = await start()
  client = await signIn([at('/usr/bin/plat')], { url: server.url, home: at('/root') })
  await mustRun([at('/usr/bin/plat'), 'device', 'create', 'web-1'], { env: client })
  expect((await run([at('/usr/bin/plat'), 'device', 'list', '-o', 'name'], { env: client })).out).toBe('web-1\n')
})

test('an upgrade under way keeps the settings that were changed, the key, and the server', async () => {
  appendFileSync(at('/etc/plat/plat.env'), 'POOL_UTILIZATION_THRESHOLD=80\n')
  const key = readFileSync(at('/etc/plat/encryption-key'), 'utf8')
  const { code, err } = await install(second)
  const answer = await fetch(`${server.url}/healthz`)
  expect([code, err, answer.status]).toEqual([0, '', 200])
  expect(readFileSync(at('/etc/plat/encryption-key'), 'utf8')).toBe(key)
  expect(readFileSync(at('/etc/plat/plat.env'), 'utf8')).toEndWith('POOL_UTILIZATION_THRESHOLD=80\n')
})

test('the new program has the data of the old one', async () => {
  await server.stop()
  server = await start()
  const env = { ...client, PLAT_URL: server.url }
  const { out } = await run([at('/usr/bin/plat'), 'device', 'list', '-o', 'name', '--token', await keyOf()], { env })
  expect(out).toBe('web-1\n')
})

/** The key that `plat login` has kept, for a server at another port. */
const keyOf = async (): Promise<string> =>
  JSON.parse(await Bun.file(join(client.XDG_CONFIG_HOME ?? '', 'plat/config.json')).text()).key

test('removing the package leaves data, settings and key', async () => {
  await server.stop()
  const { code } = await inside('dpkg --remove plat')
  const left = ['/usr/bin/plat', '/var/lib/plat/plat.db', '/etc/plat/plat.env', '/etc/plat/encryption-key']
  expect([code, left.map((path) => existsSync(at(path)))]).toEqual([0, [false, true, true, true]])
})

test('and comes back with them', async () => {
  await install(second)
  server = await start()
  const env = { PLAT_URL: server.url, PLAT_TOKEN: await keyOf() }
  expect((await run([BINARY, 'device', 'list', '-o', 'name'], { env })).out).toBe('web-1\n')
  expect(await server.stop()).toBe(0)
})

test('purging the package leaves nothing', async () => {
  const { code } = await inside('dpkg --purge plat')
  const left = [
    '/usr/bin/plat',
    '/var/lib/plat',
    '/etc/plat',
    '/etc/systemd/system/multi-user.target.wants/plat.service',
  ]
  expect([code, left.filter((path) => existsSync(at(path)))]).toEqual([0, []])
  expect((await inside('getent passwd plat')).code).toBe(2)
})

test('its name has the version and the architecture', () =>
  expect(basename(second)).toMatch(/^plat_\d+\.\d+\.\d+-2_(amd64|arm64)\.deb$/))
