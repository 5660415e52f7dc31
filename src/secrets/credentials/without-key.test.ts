// A server that had a key and has none now: its stored credentials can be managed, but not used or replaced.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Restarted, restart } from '../../../testing/app/restart.ts'

const KEY = 'e0'.repeat(32)
const SNMP_V3 = { type: 'snmp_v3', username: 'u', auth_protocol: 'SHA', auth_password: 'ap' } as const

describe('without the key', () => {
  let app: TestApp
  let admin: TestCaller
  let keyless: Restarted
  let id: string
  beforeAll(async () => {
    app = await testApp({ env: { ENCRYPTION_KEY: KEY } })
    admin = await app.as('admin')
    id = (await admin.api.credentials.create({ name: 'v3', ...SNMP_V3 })).id
    keyless = await restart(app, { encryptionKey: undefined })
  })
  afterAll(async () => {
    await keyless.close()
    await app.close()
  })
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await keyless.request(admin, method, path, body)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  test('fields without a secret can be changed', async () => {
    const { body } = await send('PUT', `/api/credentials/${id}`, { name: 'renamed', auth_protocol: 'SHA' })
    expect(body).toMatchObject({ name: 'renamed', has_secret: true })
  })

  test.each([
    [{ auth_password: 'other' }, ['auth_password']],
    [{ auth_protocol: 'SHA256' }, ['auth_protocol']],
    [{ type: 'snmp_v2c', username: '', community: 'c' }, ['community']],
  ])('%j is refused', async (patch, fields) => {
    const { status, body } = await send('PUT', `/api/credentials/${id}`, patch)
    expect({ status, fields: body.details.map(({ field }: { field: string }) => field) }).toEqual({
      status: 400,
      fields,
    })
    expect(body.error).toContain('ENCRYPTION_KEY')
  })

  test('nothing is rotated', async () => {
    expect(await send('POST', '/api/secrets/rotate')).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
  })

  test('credentials without a secret can be stored', async () => {
    const { status } = await send('POST', '/api/credentials', { name: 'n', type: 'snmp_v3', username: 'u' })
    expect(status).toBe(201)
  })

  test('a credential can be deleted', async () => {
    const made = await admin.api.credentials.create({ name: 'gone', ...SNMP_V3 })
    expect(await send('DELETE', `/api/credentials/${made.id}`)).toMatchObject({ status: 204 })
  })
})
