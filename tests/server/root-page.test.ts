/**
 * The root answers every client with the page of the UI, regardless of the Accept header, on a real server. Other paths
 * are unchanged.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ensureWeb } from '../../scripts/web.mjs'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'

const START_MS = 120_000

let folder: ServerFolder
let server: ServerChild
beforeAll(async () => {
  if (!ensureWeb()) throw new Error('the web UI can not be built')
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
  server = await folder.start()
}, START_MS)
afterAll(() => folder.remove())

/** Sends a request with this Accept field, or without one if it is undefined. */
const ask = (path: string, accept: string | undefined, init: RequestInit = {}) =>
  fetch(server.url + path, {
    ...init,
    headers: { ...(accept === undefined ? {} : { Accept: accept }), ...init.headers },
  })

const HTML = 'text/html; charset=utf-8'
const kindOf = ({ status, headers }: Response) => [status, headers.get('content-type')]

test.each(['*/*', '', 'text/*', 'text/html', 'application/json, text/plain, */*', '*/*;q=0.1', 'TEXT/HTML'])(
  'a client that accepts %p gets the page at the root',
  async (accept) => {
    const response = await ask('/', accept)
    expect(kindOf(response)).toEqual([200, HTML])
    expect(await response.text()).toContain('<!doctype html>')
  },
)

test('HEAD of the root has the headers of GET and no body', async () => {
  const [get, head] = [await ask('/', '*/*'), await ask('/', '*/*', { method: 'HEAD' })]
  const parts = ({ status, headers }: Response) => [
    status,
    ...['content-type', 'content-length', 'etag', 'content-security-policy'].map((name) => headers.get(name)),
  ]
  expect(parts(head)).toEqual(parts(get))
  expect(await head.text()).toBe('')
})

test('a query at the root changes nothing', async () => {
  expect(kindOf(await ask('/?from=uptime', '*/*'))).toEqual([200, HTML])
})

test('the root is 304 for a client with its ETag', async () => {
  const etag = (await ask('/', '*/*')).headers.get('etag') ?? ''
  expect((await ask('/', '*/*', { headers: { 'If-None-Match': etag } })).status).toBe(304)
})

const NO_HTML = ['application/json', 'application/json, text/html;q=0', '*/*, text/html;q=0', 'text/plain', 'image/*']

test.each(NO_HTML)('a client that does not accept HTML (%p) gets 404 at the root', async (accept) => {
  const response = await ask('/', accept)
  expect([response.status, await response.text()]).toEqual([404, 'Not found\n'])
})

test('a script that asks for the root as for the API gets 404', async () => {
  expect((await ask('/', '*/*', { headers: { 'X-Requested-With': 'XMLHttpRequest' } })).status).toBe(404)
})

test.each(['/devices', '/nowhere', '/api', '/api/nowhere'])(
  'a client that accepts anything gets no page at %s',
  async (path) => {
    const response = await ask(path, '*/*')
    expect([response.status, (await response.text()).includes('<html')]).toEqual([404, false])
  },
)

test('a change at the root is refused', async () => {
  expect((await ask('/', '*/*', { method: 'POST' })).status).toBe(404)
})
