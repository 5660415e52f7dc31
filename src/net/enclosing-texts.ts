// Builds the texts of all blocks that contain one address, without formatting each block separately: bulk imports call
// this for every address. Only `cidr.ts` uses it.

import { formatIpv4, maskIpv4 } from './ipv4-text.ts'
import { findLongestZeroRun, formatIpv6Groups, isMappedIpv4, joinGroups } from './ipv6-text.ts'

/**
 * Canonical CIDR texts of the 33 blocks that hold an IPv4 address, /32 first.
 *
 * @param value 0 to 4294967295
 * @example
 * listEnclosingIpv4Texts(167772161).slice(0, 3) // ['10.0.0.1/32', '10.0.0.0/31', '10.0.0.0/30']
 */
export function listEnclosingIpv4Texts(value: number): string[] {
  const texts: string[] = []
  for (let prefix = 32; prefix >= 0; prefix--) texts.push(`${formatIpv4(maskIpv4(value, prefix))}/${prefix}`)
  return texts
}

/**
 * Canonical CIDR texts of the 129 blocks that hold an IPv6 address, /128 first.
 *
 * @param groups eight numbers of 0 to 65535
 * @example
 * listEnclosingIpv6Texts([8193, 3512, 0, 0, 0, 0, 0, 1]).slice(0, 2) // ['2001:db8::1/128', '2001:db8::/127']
 */
export function listEnclosingIpv6Texts(groups: readonly number[]): string[] {
  const texts: string[] = []
  const masked = [...groups]
  let prefix = 128
  if (isMappedIpv4(groups)) {
    // RFC 5952 section 5: every block inside ::ffff:0:0/96 is written with a dotted quad.
    const quad = ((groups[6] ?? 0) << 16) | (groups[7] ?? 0)
    for (; prefix >= 96; prefix--) texts.push(`::ffff:${formatIpv4(maskIpv4(quad, prefix - 96))}/${prefix}`)
    masked.fill(0, 6)
  }
  for (let cut = (prefix - 1) >> 4; cut >= 0; cut--) {
    const whole = groups[cut] ?? 0
    const [before, after] = buildFrame(masked, cut)
    masked[cut] = 0
    const zero = formatIpv6Groups(masked)
    for (; prefix > cut * 16; prefix--) {
      const group = whole & (0xffff0000 >> (prefix - cut * 16))
      texts.push(`${group === 0 ? zero : before + group.toString(16) + after}/${prefix}`)
    }
  }
  texts.push('::/0')
  return texts
}

/**
 * Returns the text before and after the group at `cut`, for a nonzero group that only zeros follow. The position of
 * `::` depends only on which groups are zero, so one frame serves all prefixes that end in the group.
 */
function buildFrame(groups: readonly number[], cut: number): [before: string, after: string] {
  const marked = groups.with(cut, 1)
  const { start, end } = findLongestZeroRun(marked)
  if (start > cut) return [joinWithColon(marked, 0, cut), '::']
  const after = ':0'.repeat(7 - cut)
  if (start < 0) return [joinWithColon(marked, 0, cut), after]
  return [`${joinGroups(marked, 0, start)}::${joinWithColon(marked, end, cut)}`, after]
}

/** Joins the groups from `start` up to and without `end`, each followed by a colon. */
function joinWithColon(groups: readonly number[], start: number, end: number): string {
  return start < end ? `${joinGroups(groups, start, end)}:` : ''
}
