// Rights are confirmed with each write: a caller who loses them while a request is received or waits writes nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { createRole, createUser, keyFor } from '../../testing/estates/identities.ts'
import { whileHeld } from '../../testing/hostile/held-body.ts'
import { engines } from '../../testing/servers/servers.ts'
import { cookieOf, refusal } from '../../testing/sign-in/sign-in.ts'

const START_MS = Date.parse('2026-11-21T12:00:00.000Z')
const HOUR_MS = 3_600_000
const QUICK = 'quick to check'
const WRITER = ['devices:create', 'devices:list', 'devices:read'] as const

type Person = {
  readonly id: string
  readonly roleId: string
  readonly username: string
  readonly headers: Readonly<Record<string, string>>
}

describe.each(engines())('while the body of a write arrives slowly, on %s', (dialect) => {
  const clock = { ms: START_MS }
  let app: TestApp
  let admin: TestCaller
  let people = 0

  beforeAll(async () => {
    app = await testApp({
      dialect,
      now: () => new Date(clock.ms),
      passwords: createPasswords({ cost: 4 }),
      env: { AUDIT_ENABLED: 'true' },
    })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())
  beforeEach(() => {
    clock.ms = START_MS
  })

  const someone = async (): Promise<Omit<Person, 'headers'>> => {
    const username = `writer-${++people}`
    const role = await createRole(app.db, { name: username, permissions: WRITER })
    const user = await createUser(app.db, { username, roles: [role.id], password: QUICK })
    return { id: user.id, roleId: role.id, username }
  }
  const withKey = async (expiresAt?: string): Promise<Person> => {
    const person = await someone()
    const key = await keyFor(app.db, person.id, expiresAt === undefined ? {} : { expiresAt })
    return { ...person, headers: { Authorization: `Bearer ${key}` } }
  }
  const withSession = async (): Promise<Person> => {
    const person = await someone()
    const { username } = person
    const cookie = cookieOf(await app.guest('POST', '/api/auth/login', { username, password: QUICK }))
    return { ...person, headers: { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' } }
  }

  /** Returns the effects of a write by the person. The device has the name of the person. */
  const trace = async (username: string) => {
    const named = (await admin.api.devices.list({})).filter(({ name }) => name === username).length
    const entries = await admin.api.audit.list({ resource: 'device' })
    const events = (await app.db.read.selectFrom('events').select('data').execute()).filter(({ data }) =>
      data.includes(`"name":"${username}"`),
    )
    const statuses = entries
      .filter((one) => [one.username, one.key_owner].includes(username))
      .map(({ status }) => status)
    return { devices: named, events: events.length, entries: statuses }
  }
  /** Returns the outcome of a device that `person` writes while `move` runs. */
  const writing = async ({ username, headers }: Person, move: () => Promise<unknown>) => {
    const asked = { method: 'POST', path: '/api/devices', headers, body: { name: username } }
    return whileHeld(app.fetch, asked, move)
  }
  const expectNothing = async ({ username }: Person): Promise<void> =>
    expect(await trace(username)).toEqual({ devices: 0, events: 0, entries: ['failure'] })

  const bySession = { method: 'session', come: withSession } as const
  const byKey = { method: 'key', come: () => withKey() } as const

  test.each([bySession, byKey])('a role is taken away: 403 by $method', async ({ come }) => {
    const person = await come()
    const answer = await writing(person, () => admin.api.users.update({ id: person.id, roles: [] }))
    expect(await refusal(answer)).toEqual([403, 'FORBIDDEN'])
    await expectNothing(person)
  })

  test.each([bySession, byKey])('the role loses the permission: 403 by $method', async ({ come }) => {
    const person = await come()
    const answer = await writing(person, () =>
      admin.api.roles.update({ id: person.roleId, permissions: ['devices:list'] }),
    )
    expect(await refusal(answer)).toEqual([403, 'FORBIDDEN'])
    await expectNothing(person)
  })

  test.each([bySession, byKey])('the user is deleted: 401 by $method', async ({ come }) => {
    const person = await come()
    const answer = await writing(person, () => admin.api.users.delete({ id: person.id }))
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    await expectNothing(person)
  })

  test.each([bySession, byKey])('the user is deactivated: 401 by $method', async ({ come }) => {
    const person = await come()
    const answer = await writing(person, () => admin.api.users.update({ id: person.id, is_active: false }))
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    await expectNothing(person)
  })

  test('the session is ended: 401', async () => {
    const person = await withSession()
    const answer = await writing(person, () => app.guest('POST', '/api/auth/logout', undefined, person.headers))
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    await expectNothing(person)
  })

  test('the password is reset: 401 by session', async () => {
    const person = await withSession()
    const answer = await writing(person, () =>
      admin.api.users.resetPassword({ id: person.id, new_password: 'another long password' }),
    )
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    await expectNothing(person)
  })

  test('the session expires: 401', async () => {
    const person = await withSession()
    const answer = await writing(person, async () => {
      clock.ms += 1000 * HOUR_MS
    })
    clock.ms = START_MS
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    await expectNothing(person)
  })

  test('the key is deleted: 401', async () => {
    const person = await withKey()
    const answer = await writing(person, async () => {
      for (const { id } of await admin.api.keys.list({ user_id: person.id })) await admin.api.keys.delete({ id })
    })
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    await expectNothing(person)
  })

  test('the key expires: 401', async () => {
    const person = await withKey(new Date(START_MS + HOUR_MS).toISOString())
    const answer = await writing(person, async () => {
      clock.ms += HOUR_MS
    })
    expect(await refusal(answer)).toEqual([401, 'EXPIRED_KEY'])
    await expectNothing(person)
  })

  test.each([bySession, byKey])('others sign in and change: the write by $method goes on', async ({ come }) => {
    const [person, other] = [await come(), await withKey()]
    const answer = await writing(person, async () => {
      await withSession()
      await admin.api.users.update({ id: other.id, roles: [] })
      await admin.api.roles.update({ id: other.roleId, permissions: [] })
    })
    expect(answer.status).toBe(201)
  })

  test.each([bySession, byKey])(
    'the permissions change, and this one stays: the write by $method goes on',
    async ({ come }) => {
      const person = await come()
      const answer = await writing(person, () =>
        admin.api.roles.update({ id: person.roleId, permissions: ['devices:create'] }),
      )
      expect(answer.status).toBe(201)
    },
  )
})
