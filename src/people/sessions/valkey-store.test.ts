// Sessions in a Valkey server: the stored values, and requests while the server is unavailable.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { follow } from '../../../testing/feed.ts'
import { valkey } from '../../../testing/servers/servers.ts'
import { cookieOf, refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'

const PASSWORD = 'quick to check'
const me = 'GET /api/auth/me'
/** The longest wait of a request for a server that does not answer. */
const PATIENCE_MS = 2000

let server: Awaited<ReturnType<typeof valkey>>
beforeAll(async () => {
  server = await valkey()
}, 60_000)
afterAll(() => server.stop())

const start = async (valkeyUrl: string) => {
  const app = await signInApp('sqlite', { config: { sessionStoreType: 'valkey', valkeyUrl } })
  const { id } = await createUser(app.db, { username: 'ada', roles: ['admin'], password: PASSWORD })
  return { app, id, key: await keyFor(app.db, id) }
}
const timed = async (work: Promise<Response>) => {
  const startedMs = performance.now()
  const response = await work
  return { response, ms: performance.now() - startedMs }
}
const warnings = (app: SignInApp) => app.entries.filter((entry) => entry.includes('the session store is'))

describe('a Valkey server', () => {
  let app: SignInApp
  let userId: string
  let client: RedisClient
  beforeEach(async () => {
    await server.start()
    client = new RedisClient(server.url)
    await client.send('FLUSHALL', [])
    const started = await start(server.url)
    app = started.app
    userId = started.id
  })
  afterEach(async () => {
    client.close()
    await app.close()
  })
  const contents = async () => {
    const keys = (await client.send('KEYS', ['*'])) as string[]
    const rows = keys.map(async (key) => ({
      key,
      ttl: Number(await client.send('PTTL', [key])),
      value: key.startsWith('plat:user') ? '' : String(await client.send('GET', [key])),
    }))
    return Promise.all(rows)
  }

  test('never sees a token or a password, and lets all of it end by itself', async () => {
    const token = cookieOf(await app.login('ada', PASSWORD)).split('=')[1] ?? ''
    expect(token).toHaveLength(43)
    const all = await contents()
    expect(all.map(({ key }) => key.split(':')[1]).sort()).toEqual(['session', 'session-token', 'user-sessions'])
    expect(JSON.stringify(all)).not.toContain(token)
    expect(JSON.stringify(all)).not.toContain(PASSWORD)
    for (const { ttl } of all) expect(ttl).toBeWithin(86_000_000, 86_400_001)
  })

  test('keeps nothing of a session that has ended', async () => {
    const cookie = cookieOf(await app.login('ada', PASSWORD))
    await app.send('POST /api/auth/logout', { cookie })
    expect(await contents()).toEqual([])
  })

  test('keeps no session in the database', async () => {
    await app.login('ada', PASSWORD)
    expect(await app.db.read.selectFrom('sessions').selectAll().execute()).toEqual([])
  })

  test('that goes away ends the live feeds of sessions, and none of keys', async () => {
    const cookie = cookieOf(await app.login('ada', PASSWORD))
    const key = await keyFor(app.db, userId)
    const feedWith = (headers: Record<string, string>) =>
      follow({ request: (method, path) => app.request(path, { method, headers }) })
    const ofSession = await feedWith({ Cookie: cookie })
    const ofKey = await feedWith({ Authorization: `Bearer ${key}` })
    await server.stop()
    await ofSession.isOver()
    await app.send('POST /api/devices', { key, body: { name: 'told all the same' } })
    await ofKey.hears(1)
    expect(ofKey.heard()).toHaveLength(1)
    await ofKey.stop()
  })

  test('ends a session by its own clock', async () => {
    const cookie = cookieOf(await app.login('ada', PASSWORD))
    for (const { key } of await contents()) await client.send('PEXPIRE', [key, '0'])
    expect((await app.send(me, { cookie })).status).toBe(401)
    expect(await app.sessions.list(userId)).toEqual([])
  })

  test('removes ended sessions from the list of a user', async () => {
    await app.login('ada', PASSWORD)
    await app.login('ada', PASSWORD)
    const [one] = await app.sessions.list(userId)
    await client.send('DEL', [`plat:session:${one?.id}`])
    expect(await app.sessions.list(userId)).toHaveLength(1)
    expect(await client.send('SCARD', [`plat:user-sessions:${userId}`])).toBe(1)
  })

  test('does not bring back a session that ended while its expiry was moved', async () => {
    await app.login('ada', PASSWORD)
    const [session] = await app.sessions.list(userId)
    if (!session) throw new Error('ada is signed in')
    await app.sessions.remove(session.id)
    const renewedAt = new Date(session.renewedAt.getTime() + 60_000)
    expect(await app.sessions.renew(session, { renewedAt, expiresAt: session.expiresAt })).toBe(false)
    expect(await contents()).toEqual([])
  })

  test('extends an expiry once for concurrent requests', async () => {
    await app.login('ada', PASSWORD)
    const [session] = await app.sessions.list(userId)
    if (!session) throw new Error('ada is signed in')
    const moved = Array.from({ length: 10 }, (_, i) => {
      const renewedAt = new Date(session.renewedAt.getTime() + 60_000 + i)
      return app.sessions.renew(session, { renewedAt, expiresAt: new Date(renewedAt.getTime() + 1000) })
    })
    expect((await Promise.all(moved)).filter(Boolean)).toHaveLength(1)
  })

  test('with something else under a key of a session opens nothing', async () => {
    const cookie = cookieOf(await app.login('ada', PASSWORD))
    const [session] = await app.sessions.list(userId)
    for (const text of ['', '{', '[]', '{"id":1}']) {
      await client.send('SET', [`plat:session:${session?.id}`, text])
      expect((await app.send(me, { cookie })).status).toBe(401)
    }
  })

  test('that is away: requests with a session get 503 within two seconds, and others work', async () => {
    const { key, cookie } = {
      key: await keyFor(app.db, userId),
      cookie: cookieOf(await app.login('ada', PASSWORD)),
    }
    await server.stop()
    for (const work of [
      () => app.send(me, { cookie }),
      () => app.send('POST /api/datacenters', { cookie, body: { name: 'x' } }),
      () => app.send('POST /api/auth/logout', { cookie }),
      () => app.login('ada', PASSWORD),
      () => app.send('GET /api/sessions', { key }),
    ]) {
      const { response, ms } = await timed(work())
      expect(await refusal(response)).toEqual([503, 'UNAVAILABLE'])
      expect(ms).toBeLessThan(PATIENCE_MS)
    }
    const others = [
      await app.send(me, { key }),
      await app.send('POST /api/datacenters', { key, body: { name: 'x' } }),
      await app.send('GET /healthz'),
    ]
    expect(others.map(({ status }) => status)).toEqual([200, 201, 200])
    expect(warnings(app)).toHaveLength(1)
  })

  test('that returns is used again, without a restart', async () => {
    await server.stop()
    expect((await app.login('ada', PASSWORD)).status).toBe(503)
    await server.start()
    const cookie = cookieOf(await app.login('ada', PASSWORD))
    expect((await app.send(me, { cookie })).status).toBe(200)
    expect(warnings(app).map((entry) => /is (away|back)/.exec(entry)?.[1])).toEqual(['away', 'back'])
  })

  test('that was restarted between two requests causes no warning', async () => {
    const cookie = cookieOf(await app.login('ada', PASSWORD))
    expect((await app.send(me, { cookie })).status).toBe(200)
    await server.stop()
    await server.start()
    // The server lost its data on restart, so users must sign in again.
    expect((await app.send(me, { cookie })).status).toBe(401)
    expect((await app.login('ada', PASSWORD)).status).toBe(200)
    expect(warnings(app)).toEqual([])
  })

  test('that is away several times has one warning each', async () => {
    for (let times = 0; times < 3; times++) {
      await server.stop()
      for (let i = 0; i < 3; i++) await app.login('ada', PASSWORD)
      await server.start()
      await app.login('ada', PASSWORD)
    }
    expect(warnings(app)).toHaveLength(6)
  })

  test('that refuses commands counts as away', async () => {
    await client.send('CONFIG', ['SET', 'maxmemory', '1'])
    const response = await app.login('ada', PASSWORD)
    await client.send('CONFIG', ['SET', 'maxmemory', '0'])
    expect(await refusal(response)).toEqual([503, 'UNAVAILABLE'])
    expect((await app.login('ada', PASSWORD)).status).toBe(200)
  })
})

describe('a session store that', () => {
  const attempt = async (url: string) => {
    const { app, key } = await start(url)
    const { response, ms } = await timed(app.send(me, { cookie: '__Host-session=x' }))
    const byKey = await app.send(me, { key })
    await app.close()
    return { status: response.status, byKey: byKey.status, ms, log: app.entries.join('') }
  }
  const away = { status: 503, byKey: 200 }

  test('was never there does not keep the server from starting', async () => {
    const answer = await attempt('redis://127.0.0.1:1')
    expect(answer).toMatchObject(away)
    expect(answer.ms).toBeLessThan(PATIENCE_MS)
  })

  test('takes connections and never answers is given up in time', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
    const answer = await attempt(`redis://127.0.0.1:${silent.port}`)
    silent.stop(true)
    expect(answer).toMatchObject(away)
    expect(answer.ms).toBeLessThan(PATIENCE_MS)
  })

  test('does not know the password: the log has neither', async () => {
    await server.start()
    const answer = await attempt(server.url.replace('redis://', 'redis://plat:s3cr3t@'))
    expect(answer).toMatchObject(away)
    expect(answer.log).toContain('the session store is away')
    expect(answer.log).not.toContain('s3cr3t')
  })

  test.each(['valkey:', 'redis:'])('is called by %s works', async (scheme) => {
    await server.start()
    expect(await attempt(server.url.replace('redis:', scheme))).toMatchObject({ status: 401, byKey: 200 })
  })
})

test('a server that stops answering in the middle is given up in time, and used again', async () => {
  // Forwards everything to the real server until it is silenced.
  let isSilent = false
  type Pipe = { readonly other: Promise<Bun.Socket<unknown>> }
  await server.start()
  const target = new URL(server.url)
  const proxy = Bun.listen<Pipe>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (near) => {
        const other = Bun.connect({
          hostname: target.hostname,
          port: Number(target.port),
          socket: {
            data: (_, bytes) => {
              if (!isSilent) near.write(bytes)
            },
          },
        })
        near.data = { other }
      },
      data: async ({ data }, bytes) => {
        const copy = bytes.slice()
        ;(await data.other).write(copy)
      },
      close: async ({ data }) => {
        ;(await data.other).end()
      },
    },
  })
  const { app } = await start(`redis://127.0.0.1:${proxy.port}`)
  const cookie = cookieOf(await app.login('ada', PASSWORD))
  isSilent = true
  const { response, ms } = await timed(app.send(me, { cookie }))
  isSilent = false
  const after = await app.send(me, { cookie })
  await app.close()
  proxy.stop(true)
  expect([response.status, after.status]).toEqual([503, 200])
  expect(ms).toBeLessThan(PATIENCE_MS)
})
