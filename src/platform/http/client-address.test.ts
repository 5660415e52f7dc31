/** Whom a request is counted for. */
import { describe, expect, test } from 'bun:test'
import { parseCidr } from '../../net/cidr.ts'
import { clientAddress, limitKey } from './client-address.ts'

const proxies = ['10.0.0.0/8', '2001:db8::1/128'].flatMap((text) => parseCidr(text) ?? [])
const trusting = { trustProxy: true, trustedProxies: proxies }

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
    expect(clientAddress(peer, new Headers(headers), trusting)).toBe(client)
  })
})

test('without TRUST_PROXY no header is believed', () => {
  const headers = new Headers({ 'x-forwarded-for': '198.51.100.1' })
  expect(clientAddress('10.0.0.1', headers, { ...trusting, trustProxy: false })).toBe('10.0.0.1')
})

test('several X-Forwarded-For headers count as one list', () => {
  const headers = new Headers()
  headers.append('x-forwarded-for', '1.1.1.1')
  headers.append('x-forwarded-for', '198.51.100.1')
  expect(clientAddress('10.0.0.1', headers, trusting)).toBe('198.51.100.1')
})

test('an IPv6 client is counted by its /64, an IPv4 one by itself', () => {
  expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe(limitKey('2001:db8:1:2::1'))
  expect(limitKey('2001:db8:1:3::1')).not.toBe(limitKey('2001:db8:1:2::1'))
  expect(limitKey('192.0.2.7')).toBe('192.0.2.7')
})
