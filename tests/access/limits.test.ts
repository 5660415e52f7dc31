/** The rate limits as clients see them: headers on every answer, rejections, and the counted clients. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../testing/app/app.ts'

const START = Date.parse('2026-01-02T03:04:05.000Z')
const LIMITED = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '3', LOGIN_RATE_LIMIT_REQUESTS: '2' }

describe('with three requests a minute', () => {
  let app: TestApp
  let key: string
  let nowMs = START
  let peers = 0
  /** A client that has not been counted before. */
  let peer: string

  beforeAll(async () => {
    app = await testApp({
      env: { ...LIMITED, TRUST_PROXY: 'true', TRUSTED_PROXIES: '10.0.0.0/8' },
      now: () => new Date(nowMs),
    })
    key = (await app.as('viewer')).key
  })
  afterAll(() => app.close())
  beforeEach(() => {
    peer = `192.0.2.${++peers}`
  })

  const ask = (
    path = '/healthz',
    { from = peer, headers = {} }: { from?: string; headers?: Record<string, string> } = {},
  ) => app.plat.fetch(new Request(`http://plat.test${path}`, { headers }), { peer: () => from })
  const statuses = async (requests: readonly (() => Response | Promise<Response>)[]) => {
    const answers: number[] = []
    for (const request of requests) answers.push((await request()).status)
    return answers
  }

  test('three pass and the fourth does not', async () => {
    expect(await statuses(Array.from({ length: 4 }, () => () => ask()))).toEqual([200, 200, 200, 429])
  })

  test('after the window exactly three pass again', async () => {
    await statuses(Array.from({ length: 4 }, () => () => ask()))
    nowMs += 60_000
    expect(await statuses(Array.from({ length: 4 }, () => () => ask()))).toEqual([200, 200, 200, 429])
  })

  test('a refusal has its code and a time to retry', async () => {
    await statuses(Array.from({ length: 3 }, () => () => ask()))
    const response = await ask()
    expect(await response.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
    const reset = new Date(nowMs + 60_000)
    expect(response.headers.get('retry-after')).toBe(reset.toUTCString())
    expect(response.headers.get('x-ratelimit-reset')).toBe(reset.toISOString())
  })

  test.each([
    ['200', '/healthz', 200],
    ['401', '/api/devices', 401],
    ['404', '/api/nothing', 404],
  ])('an answer of %s has the remaining number', async (_, path, status) => {
    const response = await ask(path)
    expect([
      response.status,
      response.headers.get('x-ratelimit-limit'),
      response.headers.get('x-ratelimit-remaining'),
    ]).toEqual([status, '3', '2'])
  })

  test('429 comes before 404', async () => {
    await statuses(Array.from({ length: 3 }, () => () => ask()))
    expect((await ask('/api/nothing')).status).toBe(429)
  })

  test('another Authorization is no other client', async () => {
    const tries = ['Bearer a', 'Bearer b', `Bearer ${key}`, 'Bearer c'].map(
      (authorization) => () => ask('/api/devices', { headers: { authorization } }),
    )
    expect(await statuses(tries)).toEqual([401, 401, 200, 429])
  })

  test('a forwarded address from a stranger is no other client', async () => {
    const tries = ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'].map(
      (address) => () => ask('/healthz', { headers: { 'x-forwarded-for': address } }),
    )
    expect(await statuses(tries)).toEqual([200, 200, 200, 429])
  })

  test('a forwarded address from a trusted proxy is one', async () => {
    const tries = ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'].map(
      (address) => () => ask('/healthz', { from: '10.0.0.1', headers: { 'x-forwarded-for': address } }),
    )
    expect(await statuses(tries)).toEqual([200, 200, 200, 200])
  })

  test('the addresses of one /64 are one client', async () => {
    const tries = [1, 2, 3, 4].map((n) => () => ask('/healthz', { from: `2001:db8:0:${peers}::${n}` }))
    expect(await statuses(tries)).toEqual([200, 200, 200, 429])
  })

  const login = () =>
    app.plat.fetch(
      new Request('http://plat.test/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"username":"nobody"}',
      }),
      { peer: () => peer },
    )

  test('two logins pass, and the third is refused', async () => {
    expect(await statuses([login, login])).toEqual([400, 400])
    const third = await login()
    expect([third.status, await third.json()]).toEqual([
      429,
      expect.objectContaining({ code: 'LOGIN_RATE_LIMIT_EXCEEDED' }),
    ])
  })

  test('too many logins do not use up the general limit', async () => {
    expect(await statuses([login, login, () => ask()])).toEqual([400, 400, 200])
  })
})

test('RATE_LIMIT_ENABLED=false leaves the limit of logins', async () => {
  const app = await testApp({ env: { RATE_LIMIT_ENABLED: 'false', LOGIN_RATE_LIMIT_REQUESTS: '1' } })
  const login = () => app.guest('POST', '/api/auth/login', {})
  expect([(await login()).status, (await login()).status]).toEqual([400, 429])
  await app.close()
})

test('dev mode has no limits', async () => {
  const app = await testApp({ env: { RATE_LIMIT_ENABLED: '', LOGIN_RATE_LIMIT_REQUESTS: '', DEV_MODE: 'true' } })
  const login = () => app.guest('POST', '/api/auth/login', {})
  for (let i = 0; i < 20; i++) expect((await login()).status).toBe(400)
  await app.close()
})
