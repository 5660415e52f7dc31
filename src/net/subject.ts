// Recognizes the kind of a search text by its form: an address, a block, a MAC or a host name. A host may be in a URL or have a port.

import { type Cidr, formatCidr, parseCidr } from './cidr.ts'
import { isDomainName } from './dns-name.ts'
import { formatIp, type Ip, parseIp } from './ip.ts'
import { parseMac } from './mac.ts'
import { toNameKey } from './name-order.ts'
import { extractHost } from './words/host-text.ts'

/** `text` is the canonical spelling. */
export type Subject =
  | { readonly kind: 'ip'; readonly text: string; readonly ip: Ip }
  | { readonly kind: 'cidr'; readonly text: string; readonly cidr: Cidr }
  | { readonly kind: 'mac'; readonly text: string }
  | { readonly kind: 'hostname'; readonly text: string }

/** Ends in a number behind a dot: meant as an address, and none. No top-level domain is a number (RFC 3696 section 2). */
const BROKEN_ADDRESS = /\.\d+$/

const parseName = (text: string): Subject | undefined => {
  const name = toNameKey(text).replace(/\.$/, '')
  if (!isDomainName(name) || name.startsWith('*') || BROKEN_ADDRESS.test(name)) return undefined
  return { kind: 'hostname', text: name }
}

const parseAddress = (text: string): Subject | undefined => {
  const ip = parseIp(text)
  return ip === undefined ? undefined : { kind: 'ip', text: formatIp(ip), ip }
}

/**
 * Reads any spelling of any of the four; white space around it and the root dot of a name do not count. Twelve hexadecimal
 * digits are a MAC, and not a name. Of a URL and of a host with a port it is the host (RFC 3986 section 3.2.2).
 *
 * @returns undefined for anything else
 * @example
 * parseSubject('2001:DB8:0::1') // { kind: 'ip', text: '2001:db8::1', ip: { family: 6, value: 0x20010db8000000000000000000000001n } }
 * parseSubject('AABB.CC00.1122') // { kind: 'mac', text: 'aa:bb:cc:00:11:22' }
 * parseSubject('Web-1.example.com.') // { kind: 'hostname', text: 'web-1.example.com' }
 * parseSubject('https://10.0.0.1:8443/login') // { kind: 'ip', text: '10.0.0.1', ip: { family: 4, value: 167772161n } }
 * parseSubject('10.0.0.256') // undefined
 */
export function parseSubject(typed: string): Subject | undefined {
  const text = typed.trim()
  const address = parseAddress(text)
  if (address) return address
  const cidr = parseCidr(text)
  if (cidr !== undefined) return { kind: 'cidr', text: formatCidr(cidr), cidr }
  const mac = parseMac(text)
  if (mac !== undefined) return { kind: 'mac', text: mac }
  const host = extractHost(text)
  return host === undefined ? parseName(text) : (parseAddress(host) ?? parseName(host))
}
