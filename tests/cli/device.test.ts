/** `plat login` sends the device cookie of its server and account. A logout keeps the cookie. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import { createUser } from '../../testing/estates/identities.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { type SignInApp, signInApp } from '../../testing/sign-in/sign-in.ts'

const PASSWORD = 'quick to check'
const URL_A = 'http://plat.test'
const URL_B = 'http://other.test'

let app: SignInApp
let config: string
/** The server and the Cookie header of each sign-in that reached it. */
const shown: (readonly [url: string, cookie: string | null])[] = []

const run = async (...argv: string[]) => {
  const { io, err } = memoryIo({
    argv,
    env: { XDG_CONFIG_HOME: config, PLAT_URL: '' },
    stdin: PASSWORD,
    fetch: async (url, init) => {
      const { origin, pathname } = new URL(url)
      if (pathname === '/api/auth/login') shown.push([origin, new Headers(init.headers).get('cookie')])
      return app.fetch(new Request(url, init))
    },
  })
  return { code: await runCli(io), err: err() }
}
let logins = 0
const login = (username: string, url = URL_A) =>
  run('login', '--url', url, '--username', username, '--password-stdin', '--name', `key ${++logins}`)
const file = () => join(config, 'plat', 'devices.json')

beforeAll(async () => {
  app = await signInApp('sqlite')
  for (const username of ['ada', 'ben']) await createUser(app.db, { username, password: PASSWORD, roles: ['viewer'] })
})
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'plat-cli-device-'))
  shown.length = 0
})
afterEach(() => rmSync(config, { recursive: true }))
afterAll(() => app.close())

const DEVICE = expect.stringMatching(/^__Host-device=[\w.-]+$/)

test('the next sign-in of that account sends it', async () => {
  const codes = [(await login('ada')).code, (await login('ADA')).code]
  expect([codes, shown]).toEqual([
    [0, 0],
    [
      [URL_A, null],
      [URL_A, DEVICE],
    ],
  ])
})

test('it is sent for no other account and to no other server', async () => {
  await login('ada')
  await login('ben')
  await login('ada', URL_B)
  expect(shown.map(([, cookie]) => cookie)).toEqual([null, null, null])
})

test('it is kept by a logout', async () => {
  await login('ada')
  expect((await run('logout')).code).toBe(0)
  await login('ada')
  expect(shown.at(-1)).toEqual([URL_A, DEVICE])
})

test('only its owner may read it', async () => {
  await login('ada')
  expect([statSync(file()).mode & 0o777, statSync(join(config, 'plat')).mode & 0o777]).toEqual([0o600, 0o700])
  expect(readdirSync(join(config, 'plat')).sort()).toEqual(['config.json', 'devices.json'])
})

test('the terminal does not show it', async () => {
  const { err } = await login('ada')
  const [kept] = JSON.parse(readFileSync(file(), 'utf8')) as { cookie: string }[]
  expect(err).not.toContain(kept?.cookie.split('.')[2] ?? 'device')
})

test.each(['', '{', '[1, null, {}]', '[{"url":"http://plat.test","username":"ada","cookie":"device=x\\r\\nX: y"}]'])(
  'a file with %j is ignored, and does not fail the sign-in',
  async (text) => {
    await login('ben')
    writeFileSync(file(), text)
    expect([(await login('ada')).code, shown.at(-1)]).toEqual([0, [URL_A, null]])
  },
)
