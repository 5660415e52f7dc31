// IPv6 text and the eight 16-bit groups behind it. Knows nothing of prefixes or of IPv4 as a family.

import { formatIpv4, parseIpv4 } from './ipv4-text.ts'

const DOT = 46
const COLON = 58
const GROUPS = 8

/** The longest IPv6 text there is, in characters: six full groups and a full dotted quad. */
export const IPV6_TEXT_MAX = 45

/** A run of zero groups: the first index and the index after the last; `{ start: -1, end: -1 }` for none. */
export type ZeroRun = { readonly start: number; readonly end: number }

const NO_RUN: ZeroRun = { start: -1, end: -1 }

// Scratch space: every use writes all 16 bytes before it reads any, and nothing here is asynchronous.
const scratch = new DataView(new ArrayBuffer(16))

function parseHexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  return code >= 65 && code <= 70 ? code - 55 : -1
}

/**
 * Reads IPv6 text strictly (RFC 4291 section 2.2, all three forms). No zone id, no brackets, no white space.
 *
 * @returns eight numbers of 0 to 65535, or undefined when the text is not an IPv6 address
 * @example
 * parseIpv6Groups('2001:db8::1') // [8193, 3512, 0, 0, 0, 0, 0, 1]
 * parseIpv6Groups('fe80::1%eth0') // undefined
 */
export function parseIpv6Groups(text: string): number[] | undefined {
  const length = text.length
  if (length < 2 || length > IPV6_TEXT_MAX) return undefined
  const groups: number[] = []
  let gap = -1
  let at = 0
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return undefined
    gap = 0
    at = 2
  }
  while (at < length) {
    const start = at
    let group = 0
    for (; at < length; at++) {
      const digit = parseHexDigit(text.charCodeAt(at))
      if (digit < 0) break
      group = group * 16 + digit
    }
    const digits = at - start
    if (digits === 0 || digits > 4) return undefined
    if (at < length && text.charCodeAt(at) === DOT) {
      const quad = parseIpv4(text.slice(start))
      if (quad === undefined) return undefined
      groups.push(quad >>> 16, quad & 0xffff)
      break
    }
    groups.push(group)
    if (at === length) break
    if (text.charCodeAt(at) !== COLON || ++at === length) return undefined
    if (text.charCodeAt(at) === COLON) {
      if (gap >= 0) return undefined
      gap = groups.length
      at++
    }
  }
  if (gap < 0) return groups.length === GROUPS ? groups : undefined
  // RFC 4291 section 2.2: `::` stands for one or more groups, so seven written ones are the most.
  if (groups.length >= GROUPS) return undefined
  const full = groups.slice(0, gap)
  while (full.length < GROUPS - (groups.length - gap)) full.push(0)
  for (const group of groups.slice(gap)) full.push(group)
  return full
}

/**
 * Returns the 128-bit value of eight groups.
 *
 * @param groups eight numbers of 0 to 65535
 * @example
 * fromGroups([0, 0, 0, 0, 0, 0, 1, 2]) // 65538n
 */
export function fromGroups(groups: readonly number[]): bigint {
  for (let index = 0; index < GROUPS; index++) scratch.setUint16(index * 2, groups[index] ?? 0)
  return (scratch.getBigUint64(0) << 64n) | scratch.getBigUint64(8)
}

/**
 * Returns the eight groups of a 128-bit value.
 *
 * @param value 0 to 2^128 - 1
 * @example
 * toGroups(65538n) // [0, 0, 0, 0, 0, 0, 1, 2]
 */
export function toGroups(value: bigint): number[] {
  scratch.setBigUint64(0, value >> 64n)
  scratch.setBigUint64(8, BigInt.asUintN(64, value))
  const groups: number[] = []
  for (let at = 0; at < 16; at += 2) groups.push(scratch.getUint16(at))
  return groups
}

/**
 * Finds the run of zero groups that text shortens to `::` : the longest, the first of equals, never a single group (RFC 5952 section
 * 4.2).
 *
 * @param groups eight numbers of 0 to 65535
 * @example
 * findLongestZeroRun([8193, 0, 0, 1, 0, 0, 0, 1]) // { start: 4, end: 7 }
 * findLongestZeroRun([8193, 1, 1, 1, 0, 1, 1, 1]) // { start: -1, end: -1 }
 */
export function findLongestZeroRun(groups: readonly number[]): ZeroRun {
  let best = NO_RUN
  let longest = 1
  for (let start = 0; start < GROUPS; start++) {
    if (groups[start] !== 0) continue
    let end = start + 1
    while (end < GROUPS && groups[end] === 0) end++
    if (end - start > longest) {
      longest = end - start
      best = { start, end }
    }
    start = end
  }
  return best
}

/**
 * Formats the groups from `start` up to and without `end`, in lower-case hexadecimal, joined with colons.
 *
 * @param groups eight numbers of 0 to 65535
 * @example
 * joinGroups([8193, 3512, 0, 0, 0, 0, 0, 1], 0, 3) // '2001:db8:0'
 */
export function joinGroups(groups: readonly number[], start: number, end: number): string {
  let text = ''
  for (let index = start; index < end; index++) {
    if (index > start) text += ':'
    text += (groups[index] ?? 0).toString(16)
  }
  return text
}

/**
 * True for the IPv4-mapped addresses, ::ffff:0:0/96 (RFC 4291 section 2.5.5.2).
 *
 * @param groups eight numbers of 0 to 65535
 * @example
 * isMappedIpv4([0, 0, 0, 0, 0, 65535, 2560, 1]) // true
 */
export function isMappedIpv4(groups: readonly number[]): boolean {
  for (let index = 0; index < 5; index++) if (groups[index] !== 0) return false
  return groups[5] === 0xffff
}

/**
 * Canonical text of eight groups (RFC 5952 section 4; section 5 for the mixed notation of IPv4-mapped addresses).
 *
 * @param groups eight numbers of 0 to 65535
 * @example
 * formatIpv6Groups([8193, 3512, 0, 0, 0, 0, 0, 1]) // '2001:db8::1'
 * formatIpv6Groups([0, 0, 0, 0, 0, 65535, 2560, 1]) // '::ffff:10.0.0.1'
 */
export function formatIpv6Groups(groups: readonly number[]): string {
  if (isMappedIpv4(groups)) return `::ffff:${formatIpv4(((groups[6] ?? 0) << 16) | (groups[7] ?? 0))}`
  const run = findLongestZeroRun(groups)
  if (run.start < 0) return joinGroups(groups, 0, GROUPS)
  return `${joinGroups(groups, 0, run.start)}::${joinGroups(groups, run.end, GROUPS)}`
}
