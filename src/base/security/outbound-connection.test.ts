/** Requests with settings of their own: authorities, fingerprints, client certificates and local sockets, against servers on loopback. */
import { afterAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate, type KeyPair } from '../../../testing/certificates.ts'
import { createOutbound, type OutboundRequest } from './outbound.ts'
import type { ConnectionSettings, PeerCertificate } from './outbound-connection.ts'
import { createListedTargetRules, createTargetRules, OutboundError, type TargetRules } from './outbound-target.ts'

const HOST = '127.0.0.5'
const rules: TargetRules = {
  allowsPrivate: false,
  reach: (ip) => (ip === HOST ? 'public' : 'blocked'),
  resolve: async (name) => (name === 'system.test' ? [HOST] : []),
}

const authority = createCertificate({ name: 'An authority' })
const byAuthority = createCertificate({ name: 'system', alternatives: 'DNS:system.test', authority })
const ofAddress = createCertificate({ name: 'system', alternatives: `IP:${HOST}`, authority })
const expired = createCertificate({ name: 'system', alternatives: 'DNS:system.test', authority, isExpired: true })
const own = createCertificate({ name: 'Own\u0007', alternatives: 'DNS:elsewhere.test' })
const client = createCertificate({ name: 'a client', authority })
const stranger = createCertificate({ name: 'a stranger' })
const getFingerprint = ({ cert }: KeyPair) => new X509Certificate(cert).fingerprint256

const servers: { close: () => unknown; closeAllConnections?: () => void }[] = []
let requests: string[] = []
const answer: RequestListener = (request, response) => {
  requests.push(`${request.method} ${request.headers.host} ${request.url}`)
  if (request.url === '/to') response.writeHead(302, { location: 'https://elsewhere.test/' }).end()
  else if (request.url === '/cut') {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half')
    response.socket?.end()
  } else if (request.url === '/silent') return
  else response.end('hello')
}
const listen = async <S extends Server | ReturnType<typeof createSecureServer>>(server: S): Promise<number> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  // A server that listens on TCP has this kind of address.
  return (server.address() as AddressInfo).port
}
const secure = (pair: KeyPair, more: ServerOptions = {}) => listen(createSecureServer({ ...pair, ...more }, answer))

const ports = {
  byAuthority: await secure(byAuthority),
  ofAddress: await secure(ofAddress),
  expired: await secure(expired),
  own: await secure(own),
  forClients: await secure(byAuthority, { ca: [authority.cert], requestCert: true, rejectUnauthorized: true }),
  plain: await listen(createServer(answer)),
}
const dir = mkdtempSync(join(tmpdir(), 'socket-'))
const unixPath = join(dir, 'system.sock')
const local = createServer(answer)
servers.push(local)
await new Promise<void>((resolve) => local.listen(unixPath, resolve))

afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections?.()
  }
  rmSync(dir, { recursive: true })
})

const ask = async (url: string, connection: ConnectionSettings = {}, more: Partial<OutboundRequest> = {}) => {
  requests = []
  const { exchange } = createOutbound({ rules, connection })
  const { status, body } = await exchange({ url, method: 'GET', headers: {}, timeoutMs: 10_000, ...more })
  return `${status} ${Buffer.from(body)}`
}
/** Returns why a request failed, and how many requests the servers got. */
const fail = async (...given: Parameters<typeof ask>) => {
  const error = await ask(...given).catch((thrown: unknown) => thrown)
  if (!(error instanceof OutboundError)) throw new Error(`Not refused: ${error}`)
  return { failure: error.failure, message: error.message, requests: requests.length }
}

describe('authorities', () => {
  test('a certificate of a given authority is trusted by its name', async () => {
    expect(await ask(`https://system.test:${ports.byAuthority}/a?b=c`, { ca: authority.cert })).toBe('200 hello')
    expect(requests).toEqual([`GET system.test:${ports.byAuthority} /a?b=c`])
  })

  test('a certificate of a given authority is trusted by its address', async () => {
    expect(await ask(`https://${HOST}:${ports.ofAddress}/`, { ca: authority.cert })).toBe('200 hello')
  })

  test.each([
    ['of an unknown authority', `https://system.test:${ports.byAuthority}/`, {}, byAuthority],
    ['for another name', `https://${HOST}:${ports.byAuthority}/`, { ca: authority.cert }, byAuthority],
    ['that has expired', `https://system.test:${ports.expired}/`, { ca: authority.cert }, expired],
    ['that signs itself', `https://system.test:${ports.own}/`, { ca: authority.cert }, own],
  ])(
    'a certificate %s is refused before anything is sent, and its fingerprint is shown',
    async (_, url, settings, pair) => {
      const { failure, message, requests: count } = await fail(url, settings)
      expect([failure, count]).toEqual(['tls', 0])
      expect(message).toContain(getFingerprint(pair))
    },
  )

  test('the reason of a refusal says that a certificate has expired', async () => {
    const { message } = await fail(`https://system.test:${ports.expired}/`, { ca: authority.cert })
    expect(message).toMatch(/expired/i)
  })

  test('a server without TLS is refused', async () => {
    expect((await fail(`https://system.test:${ports.plain}/`)).failure).toBe('tls')
  })
})

test('an authority in the store of the system is trusted without settings', async () => {
  const file = join(dir, 'store.pem')
  writeFileSync(file, authority.cert)
  const url = `https://${HOST}:${ports.ofAddress}/`
  const program = `
    const { createOutbound } = await import('${join(import.meta.dirname, 'outbound.ts')}')
    const rules = { allowsPrivate: false, reach: () => 'public', resolve: async () => [] }
    const { exchange } = createOutbound({ rules, connection: {} })
    const { status } = await exchange({ url: '${url}', method: 'GET', headers: {}, timeoutMs: 20_000 })
    process.stdout.write(String(status))`
  // The store is read once a process.
  const run = async (env: Readonly<Record<string, string>>) => {
    const child = Bun.spawn([process.execPath, '-e', program], { env: { ...env }, stdout: 'pipe', stderr: 'ignore' })
    return new Response(child.stdout).text()
  }
  expect(await run({ SSL_CERT_FILE: file })).toBe('200')
  expect(await run({})).toBe('')
})

describe('a fingerprint', () => {
  test.each([
    ['that signs itself', ports.own, own],
    ['for another name', ports.ofAddress, ofAddress],
    ['that has expired', ports.expired, expired],
  ])('trusts a certificate %s', async (_, port, pair) => {
    expect(await ask(`https://system.test:${port}/`, { fingerprint: getFingerprint(pair) })).toBe('200 hello')
  })

  test('refuses every other certificate, also one of a trusted authority', async () => {
    const settings = { fingerprint: getFingerprint(own), ca: authority.cert }
    const { failure, message, requests: count } = await fail(`https://system.test:${ports.byAuthority}/`, settings)
    expect([failure, count]).toEqual(['tls', 0])
    expect(message).toContain(`its SHA-256 is ${getFingerprint(byAuthority)}`)
  })
})

describe('the certificate', () => {
  test('reaches its caller whether it is trusted or refused, on one line', async () => {
    const seen: PeerCertificate[] = []
    const settings = { onCertificate: (certificate: PeerCertificate) => void seen.push(certificate) }
    await fail(`https://system.test:${ports.own}/`, settings)
    await ask(`https://system.test:${ports.byAuthority}/`, { ...settings, ca: authority.cert })
    expect(seen.map(({ sha256 }) => sha256)).toEqual([getFingerprint(own), getFingerprint(byAuthority)])
    expect(seen[1]).toMatchObject({
      subject: 'CN=system',
      issuer: 'CN=An authority',
      not_after: '2099-01-01T00:00:00.000Z',
    })
    expect(seen.map(({ subject }) => subject).filter((subject) => /\p{Cc}/u.test(subject))).toEqual([])
  })
})

describe('a client certificate', () => {
  const url = `https://system.test:${ports.forClients}/`
  const trusted = { ca: authority.cert }

  test('lets a request in that shows it', async () => {
    const settings = { ...trusted, clientCertificate: client.cert, clientKey: client.key }
    expect(await ask(url, settings)).toBe('200 hello')
  })

  test('of another authority is refused by the server', async () => {
    const settings = { ...trusted, clientCertificate: stranger.cert, clientKey: stranger.key }
    expect((await fail(url, settings)).requests).toBe(0)
  })

  test.each([
    ['that is no PEM', 'a text', client.key],
    ['with a key that is no PEM', client.cert, 'a text that is a secret'],
    ['with the key of another one', client.cert, stranger.key],
  ])('%s is an error of TLS, which does not show the key', async (_, clientCertificate, clientKey) => {
    const failed = await fail(url, { ...trusted, clientCertificate, clientKey })
    expect([failed.failure, failed.requests]).toEqual(['tls', 0])
    expect(failed.message).not.toContain(clientKey.split('\n')[1] ?? clientKey)
  })

  test('that is missing is refused by the server', async () => {
    expect(await fail(url, trusted)).toMatchObject({ failure: 'tls', requests: 0 })
  })
})

describe('a local socket', () => {
  test('is asked in place of an address', async () => {
    expect(await ask('http://localhost/version', { unixPath })).toBe('200 hello')
    expect(requests).toEqual(['GET localhost /version'])
  })

  test('without a listener is unreachable', async () => {
    expect((await fail('http://localhost/', { unixPath: join(dir, 'nobody.sock') })).failure).toBe('unreachable')
  })
})

describe('an answer', () => {
  const at = (path: string) => `http://system.test:${ports.plain}${path}`

  test('that is a redirect is returned, and not followed', async () => {
    expect(await ask(at('/to'))).toBe('302 ')
    expect(requests).toHaveLength(1)
  })

  test('that ends before its length is unreachable', async () => {
    expect((await fail(at('/cut'))).failure).toBe('unreachable')
  })

  test('that does not come is a timeout', async () => {
    expect(await fail(at('/silent'), {}, { timeoutMs: 200 })).toMatchObject({
      failure: 'timeout',
      message: 'no answer within 0.2 s',
    })
  })

  test('of a server that does not finish its handshake is a timeout', async () => {
    const mute = createPlainServer(() => {})
    servers.push(mute)
    await new Promise<void>((resolve) => mute.listen(0, HOST, resolve))
    // As above.
    const { port } = mute.address() as AddressInfo
    expect((await fail(`https://system.test:${port}/`, {}, { timeoutMs: 200 })).failure).toBe('timeout')
  })

  test('of a port without a listener is unreachable', async () => {
    const closed = createPlainServer()
    await new Promise<void>((resolve) => closed.listen(0, HOST, resolve))
    // As above.
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    expect((await fail(`https://system.test:${port}/`)).failure).toBe('unreachable')
    expect((await fail(`http://system.test:${port}/`)).failure).toBe('unreachable')
  })

  test('of a host that is not allowed is refused', async () => {
    expect((await fail(`http://127.0.0.9:${ports.plain}/`)).failure).toBe('refused')
    expect((await fail('http://unknown.test/')).failure).toBe('unreachable')
  })
})

describe('listed addresses', () => {
  const listed = createListedTargetRules(
    { ...createTargetRules(false), privateSetting: 'allow_private' },
    // A block of the parser.
    { listed: [{ family: 4, prefix: 32, first: 0x7f000005n, last: 0x7f000005n }], exceptions: 'SOME_TARGETS' },
  )
  const { problem } = createOutbound({ rules: listed })

  test.each([
    ['http://127.0.0.5/', undefined],
    ['http://127.0.0.6/', 'that SOME_TARGETS does not list'],
    ['http://[::ffff:127.0.0.5]/', 'that SOME_TARGETS does not list'],
    ['http://10.0.0.1/', 'only with allow_private, or listed in SOME_TARGETS'],
    ['http://localhost/', 'list its address in SOME_TARGETS'],
  ])('%s: %p', async (url, wanted) => {
    const found = await problem(url)
    if (wanted === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(wanted)
  })
})
