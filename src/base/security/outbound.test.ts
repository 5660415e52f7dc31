/** Validates targets as text, behind names and after redirects. The connection goes to the validated address. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createOutbound, type OutboundRequest } from './outbound.ts'
import {
  checkTarget,
  createNamedTargetRules,
  createTargetRules,
  getHost,
  parseTarget,
  type TargetRules,
} from './outbound-target.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  pub: ['93.184.215.14'],
  metadata: ['169.254.169.254'],
  loop6: ['::1'],
  mapped: ['::ffff:169.254.169.254'],
  nat64: ['64:ff9b::7f00:1'],
  zone: ['fe80::1'],
  inside: ['10.1.2.3'],
  mixed: ['93.184.215.14', '127.0.0.1'],
  both: ['93.184.215.14', '192.168.0.9'],
  ula: ['fd00::1'],
}
const rulesWith = (allowsPrivate: boolean): TargetRules => ({
  ...createTargetRules(allowsPrivate),
  resolve: async (name) => {
    const found = NAMES[name]
    if (!found) throw new Error('ENOTFOUND')
    return found
  },
})

type Verdict = 'allowed' | 'private' | 'blocked' | 'refused'
const verdict = async (url: string): Promise<Verdict> => {
  try {
    parseTarget(url)
  } catch {
    return 'refused'
  }
  if ((await checkTarget(rulesWith(true), url)) !== undefined) return 'blocked'
  return (await checkTarget(rulesWith(false), url)) === undefined ? 'allowed' : 'private'
}

const TABLE: Readonly<Record<Verdict, readonly string[]>> = {
  allowed: [
    'http://93.184.215.14/',
    'http://203.0.113.7/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'http://1.2.3/',
    'http://[::ffff:93.184.215.14]/',
    'http://[64:ff9b::5db8:d70e]/',
    'http://pub/',
    'http://pub#@127.0.0.1/',
    'https://pub:8443/hook?a=b',
    // Validated before each use.
    'http://nxdomain.example/',
    `http://pub/${'a'.repeat(2048 - 'http://pub/'.length)}`,
  ],
  private: [
    'http://10.0.0.5/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:0a00:0001::]/',
    'http://[fd12:3456::1]/',
    'http://[fec0::1]/',
    'http://inside/',
    'http://both/',
    'http://ula/',
  ],
  blocked: [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.255.255.254:8080/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://foo.localhost/',
    'http://0/',
    'http://0.0.0.0:22/',
    'http://0.1.2.3/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://169.254.169.254/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:5db8:d70e:0:0:80ff:fffe]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://127.0.0.1\\@pub/',
    'http://metadata/',
    'http://loop6/',
    'http://mapped/',
    'http://nat64/',
    'http://zone/',
    'http://mixed/',
  ],
  refused: [
    '',
    'ftp://pub/',
    'file:///etc/passwd',
    'gopher://pub/',
    'javascript:alert(1)',
    '//pub/',
    'http:pub',
    'http:\\\\pub',
    'http://',
    'http://pub@127.0.0.1/',
    'http://user:secret@pub/',
    'http://@pub/',
    'http://pub%2f@127.0.0.1/',
    'http://[::1/',
    'http://[fe80::1%25eth0]/',
    'http://256.1.1.1/',
    'http://08.8.8.8/',
    'http://1.2.3.4.5/',
    'http://pub:0/',
    'http://pub:65536/',
    ' http://pub/',
    'http://pub/\n',
    'http://p\tub/',
    'http://pub/\r\nX: 1',
    `http://pub/${'a'.repeat(2049 - 'http://pub/'.length)}`,
  ],
}

describe.each(Object.entries(TABLE))('is %s', (wanted, urls) => {
  test.each(urls)('%p', async (url) => {
    expect(await verdict(url)).toBe(wanted as Verdict)
  })
})

/** Stand-ins on loopback for an external host and an internal one. Every other loopback address is blocked as usual. */
const OUTSIDE = '127.0.0.5'
const INSIDE = '127.0.0.6'
const seen: { url: string; address: string; headers: IncomingMessage['headers']; body: string }[] = []
const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()

const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
  const url = request.url ?? ''
  seen.push({
    url,
    address: request.socket.localAddress ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  })
  const answer = answers.get(url)
  if (answer) answer(request, response)
  else response.end('hello')
}
const listening = async (host: string) => {
  const server = createServer((request, response) => void onRequest(request, response))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return { server, port: (server.address() as AddressInfo).port }
}
const outside = await listening(OUTSIDE)
const inside = await listening('127.0.0.9')

const generated = Bun.spawnSync([
  'openssl',
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
  ...['-subj', '/CN=hook.test', '-addext', 'subjectAltName=DNS:hook.test', '-keyout', '-', '-out', '-'],
]).stdout.toString()
const key = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(generated)?.[0] ?? ''
const cert = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(generated)?.[0] ?? ''
const secure = createSecureServer({ key, cert }, (request, response) => void onRequest(request, response))
await new Promise<void>((resolve) => secure.listen(0, OUTSIDE, resolve))
const securePort = (secure.address() as AddressInfo).port

afterAll(() => {
  for (const { server } of [outside, inside]) {
    server.close()
    server.closeAllConnections()
  }
  secure.close()
  secure.closeAllConnections()
})

let lookups: string[] = []
const wireRules: TargetRules = {
  allowsPrivate: false,
  reach: (ip) => (ip === OUTSIDE ? 'public' : ip === INSIDE ? 'private' : 'blocked'),
  resolve: async (name) => {
    lookups.push(name)
    const found = { 'hook.test': [OUTSIDE], 'other.test': [OUTSIDE], 'evil.test': ['127.0.0.9'] }[name]
    if (!found) throw new Error('ENOTFOUND')
    return found
  },
}
const outbound = createOutbound({ rules: wireRules, ca: [cert] })
const at = (path: string, name = 'hook.test') => `http://${name}:${outside.port}${path}`
const post = (url: string, more: Partial<OutboundRequest> = {}) => {
  lookups = []
  seen.length = 0
  return outbound.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ownHeaders: { 'x-token': 'abc' },
    body: Buffer.from('{"a":1}'),
    timeoutMs: 3000,
    ...more,
  })
}
const redirect = (path: string, status: number, location: string) =>
  answers.set(path, (_, response) => response.writeHead(status, { location }).end())

describe('a request', () => {
  test('goes to the judged address with the name in Host, and asks the resolver once', async () => {
    const { status, body } = await post(at('/plain'))
    expect([status, Buffer.from(body).toString()]).toEqual([200, 'hello'])
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ address: OUTSIDE, body: '{"a":1}' })
    expect(seen[0]?.headers).toMatchObject({
      host: `hook.test:${outside.port}`,
      'x-token': 'abc',
      'content-length': '7',
    })
    expect(lookups).toEqual(['hook.test'])
  })

  test('does not ask the proxy of the environment', async () => {
    const { HTTP_PROXY: before } = process.env
    process.env.HTTP_PROXY = `http://127.0.0.9:${inside.port}`
    try {
      expect((await post(at('/plain'))).status).toBe(200)
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY
      else process.env.HTTP_PROXY = before
    }
    expect(seen.map(({ address }) => address)).toEqual([OUTSIDE])
  })

  test.each([301, 302, 307, 308])('follows %d with the same bytes, and judges the target again', async (status) => {
    redirect('/moved', status, '/plain')
    expect((await post(at('/moved'))).status).toBe(200)
    expect(seen.map(({ url, body }) => [url, body])).toEqual([
      ['/moved', '{"a":1}'],
      ['/plain', '{"a":1}'],
    ])
    expect(lookups).toEqual(['hook.test', 'hook.test'])
  })

  test('ends at 303, which asks for another method', async () => {
    redirect('/see', 303, '/plain')
    expect((await post(at('/see'))).status).toBe(303)
  })

  test('keeps its own headers from another origin', async () => {
    redirect('/away', 307, at('/plain', 'other.test'))
    await post(at('/away'))
    expect(seen.map(({ headers }) => headers['x-token'])).toEqual(['abc', undefined])
    expect(seen[1]?.headers['content-type']).toBe('application/json')
  })

  test.each([
    ['a loopback address', () => `http://127.0.0.9:${inside.port}/plain`],
    ['the metadata service', () => 'http://169.254.169.254/latest'],
    ['a name that is inside', () => `http://evil.test:${inside.port}/plain`],
    ['a private address', () => `http://${INSIDE}:${outside.port}/`],
    ['another scheme', () => 'file:///etc/passwd'],
    ['a user and a password', () => `http://a:b@hook.test:${outside.port}/plain`],
  ])('is not redirected to %s', async (_, target) => {
    redirect('/trap', 302, target())
    await expect(post(at('/trap'))).rejects.toThrow(/is refused as|private address|must begin|user name/)
    expect(seen.map(({ url }) => url)).toEqual(['/trap'])
  })

  test('ends after five redirects', async () => {
    redirect('/loop', 302, '/loop')
    await expect(post(at('/loop'))).rejects.toThrow('more than 5 redirects')
    expect(seen).toHaveLength(6)
  })

  test('fails when the name resolves to nothing, or by now to a blocked address', async () => {
    await expect(post('http://gone.test/')).rejects.toThrow('gone.test does not resolve')
    await expect(post(`http://evil.test:${inside.port}/`)).rejects.toThrow('is refused as a loopback')
    expect(seen).toEqual([])
  })

  test('ends at its deadline with a peer that is silent', async () => {
    answers.set('/silent', () => {})
    await expect(post(at('/silent'), { timeoutMs: 200 })).rejects.toThrow('no answer within 0.2 s')
  })

  test('ends at its deadline with a peer that drips', async () => {
    answers.set('/drip', (_, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    await expect(post(at('/drip'), { timeoutMs: 300 })).rejects.toThrow('no answer within 0.3 s')
  })

  test('ends at its deadline with a resolver that is silent', async () => {
    const deaf = createOutbound({ rules: { ...wireRules, resolve: () => new Promise(() => {}) } })
    const request = { url: 'http://hook.test/', method: 'GET' as const, headers: {}, timeoutMs: 150 }
    await expect(deaf.send(request)).rejects.toThrow('no answer within 0.15 s')
  })

  test('reads 64 KiB of an endless answer and closes it', async () => {
    let isClosed = false
    const closed = Promise.withResolvers<void>()
    answers.set('/endless', (_, response) => {
      const more = () => {
        while (!isClosed && response.write('x'.repeat(65_536)));
        response.once('drain', more)
      }
      response.on('close', () => {
        isClosed = true
        closed.resolve()
      })
      more()
    })
    const { body, isCut } = await post(at('/endless'))
    expect([body.length, isCut]).toEqual([65_536, true])
    await closed.promise
  })

  test('can be aborted by its caller', async () => {
    const abort = new AbortController()
    answers.set('/abandoned', () => abort.abort())
    await expect(post(at('/abandoned'), { signal: abort.signal })).rejects.toThrow('could not be reached')
  })
})

describe('over TLS', () => {
  const secureAt = (path: string, name: string) => `https://${name}:${securePort}${path}`

  test('the name is asked for and the certificate is checked against it', async () => {
    expect((await post(secureAt('/plain', 'hook.test'))).status).toBe(200)
  })

  test('a certificate for another name is refused', async () => {
    await expect(post(secureAt('/plain', 'other.test'))).rejects.toThrow('could not be reached')
    expect(seen).toEqual([])
  })

  test('an address is refused unless the certificate names it', async () => {
    await expect(post(secureAt('/plain', OUTSIDE))).rejects.toThrow('could not be reached')
    expect(seen).toEqual([])
  })

  test('a redirect to http is refused', async () => {
    redirect('/down', 307, at('/plain'))
    await expect(post(secureAt('/down', 'hook.test'))).rejects.toThrow('redirects from https to http')
  })

  test('an unknown authority is refused', async () => {
    const strict = createOutbound({ rules: wireRules })
    const request = { url: secureAt('/plain', 'hook.test'), method: 'GET' as const, headers: {}, timeoutMs: 3000 }
    await expect(strict.send(request)).rejects.toThrow('could not be reached')
  })
})

test('the host of a URL is normalized for the resolver', () => {
  expect([new URL('http://[::1]:80/'), new URL('http://Host.Example./')].map(getHost)).toEqual(['::1', 'host.example'])
})

describe('an exchange', () => {
  test('returns headers and the redirect, which it does not follow', async () => {
    redirect('/to-idp', 302, 'http://evil.test/')
    seen.length = 0
    const headers = { accept: 'application/json' }
    const answer = await outbound.exchange({ url: at('/to-idp'), method: 'GET', headers, timeoutMs: 3000 })
    expect([answer.status, answer.headers.get('location'), seen.length]).toEqual([302, 'http://evil.test/', 1])
  })
})

test.each([
  ['http://10.0.0.1/', true, true],
  ['http://127.0.0.1/', false, true],
  ['http://[::1]/', false, true],
  ['http://localhost/', false, true],
  ['http://169.254.169.254/', false, false],
  ['http://0.0.0.0/', false, false],
])('a target that an administrator names: %s is allowed %p, with loopback %p', async (url, without, withLoopback) => {
  const rules = { ...rulesWith(false), resolve: async () => ['127.0.0.1'] }
  const isAllowed = async (allowsLoopback: boolean) =>
    (await checkTarget(createNamedTargetRules(rules, { allowsLoopback }), url)) === undefined
  expect([await isAllowed(false), await isAllowed(true)]).toEqual([without, withLoopback])
})
