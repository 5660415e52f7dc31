/** Who is on the other end: the peer of the connection, or whom a trusted proxy says it speaks for. */
import { type Cidr, cidrHolds, cidrOf, formatCidr } from '../../net/cidr.ts'
import { formatIp, type Ip, parseIp } from '../../net/ip.ts'

export type ProxyTrust = { readonly trustProxy: boolean; readonly trustedProxies: readonly Cidr[] }

const MAPPED_V4 = 0xffff_0000_0000n
const V6_CLIENT_PREFIX = 64

/** An IPv4 address that a dual-stack socket reports as ::ffff:a.b.c.d (RFC 4291 2.5.5.2) is that IPv4 address. */
const unmapped = (ip: Ip): Ip =>
  ip.family === 6 && ip.value >> 32n === MAPPED_V4 >> 32n ? { family: 4, value: ip.value & 0xffff_ffffn } : ip

/** The address in an entry of X-Forwarded-For: bare, with a port, or in brackets. */
const entryAddress = (entry: string): Ip | undefined => {
  const text = entry.trim()
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  if (bracketed) return parseIp(bracketed[1] ?? '')
  return parseIp(text) ?? parseIp(text.replace(/:\d+$/, ''))
}

const forwarded = (headers: Headers): Ip | undefined => {
  // Several headers of this name reach us joined by commas; the rightmost entry is the one that our own proxy wrote.
  const list = headers.get('x-forwarded-for')
  if (list !== null) return entryAddress(list.split(',').at(-1) ?? '')
  const real = headers.get('x-real-ip')
  return real === null ? undefined : entryAddress(real)
}

/**
 * The client's address in canonical text; '' when the peer is unknown. Forwarding headers count only when the peer is a
 * trusted proxy, and one that makes no sense is as good as none.
 * @example clientAddress('192.0.2.7', new Headers({ 'x-forwarded-for': '10.0.0.1' }), { trustProxy: false, trustedProxies: [] }) // '192.0.2.7'
 */
export const clientAddress = (peer: string, headers: Headers, { trustProxy, trustedProxies }: ProxyTrust): string => {
  const parsed = parseIp(peer.replace(/%.*$/, ''))
  if (!parsed) return ''
  const direct = unmapped(parsed)
  const isTrusted = trustProxy && trustedProxies.some((proxy) => cidrHolds(proxy, direct))
  const client = isTrusted ? forwarded(headers) : undefined
  return formatIp(client ? unmapped(client) : direct)
}

/**
 * What a limit counts by: an IPv4 address, or the /64 of an IPv6 one, which is what one customer is given.
 * @example limitKey('2001:db8:1:2:3::4') // '2001:db8:1:2::/64'
 */
export const limitKey = (address: string): string => {
  const ip = parseIp(address)
  return ip?.family === 6 ? formatCidr(cidrOf(ip, V6_CLIENT_PREFIX)) : address
}
