/** Checks whether a request is addressed to a host name of this server. */

import { AppError } from '../../contract/errors.ts'
import { formatIp, parseIp } from '../../net/ip.ts'

/** Returns the host of a Host header without its port, in lower case; IPv6 in canonical form in brackets. */
export const parseHost = (header: string): string => {
  const [, v6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header.trim()) ?? []
  const address = v6 === undefined ? undefined : parseIp(v6)
  if (address?.family === 6) return `[${formatIp(address)}]`
  return name.toLowerCase().replace(/\.$/, '')
}

/** Returns a function that tells whether a request is addressed to one of the hosts; undefined without hosts. */
export const createHostMatcher = (hosts: readonly string[]): ((headers: Headers) => boolean) | undefined => {
  const known = new Set(hosts)
  return known.size === 0 ? undefined : (headers) => known.has(parseHost(headers.get('host') ?? ''))
}

export type HostCheck = (headers: Headers, isProbe?: boolean) => AppError | undefined

/**
 * @param allowed hosts from `ALLOWED_HOSTS`; an empty list allows all
 * @returns a function that returns the error of a request with two Host headers (RFC 9112 3.2) or another host (RFC
 * 9110 15.5.20). Probes may use any host, because they connect by address.
 */
export const createHostCheck = (allowed: readonly string[]): HostCheck => {
  const hosts = new Set(allowed)
  return (headers, isProbe = false) => {
    const host = headers.get('host')
    // Headers of one name arrive joined by commas.
    if (host?.includes(',')) return new AppError('INVALID_INPUT', 'The request has more than one Host header')
    if (hosts.size === 0 || isProbe || (host !== null && hosts.has(parseHost(host)))) return undefined
    return new AppError('MISDIRECTED_REQUEST', 'This server does not answer for that host')
  }
}
