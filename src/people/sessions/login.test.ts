import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createUser, PASSWORD } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { cookieOf, refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { createPasswords, type Passwords } from '../../base/security/passwords.ts'
import { endKeysMadeByOthers } from '../keys/keys.ts'
import { resetPassword } from '../users/reset-password.ts'
import { LoggedIn } from './api.ts'

const QUICK = 'quick to check'
const me = 'GET /api/auth/me'

/** Counts hashes that are only computed to take time, instead of spending a second on each. */
const counting = (real: Passwords) => {
  const dummies: string[] = []
  const verify: Passwords['verify'] = (password, hash) => {
    if (hash !== undefined) return real.verify(password, hash)
    dummies.push(password)
    return Promise.resolve(false)
  }
  return { passwords: { ...real, verify }, dummies }
}

describe.each(onSqlite())('login on %s', (dialect) => {
  const { passwords, dummies } = counting(createPasswords({ cost: 4 }))
  let app: SignInApp
  beforeAll(async () => {
    app = await signInApp(dialect, { passwords })
    await createUser(app.db, {
      username: 'Ada',
      roles: ['operator', 'viewer'],
      password: QUICK,
      email: 'ada@example.org',
    })
    await createUser(app.db, { username: 'off', password: QUICK, isActive: false })
  })
  afterAll(async () => {
    passwords.close()
    await app.close()
  })

  test('a sign-in is only by password without passkeys and providers', async () => {
    const response = await app.send('GET /api/auth/login')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ password: true, passkeys: false, first_sign_in: true, providers: [] })
    await app.login('Ada', QUICK)
    const afterwards = await app.send('GET /api/auth/login')
    expect(await afterwards.json()).toEqual({ password: true, passkeys: false, providers: [] })
  })

  test('answers with the user and a cookie that opens the API', async () => {
    const response = await app.login('Ada', QUICK)
    expect(response.status).toBe(200)
    const body = LoggedIn.strict().parse(await response.json())
    expect(body).toEqual({
      user: {
        id: expect.any(String),
        username: 'Ada',
        email: 'ada@example.org',
        full_name: '',
        is_active: true,
        has_password: true,
        is_break_glass: false,
        roles: ['operator', 'viewer'],
        created_at: '2026-01-02T03:04:05.678Z',
        updated_at: '2026-01-02T03:04:05.678Z',
        last_login_at: app.now().toISOString(),
      },
      expires_at: new Date(app.clock.ms + 24 * 3600 * 1000).toISOString(),
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    const mine = await app.send(me, { cookie: cookieOf(response) })
    expect(await mine.json()).toEqual({ ...body.user, permissions: expect.any(Array) })
  })

  test('takes the username in any case', async () => {
    expect((await app.login(' ADA ', QUICK)).status).toBe(200)
  })

  test('every login has a token of its own', async () => {
    const [one, two] = [await app.login('Ada', QUICK), await app.login('Ada', QUICK)]
    expect(cookieOf(one)).not.toBe(cookieOf(two))
    expect((await app.send(me, { cookie: cookieOf(one) })).status).toBe(200)
  })

  test('the cookie is Secure by default, and bound to the host', async () => {
    const cookie = (await app.login('Ada', QUICK)).headers.getSetCookie()[0]
    expect(cookie).toMatch(
      /^__Host-session=[A-Za-z0-9_-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('an unknown user, a wrong password and an inactive user get the same bytes', async () => {
    const attempts = [await app.login('Ada', 'wrong'), await app.login('nobody', QUICK), await app.login('off', QUICK)]
    expect(attempts.map(({ status }) => status)).toEqual([401, 401, 401])
    const bodies = await Promise.all(attempts.map((response) => response.text()))
    expect(new Set(bodies)).toEqual(
      new Set(['{"code":"INVALID_CREDENTIALS","error":"The username or the password is wrong","details":[]}']),
    )
    // Headers that differ in every response.
    const counted = new Set(['x-request-id', 'x-ratelimit-remaining'])
    const headers = attempts.map((response) => [...response.headers].filter(([name]) => !counted.has(name)))
    expect(headers[1]).toEqual(headers[0])
    expect(headers[2]).toEqual(headers[0])
  })

  test('an unknown and an inactive user cost a hash, as a wrong password does', async () => {
    dummies.length = 0
    await app.login('nobody', 'one')
    await app.login('off', 'two')
    expect(dummies).toEqual(['one', 'two'])
  })

  test.each(['\u0000', '\ud800', 'x'.repeat(5000)])('an invalid username is a failed login (%#)', async (username) => {
    expect((await app.login(username, QUICK)).status).toBe(401)
  })

  test.each([
    ['no fields', {}, ['username', 'password']],
    ['no password', { username: 'Ada' }, ['password']],
    ['no username', { password: QUICK }, ['username']],
    ['an empty password', { username: 'Ada', password: '' }, ['password']],
    ['a username that is no text', { username: 1, password: QUICK }, ['username']],
  ])('%s: 400', async (_, body, fields) => {
    const response = await app.send('POST /api/auth/login', { body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: fields.map((field) => ({ field })),
    })
  })

  test.each([
    ['an array', '[]', 'application/json', 'INVALID_JSON', 400],
    ['an empty body', '', 'application/json', 'INVALID_JSON', 400],
    ['broken JSON', '{', 'application/json', 'INVALID_JSON', 400],
    ['a form', 'username=Ada&password=x', 'application/x-www-form-urlencoded', 'INVALID_INPUT', 400],
    ['text', '{"username":"Ada"}', 'text/plain', 'INVALID_INPUT', 400],
    ['too much', `"${'x'.repeat(20_000)}"`, 'application/json', 'INVALID_INPUT', 413],
  ])('refuses %s', async (_, body, type, code, status) => {
    const response = await app.request('/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    })
    expect(await refusal(response)).toEqual([status, code])
  })

  test('another site can not sign anyone in', async () => {
    const response = await app.send('POST /api/auth/login', {
      body: { username: 'Ada', password: QUICK },
      headers: { 'Sec-Fetch-Site': 'cross-site' },
    })
    expect(await refusal(response)).toEqual([403, 'CSRF_FAILED'])
  })

  test('refuses logins beyond the queue with a time to retry', async () => {
    const passwords = createPasswords({ workers: 1, queueLimit: 0 })
    const crowded = await signInApp(dialect, { passwords })
    await createUser(crowded.db, { username: 'slow' })
    const answers = await Promise.all([crowded.login('slow', PASSWORD), crowded.login('slow', PASSWORD)])
    passwords.close()
    await crowded.close()
    const [first, second] = answers.sort((a, b) => a.status - b.status)
    expect(first?.status).toBe(200)
    expect(second?.headers.get('retry-after')).toBe('Sat, 21 Nov 2026 12:00:05 GMT')
    expect(second && (await refusal(second))).toEqual([429, 'LOGIN_RATE_LIMIT_EXCEEDED'])
  }, 30_000)

  test('a weaker hash is replaced, and the password goes on working', async () => {
    const passwords = createPasswords({ cost: 5 })
    const stronger = await signInApp(dialect, { passwords })
    await createUser(stronger.db, { username: 'ada', password: QUICK })
    expect((await stronger.login('ada', QUICK)).status).toBe(200)
    const { password_hash } = await stronger.db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
    const again = await stronger.login('ada', QUICK)
    passwords.close()
    await stronger.close()
    expect(password_hash).toStartWith('$2b$05$')
    expect(again.status).toBe(200)
  })

  test('a password that changes while it is checked is wrong', async () => {
    const real = createPasswords({ cost: 4 })
    const racing = await signInApp(dialect, {
      passwords: {
        ...real,
        verify: async (password, hash) => {
          const isRight = await real.verify(password, hash)
          await resetPassword({
            db: racing.db,
            passwords: real,
            username: 'ada',
            password: 'another one',
            now: racing.now,
            endKeys: endKeysMadeByOthers,
          })
          return isRight
        },
      },
    })
    await createUser(racing.db, { username: 'ada', password: QUICK })
    const response = await racing.login('ada', QUICK)
    real.close()
    await racing.close()
    expect(response.status).toBe(401)
  })

  test('neither the token nor the password is in the database', async () => {
    const token = cookieOf(await app.login('Ada', QUICK)).split('=')[1] ?? ''
    expect(token).toHaveLength(43)
    const rows = [
      await app.db.read.selectFrom('sessions').selectAll().execute(),
      await app.db.read.selectFrom('users').selectAll().execute(),
    ]
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(QUICK)
    for (const file of readdirSync(app.dir)) {
      const bytes = readFileSync(join(app.dir, file))
      expect(bytes.includes(token)).toBe(false)
      expect(bytes.includes(QUICK)).toBe(false)
    }
  })
})

test('without COOKIE_SECURE the cookie goes over plain http', async () => {
  const app = await signInApp('sqlite', { config: { cookieSecure: false, sessionTtlMs: 90_000 } })
  await createUser(app.db, { username: 'ada', password: QUICK })
  const response = await app.login('ada', QUICK)
  const mine = await app.send(me, { cookie: cookieOf(response) })
  await app.close()
  expect(response.headers.getSetCookie()[0]).toMatch(
    /^session=[\w-]{43}; Max-Age=90; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  expect(mine.status).toBe(200)
})
