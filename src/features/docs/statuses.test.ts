/** The statuses and media types that the OpenAPI document names are those that the server answers with. */
import { expect, test } from 'bun:test'
import { openapi } from '../../platform/openapi/openapi.ts'
import { contracts, routes } from '../index.ts'

const { paths } = openapi(contracts, routes, { version: '1' })

test.each([
  ['delete', '/api/roles/{id}', '400'],
  ['get', '/api/lookup/{query}', '400'],
  ['post', '/api/discovery/scans/{id}/cancel', '400'],
  ['post', '/api/discovery/networks/{id}/scan', '200'],
  ['post', '/mcp', '400'],
  ['post', '/mcp', '202'],
  ['post', '/api/auth/login', '401'],
  ['post', '/mcp-oauth/token', '404'],
  ['get', '/.well-known/oauth-protected-resource', '404'],
  ['post', '/api/devices', '408'],
  ['post', '/mcp', '408'],
  ['get', '/api/devices', '421'],
  ['get', '/api/devices', '503'],
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
