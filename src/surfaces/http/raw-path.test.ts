/** A reverse proxy applies its rules to the path that was sent. The server does not answer it as another path. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { routeByRawPath } from './raw-path.ts'

let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  const routes = routeByRawPath((request, _server, isAltered) => new Response(`${isAltered} ${request.url}`))
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, ...routes })
})
afterAll(() => server.stop(true))

/** Returns true if the server detected that the path was altered. */
const isAltered = (path: string, host = 'x'): Promise<boolean> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(server.port), '127.0.0.1', () =>
      socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    )
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [, verdict] = /\r\n\r\n(?:[0-9a-f]+\r\n)?(true|false) /.exec(text) ?? []
      if (verdict === undefined) reject(new Error(`no answer to ${path}: ${text}`))
      else resolve(verdict === 'true')
    })
  })

const deep = Array.from({ length: 20 }, () => 'a').join('/')

test.each([
  '/api/%2e%2e/healthz',
  '/api/%2E%2e/healthz',
  '/api/.%2e/healthz',
  '/api/%2e./healthz?x=1',
  '/api/../healthz',
  '/api/./devices',
  '/api/%2e/devices',
  '/..',
  '/%2e',
  '/.',
  '/api/devices/..',
  '/api/devices/%2e',
  '//%2e%2e/healthz',
  '//a/%2e%2e/%2e%2e/healthz',
  '/a/b/c//d/..//../../../../../../healthz',
  '/a//%2e%2e/%2e%2e/api/devices',
  `/${deep}/${'%2e%2e/'.repeat(18)}b`,
  'http://other.example/api/%2e%2e/healthz',
  '/x/..#',
  '/x/..#/y',
  '/api/devices/x/%2e%2e#a',
  '/api/devices#a',
  '/x//../..',
  '/x//../../login/',
  '/x//../../api/devices/',
  '/x//../../api//devices',
  '//api/x/%2e%2e/devices',
  '//healthz',
  `/${deep}/%2e%2e/x`,
  `/${deep}`,
])('altered: %s', async (path) => {
  expect(await isAltered(path)).toBe(true)
})

test('altered, with a Host that no URL can hold', async () => {
  expect(await isAltered('/api/%2e%2e/healthz', '[::1')).toBe(true)
})

test.each([
  '/',
  '/?a=/../b',
  '/devices',
  '/devices/',
  '/api/devices/web%201',
  '/api/devices/a%5cb',
  '/api/devices/a%2fb',
  '/api/devices/a.b',
  '/api/devices/...',
  '/api/devices/..a',
  '/api/%252e%252e/x',
  '/api/%zz%?%=%',
  '/.well-known/oauth-authorization-server/mcp',
  'http://other.example/healthz',
])('as sent: %s', async (path) => {
  expect(await isAltered(path)).toBe(false)
})
