/** The trail records the fields of the contract, and no secret that was sent under another name or within a URL. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { AuditEntry } from './api.ts'
import { redactUrl } from './masked-url.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true', ENCRYPTION_KEY: 'ab'.repeat(32) } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const recorded = async (method: string, path: string, body: unknown): Promise<string> => {
    const response = await admin.request(method, path, body)
    const id = response.headers.get('x-request-id')
    const found = z.array(AuditEntry).parse(await (await admin.request('GET', '/api/audit?limit=100')).json())
    return found.find(({ request_id }) => request_id === id)?.changes ?? 'no entry'
  }

  test('fields that the contract does not have are left out, at any depth', async () => {
    const address = { ip: '192.0.2.1', label: 'a', pin: 'hidden-2' }
    const body = { id: 'a', name: 'a', pwd: 'hidden-1', addresses: [address], nested: { pin: 'hidden-3' } }
    expect(await recorded('POST', '/api/devices', body)).toBe(
      '{"id":"a","name":"a","addresses":[{"ip":"192.0.2.1","label":"a"}]}',
    )
  })

  test('also of a call that is refused for its fields, and where a field has another type', async () => {
    const body = { name: { pwd: 'hidden' }, tags: [{ pin: 'hidden' }, 'kept'], addresses: { pin: 'hidden' } }
    expect(await recorded('POST', '/api/devices', body)).toBe('{"name":{},"tags":[{},"kept"],"addresses":{}}')
  })

  test('also in the items of a bulk call', async () => {
    const operations = [
      { op: 'create', device: { id: 'b', name: 'b', pwd: 'hidden' }, pin: 'hidden' },
      { op: 'update', id: 'b', device: { add_tags: ['x'], pin: 'hidden' } },
    ]
    expect(await recorded('POST', '/api/devices/bulk', { operations, pwd: 'hidden' })).toBe(
      '{"operations":[{"op":"create","device":{"id":"b","name":"b"}},{"op":"update","id":"b","device":{"add_tags":["x"]}}]}',
    )
    const networks = [{ op: 'create', network: { name: 'n', subnet: '192.0.2.0/24', vlan_id: 5, pin: 'hidden' } }]
    expect(await recorded('POST', '/api/networks/bulk', { operations: networks })).toBe(
      '{"operations":[{"op":"create","network":{"name":"n","subnet":"192.0.2.0/24","vlan_id":5}}]}',
    )
  })

  test('a webhook shows where it leads, and no token of its URL or headers', async () => {
    const url = 'https://user:hidden-1@203.0.113.7:8443/services/T0/hidden-2?token=hidden-3#hidden-4'
    const body = { name: 'w', url, events: ['device.created'], headers: { 'X-Name': 'hidden-5' }, pwd: 'hidden-6' }
    const changes = await recorded('POST', '/api/webhooks', body)
    expect(changes).toContain('"https://[redacted]@203.0.113.7:8443/services/T0/[redacted]?[redacted]#[redacted]"')
    expect(changes).toContain('"headers":{"X-Name":"[redacted]"}')
    expect(changes).not.toContain('hidden')
  })

  test.each([
    ['url', ['https://u:hidden@203.0.113.9/hidden']],
    ['url', { a: 'https://u:hidden@203.0.113.9/' }],
    ['url', 7],
    ['headers', 'Authorization: Bearer hidden'],
    ['headers', [{ name: 'Authorization', value: 'hidden' }]],
  ])('%s of another type is not shown: %j', async (field, value) => {
    const body = { name: 'w', url: 'https://203.0.113.9/', events: ['device.created'], [field]: value }
    const changes = await recorded('POST', '/api/webhooks', body)
    expect(changes).toContain(`"${field}":"[redacted]"`)
    expect(changes).not.toContain('hidden')
  })
})

test.each([
  ['https://hooks.example/services/T0/B0/secret', 'https://hooks.example/services/T0/B0/[redacted]'],
  ['https://hooks.example/secret/', 'https://hooks.example/[redacted]/'],
  ['https://hooks.example:8443/a//secret//', 'https://hooks.example:8443/a//[redacted]//'],
  ['https://hooks.example/', 'https://hooks.example/'],
  ['https://hooks.example', 'https://hooks.example/'],
  ['https://hooks.example/?secret', 'https://hooks.example/?[redacted]'],
  ['https://secret@hooks.example/', 'https://[redacted]@hooks.example/'],
  ['https://:secret@hooks.example/', 'https://[redacted]@hooks.example/'],
  ['mailto:secret@hooks.example', 'mailto:[redacted]'],
  ['not a URL, secret', '[redacted]'],
  ['//secret@hooks.example/', '[redacted]'],
  ['', ''],
])('%p is recorded as %p', (url, masked) => {
  expect(redactUrl(url)).toBe(masked)
})
