import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf, refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { findSystemRole } from '../roles/catalogue.ts'
import { Me } from './api.ts'
import { ASK_AGAIN_MS } from './identify.ts'

const PASSWORD = 'quick to check'
const me = 'GET /api/auth/me'
const HOUR_MS = 3600 * 1000

describe.each(places(engines()))('sessions on %s in the %s', (dialect, store) => {
  let app: SignInApp
  let viewerId: string
  beforeAll(async () => {
    app = await signInApp(dialect, { config: await storeConfig(store) })
    viewerId = (await createUser(app.db, { username: 'vic', roles: ['viewer'], password: PASSWORD })).id
    await createUser(app.db, { username: 'ada', roles: ['admin'], password: PASSWORD })
  })
  afterAll(() => app.close())

  const signIn = async (username = 'vic') => cookieOf(await app.login(username, PASSWORD))

  test('me is the user, the roles and the permissions, for a session and a key alike', async () => {
    const bySession = Me.strict().parse(await (await app.send(me, { cookie: await signIn() })).json())
    const byKey = Me.strict().parse(await (await app.send(me, { key: await keyFor(app.db, viewerId) })).json())
    expect(bySession).toEqual(byKey)
    expect(bySession).toMatchObject({ username: 'vic', roles: ['viewer'] })
    expect(bySession.permissions).toEqual([...(findSystemRole('role-viewer')?.permissions ?? [])])
  })

  test('me names the kinds of the sidebar in their order, and nothing of kinds before there is one', async () => {
    const read = async () => Me.strict().parse(await (await app.send(me, { cookie: await signIn('ada') })).json())
    expect(Object.keys(await read())).not.toContain('kinds')
    const key = await keyFor(app.db, (await read()).id)
    for (const kind of [
      { name: 'Tenants', icon: 'users' },
      { name: 'Circuits', position: -1, icon: 'route' },
      { name: 'Hidden', navigation: false },
    ])
      expect((await app.send('POST /api/kinds', { key, body: kind })).status).toBe(201)
    expect(await read()).toMatchObject({
      in_use: ['kinds'],
      kinds: [
        { id: 'circuits', name: 'Circuits', singular: 'Circuit', icon: 'route' },
        { id: 'tenants', name: 'Tenants', singular: 'Tenant', icon: 'users' },
      ],
    })
    for (const id of ['circuits', 'tenants', 'hidden']) await app.send(`DELETE /api/kinds/${id}`, { key })
  })

  test('without credentials every request is 401', async () => {
    const response = await app.send(me)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await refusal(response)).toEqual([401, 'UNAUTHORIZED'])
  })

  test.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b', 'Bearer x;y', 'plat_x', `Bearer ${'x'.repeat(10_000)}`])(
    'Authorization: %s is no credential, whatever the cookie',
    async (authorization) => {
      const response = await app.send(me, { cookie: await signIn(), headers: { Authorization: authorization } })
      expect(await refusal(response)).toEqual([401, 'UNAUTHORIZED'])
    },
  )

  test('an unknown key is not saved by a cookie', async () => {
    const response = await app.send(me, { key: 'plat_x', cookie: await signIn() })
    expect(await refusal(response)).toEqual([401, 'UNAUTHORIZED'])
  })

  test('an unknown session', async () => {
    expect(await refusal(await app.send(me, { cookie: '__Host-session=x' }))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('the cookie is found among others', async () => {
    const cookie = `a=b; x__Host-session=1; ${await signIn()} ;c=d`
    expect((await app.send(me, { cookie })).status).toBe(200)
  })

  test('a session under the other cookie name opens nothing', async () => {
    const [, token] = (await signIn()).split('=')
    expect((await app.send(me, { cookie: `session=${token}` })).status).toBe(401)
  })

  test('a change needs the CSRF header, before the permission', async () => {
    const cookie = await signIn()
    const body = { name: 'x' }
    const without = { Cookie: cookie }
    expect(await refusal(await app.send('POST /api/datacenters', { headers: without, body }))).toEqual([
      403,
      'CSRF_FAILED',
    ])
    expect(await refusal(await app.send('POST /api/datacenters', { cookie, body }))).toEqual([403, 'FORBIDDEN'])
  })

  test('a change without the CSRF header changes nothing', async () => {
    const cookie = await signIn('ada')
    const refused = await app.send('POST /api/datacenters', { headers: { Cookie: cookie }, body: { name: 'csrf' } })
    expect(await refusal(refused)).toEqual([403, 'CSRF_FAILED'])
    expect(await (await app.send('GET /api/datacenters?name=csrf', { cookie })).json()).toEqual([])
    expect((await app.send('POST /api/datacenters', { cookie, body: { name: 'csrf' } })).status).toBe(201)
  })

  test('a key needs no CSRF header, with a cookie beside it neither', async () => {
    const key = await keyFor(app.db, viewerId)
    const headers = { Cookie: await signIn() }
    expect(await refusal(await app.send('POST /api/datacenters', { key, headers, body: { name: 'x' } }))).toEqual([
      403,
      'FORBIDDEN',
    ])
  })

  test('logout only ends this session, and clears the cookie', async () => {
    const [one, two] = [await signIn(), await signIn()]
    expect((await app.send(me, { cookie: one })).status).toBe(200)
    const response = await app.send('POST /api/auth/logout', { cookie: one })
    expect(response.status).toBe(204)
    expect(response.headers.get('set-cookie')).toBe(
      '__Host-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
    )
    expect((await app.send(me, { cookie: one })).status).toBe(401)
    expect((await app.send(me, { cookie: two })).status).toBe(200)
  })

  test('a session can end itself on a slow server', async () => {
    const [one, two] = [await signIn(), await signIn()]
    const [{ id }] = z
      .tuple([z.object({ id: z.string() })])
      .parse(await (await app.send('GET /api/sessions?limit=1', { cookie: two })).json())
    // A larger step would end the wait for a connection.
    let ms = performance.now()
    const clock = spyOn(performance, 'now').mockImplementation(() => (ms += ASK_AGAIN_MS))
    try {
      expect((await app.send('POST /api/auth/logout', { cookie: one })).status).toBe(204)
      expect((await app.send(`DELETE /api/sessions/${id}`, { cookie: two })).status).toBe(204)
    } finally {
      clock.mockRestore()
    }
    for (const cookie of [one, two]) expect((await app.send(me, { cookie })).status).toBe(401)
  })

  test('logout needs the CSRF header', async () => {
    const response = await app.send('POST /api/auth/logout', { headers: { Cookie: await signIn() } })
    expect(await refusal(response)).toEqual([403, 'CSRF_FAILED'])
  })

  test('logout is for users who are signed in; with a key there is nothing to end', async () => {
    expect((await app.send('POST /api/auth/logout')).status).toBe(401)
    expect((await app.send('POST /api/auth/logout', { key: await keyFor(app.db, viewerId) })).status).toBe(204)
  })

  test('the identified caller is cached for a second, unless a commit changes it', async () => {
    const { id } = await createUser(app.db, { username: 'remembered' })
    const key = await keyFor(app.db, id)
    const status = async () => (await app.send(me, { key })).status
    expect(await status()).toBe(200)
    // Writes like another process on SQLite, without this process's commit counter.
    await app.db.write((tx) => sql`UPDATE users SET is_active = 0 WHERE id = ${id}`.execute(tx.db))
    expect(await status()).toBe(200)
    app.clock.ms += 1000
    expect(await status()).toBe(401)
  })

  test('an inactive user has no sessions', async () => {
    const { id } = await createUser(app.db, { username: 'soon off', password: PASSWORD })
    const cookie = await signIn('soon off')
    expect((await app.send(me, { cookie })).status).toBe(200)
    await app.db.write((tx) => tx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', id).execute())
    expect(await refusal(await app.send(me, { cookie }))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('deleting a user ends the sessions', async () => {
    const { id } = await createUser(app.db, { username: 'soon gone', password: PASSWORD })
    const cookie = await signIn('soon gone')
    await app.db.write((tx) => tx.db.deleteFrom('users').where('id', '=', id).execute())
    expect((await app.send(me, { cookie })).status).toBe(401)
  })
})

describe.each(places(engines()))('the life of a session on %s in the %s', (dialect, store) => {
  let app: SignInApp
  let cookie: string
  let vicId: string
  const ttl = (sessionTtlMs: number) => async () => {
    app = await signInApp(dialect, { config: { ...(await storeConfig(store)), sessionTtlMs } })
    vicId = (await createUser(app.db, { username: 'vic', roles: ['viewer'], password: PASSWORD })).id
    cookie = cookieOf(await app.login('vic', PASSWORD))
  }
  afterEach(() => app.close())

  const after = async (ms: number) => {
    app.clock.ms += ms
    const response = await app.send(me, { cookie })
    return [response.status, response.headers.get('set-cookie')]
  }

  describe('of a day', () => {
    beforeEach(ttl(24 * HOUR_MS))

    test('extends its expiry once a minute, and the cookie with it', async () => {
      const again = `${cookie}; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict; Secure`
      expect(await after(59_999)).toEqual([200, null])
      expect(await after(1)).toEqual([200, again])
      expect(await after(59_999)).toEqual([200, null])
      expect(await after(1)).toEqual([200, again])
    })

    test('lives a day from its last use', async () => {
      expect((await after(20 * HOUR_MS))[0]).toBe(200)
      expect((await after(24 * HOUR_MS - 1))[0]).toBe(200)
      expect((await after(24 * HOUR_MS))[0]).toBe(401)
    })

    test('moves its expiry once for a page of parallel requests', async () => {
      app.clock.ms += 60_000
      const responses = await Promise.all(Array.from({ length: 20 }, () => app.send(me, { cookie })))
      expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
      expect(responses.filter((response) => response.headers.has('set-cookie'))).toHaveLength(1)
    })

    test('does not invalidate cached callers', async () => {
      const before = await app.db.revision(['sessions', 'users'])
      expect((await after(60_000))[1]).not.toBeNull()
      expect(await app.db.revision(['sessions', 'users'])).toBe(before)
    })

    test('uses the expiry of its store, where another process extended it', async () => {
      expect((await after(0))[0]).toBe(200)
      const [session] = await app.sessions.list(vicId)
      if (!session) throw new Error('vic is signed in')
      const renewedAt = app.now()
      await app.sessions.renew(session, { renewedAt, expiresAt: new Date(renewedAt.getTime() + 48 * HOUR_MS) })
      expect((await after(24 * HOUR_MS))[0]).toBe(200)
    })

    test('a request is let in where the expiry can not be moved', async () => {
      await after(0)
      const { renew } = app.sessions
      Object.assign(app.sessions, { renew: () => Promise.reject(new Error('disk full')) })
      expect(await after(60_000)).toEqual([200, null])
      expect(app.entries.join('')).toContain('disk full')
      Object.assign(app.sessions, { renew })
      expect((await after(0))[1]).not.toBeNull()
    })

    // A Valkey server expires sessions by itself.
    if (store === 'valkey') return
    test('purging deletes expired sessions only', async () => {
      app.clock.ms += 12 * HOUR_MS
      const young = cookieOf(await app.login('vic', PASSWORD))
      app.clock.ms += 12 * HOUR_MS
      expect(await app.sessions.purge(app.now())).toBe(1)
      expect(await app.sessions.purge(app.now())).toBe(0)
      expect((await app.send(me, { cookie: young })).status).toBe(200)
      expect(await app.db.read.selectFrom('session_expiries').selectAll().execute()).toHaveLength(1)
    })
  })

  describe('of three seconds', () => {
    beforeEach(ttl(3000))

    test('goes on while it is used every second, and ends after four without', async () => {
      for (let second = 1; second <= 8; second++) expect((await after(1000))[0]).toBe(200)
      expect((await after(4000))[0]).toBe(401)
    })

    test('moves its expiry after a tenth', async () => {
      expect((await after(299))[1]).toBeNull()
      expect((await after(1))[1]).not.toBeNull()
    })
  })
})
