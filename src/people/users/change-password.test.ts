// Password changes over the API: for which account, by which caller, and which credentials they end.
import { describe, expect, test } from 'bun:test'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { failure, refusal } from '../../../testing/estates/inventory.ts'
import { type Person, people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { cookieOf, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { createPasswords } from '../../base/security/passwords.ts'
import { endKeysMadeByOthers } from '../keys/keys.ts'
import { resetPassword } from './reset-password.ts'

const NEW = 'a new password'

describe.each(onSqlite())('passwords on %s', (dialect) => {
  const all = people(dialect)
  const login = async (username: string, password: string) => (await all.app.login(username, password)).status
  const change = ({ ask }: Person, id: string, body: object) => ask(`POST /api/users/${id}/password`, body)
  const reset = ({ ask }: Person, id: string, body: object = { new_password: NEW }) =>
    ask(`POST /api/users/${id}/reset-password`, body)

  /** Creates two sessions and a key of the person. Returns a check that each is still valid. */
  const credentialsOf = async ({ username, ask }: Person) => {
    const cookies = [cookieOf(await all.app.login(username, QUICK)), cookieOf(await all.app.login(username, QUICK))]
    return async () => [
      ...(await Promise.all(cookies.map((cookie) => all.app.send('GET /api/auth/me', { cookie })))).map(
        ({ status }) => status,
      ),
      (await ask('GET /api/auth/me')).status,
    ]
  }

  describe("changing one's own", () => {
    test.each(['current_password', 'old_password'])('takes the present one as %s', async (field) => {
      const person = await all.person()
      expect((await change(person, person.id, { [field]: QUICK, new_password: NEW })).status).toBe(204)
      expect([await login(person.username, QUICK), await login(person.username, NEW)]).toEqual([401, 200])
    })

    test('ends all sessions, and no key', async () => {
      const person = await all.person()
      const statuses = await credentialsOf(person)
      const others = await credentialsOf(await all.person())
      expect(await statuses()).toEqual([200, 200, 200])
      await change(person, person.id, { current_password: QUICK, new_password: NEW })
      expect(await statuses()).toEqual([401, 401, 200])
      expect(await others()).toEqual([200, 200, 200])
    })

    test('is possible in a session, which it ends', async () => {
      const { id, username } = await all.person()
      const cookie = cookieOf(await all.app.login(username, QUICK))
      const body = { current_password: QUICK, new_password: NEW }
      expect((await all.app.send(`POST /api/users/${id}/password`, { cookie, body })).status).toBe(204)
      expect((await all.app.send('GET /api/auth/me', { cookie })).status).toBe(401)
    })

    test('goes by the username too', async () => {
      const person = await all.person()
      const body = { current_password: QUICK, new_password: NEW }
      expect((await change(person, person.username.toUpperCase(), body)).status).toBe(204)
    })

    test.each(['current_password', 'old_password'])('with a wrong %s changes nothing', async (field) => {
      const person = await all.person()
      const statuses = await credentialsOf(person)
      expect(await change(person, person.id, { [field]: 'wrong', new_password: NEW })).toMatchObject(refusal(field))
      expect(await login(person.username, QUICK)).toBe(200)
      expect(await statuses()).toEqual([200, 200, 200])
    })

    test.each<[string, object, string[]]>([
      ['without the present one', { new_password: NEW }, ['current_password']],
      ['without a new one', { current_password: QUICK }, ['new_password']],
      ['to one of 7 characters', { current_password: QUICK, new_password: '1234567' }, ['new_password']],
      ['to one of 73 bytes', { current_password: QUICK, new_password: 'x'.repeat(73) }, ['new_password']],
    ])('%s is refused', async (_, body, fields) => {
      const person = await all.person()
      expect(await change(person, person.id, body)).toMatchObject(refusal(...fields))
      expect(await login(person.username, QUICK)).toBe(200)
    })

    test('is possible for the own account only, also for an admin', async () => {
      const person = await all.person()
      const body = { current_password: QUICK, new_password: NEW }
      expect(await change(all.admin, person.id, body)).toMatchObject(failure(403, 'FORBIDDEN'))
      expect(await change(all.admin, 'nobody', body)).toMatchObject(failure(404, 'NOT_FOUND'))
      expect(await login(person.username, QUICK)).toBe(200)
    })

    test('of a password that changed after the comparison is refused', async () => {
      const person = await all.person()
      const { db, passwords, now } = all.app
      const { verify } = passwords
      Object.assign(passwords, {
        verify: async (password: string, hash: string | undefined) => {
          const isRight = await verify(password, hash)
          await resetPassword({
            db,
            passwords,
            username: person.username,
            password: 'faster than you',
            now,
            endKeys: endKeysMadeByOthers,
          })
          return isRight
        },
      })
      const answer = await change(person, person.id, { current_password: QUICK, new_password: NEW })
      Object.assign(passwords, { verify })
      expect(answer).toMatchObject(refusal('current_password'))
      expect(await login(person.username, 'faster than you')).toBe(200)
    })
  })

  describe('resetting one', () => {
    test('sets it, ends all sessions, and no key', async () => {
      const person = await all.person()
      const statuses = await credentialsOf(person)
      expect((await reset(all.admin, person.id)).status).toBe(204)
      expect(await statuses()).toEqual([401, 401, 200])
      expect([await login(person.username, QUICK), await login(person.username, NEW)]).toEqual([401, 200])
    })

    test.each(['short', 'x'.repeat(73), 'control\u0007char', ''])('to %p is refused', async (new_password) => {
      const person = await all.person()
      expect(await reset(all.admin, person.id, { new_password })).toMatchObject(refusal('new_password'))
    })

    test('of an unknown user is not found', async () => {
      for (const id of ['x', '%00', 'a'.repeat(500)]) expect((await reset(all.admin, id)).status).toBe(404)
    })
  })
})

test('while the queue is full, the answer has a time to retry', async () => {
  const app = await signInApp('sqlite', { passwords: createPasswords({ workers: 1, queueLimit: 0, cost: 12 }) })
  const { id } = await createUser(app.db, { username: 'root', roles: ['admin'], password: QUICK })
  const key = await keyFor(app.db, id)
  const create = (username: string) => app.send('POST /api/users', { key, body: { username, password: QUICK } })
  const answers = await Promise.all([create('one'), create('two')])
  app.passwords.close()
  await app.close()
  const busy = answers.find(({ status }) => status === 429)
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 429])
  expect(busy?.headers.get('retry-after')).toBe('Sat, 21 Nov 2026 12:00:05 GMT')
  expect(await busy?.json()).toMatchObject({ code: 'LOGIN_RATE_LIMIT_EXCEEDED' })
})
