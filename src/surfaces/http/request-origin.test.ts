// The origin that URLs in answers begin with.
import { expect, test } from 'bun:test'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { createOriginReader } from './request-origin.ts'

const PROXY = '10.0.0.1'
const TRUST = {
  trustProxy: true,
  trustedProxies: [parseCidrOrThrow('10.0.0.0/24')],
  trustedProxyHeader: 'x-forwarded-for',
}

test.each([
  ['its host', { host: 'plat.example.com' }, 'http://plat.example.com'],
  ['its host and port', { host: 'plat.example.com:8080' }, 'http://plat.example.com:8080'],
  ['the host in lower case', { host: 'PLAT.example.com' }, 'http://plat.example.com'],
  ['an IPv6 address', { host: '[2001:db8::7]:8080' }, 'http://[2001:db8::7]:8080'],
  ['a forwarded scheme', { host: 'a', 'x-forwarded-proto': 'https' }, 'https://a'],
  ['a forwarded host', { host: 'a', 'x-forwarded-host': 'b.example:8443' }, 'http://b.example:8443'],
  [
    'the entry of the nearest proxy',
    { host: 'a', 'x-forwarded-host': 'evil, b', 'x-forwarded-proto': 'http, https' },
    'https://b',
  ],
  ['no scheme but http and https', { host: 'a', 'x-forwarded-proto': 'javascript' }, 'http://a'],
  ['no host that is none', { host: 'a"b' }, 'http://localhost'],
  ['no host', {}, 'http://localhost'],
])('a request behind a trusted proxy tells %s', (_, headers, origin) => {
  expect(createOriginReader(TRUST)(PROXY, new Headers(headers))).toBe(origin)
})

test.each([
  ['another peer', TRUST, '192.0.2.9'],
  ['an unknown peer', TRUST, ''],
  ['a server that trusts no proxy', { ...TRUST, trustProxy: false }, PROXY],
])('forwarding headers of %s do not count', (_, trust, peer) => {
  const headers = new Headers({ host: 'a', 'x-forwarded-host': 'b', 'x-forwarded-proto': 'https' })
  expect(createOriginReader(trust)(peer, headers)).toBe('http://a')
})

test.each([
  [{ host: 'plat.example.com' }, 'https://plat.example.com:8443'],
  [{ host: 'plat.example.com:8443' }, 'https://plat.example.com:8443'],
  [{ host: 'a', 'x-forwarded-host': 'plat.example.com' }, 'https://plat.example.com:8443'],
  [{ host: '10.1.2.3:8080' }, 'http://10.1.2.3:8080'],
])('with a public URL, %p is reached at %s', (headers, origin) => {
  const readOrigin = createOriginReader({ ...TRUST, publicUrl: 'https://plat.example.com:8443' })
  expect(readOrigin(PROXY, new Headers(headers))).toBe(origin)
})
