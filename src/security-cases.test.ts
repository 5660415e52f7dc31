/**
 * The acceptance cases of security.md, section 6, by their numbers, as far as they need no webhook and no OAuth, whose own
 * are in features/oauth/cases.test.ts: each asks as a stranger, a colleague or an operator would. What lies behind them is
 * tested where it lives.
 */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { findStrace } from '../scripts/server-binaries.mjs'
import { contracts, routes } from './features/index.ts'
import { ADMIN_ROLE_ID } from './features/roles/catalogue.ts'
import { type AnyOperation, httpParts, permissionsOf } from './platform/operation/operation.ts'
import { createPasswords, type Passwords } from './platform/security/passwords.ts'
import { type TestApp, type TestCaller, type TestOptions, testApp } from './testing/app.ts'
import { createUser, keyFor, PASSWORD } from './testing/identities.ts'
import { scanOnce, scriptedScanner } from './testing/scripted-scanner.ts'
import { type ServerChild, type ServerFolder, serverFolder } from './testing/server-child.ts'
import { cookieOf, refusal } from './testing/sign-in.ts'

const ORIGIN = 'http://plat.test'
const START = Date.parse('2026-01-02T03:04:05.000Z')
const QUICK = 'quick to check'
const SLOW_TEST_MS = 60_000

const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
const endpoints = [...operations, ...routes].map(({ name, http, access }) => ({ name, access, ...httpParts(http) }))
type Endpoint = (typeof endpoints)[number]

/** What is still open when a test ends, however it ends. */
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** An app for one test. */
const appFor = async (options: TestOptions = {}): Promise<TestApp> => {
  const app = await testApp(options)
  open.push(app.close)
  return app
}
const quickApp = (options: TestOptions = {}) => appFor({ passwords: createPasswords({ cost: 4 }), ...options })

/** A server of its own, on a folder of its own, for one test. */
const folderFor = async (settings: Readonly<Record<string, string>> = {}): Promise<ServerFolder> => {
  const folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', ...settings })
  open.push(folder.remove)
  return folder
}

const loginTo = ({ guest }: TestApp, username: string, password: string) =>
  guest('POST', '/api/auth/login', { username, password })

/** As a browser sends it, with or without what tells that a page of ours asks. */
const inSession = (app: TestApp, cookie: string, headers = { 'X-Requested-With': 'XMLHttpRequest' } as object) => {
  return (method: string, path: string, body?: unknown) => app.guest(method, path, body, { Cookie: cookie, ...headers })
}

const Made = z.object({ id: z.string() })
const madeBy = async (response: Response): Promise<string> => {
  expect(response.status).toBe(201)
  return Made.parse(await response.json()).id
}

/** Whether any file of the server holds the text, byte for byte. */
const isStored = (dir: string, text: string): boolean =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    // A reserve of disk space, of random bytes.
    .filter((entry) => entry.isFile() && entry.name !== 'plat.ballast')
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text))

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN

const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const startedAt = performance.now()
  const result = await work()
  return [result, performance.now() - startedAt]
}

describe('in one app', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ env: { AUDIT_ENABLED: 'true' }, passwords: createPasswords({ cost: 4 }) })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  test('case 1: without credentials everything that is not public is 401, and nothing is 5xx', async () => {
    const open = new Set(['/healthz', '/readyz', '/api/auth/login'])
    const isOfOauth = (path: string) => /^\/(mcp-oauth|\.well-known)\//.test(path)
    const wrong: string[] = []
    for (const { method, path } of endpoints) {
      const body = method === 'POST' || method === 'PUT' ? {} : undefined
      const response = await app.guest(method, path.replace(/\{\w+\}/g, 'x'), body)
      const text = await response.text()
      if (open.has(path) || isOfOauth(path)) {
        if (response.status === 401 || response.status >= 500) wrong.push(`${method} ${path}: ${response.status}`)
      } else {
        const isRefusal = z.object({ code: z.literal('UNAUTHORIZED'), error: z.string() }).safeParse(JSON.parse(text))
        if (response.status !== 401 || !isRefusal.success) wrong.push(`${method} ${path}: ${response.status} ${text}`)
      }
    }
    for (const path of ['/', '/x', '/api', '/api/x', '/api/devices/', '/mcp/x', '/.well-known/x', '/%00', '/..%2f']) {
      const { status } = await app.guest('GET', path)
      if (status >= 500) wrong.push(`${path}: ${status}`)
    }
    expect(wrong).toEqual([])
  })

  test('case 2: the security headers are on every kind of answer', async () => {
    const limited = await appFor({ env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '1' } })
    await limited.guest('GET', '/healthz')
    const answers: [string, number, Response][] = [
      ['JSON', 200, await admin.request('GET', '/api/devices')],
      ['no credentials', 401, await app.guest('GET', '/api/devices')],
      ['no object', 404, await admin.request('GET', '/api/devices/none')],
      ['no route', 404, await app.guest('GET', '/nothing')],
      ['too many', 429, await limited.guest('GET', '/healthz')],
      ['HTML', 200, await admin.request('GET', '/api/docs')],
      ['a static file', 200, await admin.request('GET', '/api/docs/docs.js')],
    ]
    for (const [name, status, { headers, status: actual }] of answers) {
      const policy = headers.get('content-security-policy') ?? ''
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1]
      expect([
        name,
        actual,
        headers.get('x-content-type-options'),
        headers.get('x-frame-options'),
        headers.get('referrer-policy'),
        policy.includes("default-src 'self'"),
        scripts,
        headers.get('x-request-id') !== null,
      ]).toEqual([name, status, 'nosniff', 'DENY', 'strict-origin-when-cross-origin', true, "'self'", true])
      expect(policy).not.toContain('unsafe-')
    }
  })

  test('case 3: the login cookie is for this server alone, and only its hash is stored', async () => {
    const ttl = { SESSION_TTL: '1h' }
    const [secure, plain] = [await quickApp({ env: ttl }), await quickApp({ env: { ...ttl, COOKIE_SECURE: 'false' } })]
    for (const [one, isSecure] of [
      [secure, true],
      [plain, false],
    ] as const) {
      await createUser(one.db, { username: 'ada', password: QUICK })
      const response = await loginTo(one, 'ada', QUICK)
      const cookie = response.headers.getSetCookie()[0] ?? ''
      const attributes = cookie.split('; ').slice(1)
      expect(attributes).toContain('HttpOnly')
      expect(attributes).toContain('SameSite=Strict')
      expect(attributes).toContain('Max-Age=3600')
      expect(attributes.includes('Secure')).toBe(isSecure)
      const token = cookieOf(response).split('=')[1] ?? ''
      expect(token.length).toBeGreaterThan(20)
      expect(isStored(one.config.dataDir, 'ada')).toBe(true)
      expect(isStored(one.config.dataDir, token)).toBe(false)
    }
  })

  test('case 7: a change in a session needs X-Requested-With, one with a key does not', async () => {
    const { id } = await createUser(app.db, { username: 'browser', roles: ['admin'], password: QUICK })
    const cookie = cookieOf(await loginTo(app, 'browser', QUICK))
    const device = { id: 'case-7', name: 'before' }
    expect((await admin.request('POST', '/api/devices', device)).status).toBe(201)
    const blind = inSession(app, cookie, {})
    for (const [method, path, body] of [
      ['POST', '/api/devices', { id: 'case-7b', name: 'new' }],
      ['PUT', '/api/devices/case-7', { name: 'after' }],
      ['DELETE', '/api/devices/case-7', undefined],
      ['POST', '/api/auth/logout', undefined],
    ] as const)
      expect(await refusal(await blind(method, path, body))).toEqual([403, 'CSRF_FAILED'])
    expect(await (await blind('GET', '/api/devices/case-7')).json()).toMatchObject({ name: 'before' })
    expect((await blind('GET', '/api/devices/case-7b')).status).toBe(404)

    expect((await inSession(app, cookie)('PUT', '/api/devices/case-7', { name: 'after' })).status).toBe(200)
    const key = await keyFor(app.db, id)
    const byKey = app.guest('DELETE', '/api/devices/case-7', undefined, { Authorization: `Bearer ${key}` })
    expect((await byKey).status).toBe(204)
  })

  test('case 10: a key is shown once, and is worth what its owner is', async () => {
    const response = await admin.request('POST', '/api/keys', { name: 'once' })
    const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(await response.json())
    const seen = await Promise.all(
      ['/api/keys', `/api/keys/${id}`].map(async (path) => (await admin.request('GET', path)).text()),
    )
    expect(seen.every((text) => text.includes(id) && !text.includes(key))).toBe(true)
    expect(isStored(app.config.dataDir, key)).toBe(false)

    const owner = await app.as(['devices:list'])
    const devices = (one: string) => app.guest('GET', '/api/devices', undefined, { Authorization: `Bearer ${one}` })
    const expired = await keyFor(app.db, owner.userId, { expiresAt: '2026-01-01T00:00:00.000Z' })
    expect(await refusal(await devices(expired))).toEqual([401, 'EXPIRED_KEY'])

    expect((await devices(owner.key)).status).toBe(200)
    expect((await admin.request('PUT', `/api/users/${owner.userId}`, { roles: [] })).status).toBe(200)
    expect((await devices(owner.key)).status).toBe(403)
    expect((await admin.request('DELETE', `/api/users/${owner.userId}`)).status).toBe(204)
    expect((await devices(owner.key)).status).toBe(401)
  })

  test('case 12: nobody deletes themselves, and system roles stay as they are', async () => {
    const self = await admin.request('DELETE', `/api/users/${admin.userId}`)
    expect(await refusal(self)).toEqual([400, 'CANNOT_DELETE_SELF'])
    const role = `/api/roles/${ADMIN_ROLE_ID}`
    expect(await refusal(await admin.request('PUT', role, { permissions: [] }))).toEqual([400, 'SYSTEM_ROLE'])
    expect(await refusal(await admin.request('DELETE', role))).toEqual([400, 'SYSTEM_ROLE'])
    expect((await admin.request('GET', '/api/users')).status).toBe(200)
  })

  test('case 28: an API key opens /mcp, and an unknown token does not', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const call = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, text/event-stream' }
      const response = await app.guest('POST', '/mcp', list, headers)
      await response.text()
      return response.status
    }
    expect([await call(admin.key), await call(`${admin.key}x`), await call('anything')]).toEqual([200, 401, 401])
  })

  describe('case 39: the audit trail', () => {
    const Entries = z.array(
      z.object({ changes: z.string(), action: z.string(), resource: z.string(), request_id: z.string() }),
    )
    const entries = async () => Entries.parse(await (await admin.request('GET', '/api/audit?limit=1000')).json())
    const entryOf = async ({ headers }: Response) => {
      const id = headers.get('x-request-id')
      return (await entries()).find(({ request_id }) => request_id === id)
    }

    test('keeps of a large body at most 10,240 bytes, and whole characters', async () => {
      // One byte more or less in front moves the cut through every place within a character.
      for (const front of ['', 'x', 'xx', 'xxx']) {
        const items = Array.from({ length: 60 }, () => ({ op: 'delete', id: front + '🦔'.repeat(60) }))
        const response = await admin.request('POST', '/api/devices/bulk', { operations: items })
        const { changes = '' } = (await entryOf(response)) ?? {}
        expect(Buffer.byteLength(changes)).toBeGreaterThan(10_200)
        expect(Buffer.byteLength(changes)).toBeLessThanOrEqual(10_240)
        expect(changes.isWellFormed() && !changes.includes('\ufffd')).toBe(true)
      }
    })

    test('holds no password and no secret', async () => {
      const secrets = ['plain-of-user', 'plain-of-login', 'plain-of-credential']
      const user = { username: 'secretive', password: secrets[0] }
      expect(await entryOf(await admin.request('POST', '/api/users', user))).toMatchObject({ action: 'create' })
      expect(await entryOf(await loginTo(app, 'secretive', secrets[1] ?? ''))).toMatchObject({ action: 'login' })
      const credential = { name: 'c', type: 'ssh_password', username: 'root', password: secrets[2] }
      expect(await entryOf(await admin.request('POST', '/api/credentials', credential))).toMatchObject({
        resource: 'credential',
      })
      const text = JSON.stringify(await entries())
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    })

    test('is no formula in a spreadsheet', async () => {
      await loginTo(app, '=1+1', 'whatever it is')
      const csv = await (await admin.request('GET', '/api/audit/export?format=csv&action=login')).text()
      expect(csv).toContain(",'=1+1,")
      expect(csv).not.toContain(',=1+1')
    })

    test('knows nothing of reads, of /mcp and of /metrics', async () => {
      const before = (await entries()).length
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const accept = { Accept: 'application/json, text/event-stream' }
      for (const response of [
        await admin.request('GET', '/api/devices'),
        await admin.request('GET', '/metrics'),
        await admin.request('GET', '/api/users'),
        await admin.request('POST', '/mcp', list, accept),
      ]) {
        expect(response.status).toBe(200)
        await response.text()
      }
      expect((await entries()).length).toBe(before)
      expect((await admin.request('POST', '/api/devices', { id: 'case-39', name: 'x' })).status).toBe(201)
      expect((await entries()).length).toBe(before + 1)
    })
  })
})

test(
  'case 4: an unknown user and a wrong password are the same answer in the same time',
  async () => {
    const app = await appFor()
    await createUser(app.db, { username: 'known' })
    const answer = async (username: string) => {
      const [response, ms] = await timed(() => loginTo(app, username, 'wrong password'))
      return { status: response.status, body: await response.text(), ms }
    }
    const first = [await answer('known'), await answer('nobody')]
    expect(first.map(({ status }) => status)).toEqual([401, 401])
    expect(first[0]?.body).toBe(first[1]?.body ?? '')
    const ms: { known: number[]; nobody: number[] } = { known: [], nobody: [] }
    for (let i = 0; i < 5; i++) {
      ms.known.push((await answer('known')).ms)
      ms.nobody.push((await answer('nobody')).ms)
    }
    const ratio = median(ms.known) / median(ms.nobody)
    expect(ratio).toBeGreaterThan(0.75)
    expect(ratio).toBeLessThan(1.25)
  },
  SLOW_TEST_MS,
)

test('case 5: the sixth login within a minute is refused before anything is hashed', async () => {
  let hashes = 0
  const passwords: Passwords = {
    ...createPasswords({ cost: 4 }),
    verify: async () => {
      hashes++
      return false
    },
  }
  const app = await appFor({ env: { LOGIN_RATE_LIMIT_REQUESTS: '5' }, passwords })
  for (let i = 0; i < 5; i++) expect((await loginTo(app, 'nobody', 'wrong password')).status).toBe(401)
  const [sixth, ms] = await timed(() => loginTo(app, 'nobody', 'wrong password'))
  expect(hashes).toBe(5)
  expect(ms).toBeLessThan(500)
  const retryAfter = Date.parse(sixth.headers.get('retry-after') ?? '')
  expect(retryAfter).toBeGreaterThan(Date.now())
  expect(await refusal(sixth)).toEqual([429, 'LOGIN_RATE_LIMIT_EXCEEDED'])
})

test('case 8: a session lives as long as it is used, and ends when it is not', async () => {
  let nowMs = START
  const app = await quickApp({ env: { SESSION_TTL: '3s' }, now: () => new Date(nowMs) })
  await createUser(app.db, { username: 'ada', password: QUICK })
  const me = inSession(app, cookieOf(await loginTo(app, 'ada', QUICK)))
  for (let second = 1; second <= 8; second++) {
    nowMs += 1000
    expect((await me('GET', '/api/auth/me')).status).toBe(200)
  }
  nowMs += 4000
  expect((await me('GET', '/api/auth/me')).status).toBe(401)
})

test(
  'case 9: a new password ends both sessions, and what is wrong changes nothing',
  async () => {
    const app = await appFor()
    const { id } = await createUser(app.db, { username: 'ada' })
    const sessions = [await loginTo(app, 'ada', PASSWORD), await loginTo(app, 'ada', PASSWORD)]
    const asks = sessions.map((response) => inSession(app, cookieOf(response)))
    const statuses = async () => Promise.all(asks.map(async (ask) => (await ask('GET', '/api/auth/me')).status))
    const change = async (current_password: string, new_password: string) =>
      (await asks[0]?.('POST', `/api/users/${id}/password`, { current_password, new_password }))?.status
    const storedHash = async () => {
      const query = app.db.read.selectFrom('users').select('password_hash').where('id', '=', id)
      return (await query.executeTakeFirstOrThrow()).password_hash
    }
    const before = await storedHash()
    expect(await change('not this one', 'a new password')).toBe(400)
    expect(await change(PASSWORD, '7 chars')).toBe(400)
    expect(await change(PASSWORD, 'x'.repeat(73))).toBe(400)
    expect(await storedHash()).toBe(before)
    expect(await statuses()).toEqual([200, 200])
    expect(await change(PASSWORD, 'a new password')).toBe(204)
    expect(await statuses()).toEqual([401, 401])
    const after = await storedHash()
    expect(after).toMatch(/^\$2.\$14\$/)
    expect(after).not.toBe(before)
    expect((await loginTo(app, 'ada', PASSWORD)).status).toBe(401)
  },
  SLOW_TEST_MS,
)

describe('case 11: of an estate with one of each', () => {
  let app: TestApp
  /** What stands in a path for an object, by the part of the path before it. */
  let ids: Readonly<Record<string, string>>
  beforeAll(async () => {
    const scanner = scriptedScanner()
    app = await testApp({ env: { ENCRYPTION_KEY: 'ab'.repeat(32) }, startScan: scanner.startScan })
    const admin = await app.as('admin')
    const make = async (path: string, body: object) => madeBy(await admin.request('POST', path, body))
    const network = { id: 'net', name: 'net', subnet: '10.0.0.0/24' }
    const pool = { id: 'pool', name: 'pool', start_ip: '10.0.0.10', end_ip: '10.0.0.20' }
    const secret = { name: 'c', type: 'snmp_v2c', community: 'public' }
    const scanned = await scanOnce(scanner, admin)
    for (const id of ['one', 'other']) await make('/api/devices', { id, name: id, addresses: [{ ip: '10.0.0.99' }] })
    const [conflict] = await admin.api.conflicts.list({})
    const hook = { name: 'w', url: 'http://hook.invalid/', events: ['device.deleted' as const] }
    const { id: webhook } = await admin.api.webhooks.create(hook)
    ids = {
      datacenters: await make('/api/datacenters', { id: 'dc', name: 'dc' }),
      networks: await make('/api/networks', network),
      pools: await make('/api/networks/net/pools', pool),
      devices: await make('/api/devices', { id: 'dev', name: 'dev' }),
      reservations: await make('/api/pools/pool/reservations', { ip_address: '10.0.0.10', purpose: 'p' }),
      credentials: await make('/api/credentials', secret),
      'discovery/scans': scanned.scan,
      'discovery/devices': scanned.device,
      'discovery/networks': scanned.network,
      'discovery/rules': await make('/api/discovery/rules', { network_id: scanned.network, enabled: false }),
      conflicts: conflict?.id ?? '',
      webhooks: webhook,
      deliveries: (await admin.api.webhooks.ping({ id: webhook })).delivery.id,
    }
  })
  afterAll(() => app.close())

  const send = async ({ request }: TestCaller, { method, path }: Endpoint, known = ids) => {
    const inside = path.startsWith('/api/discovery/') ? 'discovery/' : ''
    const at = path.replace(/\/(\w+)\/\{\w+\}/g, (_, kind) => `/${kind}/${known[inside + kind] ?? 'x'}`)
    const query = path.endsWith('/search') ? '?q=dev' : ''
    const response = await request(method, at + query, method === 'POST' || method === 'PUT' ? {} : undefined)
    // One that goes on has no end to wait for.
    if (response.headers.get('content-type') === 'text/event-stream') {
      await response.body?.cancel()
      return [response.status, '']
    }
    const text = await response.text()
    return [response.status, response.status < 400 ? '' : z.object({ code: z.string() }).parse(JSON.parse(text)).code]
  }
  const restricted = endpoints.filter(({ access }) => permissionsOf(access).length > 0)
  /** Not for viewers, by the table of the decisions. */
  const isClosed = ({ path }: Endpoint) => /^\/api\/(users|roles|audit|oauth\/clients)\b/.test(path)
  /** Has errors of its own, and is off here; its cases are in features/oauth/cases.test.ts. */
  const isOfOauth = ({ path }: Endpoint) => /^\/(mcp-oauth|\.well-known)\//.test(path)
  const isWrite = ({ method }: Endpoint) => method !== 'GET'
  const named = (some: readonly Endpoint[]) => some.map((one): [string, Endpoint] => [`${one.method} ${one.path}`, one])

  test.each(named(restricted.filter(isWrite)))('a viewer may not %s', async (_, endpoint) => {
    expect(await send(await app.as('viewer'), endpoint)).toEqual([403, 'FORBIDDEN'])
  })

  test.each(named(endpoints.filter((one) => one.method === 'GET' && !isClosed(one) && !isOfOauth(one))))(
    'a viewer may %s',
    async (_, endpoint) => {
      const viewer = await app.as('viewer')
      const keys = await madeBy(await viewer.request('POST', '/api/keys', { name: 'own' }))
      expect(await send(viewer, endpoint, { ...ids, keys })).toEqual([200, ''])
    },
  )

  test.each(named(restricted.filter(({ path }) => /^\/api\/(users|roles)\b/.test(path))))(
    'an operator may not %s',
    async (_, endpoint) => {
      expect(await send(await app.as('operator'), endpoint)).toEqual([403, 'FORBIDDEN'])
    },
  )

  test('who is no admin makes nobody one', async () => {
    const clerk = await app.as(['users:list', 'users:read', 'users:create', 'users:update', 'roles:update'])
    const admin = ADMIN_ROLE_ID
    for (const [method, path, body] of [
      ['POST', '/api/users/grant-role', { user_id: clerk.userId, role_id: admin }],
      ['PUT', `/api/users/${clerk.userId}`, { roles: [admin] }],
      ['POST', '/api/users', { username: 'straw', password: QUICK, roles: [admin] }],
    ] as const)
      expect(await refusal(await clerk.request(method, path, body))).toEqual([403, 'FORBIDDEN'])
    expect((await clerk.request('GET', '/api/devices')).status).toBe(403)
  })
})

describe('with the limit of every day', () => {
  let nowMs = START
  let app: TestApp
  beforeAll(async () => {
    const env = { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: 'true', TRUSTED_PROXIES: '10.0.0.0/8' }
    app = await testApp({ env, now: () => new Date(nowMs) })
  })
  afterAll(() => app.close())

  const ask = async (peer: string, headers: Record<string, string> = {}) =>
    app.plat.fetch(new Request(`${ORIGIN}/healthz`, { headers }), { peer: () => peer })
  const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'))

  test('case 13: a hundred requests pass, then none, and after the window a hundred again', async () => {
    const peer = '192.0.2.1'
    for (let window = 0; window < 2; window++) {
      for (let left = 99; left >= 0; left--) {
        const response = await ask(peer)
        expect([response.status, remaining(response)]).toEqual([200, left])
      }
      const refused = await ask(peer)
      const reset = new Date(nowMs + 60_000)
      expect([
        refused.status,
        refused.headers.get('x-ratelimit-limit'),
        refused.headers.get('x-ratelimit-remaining'),
        refused.headers.get('x-ratelimit-reset'),
        refused.headers.get('retry-after'),
      ]).toEqual([429, '100', '0', reset.toISOString(), reset.toUTCString()])
      nowMs += 60_000
    }
  })

  test('case 14: what a stranger says changes no bucket, and the rightmost entry of a trusted proxy does', async () => {
    const stranger = '192.0.2.2'
    const left = []
    for (let i = 1; i <= 3; i++) {
      const lies = { Authorization: `Bearer ${i}`, 'X-Forwarded-For': `1.1.1.${i}`, 'X-Real-IP': `1.1.1.${i}` }
      left.push(remaining(await ask(stranger, lies)))
    }
    expect(left).toEqual([99, 98, 97])

    const behind = async (list: string) => remaining(await ask('10.0.0.1', { 'X-Forwarded-For': list }))
    expect([
      await behind('9.9.9.1, 7.7.7.7'),
      await behind('9.9.9.2, 7.7.7.7'),
      await behind('7.7.7.7, 7.7.7.8'),
    ]).toEqual([99, 98, 99])
  })
})

test(
  'case 29: after a whole day of work no file holds a password, a token, a key or a secret',
  async () => {
    const folder = await folderFor({ ENCRYPTION_KEY: 'cd'.repeat(32), AUDIT_ENABLED: 'true' })
    const server = await folder.start()
    const send = (path: string, headers: Record<string, string>, body: object) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const login = await send('/api/auth/login', {}, { username: 'admin', password: PASSWORD })
    expect(login.status).toBe(200)
    const cookie = cookieOf(login)
    const session = { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' }
    const key = z
      .object({ key: z.string() })
      .parse(await (await send('/api/keys', session, { name: 'for a script' })).json()).key
    const credential = { name: 'core', type: 'ssh_password', username: 'netadmin', password: 'plain-of-credential' }
    await madeBy(await send('/api/credentials', { Authorization: `Bearer ${key}` }, credential))
    const user = { username: 'grace', password: 'plain-of-grace' }
    await madeBy(await send('/api/users', session, user))
    expect((await send('/api/auth/login', {}, { ...user, password: 'plain-but-wrong' })).status).toBe(401)

    const secrets = {
      password: PASSWORD,
      session: cookie.slice(cookie.indexOf('=') + 1),
      key,
      firstKey: folder.key,
      credential: credential.password,
      user: user.password,
      wrong: 'plain-but-wrong',
      encryptionKey: 'cd'.repeat(32),
    }
    const stored = () =>
      Object.entries(secrets)
        .filter(([, secret]) => isStored(folder.dir, secret))
        .map(([name]) => name)
    // What is no secret is found, so the search finds what there is.
    expect([isStored(folder.dir, 'netadmin'), stored()]).toEqual([true, []])
    await server.stop()
    expect([isStored(folder.dir, 'netadmin'), stored()]).toEqual([true, []])
  },
  SLOW_TEST_MS,
)

const jsonTo = (
  { url }: ServerChild,
  { key }: ServerFolder,
  http: string,
  body?: object | string,
): Promise<Response> => {
  const [method = 'GET', path = '/'] = http.split(' ')
  return fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

test('case 35: what was answered with 201 outlives kill -9, and so does its audit entry', async () => {
  const folder = await folderFor({ AUDIT_ENABLED: 'true' })
  const first = await folder.start()
  const made = await jsonTo(first, folder, 'POST /api/devices', { id: 'survivor', name: 'survivor' })
  await first.kill()
  expect(made.status).toBe(201)

  const second = await folder.start()
  const get = async (path: string) => (await jsonTo(second, folder, `GET ${path}`)).json()
  expect(await get('/api/devices/survivor')).toMatchObject({ id: 'survivor' })
  expect(await get('/api/audit?resource=device&resource_id=survivor')).toEqual([
    expect.objectContaining({
      action: 'create',
      status: 'success',
      key_owner: 'admin',
      request_id: made.headers.get('x-request-id'),
    }),
  ])
  expect(await get('/api/audit/verify')).toMatchObject({ ok: true })
})

test(
  'case 36: no write is answered before it is on the disk',
  async () => {
    const strace = findStrace()
    if (strace === undefined)
      throw new Error('This test needs strace on the PATH (package strace); "npm test" installs it where it can.')
    const folder = await folderFor()
    const trace = join(folder.dir, 'trace')
    // -D: the server is our child, and strace looks on.
    const server = await folder.start({ under: [strace, '-D', '-f', '-e', 'trace=fdatasync,fsync', '-o', trace] })
    // strace writes the line of a call before it lets the server go on.
    const syncs = () => (readFileSync(trace, 'utf8').match(/\bf(data)?sync\b.* = 0$/gm) ?? []).length
    const perWrite: [number, boolean][] = []
    for (let i = 0; i < 20; i++) {
      const before = syncs()
      const { status } = await jsonTo(server, folder, 'POST /api/devices', { id: `d${i}`, name: `d${i}` })
      perWrite.push([status, syncs() > before])
      // So that nothing that belongs to this write is counted for the next one.
      await Bun.sleep(20)
    }
    const before = syncs()
    for (let i = 0; i < 20; i++) expect((await jsonTo(server, folder, 'GET /api/devices')).status).toBe(200)
    // Reads cause none, so it is the writes that do; jobs may, now and then.
    expect(syncs() - before).toBeLessThan(10)
    expect(perWrite).toEqual(Array.from({ length: 20 }, () => [201, true]))
    await server.stop()
  },
  SLOW_TEST_MS,
)

/** A request whose body takes its time: the rest of it is sent by `finish`. */
const slowRequest = ({ url }: ServerChild, { key }: ServerFolder, id: string) => {
  const body = JSON.stringify({ id, name: id })
  const head = [
    'POST /api/devices HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  let text = ''
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
  const ended = new Promise<string | undefined>((resolve) => {
    const end = () => resolve(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', end)
    socket.on('close', end)
  })
  return { finish: () => socket.write(body.slice(5)), ended }
}

test(
  'case 37: SIGTERM answers ten slow requests, heeds no silent socket, and ends with 0',
  async () => {
    const folder = await folderFor()
    const server = await folder.start()
    const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
    silent.on('error', () => {})
    const requests = Array.from({ length: 10 }, (_, i) => slowRequest(server, folder, `slow-${i}`))
    await Bun.sleep(300) // the server has them by now
    const stopped = timed(server.stop)
    await Bun.sleep(1000)
    for (const { finish } of requests) finish()
    expect(await Promise.all(requests.map(({ ended }) => ended))).toEqual(Array(10).fill('201'))
    const [code, ms] = await stopped
    expect(code).toBe(0)
    expect(ms).toBeLessThan(10_000)
    silent.destroy()
    const db = new Database(join(folder.dir, 'plat.db'), { readonly: true })
    expect(db.query("SELECT count(*) AS n FROM devices WHERE id LIKE 'slow-%'").get()).toEqual({ n: 10 })
    db.close()
  },
  SLOW_TEST_MS,
)

test('case 38: bodies that mean harm are refused, and the server stays up', async () => {
  const folder = await folderFor()
  const server = await folder.start()
  const valid = '"id":"x","name":"x"'
  const bodies: Readonly<Record<string, string>> = {
    '2 MiB': `{${valid},"description":"${'x'.repeat(2 ** 21)}"}`,
    'depth 100,000': `{${valid},"tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    __proto__: `{${valid},"__proto__":{"polluted":true}}`,
    'a nested __proto__': `{${valid},"location":{"__proto__":{"polluted":true}}}`,
    NUL: '{"id":"x","name":"a\\u0000b"}',
    'a lone surrogate': '{"id":"x","name":"a\\ud800b"}',
    '10^400': `{${valid},"tags":[1e400]}`,
  }
  const statuses: [string, number][] = []
  for (const [name, body] of Object.entries(bodies))
    statuses.push([name, (await jsonTo(server, folder, 'POST /api/devices', body)).status])
  expect(statuses.filter(([, status]) => status < 400 || status >= 500)).toEqual([])
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  const made = await jsonTo(server, folder, 'POST /api/devices', { id: 'after', name: 'after' })
  expect([made.status, (await made.text()).includes('polluted')]).toEqual([201, false])
})

describe('case 40: a secret', () => {
  const KEY = '0a'.repeat(32)
  const SECRET = 'plain-of-case-40'
  const keyFile = (secret: string) => {
    const name = Bun.randomUUIDv7()
    return { name, type: 'ssh_key', username: 'root', private_key: secret, passphrase: 'p' }
  }

  test('is refused without ENCRYPTION_KEY, and leaves no trace', async () => {
    const app = await appFor({ env: { AUDIT_ENABLED: 'true' } })
    const admin = await app.as('admin')
    const credential = { name: 'c', type: 'ssh_password', username: 'root', password: SECRET }
    const response = await admin.request('POST', '/api/credentials', credential)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'password', message: expect.stringContaining('ENCRYPTION_KEY') }],
    })
    expect(await (await admin.request('GET', '/api/credentials')).json()).toEqual([])
    expect(isStored(app.config.dataDir, SECRET)).toBe(false)
  })

  test('keeps a server with another key from starting', async () => {
    const folder = await folderFor({ ENCRYPTION_KEY: KEY })
    const server = await folder.start()
    await madeBy(await jsonTo(server, folder, 'POST /api/credentials', keyFile(SECRET)))
    await server.stop()
    expect(isStored(folder.dir, SECRET)).toBe(false)
    const other = folder.start({ env: { ENCRYPTION_KEY: '0b'.repeat(32) } })
    await expect(other).rejects.toThrow('ENCRYPTION_KEY')
    const again = await folder.start()
    expect((await jsonTo(again, folder, 'GET /api/credentials')).status).toBe(200)
  })

  test('that was put into another row is never used', async () => {
    const app = await appFor({ env: { ENCRYPTION_KEY: KEY } })
    const admin = await app.as('admin')
    const made = async (secret: string) => madeBy(await admin.request('POST', '/api/credentials', keyFile(secret)))
    const [one, two] = [await made('first'), await made('second')]
    // What needs the private key that is stored: a new passphrase for it.
    const sendPassphrase = (id: string) => admin.request('PUT', `/api/credentials/${id}`, { passphrase: 'another' })
    expect((await sendPassphrase(one)).status).toBe(200)

    const stored = await app.db.read.selectFrom('credentials').select(['id', 'secret']).execute()
    const secretOf = (id: string) => stored.find((row) => row.id === id)?.secret ?? null
    await app.db.write(async ({ db }) => {
      for (const [id, from] of [
        [one, two],
        [two, one],
      ] as const)
        await db
          .updateTable('credentials')
          .set({ secret: secretOf(from) })
          .where('id', '=', id)
          .execute()
    })
    for (const id of [one, two]) {
      const response = await sendPassphrase(id)
      expect(await response.json()).toMatchObject({
        details: [{ field: 'private_key', message: expect.stringContaining('cannot be decrypted') }],
      })
      expect(response.status).toBe(400)
    }
  })
})

describe('many logins at once', () => {
  const PROXY = { TRUST_PROXY: 'true', TRUSTED_PROXIES: '127.0.0.1' }

  const login = async ({ url }: ServerChild, address: string) => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ username: 'admin', password: 'wrong password' }),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Asks /healthz every few milliseconds until the work is done. */
  const healthDuring = async ({ url }: ServerChild, work: Promise<unknown>): Promise<number[]> => {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    const times: number[] = []
    while (!isDone) {
      const [response, ms] = await timed(() => fetch(`${url}/healthz`))
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      times.push(ms)
      await Bun.sleep(10)
    }
    await done
    return times
  }

  test(
    'case 6: /healthz answers while twenty of them wait',
    async () => {
      const server = await (await folderFor({ ...PROXY, REQUEST_TIMEOUT: '60s' })).start()
      const logins = Promise.all(Array.from({ length: 20 }, (_, i) => login(server, `192.0.2.${i + 1}`)))
      const times = await healthDuring(server, logins)
      const statuses = await logins
      // Some were hashed, so that there was something to wait for.
      expect(statuses).toContain(401)
      expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([])
      expect(times.length).toBeGreaterThan(20)
      expect(p99(times)).toBeLessThan(500)
    },
    SLOW_TEST_MS,
  )

  const rssOf = (pid: number): number => {
    const status = `/proc/${pid}/status`
    if (!existsSync(status)) throw new Error('This test reads the memory of a process from /proc, which is not there.')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]) / 1024
  }

  test(
    'login flood: fifty addresses neither stop the server nor fill its memory',
    async () => {
      const settings = { ...PROXY, AUDIT_ENABLED: 'true', REQUEST_TIMEOUT: '60s' }
      const server = await (await folderFor(settings)).start()
      /** Three more from each address than the limit lets through. */
      const flood = (addresses: number) =>
        Promise.all(Array.from({ length: addresses * 8 }, (_, i) => login(server, `198.51.100.${(i % addresses) + 1}`)))
      // Starts what is there once, such as the workers that hash.
      await Promise.all([login(server, '192.0.2.1'), login(server, '192.0.2.2')])
      const before = rssOf(server.pid)
      const flooding = flood(50)
      const times = await healthDuring(server, flooding)
      const statuses = await flooding
      expect(rssOf(server.pid) - before).toBeLessThan(50)
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(150)
      expect(times.length).toBeGreaterThan(20)
      expect(p99(times)).toBeLessThan(500)
    },
    2 * SLOW_TEST_MS,
  )
})
