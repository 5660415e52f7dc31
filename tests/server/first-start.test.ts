/** The first start: a sign-in during the creation of the first user waits for it, and succeeds. */
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose, openDatabase, type Plat } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { spawnServer } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { type Dialect, engines, onSqlite, postgresDatabase } from '../../testing/servers/servers.ts'
import { refusal } from '../../testing/sign-in/sign-in.ts'
import { until } from '../../testing/until.ts'

const ADMIN = { username: 'root', password: 'the first password' }
const SETTINGS = {
  INITIAL_ADMIN_USERNAME: ADMIN.username,
  INITIAL_ADMIN_PASSWORD: ADMIN.password,
  MCP_OAUTH_ENABLED: 'true',
  MCP_OAUTH_ISSUER_URL: 'http://plat.test',
  REQUEST_TIMEOUT: '5m',
}
const SLOW_TEST_MS = 120_000

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** Returns the settings of a new, empty installation. */
const nowhere = async (dialect: Dialect): Promise<Record<string, string>> => {
  if (dialect === 'sqlite') return {}
  const database = await postgresDatabase()
  open.push(() => database.drop())
  return { DATABASE_URL: database.url }
}

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-first-'))
  open.push(async () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Starts an instance there. It answers requests as soon as this returns. */
const start = async (place: Record<string, string>, more: Record<string, string> = {}): Promise<Plat> => {
  const dir = folder()
  const config = loadConfig({ env: { ...SETTINGS, ...place, DATA_DIR: dir, ...more }, cwd: dir })
  const context = {
    config,
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    now: () => new Date(),
  }
  const plat = await compose(context, await openDatabase(context))
  open.push(plat.close)
  return plat
}

const post = ({ fetch }: Plat, path: string, body: unknown) =>
  fetch(
    new Request(`http://plat.test${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

describe.each(onSqlite())('on an empty %s', (dialect) => {
  test(
    'a sign-in waits for the first user and succeeds; one with another password fails',
    async () => {
      const plat = await start(await nowhere(dialect))
      const ready = plat.fetch(new Request('http://plat.test/readyz'))
      const logins = [ADMIN, { ...ADMIN, password: 'another password' }]
      const answers = await Promise.all(logins.map((login) => post(plat, '/api/auth/login', login)))
      expect([(await ready).status, ...answers.map(({ status }) => status)]).toEqual([200, 200, 401])
    },
    SLOW_TEST_MS,
  )

  testAll(
    'a consent with name and password waits as well',
    async () => {
      const plat = await start(await nowhere(dialect))
      const redirect_uri = 'http://127.0.0.1:7777/cb'
      const client = await (await post(plat, '/mcp-oauth/register', { redirect_uris: [redirect_uri] })).json()
      const { client_id } = client as { client_id: string }
      const pkce = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' }
      const asked = { response_type: 'code', client_id, redirect_uri, ...pkce, approved: true, ...ADMIN }
      const answer = await post(plat, '/mcp-oauth/authorize', asked)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('code=')])
    },
    SLOW_TEST_MS,
  )
})

if (engines().includes('postgres'))
  testAll(
    'two instances start at once: a sign-in at each of them waits and succeeds',
    async () => {
      const place = await nowhere('postgres')
      const both = await Promise.all([start(place), start(place)])
      const answers = await Promise.all(both.map((plat) => post(plat, '/api/auth/login', ADMIN)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
    },
    SLOW_TEST_MS,
  )

test(
  'the first user can sign in as soon as the server is ready',
  async () => {
    const port = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const address = probe.address()
        probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
      })
    })
    const url = `http://127.0.0.1:${port}`
    const env = { ...SETTINGS, DATA_DIR: folder(), LISTEN_ADDR: `127.0.0.1:${port}` }
    const started = spawnServer(env, {}, (child) =>
      open.push(async () => {
        child.kill('SIGKILL')
        await child.exited
      }),
    )
    await until('answer', async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok || undefined)
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body: JSON.stringify(ADMIN) })
    await started
    expect(answer.status).toBe(200)
  },
  SLOW_TEST_MS,
)

test('a sign-in waits no longer for the first user than for any other turn', async () => {
  const dir = folder()
  const config = loadConfig({ env: { ...SETTINGS, DATA_DIR: dir }, cwd: dir })
  const context = {
    config,
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    now: () => new Date(),
  }
  const real = createPasswords({ cost: 4, maxWaitMs: 100 })
  const made = Promise.withResolvers<string>()
  const plat = await compose(context, await openDatabase(context), {
    passwords: { ...real, hash: () => made.promise },
  })
  const answer = await post(plat, '/api/auth/login', ADMIN)
  made.resolve(await real.hash(ADMIN.password))
  await plat.close()
  real.close()
  expect(await refusal(answer)).toEqual([429, 'LOGIN_RATE_LIMIT_EXCEEDED'])
})
