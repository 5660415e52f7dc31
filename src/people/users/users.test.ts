import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { cookieOf, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { ConfigError } from '../../base/config/config.ts'
import { openSqlite } from '../../database/sqlite/sqlite.ts'
import type { Tables } from '../../database/tables.ts'
import { endKeysMadeByOthers } from '../keys/keys.ts'
import { LoggedIn } from '../sessions/api.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { generatePassword } from './random-password.ts'
import { resetPassword } from './reset-password.ts'

const QUICK = 'quick to check'

describe.each(onSqlite())('on %s', (dialect) => {
  let app: SignInApp
  beforeEach(async () => {
    app = await signInApp(dialect)
  })
  afterEach(() => app.close())

  const login = async (username: string, password: string) => (await app.login(username, password)).status
  const users = () => app.db.read.selectFrom('users').selectAll().execute()

  describe('the first admin', () => {
    const ensure = (config: Partial<SignInApp['config']> = {}) =>
      ensureFirstAdmin({ db: app.db, config: { ...app.config, ...config }, passwords: app.passwords, now: app.now })

    test('is admin with a password that is printed once', async () => {
      const made = await ensure()
      expect(made).toEqual({ username: 'admin', password: expect.stringMatching(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/) })
      expect(await ensure()).toBeUndefined()
      const response = await app.login('admin', made?.password ?? '')
      expect(LoggedIn.parse(await response.json()).user).toMatchObject({
        roles: ['admin'],
        email: 'admin@localhost',
        full_name: 'System Administrator',
      })
    })

    test('the first admin is the configured one, and its password is never printed', async () => {
      const config = { initialAdminUsername: 'root', initialAdminPassword: QUICK, initialAdminEmail: 'r@example.org' }
      expect(await ensure(config)).toEqual({ username: 'root' })
      expect(await login('root', QUICK)).toBe(200)
      expect(await users()).toMatchObject([{ email: 'r@example.org', email_key: 'r@example.org' }])
    })

    test('is made only where there is no user', async () => {
      await createUser(app.db, { username: 'ada' })
      expect(await ensure({ initialAdminUsername: 'root', initialAdminPassword: QUICK })).toBeUndefined()
      expect(await users()).toHaveLength(1)
    })

    test('is one, however many processes start at once', async () => {
      const made = await Promise.all(Array.from({ length: 5 }, () => ensure()))
      expect(made.filter((one) => one !== undefined)).toHaveLength(1)
      expect(await users()).toHaveLength(1)
    })

    test('needs a name that a user may have', async () => {
      await expect(ensure({ initialAdminUsername: ' ' })).rejects.toThrow(ConfigError)
    })
  })

  describe('a password reset on the host', () => {
    const reset = (username: string, password?: string) =>
      resetPassword({
        db: app.db,
        passwords: app.passwords,
        username,
        now: app.now,
        endKeys: endKeysMadeByOthers,
        ...(password ? { password } : {}),
      })

    test('generates a password, and prints it', async () => {
      await createUser(app.db, { username: 'Ada', password: QUICK })
      const done = await reset('ada')
      expect(done.username).toBe('Ada')
      expect(await login('ada', QUICK)).toBe(401)
      expect(await login('ada', done.password ?? '')).toBe(200)
    })

    test('takes the password that is given', async () => {
      await createUser(app.db, { username: 'ada', password: QUICK })
      expect(await reset('ada', 'a new password')).toEqual({ username: 'ada' })
      expect(await login('ada', 'a new password')).toBe(200)
    })

    test('ends every session of the user only; keys stay valid', async () => {
      const { id } = await createUser(app.db, { username: 'ada', password: QUICK })
      await createUser(app.db, { username: 'bob', password: QUICK })
      const cookies = [await app.login('ada', QUICK), await app.login('ada', QUICK), await app.login('bob', QUICK)].map(
        cookieOf,
      )
      const statuses = async () =>
        (await Promise.all(cookies.map((cookie) => app.send('GET /api/auth/me', { cookie })))).map(
          ({ status }) => status,
        )
      expect(await statuses()).toEqual([200, 200, 200])
      await reset('ada', 'a new password')
      expect(await statuses()).toEqual([401, 401, 200])
      expect((await app.send('GET /api/auth/me', { key: await keyFor(app.db, id) })).status).toBe(200)
    })

    test('with a password that may not be used', async () => {
      await createUser(app.db, { username: 'ada', password: QUICK })
      await expect(reset('ada', 'short')).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'password' }],
      })
      expect(await login('ada', QUICK)).toBe(200)
    })
  })
})

test('a reset by another process is noticed within a second', async () => {
  const app = await signInApp('sqlite')
  await createUser(app.db, { username: 'ada', password: QUICK })
  const cookie = cookieOf(await app.login('ada', QUICK))
  const status = async () => (await app.send('GET /api/auth/me', { cookie })).status
  expect(await status()).toBe(200)
  const other = openSqlite<Tables>(join(app.dir, 'plat.db'))
  await resetPassword({
    db: other,
    passwords: app.passwords,
    username: 'ada',
    now: app.now,
    endKeys: endKeysMadeByOthers,
  })
  await other.close()
  app.clock.ms += 1000
  const after = await status()
  await app.close()
  expect(after).toBe(401)
})

test('random passwords differ, and may be used', () => {
  const made = new Set(Array.from({ length: 100 }, generatePassword))
  expect(made.size).toBe(100)
})
