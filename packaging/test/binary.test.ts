/** The executable, built from these sources and started in an empty folder without a PATH. It needs no other file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testAll } from '../../testing/cases.ts'
import { codeAt, factorsOf } from '../../testing/factors.ts'
import { scriptedProvider } from '../../testing/servers/scripted-provider.ts'
import type { SignInApp } from '../../testing/sign-in/sign-in.ts'
import { browserOf, PUBLIC_URL } from '../../testing/sign-in/sso.ts'
import {
  BINARY,
  build,
  isRoot,
  mustRun,
  PASSWORD,
  ROOT,
  type Running,
  run,
  serve,
  signIn,
  tempFolder,
} from '../trial.ts'

setDefaultTimeout(120_000)
beforeAll(build)

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

test('prints its version', async () => {
  expect(await run([BINARY, '--version'])).toEqual({ code: 0, out: `plat ${version}\n`, err: '' })
})

test('migrates a new database', async () => {
  const folder = tempFolder()
  const { code, err } = await run([BINARY, 'migrate', '--data-dir', join(folder.path, 'data')])
  const files = readdirSync(join(folder.path, 'data'))
  folder.remove()
  expect([code, err, files.includes('plat.db')]).toEqual([0, expect.not.stringContaining('error'), true])
})

test('a health check without a server fails', async () => {
  const { code, err } = await run([BINARY, 'healthcheck'], { env: { LISTEN_ADDR: '127.0.0.1:9' } })
  expect([code, err]).toEqual([6, 'error: http://127.0.0.1:9/healthz does not answer\n'])
})

test('ignores settings of Bun in the working directory', async () => {
  const folder = tempFolder()
  await Bun.write(join(folder.path, 'bunfig.toml'), 'preload = ["./own.ts"]\n')
  await Bun.write(join(folder.path, 'own.ts'), 'process.exit(77)\n')
  const { code } = await run([BINARY, '--version'], { cwd: folder.path })
  folder.remove()
  expect(code).toBe(0)
})

/**
 * A root with only the files of the container image, and the /proc and /dev of a container. It is read-only for a user
 * that owns only the data. Without root privileges, an empty folder replaces it.
 */
const chrooted = (root: string): string[] => [
  ...['unshare', '--mount', 'sh', '-c'],
  'mount --bind "$1" "$1"; mount --bind "$1/data" "$1/data"; for i in proc dev; do mount --rbind "/$i" "$1/$i"; done; mount -o remount,ro,bind "$1"; root=$1; shift; exec chroot --userspec=65532:65532 "$root" "$@"',
  ...['sh', root, '/usr/bin/plat'],
]

/** The settings of identity providers on this machine, passkeys and codes. */
const SIGN_IN = { PUBLIC_URL, ENCRYPTION_KEY: 'ab'.repeat(32), COOKIE_SECURE: 'false', SSO_ALLOW_LOOPBACK: 'true' }

describe(isRoot ? 'in the root of the image, which cannot be written' : 'in an empty folder', () => {
  const root = tempFolder()
  const home = tempFolder()
  const data = isRoot ? '/data' : join(root.path, 'data')
  const plat = isRoot ? chrooted(root.path) : [BINARY]
  /** Only the commands that make the root need a PATH. */
  const env = isRoot ? { PATH: process.env.PATH ?? '' } : {}
  let server: Running
  let client: Record<string, string>

  beforeAll(async () => {
    if (isRoot) {
      await mustRun(['sh', 'packaging/image-root.sh', BINARY, root.path], { cwd: ROOT })
      await mustRun(['chown', '-R', '65532:65532', join(root.path, 'data')])
      await mustRun(['chmod', '755', root.path])
    }
    const settings = { DATA_DIR: data, DISCOVERY_ALLOW_LOCAL: 'true', ...SIGN_IN }
    server = await serve(plat, { cwd: root.path, env: { ...env, ...settings } })
    client = await signIn([BINARY], { url: server.url, home: home.path })
  })
  afterAll(async () => {
    await server?.stop()
    root.remove()
    home.remove()
  })

  test('it is healthy, and says so itself', async () => {
    const { host } = new URL(server.url)
    expect(await run([BINARY, 'healthcheck', '--ready'], { env: { LISTEN_ADDR: host } })).toEqual({
      code: 0,
      out: '',
      err: '',
    })
  })

  test('it serves the page with each of its files, as they were built', async () => {
    const built = join(ROOT, 'dist', 'web')
    const get = (path: string, headers = {}) => fetch(`${server.url}${path}`, { headers, decompress: false })
    const page = await get('/devices', { accept: 'text/html' })
    // The server adds WEB_MAX_ROWS.
    const html = readFileSync(join(built, 'index.html'), 'utf8').replace('<html ', '<html data-max-rows="120000" ')
    expect([page.status, await page.text()]).toEqual([200, html])
    const names = readdirSync(join(built, 'assets')).filter((name) => /\.(js|css|woff2)$/.test(name))
    const wrong = []
    for (const name of names) {
      const sent = Buffer.from(
        await (await get(`/static/assets/${name}`, { 'accept-encoding': 'identity' })).arrayBuffer(),
      )
      if (!sent.equals(readFileSync(join(built, 'assets', name)))) wrong.push(name)
    }
    expect([names.length > 10, wrong]).toEqual([true, []])
  })

  test('it sends the compressed files of the build', async () => {
    const name = readdirSync(join(ROOT, 'dist', 'web', 'assets')).find((one) => one.endsWith('.js')) ?? ''
    const sent = await fetch(`${server.url}/static/assets/${name}`, {
      headers: { 'accept-encoding': 'br' },
      decompress: false,
    })
    const compressed = readFileSync(join(ROOT, 'dist', 'web', 'assets', `${name}.br`))
    expect(sent.headers.get('content-encoding')).toBe('br')
    expect(Buffer.from(await sent.arrayBuffer()).equals(compressed)).toBe(true)
  })

  test('its command line creates and lists', async () => {
    await run([BINARY, 'device', 'create', 'web-1', '--address', '10.0.0.5'], { env: client })
    const { out } = await run([BINARY, 'device', 'list', '-o', 'name'], { env: client })
    expect(out).toBe('web-1\n')
  })

  test('it scans, in a process of its own', async () => {
    await run([BINARY, 'network', 'create', 'lo', '127.0.0.0/30'], { env: client })
    const { code, err } = await run([BINARY, 'discovery', 'scan', 'lo', '--type', 'deep', '--watch'], { env: client })
    const { out } = await run([BINARY, 'discovery', 'list', '--network', 'lo', '-o', 'json'], { env: client })
    const found: { ip: string }[] = JSON.parse(out)
    expect([code, err, found.map(({ ip }) => ip).sort()]).toEqual([0, expect.anything(), ['127.0.0.1', '127.0.0.2']])
  })

  test('it converts and imports a spreadsheet, in a separate process', async () => {
    const file = join(root.path, 'devices.csv')
    writeFileSync(file, 'name,ip\nsheet-1,127.0.0.9\n')
    const { code, out } = await run([BINARY, 'import', 'csv', file, '--yes'], { env: client })
    expect([code, out]).toEqual([0, expect.stringContaining('Done: creates 1 device')])
  })

  test('it imports a device type, in a separate process', async () => {
    const file = join(root.path, 'type.yaml')
    writeFileSync(
      file,
      'manufacturer: Acme\nmodel: SW-1\nslug: acme-sw-1\ninterfaces:\n  - name: p1\n    type: 1000base-t\n',
    )
    const { code, out } = await run([BINARY, 'device-type', 'import', file], { env: client })
    expect([code, out]).toEqual([0, 'created: Acme SW-1\n1 created, 0 updated, 0 unchanged\n'])
  })

  test('it reads many leases, in a separate process', async () => {
    const file = join(root.path, 'dnsmasq.leases')
    const lines = Array.from(
      { length: 1000 },
      (_, i) => `0 52:54:00:00:${(i >> 8).toString(16)}:${(i & 255).toString(16)} 10.9.${i >> 8}.${i & 255} h${i} *`,
    )
    writeFileSync(file, `${lines.join('\n')}\n`)
    const { code, out } = await run([BINARY, 'discovery', 'leases', file, '-o', 'json'], { env: client })
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ leases: 1000, unplaced: 1000 })])
  })

  testAll('users sign in by an identity provider, a code and a passkey', async () => {
    const sent = (request: Request): Promise<Response> =>
      fetch(new Request(request.url.replace(PUBLIC_URL, server.url), request), { redirect: 'manual' })
    const admin = browserOf({ fetch: sent })
    const login = async (factor: object = {}) =>
      (await admin.send('POST /api/auth/login', { username: 'admin', password: PASSWORD, ...factor })).status
    expect(await login()).toBe(200)
    const provider = await scriptedProvider()
    const fields = { name: 'people', client_id: 'plat', client_secret: 's3cret', allow_http: true }
    const made = await admin.send('POST /api/sso/providers', { ...fields, issuer: provider.issuer })
    const ada = browserOf({ fetch: sent })
    await ada.signIn((await made.json()) as { id: string }, provider)
    provider.close()
    expect([made.status, await ada.username()]).toEqual([201, 'ada'])

    const cookie = `session=${admin.jar.get('session')}`
    const send: SignInApp['send'] = (http, { body } = {}) => admin.send(http, body)
    const clock = { ms: Date.now() }
    const { addTotp, addPasskey, answer } = factorsOf({ send, clock })
    const { secret } = await addTotp(cookie)
    const { authenticator } = await addPasskey(cookie)
    expect([await login(), await login({ totp: codeAt(secret, clock.ms) })]).toEqual([401, 200])
    expect((await admin.send('POST /api/auth/passkey', await answer(authenticator))).status).toBe(200)
  })

  test('a backup of its data passes verification', async () => {
    const { code, err } = await run([...plat, 'backup', `${data}/plat.backup`, '--data-dir', data], {
      env,
      cwd: root.path,
    })
    expect([code, err]).toEqual([0, expect.any(String)])
  })

  test('it stops gracefully on SIGTERM', async () => {
    expect(await server.stop()).toBe(0)
  })
})
