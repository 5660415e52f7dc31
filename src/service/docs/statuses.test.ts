/** The statuses and media types in the OpenAPI document are the ones that the server answers with. */
import { expect, test } from 'bun:test'
import { contracts, routes } from '../../app/contracts.ts'
import { buildOpenapi } from '../../surfaces/openapi/openapi.ts'

const { paths } = buildOpenapi(contracts, routes, { version: '1' })

test.each([
  ['delete', '/api/roles/{id}', '400'],
  ['get', '/api/lookup/{query}', '400'],
  ['post', '/api/discovery/scans/{id}/cancel', '400'],
  ['post', '/api/discovery/networks/{id}/scan', '200'],
  ['post', '/mcp', '400'],
  ['post', '/mcp', '202'],
  ['post', '/api/auth/login', '401'],
  ['post', '/mcp-oauth/token', '404'],
  ['get', '/mcp-oauth/authorize', '401'],
  ['post', '/mcp-oauth/authorize', '403'],
  ['get', '/.well-known/oauth-protected-resource', '404'],
  ['post', '/api/devices', '408'],
  ['post', '/mcp', '408'],
  ['get', '/api/devices', '421'],
  ['get', '/api/devices', '503'],
  ['get', '/healthz', '431'],
])('%s %s can answer %s', (method, path, status) => {
  expect(Object.keys(paths[path]?.[method]?.responses ?? {})).toContain(status)
})

test.each([
  ['post', '/api/datacenters', '201', 'X-Change-Id'],
  ['put', '/api/datacenters/{id}', '200', 'X-Change-Id'],
  ['put', '/api/datacenters/{id}', '200', 'X-Dry-Run'],
  ['delete', '/api/datacenters/{id}', '204', 'X-Change-Id'],
  ['delete', '/api/datacenters/{id}', '200', 'X-Dry-Run'],
  ['get', '/api/datacenters', '200', 'X-As-Of'],
])('%s %s declares for %s the header %s', (method, path, status, header) => {
  expect(paths[path]?.[method]?.responses[status]).toMatchObject({ headers: { [header]: {} } })
})

test('the preview is all that a dry run of a delete answers', () => {
  const preview = { $ref: '#/components/schemas/Change' }
  expect(paths['/api/datacenters/{id}']?.delete?.responses['200']).toMatchObject({
    content: { 'application/json': { schema: preview } },
  })
})

test.each([
  ['post', '/api/devices'],
  ['delete', '/api/devices/{id}'],
  ['post', '/api/estate/import'],
])('%s %s takes a note', (method, path) => {
  expect(paths[path]?.[method]?.parameters).toContainEqual(
    expect.objectContaining({ name: 'X-Change-Note', in: 'header', required: false }),
  )
})

test('a sign-in that fails at the consent has the usual body, and a client that fails at the tokens that of OAuth', () => {
  const unauthorized = (path: string) => JSON.stringify(paths[path]?.post?.responses['401'])
  expect(unauthorized('/mcp-oauth/authorize')).toBe('{"$ref":"#/components/responses/Unauthorized"}')
  expect(unauthorized('/mcp-oauth/token')).toContain('"#/components/schemas/OauthError"')
})

test('a role that comes with Plat is no role to change or delete', () => {
  const idOf = (method: string) => paths['/api/roles/{id}']?.[method]?.parameters?.[0]
  for (const method of ['put', 'delete'])
    expect(idOf(method)).toMatchObject({ schema: { not: { enum: ['role-admin', 'role-operator', 'role-viewer'] } } })
  expect(idOf('get')).not.toMatchObject({ schema: { not: {} } })
})

test.each(['/api/search', '/api/devices/search'])('the text of %s is not blank', (path) => {
  const q = paths[path]?.get?.parameters?.find((one) => 'name' in one && one.name === 'q')
  const pattern = q && 'schema' in q ? new RegExp(q.schema.pattern ?? '') : /^/
  expect([' \u00a0', ' a '].map((text) => pattern.test(text))).toEqual([false, true])
})

test('a delete of discovered devices requires the network', () => {
  expect(paths['/api/discovery/devices']?.delete?.parameters?.[0]).toMatchObject({
    name: 'network_id',
    required: true,
    schema: { minLength: 1 },
  })
})

test('a form has each of its fields once, unknown ones too', () => {
  for (const path of ['/mcp-oauth/token', '/mcp-oauth/revoke'])
    expect(Object.values(paths[path]?.post?.requestBody?.content ?? {})[0]?.schema.additionalProperties).toEqual({
      type: 'string',
    })
})

test('the audit export is JSON or CSV', () => {
  expect(paths['/api/audit/export']?.get?.responses['200']).toMatchObject({
    content: { 'application/json': {}, 'text/csv': {} },
  })
})

test.each(['limit', 'offset'])('%s of a list has its bounds', (name) => {
  expect(paths['/api/devices']?.get?.parameters).toContainEqual(
    expect.objectContaining({
      name,
      schema: expect.objectContaining({ minimum: name === 'limit' ? 1 : 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
  )
})
