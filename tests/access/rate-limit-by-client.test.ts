import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { ORIGIN, START } from '../../testing/sign-in/security.ts'

describe('with the limit of every day', () => {
  let nowMs = START
  let app: TestApp
  beforeAll(async () => {
    const env = { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: 'true', TRUSTED_PROXIES: '10.0.0.0/8' }
    app = await testApp({ env, now: () => new Date(nowMs) })
  })
  afterAll(() => app.close())

  const ask = async (peer: string, headers: Record<string, string> = {}) =>
    app.plat.fetch(new Request(`${ORIGIN}/healthz`, { headers }), { peer: () => peer })
  const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'))

  test('a hundred requests pass, then none, and after the window a hundred again', async () => {
    const peer = '192.0.2.1'
    for (let window = 0; window < 2; window++) {
      for (let left = 99; left >= 0; left--) {
        const response = await ask(peer)
        expect([response.status, remaining(response)]).toEqual([200, left])
      }
      const refused = await ask(peer)
      const reset = new Date(nowMs + 60_000)
      expect([
        refused.status,
        refused.headers.get('x-ratelimit-limit'),
        refused.headers.get('x-ratelimit-remaining'),
        refused.headers.get('x-ratelimit-reset'),
        refused.headers.get('retry-after'),
      ]).toEqual([429, '100', '0', reset.toISOString(), reset.toUTCString()])
      nowMs += 60_000
    }
  })

  test('a forwarded address counts only from a trusted proxy, by its rightmost entry', async () => {
    const stranger = '192.0.2.2'
    const left = []
    for (let i = 1; i <= 3; i++) {
      const lies = { Authorization: `Bearer ${i}`, 'X-Forwarded-For': `1.1.1.${i}`, 'X-Real-IP': `1.1.1.${i}` }
      left.push(remaining(await ask(stranger, lies)))
    }
    expect(left).toEqual([99, 98, 97])

    const behind = async (list: string) => remaining(await ask('10.0.0.1', { 'X-Forwarded-For': list }))
    expect([
      await behind('9.9.9.1, 7.7.7.7'),
      await behind('9.9.9.2, 7.7.7.7'),
      await behind('7.7.7.7, 7.7.7.8'),
    ]).toEqual([99, 98, 99])
  })
})
