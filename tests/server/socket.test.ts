/**
 * Invalid HTTP, sent to a real server: it answers or closes the connection, never mixes up two requests, and keeps
 * running.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/app/compose.ts'
import { type Server, startServer } from '../../src/app/server.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { createUser, keyFor } from '../../testing/estates/identities.ts'

let dir: string
let server: Server
let key: string
const entries: string[] = []

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plat-socket-'))
  const env = { DATA_DIR: dir, LISTEN_ADDR: '127.0.0.1:0', RATE_LIMIT_ENABLED: 'false' }
  const log = createLogger({ level: 'warn', format: 'text', write: (entry) => entries.push(entry) })
  const context = { config: loadConfig({ env, cwd: dir }), log, now: () => new Date() }
  // Before the first start, which would create an admin and hash a password.
  const { db, close } = await openDatabase(context)
  const { id } = await createUser(db, { username: 'admin', roles: ['admin'] })
  key = await keyFor(db, id)
  await close()
  server = await startServer(context)
})
afterAll(async () => {
  await server.stop()
  rmSync(dir, { recursive: true })
})

const ANSWER = /HTTP\/1\.1 (\d{3}) /g
type Exchange = { readonly text: string; readonly statuses: readonly string[] }

/**
 * Sends bytes. Returns all received bytes until the server closes the connection.
 * @param isAll whether the sending half is closed then. The server drops the request of a client that does this before the
 * answer is ready.
 */
const exchange = (bytes: string | Uint8Array, isAll = false): Promise<Exchange> =>
  new Promise((resolve) => {
    let text = ''
    const end = () => resolve({ text, statuses: [...text.matchAll(ANSWER)].map(([, status]) => status ?? '') })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      if (isAll) socket.end(bytes)
      else socket.write(bytes)
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    // The server may close the connection while we still send.
    socket.on('error', () => socket.destroy())
    socket.on('close', end)
  })

const request = (head: string, rest = '') => `${head}\r\n\r\n${rest}`
const LAST = 'Connection: close'
/** A request that a body could smuggle. */
const SECOND = request(`GET /healthz HTTP/1.1\r\nHost: x\r\n${LAST}`)

describe('request smuggling is refused:', () => {
  test.each([
    [
      'length and chunks',
      `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked`,
      '0\r\n\r\n',
    ],
    [
      'chunks and length',
      `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4`,
      '0\r\n\r\n',
    ],
    ['two lengths', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 60`, ''],
    ['a list of lengths', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 60`, ''],
    ['a negative length', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: -1`, ''],
    ['a length with a sign', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: +1`, 'x'],
    ['a length in hex', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1`, 'x'],
    ['an endless length', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999`, 'x'],
    ['a blank before the colon', `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length : 60`, ''],
    ['another coding', `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked`, '0\r\n\r\n'],
    ['a coding after chunks', `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity`, '0\r\n\r\n'],
    [
      'two codings',
      `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity`,
      '0\r\n\r\n',
    ],
    [
      'a chunk that is too large',
      `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked`,
      'FFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n',
    ],
    ['a chunk below zero', `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked`, '-1\r\nx\r\n0\r\n\r\n'],
    [
      'a chunk of another size',
      `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked`,
      '1\r\nxyz\r\n0\r\n\r\n',
    ],
    ['chunks with bare line feeds', `POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked`, '0\n\n'],
    ['a folded header', `GET /api/x HTTP/1.1\r\nHost: x\r\nX: a\r\n b`, ''],
  ])('%s', async (_, head, body) => {
    // The route does not exist, so 200 could only be the answer to the second request.
    const { statuses } = await exchange(request(head, body) + SECOND)
    expect(statuses.at(-1)).toBe('400')
  })
})

describe('an invalid HTTP/1.1 request is answered with 4xx or 505, or not at all:', () => {
  test.each<[string, string | Uint8Array]>([
    ['no host', request('GET /healthz HTTP/1.1')],
    ['a blank after Host', request('GET /healthz HTTP/1.1\r\nHost : x')],
    ['bare line feeds', 'GET /healthz HTTP/1.1\nHost: x\n\n'],
    ['bare carriage returns', 'GET /healthz HTTP/1.1\rHost: x\r\r'],
    ['a NUL in a header', request('GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\u0000b')],
    ['a NUL in the path', request('GET /heal\u0000thz HTTP/1.1\r\nHost: x')],
    ['a blank in the path', request('GET /heal thz HTTP/1.1\r\nHost: x')],
    ['no version', request('GET /healthz')],
    ['version 9.9', request('GET /healthz HTTP/9.9\r\nHost: x')],
    ['HTTP/2', request('PRI * HTTP/2.0', 'SM\r\n\r\n')],
    ['a path without a slash', request('GET healthz HTTP/1.1\r\nHost: x')],
    ['a small method', request('get /healthz HTTP/1.1\r\nHost: x')],
    ['a method that is none', request('G@T /healthz HTTP/1.1\r\nHost: x')],
    ['a header of 100 kB', request(`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}`)],
    ['5,000 headers', request(`GET /healthz HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(5000)}X: y`)],
    ['a path of 100 kB', request(`GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x`)],
    ['zeros', new Uint8Array(5000)],
    ['TLS', new Uint8Array([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...new Uint8Array(200)])],
    ['noise', new Uint8Array(Buffer.from('q83vASNFZ4mrze8BI0VniavN7wEjRWeJ'.repeat(50), 'base64'))],
    ['half a request', 'GET /healthz HTT'],
    ['half a body', request(`POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 500`, '{"user')],
    ['nothing', ''],
  ])('%s', async (_, bytes) => {
    const { statuses } = await exchange(bytes, true)
    expect(statuses.filter((status) => !/^(4\d\d|505)$/.test(status))).toEqual([])
  })
})

describe('unusual but valid requests are answered by the application:', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['HTTP/1.0, which has no Host', request('GET /healthz HTTP/1.0'), '200'],
    ['HTTP/1.0 at an API route', request('GET /api/devices HTTP/1.0'), '401'],
    ['an empty Host', request(`GET /healthz HTTP/1.1\r\nHost: \r\n${LAST}`), '200'],
    ['a Host that is none', request(`GET /healthz HTTP/1.1\r\nHost: a b/c?d#e\r\n${LAST}`), '200'],
    ['a Host that is half an address', request(`GET /healthz HTTP/1.1\r\nHost: [::1\r\n${LAST}`), '200'],
    [
      'a Host with a port that is none',
      request(`GET /api/devices?limit=1 HTTP/1.1\r\nHost: x:99999\r\n${LAST}`),
      '401',
    ],
    ['a Host that looks like a path', request(`GET /api/devices HTTP/1.1\r\nHost: x/healthz?\r\n${LAST}`), '401'],
    ['a whole URL', request(`GET http://elsewhere.example/healthz HTTP/1.1\r\nHost: x\r\n${LAST}`), '200'],
    ['two slashes', request(`GET //healthz HTTP/1.1\r\nHost: x\r\n${LAST}`), '400'],
    ['TRACE', request(`TRACE /healthz HTTP/1.1\r\nHost: x\r\n${LAST}`), '405'],
    ['CONNECT', request(`CONNECT elsewhere.example:80 HTTP/1.1\r\nHost: x\r\n${LAST}`), '405'],
    ['percent signs', request(`GET /api/%zz%?%=% HTTP/1.1\r\nHost: x\r\n${LAST}`), '404'],
    [
      'bytes that are no UTF-8',
      new Uint8Array([
        ...Buffer.from('GET /api/'),
        0xff,
        0xfe,
        ...Buffer.from(request(` HTTP/1.1\r\nHost: x\r\n${LAST}`)),
      ]),
      '404',
    ],
  ])('%s', async (_, bytes, status) => {
    expect((await exchange(bytes)).statuses).toEqual([status])
  })

  // A reverse proxy has applied its rules to the path that was sent, and to one of the hosts.
  test.each([
    ['dot segments', '/../../etc/passwd', 'Host: x'],
    ['encoded dot segments', '/api/%2e%2e/%2e%2e/etc/passwd', 'Host: x'],
    ['encoded dot segments before a route', '/static/%2e%2e/healthz', 'Host: x'],
    ['encoded dot segments and a broken Host', '/api/%2e%2e/healthz', 'Host: [::1'],
    ['two Hosts', '/healthz', 'Host: x\r\nHost: y'],
    ['the same Host twice', '/healthz', 'Host: x\r\nHost: x'],
  ])('%s: 400, as the contract has it', async (_, path, host) => {
    const { statuses, text } = await exchange(request(`GET ${path} HTTP/1.1\r\n${host}\r\n${LAST}`))
    expect([statuses, text.includes('"code":"INVALID_INPUT"')]).toEqual([['400'], true])
  })

  test('with a broken Host, signed in, with a query', async () => {
    const head = `GET /api/datacenters?limit=1 HTTP/1.1\r\nHost: [::1\r\nAuthorization: Bearer ${key}\r\n${LAST}`
    expect((await exchange(request(head))).text).toEndWith('[]')
  })

  test('with a broken Host and a body', async () => {
    const body = '{"name":"x"}'
    const head = `POST /api/datacenters HTTP/1.1\r\nHost: [::1\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n${LAST}`
    expect((await exchange(request(head, body))).statuses).toEqual(['201'])
  })

  test('several at once, each with its own answer, in order', async () => {
    const first = request('GET /healthz HTTP/1.1\r\nHost: x')
    const second = request('GET /api/x HTTP/1.1\r\nHost: x')
    const last = request(`GET /readyz HTTP/1.1\r\nHost: x\r\n${LAST}`)
    expect((await exchange(first + second + last)).statuses).toEqual(['200', '404', '200'])
  })
})

describe('a large body', () => {
  const post = (head: string, body: string) =>
    exchange(
      request(`POST /api/datacenters HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${LAST}\r\n${head}`, body),
    )

  test('of a declared length is 413', async () => {
    expect((await post(`Content-Length: ${2 ** 21}`, 'x'.repeat(2 ** 21))).statuses).toEqual(['413'])
  })
  test('in chunks is 413', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    expect((await post('Transfer-Encoding: chunked', `${chunk.repeat(32)}0\r\n\r\n`)).statuses).toEqual(['413'])
  })
  test('of a guest is not waited for', async () => {
    const head = `POST /api/datacenters HTTP/1.1\r\nHost: x\r\n${LAST}\r\nContent-Length: ${2 ** 21}`
    expect((await exchange(request(head, 'x'.repeat(1000)))).statuses).toEqual(['401'])
  })
})

test('a URL of more than 16 KiB is a 431 without a body, as the API document says', async () => {
  const answers = await Promise.all(
    [16_000, 16_384].map(async (length) => {
      const response = await fetch(`${server.url}/healthz?${'x'.repeat(length)}`)
      return [response.status, await response.text()]
    }),
  )
  expect(answers).toEqual([
    [200, 'ok'],
    [431, ''],
  ])
})

test('after all of that the server is up, and its log has no error of the server', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(entries).toEqual([])
})
