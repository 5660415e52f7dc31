/** Which DNS servers may be reached: the rules of other outgoing requests, and the addresses of DNS_SERVERS. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { createTargetRules, type TargetRules } from '../../base/security/outbound-target.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { createDnsConnector } from './connector.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'pub.example': ['93.184.215.14'],
  'inside.example': ['10.1.2.3'],
  'loop.example': ['127.0.0.1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'both.example': ['127.0.0.2', '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
}
const connectorOf = (servers: readonly string[], allowsPrivate = false) => {
  const rules: TargetRules = {
    ...createTargetRules(allowsPrivate),
    resolve: async (name) => {
      const found = NAMES[name]
      if (!found) throw new Error('ENOTFOUND')
      return found
    },
  }
  return createDnsConnector({ rules, servers: servers.map(parseCidrOrThrow) })
}

const server = createServer((socket) => socket.end('x'))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const address = server.address()
const port = address !== null && typeof address === 'object' ? address.port : 0

describe('a host', () => {
  test.each([
    ['93.184.215.14', [], false],
    ['pub.example', [], false],
    ['pub.example.', [], false],
    // Validated when it is used.
    ['later.example', [], false],
    ['10.1.2.3', [], true],
    ['inside.example', [], true],
    ['10.1.2.3', ['10.0.0.0/8'], false],
    ['inside.example', ['10.1.2.3/32'], false],
    ['127.0.0.1', ['127.0.0.1/32'], false],
    ['::1', ['::1/128'], false],
    ['loop.example', ['127.0.0.0/8'], false],
    ['mixed.example', ['127.0.0.0/8'], false],
  ] as const)('%s is allowed with DNS_SERVERS=%p', async (host, servers, allowsPrivate) => {
    expect(await connectorOf(servers, allowsPrivate).problem(host)).toBeUndefined()
  })

  test.each([
    ['10.1.2.3', [], false, 'private address: only with SSRF_ALLOW_PRIVATE_TARGETS=true, or listed in DNS_SERVERS'],
    ['inside.example', ['10.1.2.4/32'], false, 'inside.example is 10.1.2.3, which is a private address'],
    ['127.0.0.1', [], true, 'loopback, link-local, multicast or reserved address that DNS_SERVERS does not list'],
    ['loop.example', ['10.0.0.0/8'], true, 'loop.example is 127.0.0.1, which is refused as a loopback'],
    ['mixed.example', [], true, 'mixed.example is 127.0.0.1, which is refused'],
    ['mapped.example', ['127.0.0.1/32'], true, 'refused as a loopback'],
    ['metadata.example', ['127.0.0.1/32'], true, 'refused as a loopback, link-local'],
    ['localhost', ['127.0.0.0/8'], true, 'list its address in DNS_SERVERS'],
    ['ns.localhost.', ['127.0.0.0/8'], true, 'list its address in DNS_SERVERS'],
    ['', [], true, 'must be an IP address or a host name'],
    ['a b', [], true, 'must be an IP address or a host name'],
    ['fe80::1%eth0', [], true, 'must be an IP address or a host name'],
    ['[::1]', ['::1/128'], true, 'must be an IP address or a host name'],
    ['pub.example:53', [], true, 'must be an IP address or a host name'],
  ] as const)('%s is refused with DNS_SERVERS=%p', async (host, servers, allowsPrivate, text) => {
    const connector = connectorOf(servers, allowsPrivate)
    expect(await connector.problem(host)).toContain(text)
    const error = await connector.connect({ host, port }, new AbortController().signal).catch((one: unknown) => one)
    expect(error).toMatchObject({ name: 'DnsError', kind: 'blocked' })
  })
})

describe('a connection', () => {
  const signal = new AbortController().signal
  const firstBytes = async (host: string) => {
    const connection = await connectorOf(['127.0.0.0/8']).connect({ host, port }, signal)
    for await (const chunk of connection) return Buffer.from(chunk).toString()
    return ''
  }

  test('goes to the address of the name', async () => {
    expect(await firstBytes('loop.example')).toBe('x')
  })

  test('goes to the next address if one does not accept', async () => {
    expect(await firstBytes('both.example')).toBe('x')
  })

  test('to a name that does not resolve is an error', async () => {
    const work = connectorOf([]).connect({ host: 'later.example', port }, signal)
    const error = await work.catch((failure: unknown) => failure)
    expect(error).toMatchObject({ kind: 'no_connection', message: 'later.example does not resolve' })
  })

  test('is not made after an abort', async () => {
    const aborted = AbortSignal.abort(new Error('shutdown'))
    const work = connectorOf(['127.0.0.0/8']).connect({ host: 'loop.example', port }, aborted)
    expect(await work.catch((error: unknown) => error)).toMatchObject({ message: 'shutdown' })
  })
})
