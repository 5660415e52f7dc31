/**
 * Requests without valid credentials must not fill the disk: their entries are short, and many similar ones share one.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { createUser, PASSWORD } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createPasswords } from '../../base/security/passwords.ts'
import { AuditEntry, Verification } from './api.ts'
import { createRefusals } from './refusals.ts'

const MINUTE_MS = 60_000
const LONG = 'ü'.repeat(5000)
const bytesOf = (...texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let ms: number
  beforeEach(async () => {
    ms = Date.parse('2026-01-02T03:04:05.678Z')
    const proxies = { TRUST_PROXY: 'true', TRUSTED_PROXIES: '127.0.0.1' }
    const oauth = { MCP_OAUTH_ENABLED: 'true', MCP_OAUTH_ISSUER_URL: 'https://plat.example.com' }
    app = await testApp({
      dialect,
      env: { AUDIT_ENABLED: 'true', ...proxies, ...oauth },
      now: () => new Date(ms),
      // Unknown users take as long as known ones, at the real cost.
      passwords: { ...createPasswords({ cost: 4 }), verify: async (password) => password === PASSWORD },
    })
    admin = await app.as('admin')
  })
  afterEach(() => app.close())

  const from = (address: string, method: string, path: string, body?: unknown) =>
    app.plat.fetch(
      new Request(`http://plat.test${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { peer: () => '127.0.0.1' },
    )
  const entries = async () =>
    z
      .array(AuditEntry)
      .parse(await (await admin.request('GET', '/api/audit?limit=1000')).json())
      .reverse()
  const writeCounts = () => app.plat.runJob('audit.write-counts')
  const wrongLogin = (address: string, username = 'nobody') =>
    from(address, 'POST', '/api/auth/login', { username, password: 'wrong password' })

  test('an entry of a guest has no changes and at most 256 bytes of the request', async () => {
    await wrongLogin('192.0.2.1', LONG)
    await from('192.0.2.1', 'PUT', `/api/devices/${encodeURIComponent(LONG)}`, { name: LONG })
    await from('192.0.2.1', 'POST', '/mcp-oauth/register', { client_name: LONG, redirect_uris: [LONG] })
    const client = { client_name: 'x'.repeat(200), redirect_uris: ['https://client.example/back'] }
    expect((await from('192.0.2.1', 'POST', '/mcp-oauth/register', client)).status).toBe(201)
    const found = await entries()
    expect(found.map(({ status }) => status)).toEqual(['failure', 'failure', 'failure', 'success'])
    for (const { changes, username, resource_id, error, oauth_client } of found) {
      expect(changes).toBe('')
      expect(bytesOf(username, resource_id, error, oauth_client)).toBeLessThanOrEqual(256)
    }
    expect(found[3]?.oauth_client).toStartWith('xxx')
  })

  test('an entry of a signed-in user has both', async () => {
    await createUser(app.db, { username: 'ada' })
    await from('192.0.2.1', 'POST', '/api/auth/login', { username: 'ada', password: PASSWORD })
    await admin.request('POST', '/api/datacenters', { name: 'ams', description: 'd'.repeat(2000) })
    const [login, created] = await entries()
    expect(login?.changes).toBe('{"username":"ada","password":"[redacted]"}')
    expect(created?.changes.length).toBeGreaterThan(2000)
  })

  test('from the 20th refusal on, refusals of one address, route and code share an entry', async () => {
    for (let i = 0; i < 50; i++) expect((await wrongLogin('192.0.2.1')).status).toBe(401)
    await writeCounts()
    expect(await entries()).toHaveLength(19)
    ms += MINUTE_MS - 1000
    await writeCounts()
    const found = await entries()
    expect(found).toHaveLength(20)
    expect(found.at(-1)).toMatchObject({
      action: 'login',
      status: 'failure',
      ip_address: '192.0.2.1',
      username: '',
      error: '31 more within a minute: The username or the password is wrong',
    })
    expect(Verification.parse(await (await admin.request('GET', '/api/audit/verify')).json())).toMatchObject({
      ok: true,
      checked: 20,
    })
    // The next minute begins after it.
    await wrongLogin('192.0.2.1')
    expect(await entries()).toHaveLength(21)
  })

  test('another address, route or code is counted by itself', async () => {
    for (let i = 0; i < 25; i++) await wrongLogin('192.0.2.1')
    const counted = (await entries()).length
    await wrongLogin('192.0.2.2')
    await from('192.0.2.1', 'POST', '/api/devices', { name: 'x' })
    await from('192.0.2.1', 'POST', '/api/auth/login', {})
    expect(await entries()).toHaveLength(counted + 3)
  })

  test('the addresses of one /64 are one', async () => {
    for (let i = 0; i < 25; i++) await wrongLogin(`2001:db8:0:1::${i + 1}`)
    expect(await entries()).toHaveLength(19)
  })

  test('refusals of a caller with a valid key have an entry each', async () => {
    const viewer = await app.as('viewer')
    for (let i = 0; i < 25; i++) expect((await viewer.request('POST', '/api/devices', { name: 'x' })).status).toBe(403)
    expect(await entries()).toHaveLength(25)
  })
})

describe('the count of refusals', () => {
  const refusal = (client: string) => ({ client, route: 'sessions.login', code: 'UNAUTHORIZED' })

  test('is written at the end of the process, whatever the time', () => {
    const refusals = createRefusals<string>(() => 0)
    for (let i = 0; i < 30; i++) refusals.count(refusal('192.0.2.1'), `${i}`)
    expect([refusals.due(), refusals.due(true), refusals.due(true)]).toEqual([[], [{ last: '29', count: 11 }], []])
  })

  test('takes bounded memory, and no count is lost for it', () => {
    const refusals = createRefusals<string>(() => 0)
    for (let i = 0; i < 30; i++) refusals.count(refusal('192.0.2.1'), 'first')
    for (let i = 0; i < 10_000; i++) refusals.count(refusal(`client ${i}`), 'other')
    expect(refusals.due()).toEqual([{ last: 'first', count: 11 }])
  })

  test('does not last longer when the clock is set back', () => {
    let nowMs = 10 * MINUTE_MS
    const refusals = createRefusals<string>(() => nowMs)
    for (let i = 0; i < 30; i++) refusals.count(refusal('192.0.2.1'), 'x')
    nowMs = 0
    expect(refusals.due()).toHaveLength(1)
  })
})
