// Reads the host of a URL, of a host with a port, and of an address in brackets or with a zone.
import { normalizeIp, parseIp } from '../ip.ts'

const URL_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^:/?#[\]]+)(?::\d*)?(?:[/?#].*)?$/i
/** Most texts are none of them. */
const MAY_HAVE_HOST = /[/[%]|:\d+$/
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:/[\]]*\.[^:/[\]]*)(?::\d{1,5})?$/

/**
 * Returns the host of a URL, or of a host with a port or in brackets (RFC 3986 section 3.2.2, RFC 6874). A name needs a dot, unless it is in
 * a URL. The zone of an IPv6 address is left out.
 *
 * @returns undefined for a text that is none of these, also for a plain name or address
 * @example
 * extractHost('https://10.0.0.1/') // '10.0.0.1'
 * extractHost('[2001:db8::1]:443') // '2001:db8::1'
 * extractHost('fe80::1%eth0') // 'fe80::1'
 */
export const extractHost = (text: string): string | undefined => {
  if (!MAY_HAVE_HOST.test(text)) return undefined
  const found = (URL_HOST.exec(text) ?? HOST_AND_PORT.exec(text))?.[1] ?? text
  const host = found.replace(/^\[(.*)\]$/, '$1')
  const [address = '', zone] = host.split('%', 2)
  const bare = zone !== undefined && parseIp(address)?.family === 6 ? address : host
  // Brackets are for addresses.
  if (bare === text || bare === '' || (host !== found && parseIp(bare)?.family !== 6)) return undefined
  return bare
}

/**
 * Returns the canonical address that a text stands for, by itself or as the host of a URL or with a port.
 * @example extractIp('https://[2001:DB8:0::1]:8443/login') // '2001:db8::1'
 */
export const extractIp = (text: string): string | undefined => normalizeIp(text) ?? normalizeIp(extractHost(text) ?? '')
