/** The address for which a request is counted. */
import { describe, expect, test } from 'bun:test'
import { parseCidr } from '../../net/cidr.ts'
import { getClientAddress, limitKey } from './client-address.ts'

const proxies = ['10.0.0.0/8', '2001:db8::1/128'].flatMap((text) => parseCidr(text) ?? [])
const trusting = { trustProxy: true, trustedProxies: proxies, trustedProxyHeader: 'x-forwarded-for' }

type Case = { says: string; peer: string; headers: Record<string, string>; client: string }

const cases: Case[] = [
  { says: 'the peer, without headers', peer: '192.0.2.7', headers: {}, client: '192.0.2.7' },
  { says: 'the IPv4 address of a mapped peer', peer: '::ffff:192.0.2.7', headers: {}, client: '192.0.2.7' },
  { says: 'the peer without its zone', peer: 'fe80::1%eth0', headers: {}, client: 'fe80::1' },
  {
    says: 'an untrusted peer itself',
    peer: '192.0.2.7',
    headers: { 'x-forwarded-for': '198.51.100.1' },
    client: '192.0.2.7',
  },
  {
    says: 'the rightmost entry',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '1.1.1.1, 198.51.100.1' },
    client: '198.51.100.1',
  },
  {
    says: 'an entry with a port',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '198.51.100.1:4711' },
    client: '198.51.100.1',
  },
  {
    says: 'an entry in brackets',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '[2001:db8::9]:443' },
    client: '2001:db8::9',
  },
  {
    says: 'the proxy, for an entry without sense',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': 'unknown' },
    client: '10.0.0.1',
  },
  { says: 'X-Real-IP', peer: '10.0.0.1', headers: { 'x-real-ip': '198.51.100.2' }, client: '198.51.100.2' },
  {
    says: 'X-Forwarded-For rather than X-Real-IP',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '198.51.100.2' },
    client: '198.51.100.1',
  },
  {
    says: 'the rightmost entry that is no trusted proxy',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 10.0.0.9, 2001:db8::1' },
    client: '198.51.100.1',
  },
  {
    says: 'the leftmost of trusted proxies alone',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '10.0.0.8, 10.0.0.9' },
    client: '10.0.0.8',
  },
  {
    says: 'the proxy, for an entry without sense before a trusted one',
    peer: '10.0.0.1',
    headers: { 'x-forwarded-for': '1.1.1.1, unknown, 10.0.0.9' },
    client: '10.0.0.1',
  },
  {
    says: 'whom a mapped trusted proxy names',
    peer: '::ffff:10.0.0.1',
    headers: { 'x-real-ip': '198.51.100.2' },
    client: '198.51.100.2',
  },
  {
    says: 'whom an IPv6 proxy names',
    peer: '2001:db8::1',
    headers: { 'x-real-ip': '::ffff:198.51.100.2' },
    client: '198.51.100.2',
  },
]

describe('behind trusted proxies the client is', () => {
  test.each(cases)('$says', ({ peer, headers, client }) => {
    expect(getClientAddress(peer, new Headers(headers), trusting)).toBe(client)
  })
})

describe('with TRUSTED_PROXY_HEADER the client is', () => {
  const real = { ...trusting, trustedProxyHeader: 'x-real-ip' }
  const of = (headers: Record<string, string>) => getClientAddress('10.0.0.1', new Headers(headers), real)

  test('named only by that header, whatever the client wrote into X-Forwarded-For', () => {
    expect(of({ 'x-forwarded-for': '203.0.113.66', 'x-real-ip': '198.51.100.2' })).toBe('198.51.100.2')
  })

  test('the peer where that header is missing', () => {
    expect(of({ 'x-forwarded-for': '203.0.113.66' })).toBe('10.0.0.1')
  })

  test('its rightmost untrusted entry', () => {
    expect(of({ 'x-real-ip': '203.0.113.66, 198.51.100.2, 10.0.0.9' })).toBe('198.51.100.2')
  })
})

describe('two headers that name different clients', () => {
  const contradictions = (headers: Record<string, string>, trust = trusting): number => {
    let count = 0
    getClientAddress('10.0.0.1', new Headers(headers), { ...trust, onContradiction: () => count++ })
    return count
  }
  const different = { 'x-forwarded-for': '203.0.113.66', 'x-real-ip': '198.51.100.2' }

  test('are reported', () => expect(contradictions(different)).toBe(1))
  test('are not where one header is chosen', () =>
    expect(contradictions(different, { ...trusting, trustedProxyHeader: 'x-real-ip' })).toBe(0))
  test('are not where both name the same client', () =>
    expect(contradictions({ 'x-forwarded-for': '1.1.1.1, 198.51.100.2:99', 'x-real-ip': '::ffff:198.51.100.2' })).toBe(
      0,
    ))
})

test('without TRUST_PROXY no header is believed', () => {
  const headers = new Headers({ 'x-forwarded-for': '198.51.100.1' })
  expect(getClientAddress('10.0.0.1', headers, { ...trusting, trustProxy: false })).toBe('10.0.0.1')
})

test('several X-Forwarded-For headers count as one list', () => {
  const headers = new Headers()
  headers.append('x-forwarded-for', '1.1.1.1')
  headers.append('x-forwarded-for', '198.51.100.1')
  expect(getClientAddress('10.0.0.1', headers, trusting)).toBe('198.51.100.1')
})

test('an IPv6 client is counted by its /64, an IPv4 one by itself', () => {
  expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe(limitKey('2001:db8:1:2::1'))
  expect(limitKey('2001:db8:1:3::1')).not.toBe(limitKey('2001:db8:1:2::1'))
  expect(limitKey('192.0.2.7')).toBe('192.0.2.7')
})
