// Listing and ending one's other sessions.
import { describe, expect, test } from 'bun:test'
import { forbidden, missing } from '../../../testing/estates/inventory.ts'
import { answerOf, type Person, people, QUICK } from '../../../testing/estates/people.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf } from '../../../testing/sign-in/sign-in.ts'
import { Session } from './api.ts'

const HOUR_MS = 3600 * 1000

describe.each(places())('sessions on %s in the %s', (dialect, store) => {
  const all = people(dialect, () => storeConfig(store).then((config) => ({ config })))

  const signIn = async (username: string, userAgent = 'curl/8') => {
    const headers = { 'User-Agent': userAgent }
    const body = { username, password: QUICK }
    return cookieOf(await all.app.send('POST /api/auth/login', { body, headers }))
  }
  const asked = async (http: string, cookie: string) => answerOf(await all.app.send(http, { cookie }))
  const sessionsOf = async ({ ask }: Person, query = '') =>
    Session.strict()
      .array()
      .parse((await ask(`GET /api/sessions${query}`)).body)
  const status = async (cookie: string) => (await asked('GET /api/auth/me', cookie)).status

  test('are listed newest first, with address and time', async () => {
    const { username } = await all.person()
    const started = all.app.now().toISOString()
    const old = await signIn(username, 'Firefox')
    all.app.clock.ms += 1000
    const young = await signIn(username, 'x'.repeat(300))
    all.app.clock.ms += 60_000
    const seen = all.app.now().toISOString()
    const { body, headers } = await asked('GET /api/sessions', old)
    const list = Session.strict().array().parse(body)
    const day = 24 * HOUR_MS
    expect(headers.get('x-total-count')).toBe('2')
    expect(list.map(({ id: _, ...rest }) => rest)).toEqual([
      {
        created_at: new Date(Date.parse(started) + 1000).toISOString(),
        last_seen_at: new Date(Date.parse(started) + 1000).toISOString(),
        expires_at: new Date(Date.parse(started) + 1000 + day).toISOString(),
        ip_address: '',
        user_agent: 'x'.repeat(255),
        method: 'password',
        provider_id: null,
        is_current: false,
      },
      {
        created_at: started,
        last_seen_at: seen,
        expires_at: new Date(Date.parse(seen) + day).toISOString(),
        ip_address: '',
        user_agent: 'Firefox',
        method: 'password',
        provider_id: null,
        is_current: true,
      },
    ])
    expect(await status(young)).toBe(200)
  })

  test('show the address of their sign-in', async () => {
    const { username, ask } = await all.person()
    const request = new Request('http://plat.test/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password: QUICK }),
    })
    await (await all.app.fetch(request, { peer: () => '::ffff:192.0.2.7' })).text()
    expect((await ask('GET /api/sessions')).body).toMatchObject([{ ip_address: '192.0.2.7' }])
  })

  test('are listed for a key too, none of them its own', async () => {
    const person = await all.person()
    await signIn(person.username)
    expect(await sessionsOf(person)).toMatchObject([{ is_current: false }])
    expect(await sessionsOf(await all.person())).toEqual([])
  })

  test('page, and change their ETag', async () => {
    const person = await all.person()
    await signIn(person.username)
    const { headers } = await person.ask('GET /api/sessions')
    const again = async () =>
      (await person.ask('GET /api/sessions', undefined, { 'If-None-Match': headers.get('etag') ?? '' })).status
    expect(await again()).toBe(304)
    await signIn(person.username)
    expect(await again()).toBe(200)
    const page = await person.ask('GET /api/sessions?limit=1&offset=1')
    expect([page.headers.get('x-total-count'), (page.body as unknown[]).length]).toEqual(['2', 1])
  })

  test('of others need users:update', async () => {
    const person = await all.person()
    await signIn(person.username)
    expect(await sessionsOf(all.admin, `?user_id=${person.id}`)).toHaveLength(1)
    expect(await sessionsOf(all.admin, '?user_id=nobody')).toEqual([])
    const other = await all.person({ permissions: ['users:list', 'users:read'] })
    expect(await other.ask(`GET /api/sessions?user_id=${person.id}`)).toMatchObject(forbidden)
    expect(await sessionsOf(person, `?user_id=${person.id}`)).toHaveLength(1)
  })

  test('that are over are not listed', async () => {
    const person = await all.person()
    await signIn(person.username)
    await all.app.send('POST /api/auth/logout', { cookie: await signIn(person.username) })
    expect(await sessionsOf(person)).toHaveLength(1)
    all.app.clock.ms += 24 * HOUR_MS
    expect(await sessionsOf(person)).toEqual([])
    await signIn(person.username)
    const body = { current_password: QUICK, new_password: 'another one' }
    await person.ask(`POST /api/users/${person.id}/password`, body)
    expect(await sessionsOf(person)).toEqual([])
  })

  test('are ended one by one, at once', async () => {
    const person = await all.person()
    const [one, two] = [await signIn(person.username), await signIn(person.username)]
    expect([await status(one), await status(two)]).toEqual([200, 200])
    const ids = await sessionsOf(person)
    const current = Session.array()
      .parse((await asked('GET /api/sessions', two)).body)
      .find((session) => session.is_current)
    const other = ids.find(({ id }) => id !== current?.id)
    expect((await asked(`DELETE /api/sessions/${other?.id}`, two)).status).toBe(204)
    expect([await status(one), await status(two)]).toEqual([401, 200])
    expect((await asked(`DELETE /api/sessions/${other?.id}`, two)).status).toBe(404)
    expect((await asked(`DELETE /api/sessions/${current?.id}`, two)).status).toBe(204)
    expect(await status(two)).toBe(401)
  })

  test('of others are 404 without the permission', async () => {
    const person = await all.person()
    const cookie = await signIn(person.username)
    const [session] = await sessionsOf(person)
    const path = `DELETE /api/sessions/${session?.id}`
    expect(await (await all.person({ roles: ['operator'] })).ask(path)).toMatchObject(missing)
    expect(await status(cookie)).toBe(200)
    expect((await (await all.person({ permissions: ['users:update'] })).ask(path)).status).toBe(204)
    expect(await status(cookie)).toBe(401)
  })

  test('of an unknown id are not found', async () => {
    for (const id of ['x', '%00', '%20', 'a'.repeat(500)])
      expect(await all.admin.ask(`DELETE /api/sessions/${id}`)).toMatchObject(missing)
  })
})
