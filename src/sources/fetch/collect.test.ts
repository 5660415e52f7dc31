/** A fetch on a client: it may ask this machine, and its recordings have no secret. */
import { afterAll, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { createCertificate } from '../../../testing/certificates.ts'
import { type CollectRequest, collectSnapshot } from './collect.ts'
import { createReplay } from './testing/replay.ts'

const TOKEN = 'a-token-of-the-account'
const pair = createCertificate({ name: 'the system' })
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { key: pair.key, cert: pair.cert },
  fetch: ({ url, headers }) => {
    if (headers.get('authorization') !== `Bearer ${TOKEN}`) return new Response(`not ${TOKEN}`, { status: 401 })
    const { pathname } = new URL(url)
    if (pathname === '/version') return Response.json({ gitVersion: 'v1.30.4' })
    const items = pathname.endsWith('/nodes') ? [{ metadata: { name: 'mars-1' }, status: {}, note: TOKEN }] : []
    return Response.json({ items })
  },
})
afterAll(() => server.stop(true))

const collect = (more: Partial<CollectRequest> = {}) =>
  collectSnapshot({
    kind: 'kubernetes',
    url: `https://127.0.0.1:${server.port}`,
    options: {},
    secrets: { token: TOKEN },
    // As people copy it.
    tlsFingerprint: new X509Certificate(pair.cert).fingerprint256.replaceAll(':', '').toLowerCase(),
    timeoutMs: 30_000,
    ...more,
  })

test('a snapshot of this machine is fetched, and nothing is recorded', async () => {
  const { snapshot, facts, recorded } = await collect()
  expect(snapshot).toMatchObject({ nodes: [{ metadata: { name: 'mars-1' } }], services: [], ingresses: [] })
  expect([facts.requests, facts.product, recorded]).toEqual([4, 'Kubernetes v1.30.4', undefined])
})

test.each(['exact', 'anonymized'] as const)(
  'a recording that is %s answers like the system, without the secrets',
  async (record) => {
    const { recorded } = await collect({ record })
    if (!recorded) throw new Error('Nothing was recorded')
    expect(recorded.secrets).toEqual({ token: 'invented-token' })
    expect(JSON.stringify(recorded)).not.toContain(TOKEN)
    expect(JSON.stringify(recorded).includes('mars-1')).toBe(record === 'exact')
    const request = { url: `${recorded.url}/version`, method: 'GET' as const, headers: {}, timeoutMs: 1000 }
    const { status, body } = await createReplay(recorded)(request)
    expect([status, JSON.parse(Buffer.from(body).toString())]).toEqual([200, { gitVersion: 'v1.30.4' }])
  },
)

test.each<[string, Partial<CollectRequest>, string]>([
  ['another certificate', { tlsFingerprint: 'AB'.repeat(32) }, 'tls'],
  ['wrong secrets', { secrets: { token: 'a-wrong-token' } }, 'unauthorized'],
  ['a path that is wrong', { url: 'file:///etc' }, 'target'],
])('%s is an error with its code', async (_, more, code) => {
  await expect(collect(more)).rejects.toMatchObject({ code })
})
