/** The start of a session's lifetime. */
import { describe, expect, test } from 'bun:test'
import { createUser } from '../../../testing/estates/identities.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { createPasswords } from '../../base/security/passwords.ts'
import { LoggedIn } from './api.ts'

const me = 'GET /api/auth/me'

describe.each(places())('a sign-in that waits 20 s for its turn, on %s in the %s', (dialect, store) => {
  test('gives a session that lives from the end of the wait', async () => {
    const real = createPasswords({ cost: 4 })
    const app: SignInApp = await signInApp(dialect, {
      config: { ...(await storeConfig(store)), sessionTtlMs: 60_000 },
      passwords: {
        ...real,
        verify: async (password, hash, turn) => {
          app.clock.ms += 20_000
          return real.verify(password, hash, turn)
        },
      },
    })
    await createUser(app.db, { username: 'vic', password: 'quick to check' })
    const response = await app.login('vic', 'quick to check')
    const givenMs = app.clock.ms
    const { expires_at } = LoggedIn.parse(await response.json())
    const cookie = cookieOf(response)
    app.clock.ms += 59_999
    const seen = await app.sessions.list(await userIdOf(app, 'vic'))
    const status = (await app.send(me, { cookie })).status
    await app.close()
    real.close()
    expect([Date.parse(expires_at) - givenMs, status]).toEqual([60_000, 200])
    expect(seen.map(({ createdAt, expiresAt }) => [createdAt.getTime(), expiresAt.getTime()])).toEqual([
      [givenMs, givenMs + 60_000],
    ])
  })
})

const userIdOf = async (app: SignInApp, username: string): Promise<string> =>
  (await app.db.read.selectFrom('users').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
