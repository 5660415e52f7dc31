/** Checks which web pages may use the endpoint. Streamable HTTP demands the check against DNS rebinding. */
import { cidrHolds, parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'

export type OriginRule = {
  /** The origin of the issuer URL, by which browsers reach the server. */
  readonly issuer: string | undefined
  /** The host that the server listens on; undefined for all addresses. */
  readonly listensOn: string | undefined
}

const LOOPBACK = ['127.0.0.0/8', '::1/128', '::ffff:127.0.0.0/104'].flatMap((text) => parseCidr(text) ?? [])

const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  const ip = parseIp(name)
  return ip ? LOOPBACK.some((block) => cidrHolds(block, ip)) : name === 'localhost'
}

const getHostname = (origin: string): string | undefined => {
  try {
    return new URL(origin).hostname
  } catch {
    // `null`, which a sandboxed page sends, or an invalid value: not an allowed origin.
    return undefined
  }
}

/**
 * Returns true without an Origin header, which only browsers send. The Host header is no evidence: after DNS rebinding
 * it holds the attacker's name. With an issuer, only its origin is allowed. Without one, pages of this machine are, if
 * the server listens on loopback.
 */
export const isAllowedOrigin = ({ headers }: Request, { issuer, listensOn }: OriginRule): boolean => {
  const origin = headers.get('origin')
  if (origin === null) return true
  if (issuer !== undefined) return origin === issuer
  if (listensOn === undefined || !isLoopbackHost(listensOn)) return false
  const hostname = getHostname(origin)
  return hostname !== undefined && isLoopbackHost(hostname)
}
