// The values of headers are secrets: encrypted at rest, sent to the target, never shown, and kept when "***" is sent
// back.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Restarted, restart } from '../../../testing/app/restart.ts'
import { ask, fieldsOf } from '../../../testing/estates/inventory.ts'
import { callTool, Plan } from '../../../testing/mcp.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { createSecrets } from '../../base/security/crypto.ts'
import { openHeaders } from './headers.ts'
import type { Webhook } from './schema.ts'
import * as store from './store.ts'

const KEY = 'd3'.repeat(32)
const NEW_KEY = 'd4'.repeat(32)
const TIMEOUT_MS = 60_000
const TOKEN = 'Bearer plain-token-of-the-target'
const URL = 'http://203.0.113.7/hook'

const draftOf = (headers: object, url = URL) => ({ name: 'n', url, events: ['device.created'], headers })

describe.each(onSqlite())('headers of webhooks on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let to: Receiver
  const entries: string[] = []
  beforeAll(async () => {
    to = await startReceiver()
    const log = createLogger({ level: 'debug', format: 'json', write: (entry) => entries.push(entry) })
    const env = { ENCRYPTION_KEY: KEY, AUDIT_ENABLED: 'true' }
    app = await testApp({ dialect, log, outbound: to.outbound, env })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  let paths = 0
  const hook = (headers: Record<string, string>): Promise<Webhook> => {
    const path = `/${++paths}`
    return admin.api.webhooks.create({ name: path, url: to.url(path), events: ['device.created'], headers })
  }
  const put = (id: string, body: object) => ask(admin, `PUT /api/webhooks/${id}`, body)
  /** Returns the headers that the target has received, by lower-case names. */
  const sent = async ({ id, name }: Webhook): Promise<Record<string, unknown>> => {
    await admin.api.webhooks.ping({ id })
    return { ...to.received.findLast(({ path }) => path === name)?.headers }
  }

  test('are sent as they are, and shown without their values in every answer', async () => {
    const made = await hook({ Authorization: TOKEN, 'X-Team': 'net' })
    const shown = { Authorization: '***', 'X-Team': '***' }
    expect(made.headers).toEqual(shown)
    expect((await admin.api.webhooks.get({ id: made.id })).headers).toEqual(shown)
    expect((await admin.api.webhooks.list({ name: made.name }))[0]?.headers).toEqual(shown)
    expect(await sent(made)).toMatchObject({ authorization: TOKEN, 'x-team': 'net' })
  })

  test('are encrypted in the database', async () => {
    const { id } = await hook({ Authorization: TOKEN })
    const row = await app.db.read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ headers: '{"Authorization":"***"}', sealed_headers: expect.stringMatching(/^v1\./) })
    expect(JSON.stringify(row)).not.toContain('plain-token')
  })

  test('are not shown over MCP: not by a tool, not in a plan, not in a stored plan', async () => {
    const { id } = await hook({ Authorization: TOKEN })
    const peer = { fetch: app.fetch, key: admin.key }
    const call = (operation: string, input: object) => callTool(peer, 'call_operation', { operation, input })
    const answers = [
      await call('webhooks.get', { id }),
      await call('webhooks.list', {}),
      await call('webhooks.delete', { id }),
    ]
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, false])
    expect(Plan.parse(answers[2]?.value).summary).toBe('deletes 1 webhook')
    const kept = [
      await app.db.read.selectFrom('proposals').selectAll().execute(),
      await app.db.read.selectFrom('proposal_effects').selectAll().execute(),
    ]
    expect(kept.map((rows) => rows.length > 0)).toEqual([true, true])
    expect(JSON.stringify([answers, kept])).not.toContain('plain-token')
  })

  test('are kept when the webhook is read, changed and written back', async () => {
    const made = await hook({ Authorization: TOKEN })
    const { status, body } = await put(made.id, { ...made, description: 'changed' })
    expect([status, (body as Webhook).headers]).toEqual([200, { Authorization: '***' }])
    expect((await sent(made)).authorization).toBe(TOKEN)
  })

  test('a webhook that is read and written back is unchanged', async () => {
    const made = await hook({ Authorization: TOKEN })
    expect((await put(made.id, made)).body).toEqual(made)
  })

  test('"***" keeps one value beside new ones, and absent names are removed', async () => {
    const made = await hook({ Authorization: TOKEN, 'X-Old': 'old', 'X-Kept': 'kept' })
    const { body } = await put(made.id, { headers: { 'x-kept': '***', 'X-New': 'new' } })
    expect((body as Webhook).headers).toEqual({ 'x-kept': '***', 'X-New': '***' })
    const got = await sent(made)
    expect([got['x-kept'], got['x-new'], got.authorization, got['x-old']]).toEqual([
      'kept',
      'new',
      undefined,
      undefined,
    ])
  })

  test('{} and null clear them', async () => {
    for (const headers of [{}, null]) {
      const made = await hook({ Authorization: TOKEN })
      expect(((await put(made.id, { headers })).body as Webhook).headers).toEqual({})
      expect((await sent(made)).authorization).toBeUndefined()
    }
  })

  test('a value that is sent again is no sign of whether it is the stored one', async () => {
    const made = await hook({ Authorization: TOKEN })
    await until('the next millisecond', () => Date.now() > Date.parse(made.updated_at) || undefined)
    const same = (await put(made.id, { headers: { Authorization: TOKEN } })).body as Webhook
    expect(same.updated_at > made.updated_at).toBe(true)
  })

  test.each([
    ['of a new webhook', async () => ask(admin, 'POST /api/webhooks', draftOf({ 'X-A': '***' }, to.url()))],
    ['of a name that is not stored', async () => put((await hook({ 'X-A': 'a' })).id, { headers: { 'X-B': '***' } })],
    [
      'beside a name that is',
      async () => put((await hook({ 'X-A': 'a' })).id, { headers: { 'X-A': 'b', 'X-B': '***' } }),
    ],
    ['of a webhook without headers', async () => put((await hook({})).id, { headers: { 'X-A': '***' } })],
  ])('"***" %s is refused', async (_, act) => {
    const answer = await act()
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['headers']])
  })

  test('one name in two cases is refused, because it would be sent once', async () => {
    const answer = await ask(admin, 'POST /api/webhooks', draftOf({ 'X-A': 'a', 'x-a': 'b' }, to.url()))
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['headers.x-a']])
  })

  test('the name __proto__ is refused, and clears nothing', async () => {
    const made = await hook({ 'X-A': 'a' })
    const odd = (draft: object) => JSON.stringify(draft).replace('odd-name', '__proto__')
    const send = (method: string, path: string, draft: object) => admin.request(method, path, odd(draft))
    const headers = { 'odd-name': '***' }
    expect((await send('POST', '/api/webhooks', draftOf(headers, to.url()))).status).toBe(400)
    expect((await send('PUT', `/api/webhooks/${made.id}`, { headers })).status).toBe(400)
    expect((await admin.api.webhooks.get({ id: made.id })).headers).toEqual({ 'X-A': '***' })
  })

  test('are masked where a target echoes them', async () => {
    const made = await hook({ Authorization: TOKEN })
    to.answer(made.name, (response) => response.end(`you sent ${TOKEN} and ${TOKEN.slice('Bearer '.length)}`))
    const { delivery } = await admin.api.webhooks.ping({ id: made.id })
    expect(delivery.response_body).toBe('you sent *** and ***')
  })

  test('are in no row of any table, and in no entry of the log', async () => {
    const made = await hook({ Authorization: TOKEN })
    await put(made.id, { headers: { Authorization: `${TOKEN}-2` } })
    await put(made.id, { headers: { Authorization: `${TOKEN}-3`, 'X-Bad': 'plain-token\n' } })
    await ask(admin, 'POST /api/webhooks', { ...draftOf({ Authorization: TOKEN }), name: 7 })
    for (const table of [
      'webhooks',
      'webhook_deliveries',
      'audit',
      'events',
      'proposals',
      'proposal_effects',
      'idempotency_keys',
    ] as const)
      expect(JSON.stringify(await app.db.read.selectFrom(table).selectAll().execute())).not.toContain('plain-token')
    expect(entries.join('\n')).not.toContain('plain-token')
  })

  test('a header opens only in its own row', async () => {
    const [one, other] = [await hook({ 'X-A': 'plain-a' }), await hook({ 'X-A': 'plain-b' })]
    const { sealed_headers } = await app.db.read
      .selectFrom('webhooks')
      .select('sealed_headers')
      .where('id', '=', one.id)
      .executeTakeFirstOrThrow()
    await app.db.write(({ db }) =>
      db.updateTable('webhooks').set({ sealed_headers }).where('id', '=', other.id).execute(),
    )
    const before = to.received.length
    expect((await ask(admin, `POST /api/webhooks/${other.id}/ping`)).status).toBe(500)
    expect(to.received).toHaveLength(before)
    const kept = await put(other.id, { headers: { 'X-A': '***', 'X-B': 'b' } })
    expect([kept.status, fieldsOf(kept)]).toEqual([400, ['headers']])
    expect((await put(other.id, { headers: { 'X-A': 'again' } })).status).toBe(200)
  })
})

describe.each(onSqlite())('rotation of headers on %s', (dialect) => {
  test(
    'the rotation leaves the headers to the new key, and only that key sends them',
    async () => {
      const to = await startReceiver()
      const app = await testApp({ dialect, outbound: to.outbound, env: { ENCRYPTION_KEY: KEY } })
      const admin = await app.as('admin')
      const { id } = await admin.api.webhooks.create({
        ...{ name: 'n', url: to.url(), events: ['device.created'], headers: { Authorization: TOKEN } },
      })
      const rotating = await restart(app, { encryptionKey: NEW_KEY, encryptionKeyPrevious: [KEY] })
      const rotation = await rotating.request(admin, 'POST', '/api/secrets/rotate')
      expect(await rotation.json()).toMatchObject({ rotated: 1, remaining: 0 })
      await rotating.close()
      const stored = await store.find({ db: app.db.read }, id)
      const secrets = createSecrets({ key: NEW_KEY, previous: [] })
      expect(stored && openHeaders(secrets, id, stored.headers)).toEqual({ Authorization: TOKEN })
      await app.close()
      await to.close()
    },
    TIMEOUT_MS,
  )
})

describe.each(onSqlite())('headers without a key on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let keyless: Restarted
  let made: Webhook
  beforeAll(async () => {
    app = await testApp({ dialect, env: { ENCRYPTION_KEY: KEY } })
    admin = await app.as('admin')
    made = await admin.api.webhooks.create({
      ...{ name: 'kept', url: URL, events: ['device.created'], headers: { 'X-A': 'a', 'X-B': 'b' } },
    })
    keyless = await restart(app, { encryptionKey: undefined })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await keyless.close()
    await app.close()
  }, TIMEOUT_MS)

  const send = async (method: string, path: string, body: object) => {
    const response = await keyless.request(admin, method, path, body)
    return { status: response.status, body: await response.json(), etag: null, total: null }
  }
  const isRefused = (answer: Awaited<ReturnType<typeof send>>, ...fields: string[]) => {
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields])
    expect(JSON.stringify(answer.body)).toContain('ENCRYPTION_KEY')
  }

  test('are refused in a new webhook, together with its secret', async () => {
    isRefused(await send('POST', '/api/webhooks', draftOf({ 'X-A': 'a' })), 'headers')
    isRefused(await send('POST', '/api/webhooks', { ...draftOf({ 'X-A': 'a' }), secret: 's' }), 'secret', 'headers')
  })

  test('that are none are taken', async () => {
    expect((await send('POST', '/api/webhooks', draftOf({}))).status).toBe(201)
  })

  test('that are stored stay where all are sent back as they were shown, and cannot be replaced', async () => {
    const path = `/api/webhooks/${made.id}`
    expect((await send('PUT', path, { ...made, description: 'x' })).status).toBe(200)
    isRefused(await send('PUT', path, { headers: { 'X-A': 'new', 'X-B': '***' } }), 'headers')
    isRefused(await send('PUT', path, { headers: { 'X-A': '***' } }), 'headers')
  })

  test('can be cleared', async () => {
    const { body } = await send('PUT', `/api/webhooks/${made.id}`, { headers: {} })
    expect((body as Webhook).headers).toEqual({})
  })
})
