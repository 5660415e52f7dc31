/** Finds the client's address: the peer of the connection, or the address that a trusted proxy forwards. */
import { type Cidr, cidrHolds, formatCidr, toCidr } from '../../net/cidr.ts'
import { formatIp, type Ip, parseIp } from '../../net/ip.ts'

export type ProxyTrust = {
  readonly trustProxy: boolean
  readonly trustedProxies: readonly Cidr[]
  /** The one header that the proxies set, in lower case. */
  readonly trustedProxyHeader: string
}

export const DEFAULT_PROXY_HEADER = 'x-forwarded-for'

const MAPPED_V4 = 0xffff_0000_0000n
const V6_CLIENT_PREFIX = 64
const V6_SITE_PREFIX = 48
const V4_NETWORK_PREFIX = 24

/** Unwraps an IPv4 address that a dual-stack socket reports as ::ffff:a.b.c.d (RFC 4291 2.5.5.2). */
const unwrapMapped = (ip: Ip): Ip =>
  ip.family === 6 && ip.value >> 32n === MAPPED_V4 >> 32n ? { family: 4, value: ip.value & 0xffff_ffffn } : ip

/** Parses an entry of X-Forwarded-For: a bare address, an address with a port, or an address in brackets. */
const parseEntry = (entry: string): Ip | undefined => {
  const text = entry.trim()
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  if (bracketed) return parseIp(bracketed[1] ?? '')
  return parseIp(text) ?? parseIp(text.replace(/:\d+$/, ''))
}

/**
 * Returns the rightmost entry that is not a trusted proxy; entries to its left are the client's own claims. If all are
 * trusted proxies, returns the leftmost. An invalid entry ends the search: the entries to its left are not trusted.
 */
const findRightmostUntrusted = (list: string, proxies: readonly Cidr[]): Ip | undefined => {
  let found: Ip | undefined
  // Several headers of one name arrive joined by commas.
  for (const entry of list.split(',').reverse()) {
    const address = parseEntry(entry)
    if (!address) return undefined
    found = unwrapMapped(address)
    if (!isTrusted(found, proxies)) return found
  }
  return found
}

const isTrusted = (ip: Ip, proxies: readonly Cidr[]): boolean => proxies.some((proxy) => cidrHolds(proxy, ip))

const isSame = (a: Ip | undefined, b: Ip | undefined): boolean => a?.family === b?.family && a?.value === b?.value

type Forwarded = { readonly client: Ip | undefined; readonly isContradicted: boolean }

const readForwarded = (headers: Headers, { trustedProxies, trustedProxyHeader }: ProxyTrust): Forwarded => {
  const read = (name: string): Ip | undefined => {
    const list = headers.get(name)
    return list === null ? undefined : findRightmostUntrusted(list, trustedProxies)
  }
  if (trustedProxyHeader !== DEFAULT_PROXY_HEADER) return { client: read(trustedProxyHeader), isContradicted: false }
  if (!headers.has(DEFAULT_PROXY_HEADER)) return { client: read('x-real-ip'), isContradicted: false }
  const client = read(DEFAULT_PROXY_HEADER)
  return { client, isContradicted: headers.has('x-real-ip') && !isSame(client, read('x-real-ip')) }
}

/** Returns the peer's address; undefined if it is unknown. */
const parsePeer = (peer: string): Ip | undefined => {
  const parsed = parseIp(peer.replace(/%.*$/, ''))
  return parsed && unwrapMapped(parsed)
}

/** True if the peer is a proxy with trusted forwarding headers. */
export const isTrustedPeer = (peer: string, { trustProxy, trustedProxies }: ProxyTrust): boolean => {
  const direct = trustProxy ? parsePeer(peer) : undefined
  return direct !== undefined && isTrusted(direct, trustedProxies)
}

/**
 * Returns the client's address in canonical text; '' when the peer is unknown. Forwarding headers count only if the
 * peer is a trusted proxy. An invalid one is ignored. The default is X-Forwarded-For, or X-Real-IP if that is missing.
 * @param onContradiction called when both headers name different clients: the client itself wrote one of them
 * @example getClientAddress('192.0.2.7', new Headers({ 'x-forwarded-for': '10.0.0.1' }), { trustProxy: false, trustedProxies: [], trustedProxyHeader: 'x-forwarded-for' }) // '192.0.2.7'
 */
export const getClientAddress = (
  peer: string,
  headers: Headers,
  { onContradiction, ...trust }: ProxyTrust & { readonly onContradiction?: () => void },
): string => {
  const direct = parsePeer(peer)
  if (!direct) return ''
  if (!trust.trustProxy || !isTrusted(direct, trust.trustedProxies)) return formatIp(direct)
  const { client, isContradicted } = readForwarded(headers, trust)
  if (isContradicted) onContradiction?.()
  return formatIp(client ?? direct)
}

/** Returns an IPv4 address, or the /64 of an IPv6 one. @example limitKey('2001:db8:1:2:3::4') // '2001:db8:1:2::/64' */
export const limitKey = (address: string): string => {
  const ip = parseIp(address)
  return ip?.family === 6 ? formatCidr(toCidr(ip, V6_CLIENT_PREFIX)) : address
}

/** Returns the /48 of an IPv6 address, usually one site. @example getSiteKey('2001:db8:1:2:3::4') // '2001:db8:1::/48' */
export const getSiteKey = (address: string): string | undefined => {
  const ip = parseIp(address)
  return ip?.family === 6 ? formatCidr(toCidr(ip, V6_SITE_PREFIX)) : undefined
}

/** Returns the network of a fair queue, /24 or /48. @example getNetworkKey('192.0.2.7') // '192.0.2.0/24' */
export const getNetworkKey = (address: string): string => {
  const ip = parseIp(address)
  return ip ? formatCidr(toCidr(ip, ip.family === 6 ? V6_SITE_PREFIX : V4_NETWORK_PREFIX)) : address
}
