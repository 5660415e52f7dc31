import { describe, expect, test } from 'bun:test'
import { ADMIN_ROLE_ID } from '../../src/people/roles/catalogue.ts'
import { auditedSuite, perTest, QUICK } from '../../testing/sign-in/security.ts'
import { refusal } from '../../testing/sign-in/sign-in.ts'

const { appFor } = perTest()

describe('every endpoint', () => {
  const suite = auditedSuite()

  test.each(['/', '/x', '/api', '/api/x', '/api/devices/', '/mcp/x', '/.well-known/x', '/%00', '/..%2f'])(
    'the path %s without credentials is no server error',
    async (path) => {
      expect((await suite.app.guest('GET', path)).status).toBeLessThan(500)
    },
  )

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

  test('a user who is no admin cannot create an admin', async () => {
    const clerk = await suite.app.as(['users:list', 'users:read', 'users:create', 'users:update', 'roles:update'])
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
