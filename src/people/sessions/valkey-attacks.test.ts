/** An attacker who can write to the Valkey server of the sessions, or restores an older state of it, gets no session. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import { createUser } from '../../../testing/estates/identities.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { onSqlite, valkey } from '../../../testing/servers/servers.ts'
import { cookieOf, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { hashSecret } from '../../base/security/secret-token.ts'

const PASSWORD = 'quick to check'
const me = 'GET /api/auth/me'

describe.each(onSqlite())('sessions in Valkey beside %s', (dialect) => {
  let server: Awaited<ReturnType<typeof valkey>>
  let client: RedisClient
  let app: SignInApp
  let boss: string
  let clerk: string
  beforeAll(async () => {
    server = await valkey()
    await server.start()
    client = new RedisClient(server.url)
  }, 60_000)
  afterAll(() => {
    client.close()
    return server.stop()
  })
  beforeEach(async () => {
    await client.send('FLUSHALL', [])
    app = await signInApp(dialect, { config: { sessionStoreType: 'valkey', valkeyUrl: server.url } })
    boss = (await createUser(app.db, { username: 'boss', roles: ['admin'], password: PASSWORD })).id
    clerk = (await createUser(app.db, { username: 'clerk', roles: ['viewer'], password: PASSWORD })).id
  })
  afterEach(() => app.close())

  const get = async (key: string) => String(await client.send('GET', [key]))
  const set = (key: string, value: string) => client.send('SET', [key, value, 'PX', '1000000'])
  const signIn = async (username: string) => {
    const cookie = cookieOf(await app.login(username, PASSWORD))
    const token = cookie.split('=')[1] ?? ''
    const [session] = (await app.sessions.list(username === 'boss' ? boss : clerk)).slice(-1)
    return { cookie, hash: hashSecret(token), id: session?.id ?? '' }
  }
  const status = async (cookie: string) => (await app.send(me, { cookie })).status
  /** Returns a function that restores all keys. */
  const snapshot = async () => {
    const keys = (await client.send('KEYS', ['*'])) as string[]
    const values = await Promise.all(
      keys.filter((key) => !key.startsWith('plat:user')).map(async (key) => [key, await get(key)]),
    )
    const sets = await Promise.all(
      keys
        .filter((key) => key.startsWith('plat:user'))
        .map(async (key) => [key, (await client.send('SMEMBERS', [key])) as string[]] as const),
    )
    return async () => {
      for (const [key = '', value = ''] of values) await set(key, value)
      for (const [key, members] of sets) await client.send('SADD', [key, ...members])
    }
  }

  test('a session of a changed user opens nothing', async () => {
    const { cookie, id } = await signIn('clerk')
    expect(await status(cookie)).toBe(200)
    const text = await get(`plat:session:${id}`)
    expect(text).toContain(clerk)
    await set(`plat:session:${id}`, text.replaceAll(clerk, boss))
    expect(await status(cookie)).toBe(401)
  })

  test('a session with a changed end opens nothing', async () => {
    const { cookie, id } = await signIn('clerk')
    const text = await get(`plat:session:${id}`)
    await set(`plat:session:${id}`, text.replace(/"expiresAt":"\d{4}/, '"expiresAt":"2099'))
    expect(await status(cookie)).toBe(401)
  })

  test('a session without a signature, as in earlier versions, opens nothing', async () => {
    const { cookie, id } = await signIn('clerk')
    const text = await get(`plat:session:${id}`)
    await set(`plat:session:${id}`, text.slice(text.indexOf('{')))
    expect(await status(cookie)).toBe(401)
  })

  test('a token that was pointed at the session of another user opens nothing', async () => {
    const { id } = await signIn('boss')
    const { cookie, hash } = await signIn('clerk')
    await set(`plat:session-token:${hash}`, id)
    expect(await status(cookie)).toBe(401)
  })

  test('the text of a session under the id of another one opens nothing', async () => {
    const one = await signIn('boss')
    const { cookie, id } = await signIn('clerk')
    await set(`plat:session:${id}`, await get(`plat:session:${one.id}`))
    expect(await status(cookie)).toBe(401)
    expect(await app.sessions.get(id)).toBeUndefined()
  })

  test('the list of a user has no session of another one', async () => {
    const { id } = await signIn('boss')
    await client.send('SADD', [`plat:user-sessions:${clerk}`, id])
    expect(await app.sessions.list(clerk)).toEqual([])
  })

  test('a session that was ended stays ended after an older state of the server is restored', async () => {
    const { cookie, id } = await signIn('clerk')
    const restore = await snapshot()
    expect((await app.send('POST /api/auth/logout', { cookie })).status).toBe(204)
    await restore()
    expect(await status(cookie)).toBe(401)
    expect(await app.sessions.list(clerk)).toEqual([])
    expect(await app.sessions.getAll([id])).toEqual([])
    expect((await app.send('GET /api/devices', { cookie })).status).toBe(401)
  })

  test('a session that was taken away when it was ended stays ended', async () => {
    const { cookie, id } = await signIn('clerk')
    const restore = await snapshot()
    await client.send('FLUSHALL', [])
    await app.sessions.remove(id)
    await restore()
    expect(await status(cookie)).toBe(401)
  })

  test('a session that another user has ended stays ended', async () => {
    const { cookie } = await signIn('boss')
    const other = await signIn('clerk')
    const restore = await snapshot()
    const ended = await app.send(`DELETE /api/sessions/${other.id}`, { cookie })
    expect(ended.status).toBe(204)
    await restore()
    expect([await status(other.cookie), await status(cookie)]).toEqual([401, 200])
  })

  test('ends are forgotten when the session would have expired by itself', async () => {
    const { id } = await signIn('clerk')
    await app.sessions.remove(id)
    const ends = () => app.db.read.selectFrom('ended_sessions').select('id').execute()
    await app.runJob('sessions.purge')
    expect(await ends()).toEqual([{ id }])
    app.clock.ms += app.config.sessionTtlMs + 1
    await app.runJob('sessions.purge')
    expect(await ends()).toEqual([])
  })

  if (dialect === 'postgres') {
    test('a session that ended at one instance stays ended at another one', async () => {
      const instance: Instance = await instanceBeside(app, { now: app.now })
      try {
        const { cookie } = await signIn('clerk')
        const at = async () => (await instance.fetch('GET', '/api/auth/me', { Cookie: cookie })).status
        expect(await at()).toBe(200)
        const restore = await snapshot()
        await app.send('POST /api/auth/logout', { cookie })
        await restore()
        expect(await at()).toBe(401)
      } finally {
        await instance.close()
      }
    })
  }
})
