/** Run in a copy of the code by the recipe for a kind of source: the kind is listed, a source of it is created, and it is fetched. */
import { tmpdir } from 'node:os'
import { createSourceReader } from '../../src/sources/fetch/process.ts'
import { Kind } from '../../src/sources/schema.ts'
import { testApp } from '../app/app.ts'

const NAME = Kind.parse('machines')
const TOKEN = 'a-token-of-the-recipe'
const HOST = '127.0.0.1'

const expectText = (where: string, answer: string, text: string): void => {
  if (!answer.includes(text)) throw new Error(`${where} lacks ${text}: ${answer.slice(0, 2000)}`)
}

const app = await testApp({ env: { ENCRYPTION_KEY: 'ab'.repeat(32) } })
const server = Bun.serve({
  port: 0,
  hostname: HOST,
  fetch: ({ headers, url }) =>
    headers.get('authorization') === `Bearer ${TOKEN}` && url.endsWith('/machines')
      ? Response.json([{ id: 'm-1', name: 'web', running: true, ip: '192.0.2.1' }])
      : new Response(null, { status: 401 }),
})
try {
  const admin = await app.as('admin')
  expectText(
    'GET /api/sources/kinds',
    await (await admin.request('GET', '/api/sources/kinds')).text(),
    '"kind":"machines"',
  )
  const without = await admin.request('POST', '/api/sources', { name: 'a', kind: NAME, url: 'https://203.0.113.7' })
  expectText('A source without its token', await without.text(), 'secrets.token')
  const input = { name: 'a', kind: NAME, url: 'https://203.0.113.7', interval_minutes: 0, secrets: { token: TOKEN } }
  expectText(
    'POST /api/sources',
    await (await admin.request('POST', '/api/sources', input)).text(),
    '"secrets_set":["token"]',
  )

  const outcome = await createSourceReader(tmpdir()).read(
    {
      ...{
        do: 'fetch',
        kind: NAME,
        options: {},
        ref: NAME,
        nowMs: Date.now(),
        timeoutMs: 60_000,
        secrets: { token: TOKEN },
      },
      target: {
        url: `http://${HOST}:${server.port}`,
        allowPrivate: false,
        targets: [HOST],
        tlsCa: '',
        tlsFingerprint: '',
      },
    },
    { signal: new AbortController().signal },
  )
  expectText('The outcome of a fetch', JSON.stringify(outcome), '"refs":{"machines":"m-1"}')
} finally {
  server.stop(true)
  await app.close()
}
process.exit(0)
