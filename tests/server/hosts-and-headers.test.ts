/** The accepted hosts, the headers for browsers, and the headers that name the client, on real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { loadConfig } from '../../src/base/config/config.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'

const HTML = { Accept: 'text/html' }

/** Sends a request with these Host headers. @returns the status and the head of the answer */
const ask = (url: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ status: number; head: string; text: string }>((resolve, reject) => {
    let text = ''
    const lines = Object.entries({ Host: new URL(url).host, Connection: 'close', ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.end(`GET ${path} HTTP/1.1\r\n${head}\r\n`),
    )
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () =>
      resolve({ status: Number(text.slice(9, 12)), head: text.split('\r\n\r\n')[0]?.toLowerCase() ?? '', text }),
    )
  })

describe('with ALLOWED_HOSTS', () => {
  let folder: ServerFolder
  let server: ServerChild
  beforeAll(async () => {
    folder = await serverFolder({
      RATE_LIMIT_ENABLED: 'false',
      ALLOWED_HOSTS: 'Plat.Example.com, 192.0.2.7, 2001:db8::7',
    })
    server = await folder.start()
  })
  afterAll(() => folder.remove())

  const authorized = () => ({ Authorization: `Bearer ${folder.key}` })

  test.each(['plat.example.com', 'PLAT.example.com:8443', 'plat.example.com.', '192.0.2.7:8080', '[2001:DB8:0::7]:80'])(
    '%s is answered',
    async (Host) => {
      expect((await ask(server.url, '/api/devices', { Host, ...authorized() })).status).toBe(200)
    },
  )

  test.each(['evil.example', 'plat.example.com.evil.example', 'xplat.example.com', '127.0.0.1', '[2001:db8::8]', ''])(
    '%p gets 421',
    async (Host) => {
      const { status, text } = await ask(server.url, '/api/devices', { Host, ...authorized() })
      expect([status, text.includes('"code":"MISDIRECTED_REQUEST"')]).toEqual([421, true])
    },
  )

  test.each(['/', '/devices', '/static/assets/x.js', '/metrics', '/mcp', '/nothing'])(
    'another host gets 421 for %s as well',
    async (path) => {
      expect((await ask(server.url, path, { Host: 'evil.example', ...HTML })).status).toBe(421)
    },
  )

  test.each(['/healthz', '/readyz'])('%s answers whatever the host', async (path) => {
    expect((await ask(server.url, path, { Host: '10.1.2.3:8080' })).status).toBe(200)
  })
})

describe('with NETBOX_API_HOSTS', () => {
  let folder: ServerFolder
  let server: ServerChild
  beforeAll(async () => {
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', NETBOX_API_HOSTS: 'netbox.example.com' })
    server = await folder.start()
  })
  afterAll(() => folder.remove())

  const Host = 'netbox.example.com:8080'

  test('a host of the NetBox API has it at /api/, for browsers too', async () => {
    const { status, text } = await ask(server.url, '/api/', { Host, Authorization: `Token ${folder.key}`, ...HTML })
    expect([status, text.includes('"status":"http://netbox.example.com:8080/api/status/"')]).toEqual([200, true])
  })

  test.each(['/', '/devices', '/help/', '/static/assets/x.js', '/metrics', '/mcp', '/netbox/api/'])(
    'a host of the NetBox API has nothing at %s',
    async (path) => {
      const { status, text } = await ask(server.url, path, { Host, ...HTML })
      expect([status, text.endsWith('{"detail":"Not found."}')]).toEqual([404, true])
    },
  )

  test.each(['/netbox/api//status/', '/netbox/api/x/%2e%2e/status/'])(
    'the path %s, which a proxy may have read in another way, is refused in the form of NetBox',
    async (path) => {
      const { status, text } = await ask(server.url, path, { Authorization: `Token ${folder.key}` })
      expect([status, /\r\n\r\n\{"detail":"The path has [^"]*"\}$/.test(text)]).toEqual([400, true])
    },
  )

  test('another host has the page, and the NetBox API below /netbox/', async () => {
    expect((await ask(server.url, '/devices', HTML)).status).toBe(200)
    expect((await ask(server.url, '/netbox/api/', { Authorization: `Token ${folder.key}`, ...HTML })).status).toBe(200)
  })
})

describe.each([
  ['true', 'max-age=31536000'],
  ['false', undefined],
])('with COOKIE_SECURE=%s', (COOKIE_SECURE, strict) => {
  let folder: ServerFolder
  let server: ServerChild
  beforeAll(async () => {
    folder = await serverFolder({
      RATE_LIMIT_ENABLED: 'false',
      COOKIE_SECURE,
      MCP_OAUTH_ENABLED: 'true',
      MCP_OAUTH_ISSUER_URL: 'https://plat.example.com',
    })
    server = await folder.start()
  })
  afterAll(() => folder.remove())

  test.each([
    ['JSON', '/api/devices', {}, 401],
    ['a probe', '/healthz', {}, 200],
    ['a page', '/devices', HTML, 200],
    ['a page that is missing', '/nowhere', HTML, 404],
    ['a file of the page that is missing', '/static/assets/none.js', {}, 404],
  ])('the headers are on %s', async (_, path, headers, status) => {
    const answer = await ask(server.url, path, headers)
    expect(answer.status).toBe(status)
    const of = (name: string) => new RegExp(`\r\n${name}: ([^\r]*)`).exec(answer.head)?.[1]
    expect(of('strict-transport-security')).toBe(strict)
    expect(of('cross-origin-opener-policy')).toBe('same-origin')
    expect(of('cross-origin-resource-policy')).toBe('same-origin')
    expect(of('permissions-policy')).toMatch(/^(\w+(-\w+)*=\(\)(, |$))+$/)
  })

  test('the consent page keeps the window of the client that opened it', async () => {
    const { status, head } = await ask(server.url, '/mcp-oauth/authorize', HTML)
    expect([status, head.includes('cross-origin-opener-policy: unsafe-none')]).toEqual([200, true])
  })
})

test('two headers that name different clients are in the log, once', async () => {
  const folder = await serverFolder({ TRUST_PROXY: 'true', TRUSTED_PROXIES: '127.0.0.0/8' })
  try {
    const log: string[] = []
    const server = await folder.start({ onLog: (text) => void log.push(text) })
    for (const client of ['203.0.113.66', '203.0.113.67'])
      await ask(server.url, '/api/devices', { 'X-Forwarded-For': client, 'X-Real-IP': '198.51.100.2' })
    await server.stop()
    expect(log.join('').split('TRUSTED_PROXY_HEADER').length - 1).toBe(1)
  } finally {
    await folder.remove()
  }
})

test.each([
  ['TRUSTED_PROXY_HEADER', 'Forwarded'],
  ['TRUSTED_PROXY_HEADER', 'X Real IP'],
  ['ALLOWED_HOSTS', 'https://plat.example.com'],
  ['ALLOWED_HOSTS', 'plat.example.com:8080'],
])('%s=%s keeps the server from starting', (name, value) => {
  expect(() => loadConfig({ env: { [name]: value }, cwd: '/nowhere' })).toThrow(name)
})
