/** API keys that only open from some addresses, and the address of the last use. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { callTool } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { ApiKey, NewApiKey } from './api.ts'

const PROXY = '10.9.9.9'
const config = {
  auditEnabled: true,
  trustProxy: true,
  trustedProxies: [parseCidrOrThrow(`${PROXY}/32`)],
  trustedProxyHeader: 'x-forwarded-for',
}

describe.each(onSqlite())('API keys of some addresses on %s', (dialect) => {
  let app: SignInApp
  let admin: { id: string; key: string }
  beforeAll(async () => {
    app = await signInApp(dialect, { config })
    const { id } = await createUser(app.db, { username: 'ada', roles: ['admin'] })
    admin = { id, key: await keyFor(app.db, id) }
  })
  afterAll(() => app.close())

  let count = 0
  const make = async (...allowed_cidrs: string[]): Promise<NewApiKey> => {
    const body = { name: `key ${++count}`, allowed_cidrs }
    return NewApiKey.parse(await (await app.send('POST /api/keys', { key: admin.key, body })).json())
  }
  type Sent = { readonly from?: string; readonly headers?: Record<string, string> }
  const get = (key: string, sent: Sent) => app.send('GET /api/devices', { key, ...sent })
  const status = async (key: string, sent: Sent) => (await get(key, sent)).status

  test.each([
    ['10.0.0.0/8', '10.1.2.3', 200],
    ['10.0.0.0/8', '11.0.0.0', 403],
    ['192.0.2.7', '192.0.2.7', 200],
    ['192.0.2.7', '192.0.2.8', 403],
    ['2001:db8::/32', '2001:db8:1::9', 200],
    ['2001:db8::/32', '2001:db9::', 403],
    ['2001:db8::1', '2001:db8::1', 200],
    ['2001:db8::1', '2001:db8::2', 403],
    // A dual-stack socket reports an IPv4 client so.
    ['10.0.0.0/8', '::ffff:10.1.2.3', 200],
    ['::ffff:10.0.0.0/104', '10.1.2.3', 200],
    ['::ffff:10.0.0.0/104', '11.0.0.0', 403],
    ['::/0', '10.1.2.3', 403],
    ['0.0.0.0/0', '2001:db8::1', 403],
    ['fe80::/10', 'fe80::1%eth0', 200],
    ['0.0.0.0/0', '', 403],
  ])('a key of %s from %p: %i', async (block, from, expected) => {
    expect(await status((await make(block)).key, { from })).toBe(expected)
  })

  test('any of several blocks opens', async () => {
    const { key } = await make('10.0.0.0/8', '2001:db8::/32')
    expect([await status(key, { from: '10.0.0.1' }), await status(key, { from: '2001:db8::1' })]).toEqual([200, 200])
    expect(await status(key, { from: '192.0.2.1' })).toBe(403)
  })

  test('the refusal names the address, and no allowed one', async () => {
    const { key } = await make('10.0.0.0/8')
    const body = await (await get(key, { from: '203.0.113.9' })).json()
    expect(body).toEqual({
      ...{ code: 'FORBIDDEN', details: [] },
      error: 'The API key may not be used from 203.0.113.9',
    })
  })

  test('the address that a trusted proxy forwards counts, and no other header', async () => {
    const { key } = await make('192.0.2.7')
    const headers = { 'X-Forwarded-For': '192.0.2.7' }
    expect(await status(key, { from: PROXY, headers })).toBe(200)
    expect(await status(key, { from: PROXY, headers: { 'X-Forwarded-For': '192.0.2.7, 198.51.100.1' } })).toBe(403)
    expect(await status(key, { from: '198.51.100.1', headers })).toBe(403)
    expect(await status(key, { from: PROXY })).toBe(403)
    expect(await status(key, { from: PROXY, headers: { ...headers, 'X-Real-IP': '198.51.100.1' } })).toBe(200)
  })

  test('each refusal is in the trail with the key and its address, of reads too', async () => {
    const { id, name, key } = await make('10.0.0.0/8')
    await get(key, { from: '203.0.113.9' })
    await app.send('POST /api/devices', { key, from: '203.0.113.9', body: { name: 'x' } })
    const rows = await app.db.read.selectFrom('audit').selectAll().where('key_id', '=', id).execute()
    const entry = { username: name, key_owner: 'ada', ip_address: '203.0.113.9', status: 'failure' }
    const error = 'The API key may not be used from 203.0.113.9'
    expect(rows).toMatchObject([
      { ...entry, action: 'login', resource: 'session', error },
      { ...entry, action: 'login', resource: 'session', error },
    ])
  })

  test('refusals beyond 19 of an address and a route within a minute share an entry', async () => {
    const { id, key } = await make('10.0.0.0/8')
    for (let i = 0; i < 25; i++) await get(key, { from: '203.0.113.77' })
    const { n } = await app.db.read
      .selectFrom('audit')
      .select(({ fn }) => fn.countAll<number | string>().as('n'))
      .where('key_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(Number(n)).toBe(19)
  })

  test('the rule holds at the MCP endpoint and at the live feed', async () => {
    const { key } = await make('10.0.0.0/8')
    const tools = (from: string) => {
      const peer = { fetch: (request: Request) => app.fetch(request, { peer: () => from }), key }
      return callTool(peer, 'call_operation', { operation: 'devices.list' })
    }
    expect((await tools('10.0.0.1')).isError).toBe(false)
    await expect(tools('203.0.113.9')).rejects.toThrow()
    expect((await app.send('GET /api/events', { key, from: '203.0.113.9' })).status).toBe(403)
  })

  test('the rule holds at the content of a feed, however the key is sent', async () => {
    const feed = await app.send('POST /api/feeds', {
      key: admin.key,
      body: { name: `f${count}`, format: 'prometheus' },
    })
    const { id: feed_id } = ApiKey.pick({ id: true }).parse(await feed.json())
    const body = { name: `key ${++count}`, feed_id, allowed_cidrs: ['10.0.0.0/8'] }
    const { key } = NewApiKey.parse(await (await app.send('POST /api/keys', { key: admin.key, body })).json())
    const path = `GET /api/feeds/${feed_id}/content`
    const basic = { Authorization: `Basic ${btoa(`x:${key}`)}` }
    for (const [from, expected] of [
      ['10.0.0.1', 200],
      ['203.0.113.9', 403],
    ] as const) {
      expect((await app.send(path, { key, from })).status).toBe(expected)
      expect((await app.send(`${path}?token=${key}`, { from })).status).toBe(expected)
      expect((await app.send(path, { headers: basic, from })).status).toBe(expected)
    }
  })

  test('the address of the last use is stored with its time; a refused one is no use', async () => {
    const { id, key } = await make('10.0.0.0/8')
    const shown = async () => {
      await app.keyUses.flush()
      const { last_used_ip, last_used_at } = ApiKey.parse(
        await (await app.send(`GET /api/keys/${id}`, { key: admin.key })).json(),
      )
      return [last_used_ip, last_used_at]
    }
    await get(key, { from: '203.0.113.9' })
    expect(await shown()).toEqual([null, null])
    const first = app.now().toISOString()
    await get(key, { from: '::ffff:10.0.0.1' })
    expect(await shown()).toEqual(['10.0.0.1', first])
    app.clock.ms += 60_000
    await get(key, { from: PROXY, headers: { 'X-Forwarded-For': '10.0.0.2' } })
    expect(await shown()).toEqual(['10.0.0.2', app.now().toISOString()])
  })
})
