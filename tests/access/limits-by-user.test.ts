/** The limits of one user: its requests by all keys together, and its long lists on PostgreSQL. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createLogger } from '../../src/base/runtime/log.ts'
import { openValkey } from '../../src/base/runtime/valkey.ts'
import { type TestApp, type TestCaller, type TestOptions, testApp } from '../../testing/app/app.ts'
import { storeLongDevices } from '../../testing/hostile/slow-clients.ts'
import { engines, valkey } from '../../testing/servers/servers.ts'

const START = Date.parse('2026-01-02T03:04:05.000Z')
const LIMITED = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '100', RATE_LIMIT_USER_REQUESTS: '3' }

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})
const started = async (options: TestOptions): Promise<TestApp> => {
  const app = await testApp(options)
  open.push(app.close)
  return app
}

const list = (caller: TestCaller, query = '') => caller.request('GET', `/api/devices${query}`)
const statusesOf = async (requests: readonly (() => Promise<Response>)[]): Promise<number[]> => {
  const answers: number[] = []
  for (const request of requests) answers.push((await request()).status)
  return answers
}
const left = ({ headers }: Response) => [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]

describe('with three requests of a user a minute', () => {
  test('the fourth is refused, names the user and the time to retry, and has no audit entry', async () => {
    const app = await started({ env: LIMITED, now: () => new Date(START) })
    const admin = await app.as('admin')
    expect(await statusesOf([1, 2, 3].map(() => () => list(admin)))).toEqual([200, 200, 200])
    const refused = await admin.request('POST', '/api/devices', { name: 'one' })
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        code: 'RATE_LIMIT_EXCEEDED',
        error: 'The limit of 3 requests of this user is used up; come back at 2026-01-02T03:05:05.000Z',
        details: [{ field: 'user', message: expect.stringContaining('limit of 3 requests') }],
      },
    ])
    expect([refused.headers.get('retry-after'), ...left(refused)]).toEqual(['Fri, 02 Jan 2026 03:05:05 GMT', '3', '0'])
    const other = await app.as('admin')
    const entries = await (await other.request('GET', '/api/audit?status=failure')).json()
    expect(entries).toEqual([])
  })

  test('another key of the user shares them, another user does not', async () => {
    const app = await started({ env: { ...LIMITED, RATE_LIMIT_USER_REQUESTS: '4' } })
    const [one, other] = [await app.as('admin'), await app.as('admin')]
    const { key } = await one.api.keys.create({ name: 'second' })
    const second = () =>
      app.fetch(new Request('http://plat.test/api/devices', { headers: { Authorization: `Bearer ${key}` } }))
    expect(await statusesOf([() => list(one), second, second, second, () => list(one), () => list(other)])).toEqual([
      200, 200, 200, 429, 429, 200,
    ])
  })

  test('AI clients share them', async () => {
    const app = await started({ env: LIMITED })
    const viewer = await app.as('viewer')
    await statusesOf([1, 2, 3].map(() => () => list(viewer)))
    const answer = await viewer.request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect([answer.status, left(answer)]).toEqual([429, ['3', '0']])
  })

  test('a window later there are three again', async () => {
    let nowMs = START
    const app = await started({ env: LIMITED, now: () => new Date(nowMs) })
    const viewer = await app.as('viewer')
    await statusesOf([1, 2, 3].map(() => () => list(viewer)))
    nowMs += 60_000
    expect(await statusesOf([1, 2, 3, 4].map(() => () => list(viewer)))).toEqual([200, 200, 200, 429])
  })
})

test('the headers tell of the limit that has fewer requests left', async () => {
  const app = await started({ env: { ...LIMITED, RATE_LIMIT_REQUESTS: '5', RATE_LIMIT_USER_REQUESTS: '3' } })
  const [one, other] = [await app.as('viewer'), await app.as('viewer')]
  expect(left(await list(one))).toEqual(['3', '2'])
  expect(left(await list(one))).toEqual(['3', '1'])
  await list(one)
  expect(left(await list(other))).toEqual(['5', '1'])
  expect(left(await app.guest('GET', '/healthz'))).toEqual(['5', '0'])
})

test.each([
  ['without a limit', { RATE_LIMIT_USER_REQUESTS: '0' }],
  ['with RATE_LIMIT_ENABLED=false', { RATE_LIMIT_ENABLED: 'false' }],
  ['in dev mode', { DEV_MODE: 'true' }],
])('%s a user may send more', async (_, env) => {
  const app = await started({ env: { ...LIMITED, ...env } })
  const viewer = await app.as('viewer')
  expect(await statusesOf([1, 2, 3, 4, 5].map(() => () => list(viewer)))).toEqual([200, 200, 200, 200, 200])
})

test('in Valkey, where instances count together', async () => {
  const server = await valkey()
  open.push(server.stop)
  const env = { ...LIMITED, RATE_LIMIT_STORE: 'valkey', VALKEY_URL: server.url }
  const app = await started({ env })
  const viewer = await app.as('viewer')
  expect(await statusesOf([1, 2, 3, 4].map(() => () => list(viewer)))).toEqual([200, 200, 200, 429])
  const log = createLogger({ level: 'error', format: 'text', write: () => {} })
  const store = openValkey({ url: server.url, what: 'rate limit store', log, patienceMs: 1000 })
  open.push(store.close)
  expect(await store.send('GET', `plat:limit:users:${viewer.userId}`)).toBe('3')
})

// SQLite reads lists without connections.
if (engines().includes('postgres'))
  describe('with two connections for long lists', () => {
    /** A list of 3 MB. */
    const DEVICES = 1500
    const withDevices = async (env: Record<string, string> = {}): Promise<TestApp> => {
      const app = await started({ dialect: 'postgres', env: { DATABASE_CONNECTIONS: '4', ...env } })
      await storeLongDevices(app.db, DEVICES)
      return app
    }

    test('a user has one of them, and the next list waits for it; others are answered', async () => {
      const app = await withDevices()
      const [one, other] = [await app.as('viewer'), await app.as('viewer')]
      const first = await list(one)
      let isAnswered = false
      const second = list(one).then((answer) => {
        isAnswered = true
        return answer
      })
      expect((await (await list(other)).json()) as unknown[]).toHaveLength(DEVICES)
      expect(isAnswered).toBe(false)
      await first.body?.cancel()
      expect((await (await second).json()) as unknown[]).toHaveLength(DEVICES)
    })

    test('a list of the past takes one, not two', async () => {
      const app = await withDevices({ REQUEST_TIMEOUT: '10s' })
      const viewer = await app.as('viewer')
      const answer = await viewer.request('GET', '/api/devices?as_of=0s')
      expect((await answer.json()) as unknown[]).toHaveLength(DEVICES)
    })

    test('a list that waits too long is given up, and later ones are answered', async () => {
      // Shorter than the time after which an unread list makes room for another one of its user.
      const app = await withDevices({ REQUEST_TIMEOUT: '500ms' })
      const viewer = await app.as('viewer')
      const first = await list(viewer)
      expect((await list(viewer)).status).toBe(503)
      await first.body?.cancel()
      expect((await (await list(viewer)).json()) as unknown[]).toHaveLength(DEVICES)
    })
  })
