/** The sign-in of a device that has no browser, from the command line to its key. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUser } from '../../../testing/estates/identities.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { type Browser, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import { runCli } from '../../app/cli.ts'
import type { DeviceKey, DeviceLogin } from './api.ts'
import { normalizeUserCode } from './device-login.ts'

const PASSWORD = 'quick to check'
const URL = 'http://plat.test'

describe.each(onSqlite())('the sign-in of a device on %s', (dialect) => {
  let app: SsoApp
  let browser: Browser
  let folder: string
  let clockMs = Date.now()

  beforeAll(async () => {
    app = await ssoApp({ dialect, env: { AUDIT_ENABLED: 'true' }, now: () => new Date(clockMs) })
    await createUser(app.db, { username: 'ada', password: PASSWORD, roles: ['viewer'] })
    browser = app.browser()
    await browser.send('POST /api/auth/login', { username: 'ada', password: PASSWORD })
    folder = mkdtempSync(join(tmpdir(), 'plat-device-'))
  })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })

  const begin = async (client = 'laptop'): Promise<DeviceLogin> =>
    // Its schema is checked by the contract tests.
    (await (await app.guest('POST', '/api/auth/device', { client })).json()) as DeviceLogin
  const ask = async ({ device_code }: Pick<DeviceLogin, 'device_code'>, afterMs = 5000) => {
    clockMs += afterMs
    const response = await app.guest('POST', '/api/auth/device/token', { device_code })
    const body = (await response.json()) as Partial<DeviceKey> & { readonly code?: string }
    return { status: response.status, ...body }
  }
  const decide = (userCode: string, allow: unknown) => browser.send(`POST /api/auth/device/${userCode}`, { allow })

  test('gives a key of the user once, after the user has allowed it', async () => {
    const device = await begin()
    expect(device).toMatchObject({ expires_in: 600, interval: 5, verification_uri: 'http://plat.test/device' })
    expect(device.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(device.verification_uri_complete).toBe(`http://plat.test/device?code=${device.user_code}`)
    expect(await ask(device)).toMatchObject({ status: 400, code: 'AUTHORIZATION_PENDING' })
    const shown = await browser.send(`GET /api/auth/device/${device.user_code.toLowerCase().replace('-', '')}`)
    expect(await shown.json()).toMatchObject({ user_code: device.user_code, client: 'laptop' })
    expect((await decide(device.user_code, true)).status).toBe(204)
    const { status, key, user } = await ask(device)
    expect([status, user?.username]).toEqual([200, 'ada'])
    const opened = await app.guest('GET', '/api/auth/me', undefined, { Authorization: `Bearer ${key}` })
    expect(await opened.json()).toMatchObject({ username: 'ada' })
    expect(await ask(device)).toMatchObject({ status: 400, code: 'EXPIRED_TOKEN' })
    expect((await browser.send(`GET /api/auth/device/${device.user_code}`)).status).toBe(404)
  })

  test('of the same name gets a key of another name', async () => {
    const device = await begin()
    await decide(device.user_code, true)
    expect((await ask(device)).status).toBe(200)
  })

  test('gives nothing that the user has denied', async () => {
    const device = await begin()
    expect((await decide(device.user_code, false)).status).toBe(204)
    expect((await decide(device.user_code, true)).status).toBe(404)
    expect((await ask(device)).code).toBe('ACCESS_DENIED')
    expect((await ask(device)).code).toBe('EXPIRED_TOKEN')
  })

  test('asks too soon before the interval has passed', async () => {
    const device = await begin()
    expect((await ask(device, 4999)).code).toBe('SLOW_DOWN')
    expect((await ask(device, 4999)).code).toBe('SLOW_DOWN')
    expect((await ask(device, 5000)).code).toBe('AUTHORIZATION_PENDING')
  })

  test('ends after ten minutes, for the device and for the user', async () => {
    const device = await begin()
    clockMs += 600_000
    expect((await ask(device, 0)).code).toBe('EXPIRED_TOKEN')
    expect((await decide(device.user_code, true)).status).toBe(404)
    await app.plat.runJob('device-login.purge')
    expect(await app.db.read.selectFrom('device_codes').selectAll().execute()).toEqual([])
  })

  test('is void once the user is signed out everywhere', async () => {
    const user = await createUser(app.db, { username: 'eve', password: PASSWORD })
    const other = app.browser()
    await other.send('POST /api/auth/login', { username: 'eve', password: PASSWORD })
    const device = await begin()
    expect((await other.send(`POST /api/auth/device/${device.user_code}`, { allow: true })).status).toBe(204)
    await app.admin.api.users.resetPassword({ id: user.id, new_password: 'another password' })
    expect((await ask(device)).code).toBe('EXPIRED_TOKEN')
  })

  test('needs a session, and no key', async () => {
    const { user_code } = await begin()
    expect((await app.guest('GET', `/api/auth/device/${user_code}`)).status).toBe(401)
    expect((await app.admin.request('GET', `/api/auth/device/${user_code}`)).status).toBe(403)
    expect((await app.admin.request('POST', `/api/auth/device/${user_code}`, { allow: true })).status).toBe(403)
  })

  test.each([
    ['/api/auth/device', {}, 'client'],
    ['/api/auth/device', { client: ' ' }, 'client'],
    ['/api/auth/device/token', {}, 'device_code'],
  ])('names the wrong field of POST %s %j', async (path, body, field) => {
    const response = await app.guest('POST', path, body)
    expect([response.status, await response.json()]).toMatchObject([400, { details: [{ field }] }])
  })

  test('by `plat login --sso` stores the key, and replaces the one of before', async () => {
    const run = async (...argv: string[]) => {
      let userCode = ''
      const { io, err } = memoryIo({
        argv: [...argv, '--url', URL],
        env: { XDG_CONFIG_HOME: join(folder, 'config') },
        machineId: 'a'.repeat(32),
        fetch: async (url, init) => {
          const response = await app.fetch(new Request(url, init))
          if (url.endsWith('/api/auth/device')) userCode = ((await response.clone().json()) as DeviceLogin).user_code
          return response
        },
        sleep: async (ms) => {
          clockMs += ms
          await decide(userCode, true)
        },
      })
      return { code: await runCli(io), err: err() }
    }
    const names = async () =>
      (await app.db.read.selectFrom('api_keys').select('name').where('name', 'like', 'plat login on %').execute())
        .length
    const first = await run('login', '--sso')
    expect(first.code).toBe(0)
    expect(first.err).toContain('http://plat.test/device?code=')
    expect(first.err).toContain('as ada')
    expect((await run('whoami')).code).toBe(0)
    expect(await names()).toBe(1)
    clockMs += 60_000
    expect((await run('login', '--sso')).code).toBe(0)
    expect(await names()).toBe(1)
    expect((await run('logout')).code).toBe(0)
    expect(await names()).toBe(0)
  })

  test('stores and records no code and no key', async () => {
    const device = await begin()
    const rows = JSON.stringify(await app.db.read.selectFrom('device_codes').selectAll().execute())
    expect(rows).not.toContain(device.device_code)
    expect(JSON.stringify(await app.admin.api.audit.list({}))).not.toMatch(/plat_[\w-]{43}/)
  })
})

test.each([
  ['bcdf-ghjk', 'BCDF-GHJK'],
  [' bcdf ghjk ', 'BCDF-GHJK'],
  ['BCDFGHJK', 'BCDF-GHJK'],
  ['', '-'],
])('the typed code %j is %s', (typed, code) => {
  expect(normalizeUserCode(typed)).toBe(code)
})
