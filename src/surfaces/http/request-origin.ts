/** Finds scheme and host by which a client reaches this server, for URLs in answers. */
import { isTrustedPeer, type ProxyTrust } from './client-address.ts'
import { parseHost } from './request-host.ts'

export type OriginOptions = ProxyTrust & {
  /** The address at which browsers reach this server, without a path. */
  readonly publicUrl?: string | undefined
}

/** A host name or an address, with or without a port (RFC 3986 3.2). */
const AUTHORITY = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** Returns the entry of the nearest proxy: entries to its left are claims of others. */
const readLast = (headers: Headers, name: string): string => headers.get(name)?.split(',').at(-1)?.trim() ?? ''

/**
 * Returns a function that reads the origin of a request. It is the public URL where the request names its host, else scheme and host of the
 * request. X-Forwarded-Proto and X-Forwarded-Host count only from trusted proxies.
 */
export const createOriginReader = ({ publicUrl, ...trust }: OriginOptions) => {
  const publicHost = publicUrl === undefined ? undefined : parseHost(new URL(publicUrl).host)
  return (peer: string, headers: Headers): string => {
    const isForwarded = isTrustedPeer(peer, trust)
    const named = (isForwarded && readLast(headers, 'x-forwarded-host')) || (headers.get('host') ?? '')
    const host = AUTHORITY.test(named) ? named.toLowerCase() : 'localhost'
    if (publicUrl !== undefined && parseHost(host) === publicHost) return publicUrl
    const isSecure = isForwarded && readLast(headers, 'x-forwarded-proto').toLowerCase() === 'https'
    return `${isSecure ? 'https' : 'http'}://${host}`
  }
}
