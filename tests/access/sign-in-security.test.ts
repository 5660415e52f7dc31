import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { createPasswords, DUMMY_HASH, type Passwords } from '../../src/base/security/passwords.ts'
import type { ServerChild } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { createUser, keyFor, PASSWORD } from '../../testing/estates/identities.ts'
import {
  auditedSuite,
  inSession,
  isStored,
  loginTo,
  p99,
  perTest,
  QUICK,
  SLOW_TEST_MS,
  START,
  timed,
} from '../../testing/sign-in/security.ts'
import { cookieOf, refusal } from '../../testing/sign-in/sign-in.ts'
import { testsAll } from '../../testing/tests-all.ts'

const { appFor, quickApp, folderFor } = perTest()

describe('a sign-in', () => {
  const suite = auditedSuite()

  test('the login cookie is only for this server, and only its hash is stored', async () => {
    const ttl = { SESSION_TTL: '1h' }
    const [secure, plain] = [await quickApp({ env: ttl }), await quickApp({ env: { ...ttl, COOKIE_SECURE: 'false' } })]
    for (const [one, isSecure] of [
      [secure, true],
      [plain, false],
    ] as const) {
      await createUser(one.db, { username: 'ada', password: QUICK })
      const response = await loginTo(one, 'ada', QUICK)
      const cookie = response.headers.getSetCookie()[0] ?? ''
      const attributes = cookie.split('; ').slice(1)
      expect(attributes).toContain('HttpOnly')
      expect(attributes).toContain('SameSite=Strict')
      expect(attributes).toContain('Max-Age=3600')
      expect(attributes.includes('Secure')).toBe(isSecure)
      const token = cookieOf(response).split('=')[1] ?? ''
      expect(token.length).toBeGreaterThan(20)
      expect(isStored(one.config.dataDir, 'ada')).toBe(true)
      expect(isStored(one.config.dataDir, token)).toBe(false)
    }
  })

  test('a change in a session needs X-Requested-With, one with a key does not', async () => {
    const { id } = await createUser(suite.app.db, { username: 'browser', roles: ['admin'], password: QUICK })
    const cookie = cookieOf(await loginTo(suite.app, 'browser', QUICK))
    const device = { id: 'case-7', name: 'before' }
    expect((await suite.admin.request('POST', '/api/devices', device)).status).toBe(201)
    const blind = inSession(suite.app, cookie, {})
    for (const [method, path, body] of [
      ['POST', '/api/devices', { id: 'case-7b', name: 'new' }],
      ['PUT', '/api/devices/case-7', { name: 'after' }],
      ['DELETE', '/api/devices/case-7', undefined],
      ['POST', '/api/auth/logout', undefined],
    ] as const)
      expect(await refusal(await blind(method, path, body))).toEqual([403, 'CSRF_FAILED'])
    expect(await (await blind('GET', '/api/devices/case-7')).json()).toMatchObject({ name: 'before' })
    expect((await blind('GET', '/api/devices/case-7b')).status).toBe(404)

    expect((await inSession(suite.app, cookie)('PUT', '/api/devices/case-7', { name: 'after' })).status).toBe(200)
    const key = await keyFor(suite.app.db, id)
    const byKey = suite.app.guest('DELETE', '/api/devices/case-7', undefined, { Authorization: `Bearer ${key}` })
    expect((await byKey).status).toBe(204)
  })

  test('a key is shown once, and has the permissions of its owner', async () => {
    const response = await suite.admin.request('POST', '/api/keys', { name: 'once' })
    const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(await response.json())
    const seen = await Promise.all(
      ['/api/keys', `/api/keys/${id}`].map(async (path) => (await suite.admin.request('GET', path)).text()),
    )
    expect(seen.every((text) => text.includes(id) && !text.includes(key))).toBe(true)
    expect(isStored(suite.app.config.dataDir, key)).toBe(false)

    const owner = await suite.app.as(['devices:list'])
    const devices = (one: string) =>
      suite.app.guest('GET', '/api/devices', undefined, { Authorization: `Bearer ${one}` })
    const expired = await keyFor(suite.app.db, owner.userId, { expiresAt: '2026-01-01T00:00:00.000Z' })
    expect(await refusal(await devices(expired))).toEqual([401, 'EXPIRED_KEY'])

    expect((await devices(owner.key)).status).toBe(200)
    expect((await suite.admin.request('PUT', `/api/users/${owner.userId}`, { roles: [] })).status).toBe(200)
    expect((await devices(owner.key)).status).toBe(403)
    expect((await suite.admin.request('DELETE', `/api/users/${owner.userId}`)).status).toBe(204)
    expect((await devices(owner.key)).status).toBe(401)
  })
})

test(
  'an unknown user and a wrong password are the same answer, after one hash of the same cost',
  async () => {
    const real = createPasswords()
    const costOf = (hash: string) => /^\$2b\$\d+\$/.exec(hash)?.[0]
    const costs: (string | undefined)[] = []
    const verify: Passwords['verify'] = (password, hash, turn) => {
      costs.push(costOf(hash ?? DUMMY_HASH))
      return real.verify(password, hash, turn)
    }
    const app = await appFor({ passwords: { ...real, verify } })
    await createUser(app.db, { username: 'known', isSlow: true })
    const answers = []
    for (const username of ['known', 'nobody']) {
      const response = await loginTo(app, username, 'wrong password')
      answers.push([response.status, await response.text()])
    }
    expect(answers[0]?.[0]).toBe(401)
    expect(answers[0]).toEqual(answers[1] ?? [])
    const stored = await real.hash('any password')
    expect(costs).toEqual([costOf(stored), costOf(stored)])
  },
  SLOW_TEST_MS,
)

test('the sixth login within a minute is refused before anything is hashed', async () => {
  let hashes = 0
  const passwords: Passwords = {
    ...createPasswords({ cost: 4 }),
    verify: async () => {
      hashes++
      return false
    },
  }
  const app = await appFor({ env: { LOGIN_RATE_LIMIT_REQUESTS: '5' }, passwords })
  for (let i = 0; i < 5; i++) expect((await loginTo(app, 'nobody', 'wrong password')).status).toBe(401)
  const [sixth, ms] = await timed(() => loginTo(app, 'nobody', 'wrong password'))
  expect(hashes).toBe(5)
  expect(ms).toBeLessThan(500)
  const retryAfter = Date.parse(sixth.headers.get('retry-after') ?? '')
  expect(retryAfter).toBeGreaterThan(Date.now())
  expect(await refusal(sixth)).toEqual([429, 'LOGIN_RATE_LIMIT_EXCEEDED'])
})

test('a session lives as long as it is used, and ends when it is not', async () => {
  let nowMs = START
  const app = await quickApp({ env: { SESSION_TTL: '3s' }, now: () => new Date(nowMs) })
  await createUser(app.db, { username: 'ada', password: QUICK })
  const me = inSession(app, cookieOf(await loginTo(app, 'ada', QUICK)))
  for (let second = 1; second <= 8; second++) {
    nowMs += 1000
    expect((await me('GET', '/api/auth/me')).status).toBe(200)
  }
  nowMs += 4000
  expect((await me('GET', '/api/auth/me')).status).toBe(401)
})

/** The real one only in `npm run test:all`: the test hashes ten times. */
const COST = testsAll ? 14 : 4

test(
  'a new password ends both sessions, and what is wrong changes nothing',
  async () => {
    const app = await appFor({ passwords: createPasswords({ cost: COST }) })
    const { id } = await createUser(app.db, { username: 'ada' })
    const sessions = [await loginTo(app, 'ada', PASSWORD), await loginTo(app, 'ada', PASSWORD)]
    const asks = sessions.map((response) => inSession(app, cookieOf(response)))
    const statuses = async () => Promise.all(asks.map(async (ask) => (await ask('GET', '/api/auth/me')).status))
    const change = async (current_password: string, new_password: string) =>
      (await asks[0]?.('POST', `/api/users/${id}/password`, { current_password, new_password }))?.status
    const storedHash = async () => {
      const query = app.db.read.selectFrom('users').select('password_hash').where('id', '=', id)
      return (await query.executeTakeFirstOrThrow()).password_hash
    }
    const before = await storedHash()
    expect(await change('not this one', 'a new password')).toBe(400)
    expect(await change(PASSWORD, '7 chars')).toBe(400)
    expect(await change(PASSWORD, 'x'.repeat(73))).toBe(400)
    expect(await storedHash()).toBe(before)
    expect(await statuses()).toEqual([200, 200])
    expect(await change(PASSWORD, 'a new password')).toBe(204)
    expect(await statuses()).toEqual([401, 401])
    const after = await storedHash()
    expect(after).toMatch(new RegExp(`^\\$2.\\$${String(COST).padStart(2, '0')}\\$`))
    expect(after).not.toBe(before)
    expect((await loginTo(app, 'ada', PASSWORD)).status).toBe(401)
  },
  SLOW_TEST_MS,
)

describe('many logins at once', () => {
  const PROXY = { TRUST_PROXY: 'true', TRUSTED_PROXIES: '127.0.0.1' }

  const login = async ({ url }: ServerChild, address: string) => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ username: 'admin', password: 'wrong password' }),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Calls /healthz every few milliseconds until the work is done. */
  const healthDuring = async ({ url }: ServerChild, work: Promise<unknown>): Promise<number[]> => {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    const times: number[] = []
    while (!isDone) {
      const [response, ms] = await timed(() => fetch(`${url}/healthz`))
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      times.push(ms)
      await Bun.sleep(10)
    }
    await done
    return times
  }

  const WAITING = testsAll ? 20 : 4
  test(
    `/healthz answers while ${WAITING} of them wait`,
    async () => {
      const server = await (await folderFor({ ...PROXY, REQUEST_TIMEOUT: '60s' })).start()
      const logins = Promise.all(Array.from({ length: WAITING }, (_, i) => login(server, `192.0.2.${i + 1}`)))
      const times = await healthDuring(server, logins)
      const statuses = await logins
      // Some were hashed, so there was something to wait for.
      expect(statuses).toContain(401)
      expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([])
      expect(times.length).toBeGreaterThan(20)
      expect(p99(times)).toBeLessThan(500)
    },
    SLOW_TEST_MS,
  )

  const rssOf = (pid: number): number => {
    const status = `/proc/${pid}/status`
    if (!existsSync(status)) throw new Error('This test reads the memory of a process from /proc, which is not there.')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]) / 1024
  }

  testAll(
    'login flood: fifty addresses neither stop the server nor fill its memory',
    async () => {
      const settings = { ...PROXY, AUDIT_ENABLED: 'true', REQUEST_TIMEOUT: '60s' }
      const server = await (await folderFor(settings)).start()
      /** Three more from each address than the limit permits. */
      const flood = (addresses: number) =>
        Promise.all(Array.from({ length: addresses * 8 }, (_, i) => login(server, `198.51.100.${(i % addresses) + 1}`)))
      // Starts the parts that exist once, such as the workers that hash.
      await Promise.all([login(server, '192.0.2.1'), login(server, '192.0.2.2')])
      const before = rssOf(server.pid)
      const flooding = flood(50)
      const times = await healthDuring(server, flooding)
      const statuses = await flooding
      expect(rssOf(server.pid) - before).toBeLessThan(50)
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(150)
      expect(times.length).toBeGreaterThan(20)
      expect(p99(times)).toBeLessThan(500)
    },
    2 * SLOW_TEST_MS,
  )
})
