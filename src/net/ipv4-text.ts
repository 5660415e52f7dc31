// IPv4 text and the unsigned 32-bit number behind it. Plain numbers: this is the hot path of imports and scans.

const DOT = 46
const ZERO = 48

/** The longest IPv4 text there is, in characters: `255.255.255.255`. */
export const IPV4_TEXT_MAX = 15

/**
 * Parses dotted-quad text strictly: four decimal octets, no leading zeros (RFC 6943 section 3.1.1 describes the harm of
 * reading `010` as octal), no white space.
 *
 * @returns the address as an unsigned 32-bit number, or undefined if the text is not an IPv4 address
 * @example
 * parseIpv4('10.0.0.1') // 167772161
 * parseIpv4('010.0.0.1') // undefined
 */
export function parseIpv4(text: string): number | undefined {
  const length = text.length
  if (length < 7 || length > IPV4_TEXT_MAX) return undefined
  let value = 0
  let octet = 0
  let digits = 0
  let dots = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === DOT) {
      if (digits === 0 || ++dots > 3) return undefined
      value = value * 256 + octet
      octet = 0
      digits = 0
      continue
    }
    const digit = code - ZERO
    if (digit < 0 || digit > 9 || (digits > 0 && octet === 0)) return undefined
    octet = octet * 10 + digit
    if (octet > 255) return undefined
    digits++
  }
  return dots === 3 && digits > 0 ? value * 256 + octet : undefined
}

/**
 * Writes an unsigned 32-bit number as dotted-quad text.
 *
 * @param value 0 to 4294967295
 * @example
 * formatIpv4(167772161) // '10.0.0.1'
 */
export function formatIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`
}

/**
 * Returns the number with all bits after the first `prefix` bits cleared.
 *
 * @param value 0 to 4294967295
 * @param prefix 0 to 32
 * @example
 * maskIpv4(167772165, 24) // 167772160
 */
export function maskIpv4(value: number, prefix: number): number {
  // JavaScript shifts by the count modulo 32, so a shift by 32 would change nothing.
  return prefix === 0 ? 0 : (value & (-1 << (32 - prefix))) >>> 0
}
