import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { bound, boundRaw, type SmallApp, smallApp } from '../../../testing/http.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { SECURITY_HEADERS } from './headers.ts'

const ErrorBody = z.strictObject({
  code: z.string(),
  error: z.string(),
  details: z.array(z.strictObject({ field: z.string(), message: z.string() })),
})

const refusal = async (response: Response) => [response.status, ErrorBody.parse(await response.json()).code]

let app: TestApp
let admin: TestCaller
let viewer: TestCaller
let nobody: TestCaller
/** The cookie of a session of a user without a role. */
let cookie: string

beforeAll(async () => {
  app = await testApp({ env: { COOKIE_SECURE: 'false' } })
  admin = await app.as('admin')
  viewer = await app.as('viewer')
  nobody = await app.as([])
  await createUser(app.db, { username: 'ann', password: 'a quick password' })
  const login = await app.guest('POST', '/api/auth/login', { username: 'ann', password: 'a quick password' })
  cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
})
afterAll(() => app.close())

const PATH = '/api/datacenters'
const inSession = (method: string, path: string, headers: Record<string, string> = {}, body = '{') =>
  app.guest(method, path, method === 'GET' ? undefined : body, { Cookie: cookie, ...headers })
const OURS = { 'X-Requested-With': 'XMLHttpRequest' }

describe('the first error of a request with several is', () => {
  test('an unknown route, before missing credentials', async () => {
    expect(await refusal(await app.guest('POST', '/api/nowhere', '{'))).toEqual([404, 'NOT_FOUND'])
  })
  test('an unknown route, before a missing session header', async () => {
    expect(await refusal(await inSession('POST', '/api/nowhere'))).toEqual([404, 'NOT_FOUND'])
  })
  test('an unknown method, before missing credentials', async () => {
    expect(await refusal(await app.guest('PUT', PATH, '{'))).toEqual([405, 'METHOD_NOT_ALLOWED'])
  })
  test('missing credentials, before an invalid body', async () => {
    expect(await refusal(await app.guest('POST', PATH, '{'))).toEqual([401, 'UNAUTHORIZED'])
  })
  test('an ended session, before its missing header', async () => {
    const request = app.guest('POST', PATH, '{', { Cookie: 'session=unknown' })
    expect(await refusal(await request)).toEqual([401, 'UNAUTHORIZED'])
  })
  test('a missing session header, before a missing permission', async () => {
    expect(await refusal(await inSession('POST', PATH))).toEqual([403, 'CSRF_FAILED'])
  })
  test('a missing permission, before an invalid body', async () => {
    expect(await refusal(await viewer.request('POST', PATH, '{'))).toEqual([403, 'FORBIDDEN'])
  })
  test('a missing permission, before a large body', async () => {
    expect(await refusal(await viewer.request('POST', PATH, ' '.repeat(2 ** 21)))).toEqual([403, 'FORBIDDEN'])
  })
  test('a missing permission, before a missing object', async () => {
    expect(await refusal(await viewer.request('DELETE', `${PATH}/unknown`))).toEqual([403, 'FORBIDDEN'])
  })
  test('a malformed body, before a missing object', async () => {
    expect(await refusal(await admin.request('PUT', `${PATH}/unknown`, '{'))).toEqual([400, 'INVALID_JSON'])
  })
  test('an invalid body, before a missing object', async () => {
    expect(await refusal(await admin.request('PUT', `${PATH}/unknown`, { name: 5 }))).toEqual([400, 'VALIDATION_ERROR'])
  })
  test('a missing object', async () => {
    expect(await refusal(await admin.request('PUT', `${PATH}/unknown`, { name: 'x' }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('a session', () => {
  test('needs no header to read', async () => {
    expect((await inSession('GET', '/api/auth/me')).status).toBe(200)
  })
  test('with the header gets on to the permission', async () => {
    expect(await refusal(await inSession('POST', PATH, OURS))).toEqual([403, 'FORBIDDEN'])
  })
  test('with the header from another site is refused', async () => {
    const headers = { ...OURS, 'Sec-Fetch-Site': 'cross-site' }
    expect(await refusal(await inSession('POST', PATH, headers))).toEqual([403, 'CSRF_FAILED'])
  })
  test.each(['POST', 'PUT', 'DELETE'])('without the header changes nothing by %s', async (method) => {
    const path = method === 'POST' ? PATH : `${PATH}/x`
    expect(await refusal(await inSession(method, path))).toEqual([403, 'CSRF_FAILED'])
  })
  test('beside an API key does not count', async () => {
    const request = admin.request('POST', PATH, '{', { Cookie: cookie })
    expect(await refusal(await request)).toEqual([400, 'INVALID_JSON'])
  })
  test('does not replace an invalid API key', async () => {
    const request = inSession('GET', '/api/auth/me', { Authorization: 'Bearer plat_unknown' })
    expect(await refusal(await request)).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('an unknown route', () => {
  test.each([
    '/api/',
    '/api/x',
    '/api/datacenters/',
    '/api//datacenters',
    '/mcp-oauth/x',
    '/.well-known/x',
    '/api/%',
    '/api/%00',
  ])('is 404 in JSON at %s', async (path) => {
    expect(await refusal(await app.guest('GET', path))).toEqual([404, 'NOT_FOUND'])
  })
  test('elsewhere is 404 in words', async () => {
    const response = await app.guest('GET', '/nowhere')
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
  })
})

describe('a method that a route does not have', () => {
  test.each([
    ['PATCH', '/api/datacenters', 'GET, POST, HEAD'],
    ['DELETE', '/api/datacenters', 'GET, POST, HEAD'],
    ['POST', '/api/datacenters/x', 'GET, PUT, DELETE, HEAD'],
    ['OPTIONS', '/api/datacenters', 'GET, POST, HEAD'],
    ['GET', '/api/auth/logout', 'POST'],
    ['HEAD', '/api/auth/logout', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['QUERY', '/api/datacenters', 'GET, POST, HEAD'],
  ])('%s %s is 405 and says which it has', async (method, path, allow) => {
    const response = await app.guest(method, path)
    const sorted = (list: string) => list.split(', ').toSorted()
    expect([response.status, sorted(response.headers.get('allow') ?? '')]).toEqual([405, sorted(allow)])
  })
})

describe('invalid credentials', () => {
  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'plat_x',
    'Bearer a b',
    `Bearer ${'x'.repeat(600)}`,
    'Bearer plat_\u00e9',
  ])('like "%s" are 401', async (authorization) => {
    expect(await refusal(await app.guest('GET', PATH, undefined, { Authorization: authorization }))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
  })
  test('get a WWW-Authenticate header', async () => {
    expect((await app.guest('GET', PATH)).headers.get('www-authenticate')).toBe('Bearer')
  })
  test.each(['session=', 'session', '=', ';;;', 'session=%00', `session=${'x'.repeat(10_000)}`])(
    'like the cookie "%s" are 401',
    async (value) => {
      expect((await app.guest('GET', PATH, undefined, { Cookie: value })).status).toBe(401)
    },
  )
})

describe('every answer', () => {
  let small: SmallApp
  beforeAll(async () => {
    const route = (name: string) => rawRoute({ name, summary: '', http: `GET /api/${name}`, access: 'public' })
    const operate = operation({
      name: 'bug',
      summary: '',
      http: 'GET /api/bug',
      access: 'public',
      input: z.object({}),
      output: z.unknown(),
    })
    small = await smallApp({
      operations: [
        bound(operate, () => {
          throw new Error('SELECT secret FROM vault failed at once')
        }),
      ],
      routes: [
        boundRaw(route('broken'), () => Promise.reject(new Error('SELECT secret FROM vault failed'))),
        boundRaw(route('redirect'), async () => Response.redirect('http://plat.test/elsewhere', 302)),
        boundRaw(route('immutable'), async () => fetch('data:text/plain,hello')),
        boundRaw(route('thrown'), () => Promise.reject('a text')),
      ],
    })
  })
  afterAll(() => small.close())

  const etagOf = async (path: string) => (await admin.request('GET', path)).headers.get('etag') ?? ''
  const ANSWERS: readonly [number, string, () => Promise<Response>][] = [
    [200, 'a list', () => admin.request('GET', PATH)],
    [200, 'health', () => app.guest('GET', '/healthz')],
    [201, 'a create', () => admin.request('POST', PATH, { name: 'x' })],
    [
      204,
      'a delete',
      async () => {
        await admin.request('POST', PATH, { id: 'gone', name: 'x' })
        return admin.request('DELETE', `${PATH}/gone`)
      },
    ],
    [302, 'a redirection', () => small.request('GET /api/redirect')],
    [304, 'nothing new', async () => admin.request('GET', PATH, undefined, { 'If-None-Match': await etagOf(PATH) })],
    [400, 'a broken body', () => admin.request('POST', PATH, '{')],
    [401, 'a guest', () => app.guest('GET', PATH)],
    [403, 'a missing permission', () => nobody.request('GET', PATH)],
    [403, 'a missing header', () => inSession('POST', PATH)],
    [404, 'a missing object', () => admin.request('GET', `${PATH}/x`)],
    [404, 'a missing route', () => app.guest('GET', '/api/x')],
    [404, 'a missing page', () => app.guest('GET', '/x')],
    [405, 'a missing method', () => app.guest('PUT', PATH)],
    [
      409,
      'a conflict',
      async () => {
        await admin.request('POST', PATH, { id: 'twice', name: 'x' })
        return admin.request('POST', PATH, { id: 'twice', name: 'x' })
      },
    ],
    [
      412,
      'a failed precondition',
      async () => {
        await admin.request('POST', PATH, { id: 'changed', name: 'x' })
        return admin.request('PUT', `${PATH}/changed`, { name: 'y' }, { 'If-Match': '"other"' })
      },
    ],
    [413, 'a large body', () => admin.request('POST', PATH, ' '.repeat(2 ** 21))],
    [500, 'a bug in a route', () => small.request('GET /api/broken')],
    [500, 'a bug in an operation', () => small.request('GET /api/bug')],
    [200, 'an answer from elsewhere', () => small.request('GET /api/immutable')],
  ]

  test.each(ANSWERS)('(%d, %s) carries the security headers', async (status, _, ask) => {
    const response = await ask()
    expect(response.status).toBe(status)
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      expect([name, response.headers.get(name)]).toEqual([name, value])
  })

  test.each(ANSWERS)('(%d, %s) carries an id of its own', async (_status, _, ask) => {
    const ids = [(await ask()).headers.get('x-request-id'), (await ask()).headers.get('x-request-id')]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each(ANSWERS.filter(([status, what]) => status >= 400 && what !== 'a missing page'))(
    '(%d, %s) is an error as the contract has it',
    async (_status, _, ask) => {
      const response = await ask()
      expect(response.headers.get('content-type')).toBe('application/json')
      ErrorBody.parse(await response.json())
    },
  )

  test('the scripts of a page may come from nowhere else, and not be inline', () => {
    const policy = SECURITY_HEADERS['Content-Security-Policy']
    expect(policy.includes("default-src 'self'") && !policy.includes('unsafe')).toBe(true)
  })

  describe('to a bug', () => {
    test.each(['/api/broken', '/api/bug', '/api/thrown'])('at %s says nothing of it', async (path) => {
      const response = await small.request(`GET ${path}`)
      expect(await response.json()).toEqual({
        code: 'INTERNAL_ERROR',
        error: 'Something went wrong on the server',
        details: [],
      })
    })

    test('is in the log, whole, with the id of the request', async () => {
      small.entries.length = 0
      const id = (await small.request('GET /api/broken')).headers.get('x-request-id') ?? ''
      const entry = small.entries.join('')
      expect([
        entry.includes(`request_id=${id}`),
        entry.includes('SELECT secret FROM vault failed'),
        /\n\s+at /.test(entry),
      ]).toEqual([true, true, true])
    })

    test('that throws a text is in the log', async () => {
      small.entries.length = 0
      await small.request('GET /api/thrown')
      expect(small.entries.join('')).toContain('a text')
    })
  })
})

describe('a mistake of the caller', () => {
  test('is not in the log', async () => {
    const entries: string[] = []
    const quiet = await testApp({
      log: createLogger({ level: 'info', format: 'text', write: (entry) => entries.push(entry) }),
    })
    await quiet.guest('POST', PATH, '{')
    await quiet.close()
    expect(entries.filter((entry) => entry.includes('failed'))).toEqual([])
  })
})

describe('HEAD', () => {
  test.each(['/api/datacenters', '/healthz', '/api/auth/me'])('of %s is as GET, without a body', async (path) => {
    const [get, head] = [await admin.request('GET', path), await admin.request('HEAD', path)]
    expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([
      get.status,
      '',
      get.headers.get('content-type'),
    ])
  })
  test('of what a guest may not see is 401', async () => {
    expect((await app.guest('HEAD', PATH)).status).toBe(401)
  })
  test('of a stream closes its source', async () => {
    let isReleased = false
    const route = rawRoute({ name: 'parts.export', summary: 'Export', http: 'GET /api/export', access: 'public' })
    const cancel = () => {
      isReleased = true
    }
    const small = await smallApp({
      routes: [boundRaw(route, async () => new Response(new ReadableStream({ cancel })))],
    })
    const response = await small.request('HEAD /api/export')
    await small.close()
    expect([response.status, isReleased]).toEqual([200, true])
  })
})

describe('a query', () => {
  test('that a contract does not know is refused by its names', async () => {
    const response = await admin.request('GET', `${PATH}?more=1&__proto__=x`)
    const { details } = ErrorBody.parse(await response.json())
    expect([response.status, details.map(({ field }) => field)]).toEqual([400, ['more', '__proto__']])
  })
  test('of which a value is of the wrong kind names it', async () => {
    const response = await admin.request('GET', `${PATH}?limit=many&offset=-1`)
    const { details } = ErrorBody.parse(await response.json())
    expect(details.map(({ field }) => field).toSorted()).toEqual(['limit', 'offset'])
  })
  test('with an empty number is as one without it', async () => {
    expect((await admin.request('GET', `${PATH}?limit=&offset=`)).status).toBe(200)
  })
})
