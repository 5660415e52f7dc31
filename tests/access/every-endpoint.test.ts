import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { listPermissions } from '../../src/kernel/operation.ts'
import { ADMIN_ROLE_ID } from '../../src/people/roles/catalogue.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { requiredExamples } from '../../testing/estates/required-example.ts'
import { scanOnce, scriptedScanner } from '../../testing/servers/scripted-scanner.ts'
import { auditedSuite, type Endpoint, endpoints, madeBy, perTest, QUICK } from '../../testing/sign-in/security.ts'
import { refusal } from '../../testing/sign-in/sign-in.ts'

const { appFor } = perTest()

/** Parameters that a list requires. */
const QUERIES: Readonly<Record<string, string>> = {
  '/api/devices/search': '?q=dev',
  '/api/search': '?q=dev',
  '/api/discovery/devices': '?network_id=*',
  '/api/history/diff': '?from=0s',
  '/api/networks/{id}/next-subnet': '?prefix_length=26',
}

describe('every endpoint', () => {
  const suite = auditedSuite()

  test('without credentials everything that is not public is 401, and nothing is 5xx', async () => {
    const open = new Set([
      ...['/healthz', '/readyz', '/api/auth/login', '/api/auth/device', '/api/auth/device/token'],
      ...['/api/auth/sso/{id}', '/api/auth/sso/callback', '/api/auth/sso/{id}/backchannel-logout'],
      ...['/api/auth/passkey', '/api/auth/passkey/options'],
    ])
    const isOfOauth = (path: string) => /^\/(mcp-oauth|\.well-known)\//.test(path)
    const wrong: string[] = []
    for (const { method, path } of endpoints) {
      const body = method === 'POST' || method === 'PUT' ? {} : undefined
      const response = await suite.app.guest(method, path.replace(/\{\w+\}/g, 'x'), body)
      const text = await response.text()
      if (open.has(path) || isOfOauth(path)) {
        if (response.status === 401 || response.status >= 500) wrong.push(`${method} ${path}: ${response.status}`)
      } else {
        const isRefusal = z.object({ code: z.literal('UNAUTHORIZED'), error: z.string() }).safeParse(JSON.parse(text))
        if (response.status !== 401 || !isRefusal.success) wrong.push(`${method} ${path}: ${response.status} ${text}`)
      }
    }
    for (const path of ['/', '/x', '/api', '/api/x', '/api/devices/', '/mcp/x', '/.well-known/x', '/%00', '/..%2f']) {
      const { status } = await suite.app.guest('GET', path)
      if (status >= 500) wrong.push(`${path}: ${status}`)
    }
    expect(wrong).toEqual([])
  })

  test('the security headers are on every kind of answer', async () => {
    const limited = await appFor({ env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '1' } })
    await limited.guest('GET', '/healthz')
    const answers: [string, number, Response][] = [
      ['JSON', 200, await suite.admin.request('GET', '/api/devices')],
      ['no credentials', 401, await suite.app.guest('GET', '/api/devices')],
      ['no object', 404, await suite.admin.request('GET', '/api/devices/none')],
      ['no route', 404, await suite.app.guest('GET', '/nothing')],
      ['too many', 429, await limited.guest('GET', '/healthz')],
      ['HTML', 200, await suite.admin.request('GET', '/api/docs')],
      ['a static file', 200, await suite.admin.request('GET', '/api/docs/docs.js')],
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

  test('a user cannot delete the own account, and system roles cannot be changed', async () => {
    const self = await suite.admin.request('DELETE', `/api/users/${suite.admin.userId}`)
    expect(await refusal(self)).toEqual([400, 'CANNOT_DELETE_SELF'])
    const role = `/api/roles/${ADMIN_ROLE_ID}`
    expect(await refusal(await suite.admin.request('PUT', role, { permissions: [] }))).toEqual([400, 'SYSTEM_ROLE'])
    expect(await refusal(await suite.admin.request('DELETE', role))).toEqual([400, 'SYSTEM_ROLE'])
    expect((await suite.admin.request('GET', '/api/users')).status).toBe(200)
  })

  test('an API key opens /mcp, and an unknown token does not', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const call = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, text/event-stream' }
      const response = await suite.app.guest('POST', '/mcp', list, headers)
      await response.text()
      return response.status
    }
    expect([await call(suite.admin.key), await call(`${suite.admin.key}x`), await call('anything')]).toEqual([
      200, 401, 401,
    ])
  })
})

describe('of an estate with one of each', () => {
  let app: TestApp
  /** The objects for the parameters of a path, by the path segment before them. */
  let ids: Readonly<Record<string, string>>
  beforeAll(async () => {
    const scanner = scriptedScanner()
    const env = { ENCRYPTION_KEY: 'ab'.repeat(32), DNS_SERVERS: '192.0.2.53' }
    app = await testApp({ env, startScan: scanner.startScan })
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
      'custom-fields': await make('/api/custom-fields', { resource: 'devices', name: 'f', type: 'text' }),
      spaces: await make('/api/spaces', { id: 'space', name: 'space' }),
      datacenters: await make('/api/datacenters', { id: 'dc', name: 'dc' }),
      vlans: await make('/api/vlans', { vlan_id: 10, name: 'v' }),
      networks: await make('/api/networks', network),
      pools: await make('/api/networks/net/pools', pool),
      'device-types': await make('/api/device-types', { id: 'type', manufacturer: 'm', model: 't' }),
      racks: await make('/api/racks', { id: 'rack', name: 'rack' }),
      devices: await make('/api/devices', { id: 'dev', name: 'dev' }),
      ports: await make('/api/devices/dev/ports', { id: 'port', name: 'eth0' }),
      cables: await make('/api/cables', { a: { port_id: 'port' }, b: { device_id: 'one', port: 'eth0' } }),
      reservations: await make('/api/pools/pool/reservations', { ip_address: '10.0.0.10', purpose: 'p' }),
      credentials: await make('/api/credentials', secret),
      'discovery/scans': scanned.scan,
      'discovery/devices': scanned.device,
      'discovery/networks': scanned.network,
      'discovery/rules': await make('/api/discovery/rules', { network_id: scanned.network, enabled: false }),
      conflicts: conflict?.id ?? '',
      webhooks: webhook,
      providers: await make('/api/dns/providers', { name: 'p', host: '192.0.2.53' }),
      zones: await make('/api/dns/zones', { id: 'zone', name: 'zone.example' }),
      records: await make('/api/dns/records', { id: 'rec', zone_id: 'zone', name: 'r', type: 'TXT', value: 'x' }),
      feeds: await make('/api/feeds', { id: 'feed', name: 'f', format: 'hosts' }),
      history: (await admin.api.history.list({ limit: 1 }))[0]?.id ?? '',
      deliveries: (await admin.api.webhooks.ping({ id: webhook })).delivery.id,
    }
    for (const { resource, path, body } of requiredExamples(Object.keys(ids)))
      ids = { ...ids, [resource]: await make(path, body) }
  })
  afterAll(() => app.close())

  const send = async ({ request }: TestCaller, { method, path }: Endpoint, known = ids) => {
    const inside = path.startsWith('/api/discovery/') ? 'discovery/' : ''
    const at = path.replace(/\/([\w-]+)\/\{\w+\}/g, (_, kind) => `/${kind}/${known[inside + kind] ?? 'x'}`)
    const query = QUERIES[path] ?? ''
    const response = await request(method, at + query, method === 'POST' || method === 'PUT' ? {} : undefined)
    // An endless response cannot be awaited.
    if (response.headers.get('content-type') === 'text/event-stream') {
      await response.body?.cancel()
      return [response.status, '']
    }
    const text = await response.text()
    return [response.status, response.status < 400 ? '' : z.object({ code: z.string() }).parse(JSON.parse(text)).code]
  }
  const restricted = endpoints.filter(({ access }) => listPermissions(access).length > 0)
  /** Not for viewers by the table of the decisions, or not for API keys. */
  const isClosed = ({ path, session }: Endpoint) =>
    session !== undefined ||
    /^\/api\/(users|roles|groups|grants|scopes|audit|oauth\/clients|sso\/providers|system\/warnings)\b/.test(path)
  /** Has its own errors, and is off here; people/oauth/ tests it. */
  const isOfOauth = ({ path }: Endpoint) => /^\/(mcp-oauth|\.well-known)\//.test(path)
  /** For browsers: people/sso/ and people/device-login/ test them. */
  const isOfBrowsers = ({ path }: Endpoint) => /^\/api\/auth\/(sso|device)\b/.test(path)
  const isWrite = ({ method }: Endpoint) => method !== 'GET'
  const named = (some: readonly Endpoint[]) => some.map((one): [string, Endpoint] => [`${one.method} ${one.path}`, one])

  test.each(named(restricted.filter(isWrite)))('a viewer may not %s', async (_, endpoint) => {
    expect(await send(await app.as('viewer'), endpoint)).toEqual([403, 'FORBIDDEN'])
  })

  test.each(
    named(endpoints.filter((one) => one.method === 'GET' && !isClosed(one) && !isOfOauth(one) && !isOfBrowsers(one))),
  )('a viewer may %s', async (_, endpoint) => {
    const viewer = await app.as('viewer')
    const keys = await madeBy(await viewer.request('POST', '/api/keys', { name: 'own' }))
    expect(await send(viewer, endpoint, { ...ids, keys })).toEqual([200, ''])
  })

  test.each(named(restricted.filter(({ path }) => /^\/api\/(users|roles|groups|grants|scopes)\b/.test(path))))(
    'an operator may not %s',
    async (_, endpoint) => {
      expect(await send(await app.as('operator'), endpoint)).toEqual([403, 'FORBIDDEN'])
    },
  )

  test('a user who is no admin cannot create an admin', async () => {
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
