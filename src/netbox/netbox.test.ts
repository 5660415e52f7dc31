// The NetBox API over HTTP: its credentials, paths, methods, hosts and limits.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hostname } from 'node:os'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { keyFor } from '../../testing/estates/identities.ts'
import { BEHIND_PROXY, PROXY } from '../../testing/from-address.ts'
import { oauthApp, oauthOf } from '../../testing/sign-in/oauth.ts'
import { VERSION } from '../base/runtime/version.ts'

const STATUS = '/netbox/api/status/'
const DENIED = 'You do not have permission to perform this action.'

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await oauthApp({
    env: { NETBOX_API_HOSTS: 'netbox.example.com', PUBLIC_URL: 'https://plat.example.com', ...BEHIND_PROXY },
  })
  admin = await app.as('admin')
})
afterAll(() => app.close())

type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly peer?: string }

const send = (path: string, { method = 'GET', headers = {}, peer = '192.0.2.9' }: Sent = {}) =>
  app.plat.fetch(new Request(`http://plat.test${path}`, { method, headers }), { peer: () => peer })

const authorized = (headers: Record<string, string> = {}) => ({ Authorization: `Token ${admin.key}`, ...headers })

const read = async (response: Response) => [response.status, await response.json()]

describe('the API opens', () => {
  test.each(['Token', 'Bearer', 'token', 'BEARER'])('for an API key as %s', async (scheme) => {
    expect((await send(STATUS, { headers: { Authorization: `${scheme} ${admin.key}` } })).status).toBe(200)
  })

  const missing = 'Authentication credentials were not provided.'
  test.each([
    ['without a header', {}, missing],
    ['with another scheme', { Authorization: 'Basic YTpi' }, missing],
    ['with the key alone', { Authorization: 'abc' }, missing],
    ['with a scheme alone', { Authorization: 'Token' }, 'Invalid token'],
    ['with two words', { Authorization: 'Token a b' }, 'Invalid token'],
    ['with an unknown key', { Authorization: 'Token abc' }, 'Invalid token'],
    ['with a key of NetBox', { Authorization: 'Bearer nbt_abc.def' }, 'Invalid token'],
    ['with a cookie', { Cookie: 'session=abc; __Host-session=abc' }, missing],
  ])('for nobody %s', async (_, headers, detail) => {
    expect(await read(await send(STATUS, { headers }))).toEqual([403, { detail }])
  })

  test('for no key in the query', async () => {
    expect((await send(`${STATUS}?token=${admin.key}`)).status).toBe(403)
  })

  test('for no session and no token of OAuth, which open other parts of Plat', async () => {
    const oauth = oauthOf(app)
    const person = await oauth.person()
    const { cookie } = person
    expect((await send('/api/auth/me', { headers: { Cookie: cookie } })).status).toBe(200)
    expect(await read(await send(STATUS, { headers: { Cookie: cookie } }))).toEqual([403, { detail: missing }])
    const { access_token: token } = await oauth.tokensFor(await oauth.register(), person)
    for (const scheme of ['Bearer', 'Token'])
      expect(await read(await send(STATUS, { headers: { Authorization: `${scheme} ${token}` } }))).toEqual([
        ...[403, { detail: 'Invalid token' }],
      ])
  })

  test('for no key that has expired or that opens a feed only', async () => {
    const expired = await keyFor(app.db, admin.userId, { expiresAt: '2020-01-01T00:00:00.000Z' })
    const at = { headers: { Authorization: `Token ${expired}` } }
    expect(await read(await send(STATUS, at))).toEqual([403, { detail: 'Token expired' }])
    const feed = await admin.api.feeds.create({ name: 'one', format: 'hosts' })
    const { key } = await admin.api.keys.create({ name: 'of a feed', feed_id: feed.id })
    const { detail } = z
      .object({ detail: z.string() })
      .parse(await (await send(STATUS, { headers: { Authorization: `Token ${key}` } })).json())
    expect(detail).toStartWith(DENIED)
  })

  test('for a key only from its addresses', async () => {
    const { key } = await admin.api.keys.create({ name: 'near', allowed_cidrs: ['192.0.2.0/24'] })
    const from = (peer: string) => send(STATUS, { headers: { Authorization: `Token ${key}` }, peer })
    expect((await from('192.0.2.7')).status).toBe(200)
    const detail = `${DENIED} The API key may not be used from 198.51.100.7`
    expect(await read(await from('198.51.100.7'))).toEqual([403, { detail }])
  })
})

test('the status has the versions of NetBox and of Plat', async () => {
  expect(await read(await send(STATUS, { headers: authorized() }))).toEqual([
    200,
    {
      ...{ 'django-version': '', hostname: hostname(), installed_apps: {}, plugins: {}, 'python-version': '' },
      ...{ 'netbox-version': '4.5.10', 'netbox-full-version': '4.5.10', 'rq-workers-running': 0 },
      'plat-version': VERSION,
    },
  ])
})

describe('a path of the API', () => {
  test.each(['/netbox/api', '/netbox/api/', '/netbox/api/status', STATUS])(
    '%s answers without a redirect',
    async (path) => {
      const { status, headers } = await send(path, { headers: authorized() })
      expect([status, headers.get('api-version'), headers.get('content-type')]).toEqual([
        200,
        '4.5',
        'application/json',
      ])
      expect([headers.has('etag'), headers.has('x-request-id'), headers.get('x-content-type-options')]).toEqual([
        false,
        true,
        'nosniff',
      ])
    },
  )

  test.each(['/netbox/api/nothing/', '/netbox/api/status/x', '/netbox/api/dcim/power-feeds/'])(
    '%s is not found',
    async (path) => {
      const answer = await send(path, { headers: authorized() })
      expect(answer.headers.get('api-version')).toBe('4.5')
      expect(await read(answer)).toEqual([404, { detail: 'Not found.' }])
    },
  )

  test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE'])('refuses the method %s and says which it has', async (method) => {
    const answer = await send(STATUS, { method, headers: authorized() })
    expect([answer.headers.get('allow'), answer.headers.get('api-version')]).toEqual(['GET, HEAD', '4.5'])
    expect(await read(answer)).toEqual([405, { detail: `${method} is not supported at this path` }])
  })

  test('answers HEAD without a body', async () => {
    const answer = await send(STATUS, { method: 'HEAD', headers: authorized() })
    expect([answer.status, answer.headers.get('api-version'), await answer.text()]).toEqual([200, '4.5', ''])
  })

  test.each(['as_of=1h', 'dry_run=true', 'proposal=x'])('refuses the parameter %s', async (query) => {
    const [name = ''] = query.split('=')
    const body = { [name]: ['is not possible in the NetBox API'] }
    expect(await read(await send(`${STATUS}?${query}`, { headers: authorized() }))).toEqual([400, body])
  })

  test.each(['/netbox', '/netbox/', '/netbox/apis', '/api/status'])(
    'is not %s, which has no header of the API',
    async (path) => {
      const { status, headers } = await send(path, { headers: authorized() })
      expect([status, headers.has('api-version')]).toEqual([404, false])
    },
  )
})

describe('URLs in answers begin with', () => {
  const findRoot = async (headers: Record<string, string>, { path = '/netbox/api/', peer = '192.0.2.9' } = {}) => {
    const answer = await send(path, { headers: authorized(headers), peer })
    return z.looseObject({ status: z.string() }).parse(await answer.json()).status
  }

  test('PUBLIC_URL, where the request names its host', async () => {
    expect(await findRoot({ Host: 'plat.example.com' })).toBe('https://plat.example.com/netbox/api/status/')
  })

  test('the host of the request, where it names another one', async () => {
    expect(await findRoot({ Host: '10.1.2.3:8080' })).toBe('http://10.1.2.3:8080/netbox/api/status/')
  })

  test('scheme and host that a trusted proxy forwards, and no other peer', async () => {
    const headers = { Host: 'inside', 'X-Forwarded-Host': 'ipam.example.com', 'X-Forwarded-Proto': 'https' }
    expect(await findRoot(headers, { peer: PROXY })).toBe('https://ipam.example.com/netbox/api/status/')
    expect(await findRoot(headers)).toBe('http://inside/netbox/api/status/')
  })

  test('the host of the API without the base path', async () => {
    const at = await findRoot({ Host: 'netbox.example.com:8080' }, { path: '/api/' })
    expect(at).toBe('http://netbox.example.com:8080/api/status/')
  })
})

describe('a host of NETBOX_API_HOSTS', () => {
  const Host = 'netbox.example.com'

  test.each(['/api', '/api/', '/api/status', '/api/status/'])('has the API at %s', async (path) => {
    const { status, headers } = await send(path, { headers: authorized({ Host }) })
    expect([status, headers.get('api-version')]).toEqual([200, '4.5'])
  })

  test.each(['/', '/api/devices', '/netbox/api/status/', '/metrics', '/api/openapi.json', '/mcp'])(
    'has nothing of Plat at %s',
    async (path) => {
      expect(await read(await send(path, { headers: authorized({ Host }) }))).toEqual([404, { detail: 'Not found.' }])
    },
  )

  test.each(['/healthz', '/readyz'])('answers %s', async (path) => {
    const { status, headers } = await send(path, { headers: { Host } })
    expect([status, headers.has('api-version')]).toEqual([200, false])
  })
})

describe('with limits and allowed hosts', () => {
  let limited: TestApp
  let key: string
  beforeAll(async () => {
    limited = await testApp({
      env: {
        ...{ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '3' },
        ...{ ALLOWED_HOSTS: 'plat.example.com', NETBOX_API_HOSTS: 'netbox.example.com' },
      },
    })
    key = (await limited.as('admin')).key
  })
  afterAll(() => limited.close())

  const ask = (host: string, path: string, peer: string) => {
    const headers = { Host: host, Authorization: `Token ${key}` }
    return limited.plat.fetch(new Request(`http://plat.test${path}`, { headers }), { peer: () => peer })
  }

  test('a client with too many requests gets 429 in the form of NetBox', async () => {
    for (let n = 0; n < 3; n++) expect((await ask('plat.example.com', STATUS, '192.0.2.1')).status).toBe(200)
    const answer = await ask('plat.example.com', STATUS, '192.0.2.1')
    expect([answer.status, answer.headers.has('retry-after'), answer.headers.get('api-version')]).toEqual([
      429,
      true,
      '4.5',
    ])
    expect(await answer.json()).toEqual({ detail: expect.any(String) })
  })

  test('a host of the API is an allowed host, and another one gets 421 in the form of NetBox', async () => {
    expect((await ask('netbox.example.com', '/api/status/', '192.0.2.2')).status).toBe(200)
    const answer = await ask('evil.example', STATUS, '192.0.2.2')
    expect([answer.status, answer.headers.get('api-version')]).toEqual([421, '4.5'])
    expect(await answer.json()).toEqual({ detail: expect.any(String) })
  })
})
