// Recognizes the kind of a search text by its form: an address, a block, a MAC or a host name.

import { type Cidr, formatCidr, parseCidr } from './cidr.ts'
import { isDomainName } from './dns-name.ts'
import { formatIp, type Ip, parseIp } from './ip.ts'
import { parseMac } from './mac.ts'
import { toNameKey } from './name-order.ts'

/** `text` is the canonical spelling. */
export type Subject =
  | { readonly kind: 'ip'; readonly text: string; readonly ip: Ip }
  | { readonly kind: 'cidr'; readonly text: string; readonly cidr: Cidr }
  | { readonly kind: 'mac'; readonly text: string }
  | { readonly kind: 'hostname'; readonly text: string }

/** Ends in a number behind a dot: meant as an address, and none. No top-level domain is a number (RFC 3696 section 2). */
const BROKEN_ADDRESS = /\.\d+$/

/**
 * Reads any spelling of any of the four; white space around it and the root dot of a name do not count. Twelve hexadecimal
 * digits are a MAC, and not a name.
 *
 * @returns undefined for anything else
 * @example
 * parseSubject('2001:DB8:0::1') // { kind: 'ip', text: '2001:db8::1', ip: { family: 6, value: 0x20010db8000000000000000000000001n } }
 * parseSubject('AABB.CC00.1122') // { kind: 'mac', text: 'aa:bb:cc:00:11:22' }
 * parseSubject('Web-1.example.com.') // { kind: 'hostname', text: 'web-1.example.com' }
 * parseSubject('10.0.0.256') // undefined
 */
export function parseSubject(typed: string): Subject | undefined {
  const text = typed.trim()
  const ip = parseIp(text)
  if (ip !== undefined) return { kind: 'ip', text: formatIp(ip), ip }
  const cidr = parseCidr(text)
  if (cidr !== undefined) return { kind: 'cidr', text: formatCidr(cidr), cidr }
  const mac = parseMac(text)
  if (mac !== undefined) return { kind: 'mac', text: mac }
  const name = toNameKey(text).replace(/\.$/, '')
  if (!isDomainName(name) || name.startsWith('*') || BROKEN_ADDRESS.test(name)) return undefined
  return { kind: 'hostname', text: name }
}
