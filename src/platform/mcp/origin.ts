/** Which web pages may speak to the endpoint. Streamable HTTP demands the check against DNS rebinding. */
import { cidrHolds, parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'

export type OriginRule = {
  /** The origin of the issuer URL: browsers reach the server by it. */
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

const hostnameOf = (origin: string): string | undefined => {
  try {
    return new URL(origin).hostname
  } catch {
    // `null`, which a sandboxed page sends, or nonsense: no origin of ours.
    return undefined
  }
}

/**
 * True without an Origin, which only browsers send. The Host header says nothing: a page whose name was rebound to this server has its own
 * name there. With an issuer its origin alone is allowed. Without one, pages of this machine are, where the server listens on loopback.
 */
export const isAllowedOrigin = ({ headers }: Request, { issuer, listensOn }: OriginRule): boolean => {
  const origin = headers.get('origin')
  if (origin === null) return true
  if (issuer !== undefined) return origin === issuer
  if (listensOn === undefined || !isLoopbackHost(listensOn)) return false
  const hostname = hostnameOf(origin)
  return hostname !== undefined && isLoopbackHost(hostname)
}
