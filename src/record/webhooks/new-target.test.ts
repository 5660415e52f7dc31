// A secret is for one target. With another scheme, host or port, only the secret and the headers of the same request
// are used.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask, fieldsOf } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Webhook } from './schema.ts'

const TIMEOUT_MS = 60_000
const KEY = 'd6'.repeat(32)
const OLD = 'https://203.0.113.7/hook'
const NEW = 'https://203.0.113.8/hook'
const HEADERS = { Authorization: 'Bearer of the old target' }

describe.each(onSqlite())('a new target of a webhook on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { ENCRYPTION_KEY: KEY, SSRF_ALLOW_PRIVATE_TARGETS: 'true' } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const hook = (more: object = {}): Promise<Webhook> =>
    admin.api.webhooks.create({
      name: 'n',
      url: OLD,
      events: ['device.created'],
      secret: 's',
      headers: HEADERS,
      ...more,
    })
  const put = async (webhook: Webhook, patch: object) => {
    const answer = await ask(admin, `PUT /api/webhooks/${webhook.id}`, patch)
    return answer.status === 200 ? 200 : [answer.status, ...fieldsOf(answer)]
  }

  test.each([
    ['nothing', {}, ['secret', 'headers']],
    ['the secret alone', { secret: 'again' }, ['headers']],
    ['the headers alone', { headers: { 'X-A': 'a' } }, ['secret']],
    ['what stands for them', { secret: '***', headers: { Authorization: '***' } }, ['secret', 'headers']],
    [
      'one header of which only the mask is known',
      { secret: 'x', headers: { 'X-A': 'a', authorization: '***' } },
      ['headers'],
    ],
  ])('with %s is refused, and changes nothing', async (_, patch, fields) => {
    const webhook = await hook()
    expect(await put(webhook, { url: NEW, ...patch })).toEqual([400, ...fields])
    expect(await admin.api.webhooks.get({ id: webhook.id })).toEqual(webhook)
  })

  test.each([
    ['both', { secret: 'again', headers: HEADERS }],
    ['both cleared', { secret: '', headers: {} }],
    ['both cleared by null', { secret: null, headers: null }],
    ['one of each', { secret: 'again', headers: {} }],
  ])('with %s is taken', async (_, patch) => {
    expect(await put(await hook(), { url: NEW, ...patch })).toBe(200)
  })

  test('needs only stored secrets', async () => {
    expect(await put(await hook({ headers: {} }), { url: NEW })).toEqual([400, 'secret'])
    expect(await put(await hook({ secret: '' }), { url: NEW })).toEqual([400, 'headers'])
    expect(await put(await hook({ secret: '', headers: {} }), { url: NEW })).toBe(200)
  })

  test.each([
    'http://203.0.113.7/hook',
    'https://203.0.113.7:8443/hook',
    'https://203.0.113.7.example/hook',
    'https://[::ffff:203.0.113.7]/hook',
  ])('is %s', async (url) => {
    expect(await put(await hook(), { url })).toEqual([400, 'secret', 'headers'])
  })

  test.each([
    [OLD, 'https://203.0.113.7/another?path'],
    [OLD, 'HTTPS://203.0.113.7:443/hook'],
    [OLD, 'https://0xcb.0.113.7/hook'],
    [OLD, 'https://203.0.113.7./hook'],
    ['https://hooks.example.invalid/', 'https://HOOKS.Example.invalid.:443/a'],
    ['https://[2001:db8::7]/', 'https://[2001:0DB8:0:0::0007]:443/a'],
    ['https://bücher.example.invalid/', 'https://xn--bcher-kva.example.invalid/a'],
  ])('of %s is not %s', async (url, same) => {
    expect(await put(await hook({ url }), { url: same })).toBe(200)
  })

  test('needs them for a disabled webhook too, so that it cannot be redirected first and enabled later', async () => {
    expect(await put(await hook({ enabled: false }), { url: NEW, enabled: true })).toEqual([400, 'secret', 'headers'])
  })

  test('is compared with the final target when two callers change it at once', async () => {
    const webhook = await hook()
    const answers = await Promise.all([
      put(webhook, { url: NEW, secret: 'of one', headers: {} }),
      put(webhook, { url: OLD, description: 'of the other' }),
    ])
    const { url } = await admin.api.webhooks.get({ id: webhook.id })
    // The other update came first, or was refused.
    expect([answers[0], url]).toEqual([200, NEW])
  })
})
